import { FigureError, nearestName } from '../errors.js';
import { requireFinite, shown } from './normalize.js';
import type { CouplingData, JointData } from './types.js';

/**
 * A joint that follows another: its coordinate is phi(y), y that of the leader, and the pose stores y alone
 * (DESIGN.md, "Constraints").
 */
export interface Coupling {
  /** The bone that follows. */
  readonly bone: number;
  /** The bone that leads. */
  readonly leader: number;
  /** Index of y in the pose. */
  readonly coordinate: number;
  /** phi(y) = c[0] + c[1] y + c[2] y^2 + ... */
  readonly polynomial: readonly number[];
}

/** What is needed to know of a bone; a part of `Bone`. */
interface Member {
  readonly index: number;
  readonly name: string;
  readonly joint: JointData;
  readonly coordinate: number;
  readonly coupling?: CouplingData;
}

/** Joints of one coordinate q, which is also their joint velocity's integral: the only ones that lead or follow. */
const SINGLE: readonly JointData['type'][] = ['hinge', 'slider'];

/**
 * A checked copy of what a bone says it follows; whom, {@link couplingsOf} finds out.
 *
 * @throws FigureError
 */
export function normalizeCoupling(
  { bone, polynomial }: CouplingData,
  joint: JointData,
  path: string,
): CouplingData {
  requireSingle(joint, path, 'follows');
  if (!Array.isArray(polynomial) || polynomial.length === 0) {
    throw new FigureError('wrong-size', `is ${shown(polynomial)}.`, {
      path: `${path}.polynomial`,
      remedy: 'Give at least one coefficient, the constant first: [offset, multiplier].',
    });
  }
  requireFinite(polynomial, polynomial.length, `${path}.polynomial`);
  // Minus zero becomes zero: JSON has none.
  return { bone, polynomial: Array.from(polynomial, (c: number) => c + 0) };
}

function requireSingle({ type }: JointData, path: string, does: 'follows' | 'leads'): void {
  if (SINGLE.includes(type)) return;
  throw new FigureError('unsupported', `is of a ${type} joint.`, {
    path,
    remedy: `Only a joint of one coordinate ${does}: ${SINGLE.join(' or ')}.`,
  });
}

/**
 * Who follows whom, in bone order.
 *
 * @param pathOf - Place of a bone in the caller's data.
 * @throws FigureError for a leader that is not there, follows itself, or has not one coordinate.
 */
export function couplingsOf(bones: readonly Member[], pathOf: (bone: number) => string): Coupling[] {
  const indexOf = new Map(bones.map((bone) => [bone.name, bone.index]));
  return bones.flatMap(({ index, coupling }) => {
    if (coupling === undefined) return [];
    const path = `${pathOf(index)}.coupling.bone`;
    const leader = bones[indexOf.get(coupling.bone) ?? -1];
    if (leader === undefined) {
      const near = typeof coupling.bone === 'string' ? nearestName(coupling.bone, indexOf.keys()) : undefined;
      throw new FigureError('unknown-name', `${shown(coupling.bone)} is not the name of a bone.`, {
        path,
        remedy: near === undefined ? 'Name a bone of this figure.' : `Did you mean '${near}'?`,
      });
    }
    if (leader.coupling !== undefined) {
      const itself = leader.index === index;
      throw new FigureError(
        itself ? 'cycle' : 'unsupported',
        itself ? 'is the bone itself.' : `'${leader.name}' follows '${leader.coupling.bone}' itself.`,
        { path, remedy: 'Name a bone whose joint has a coordinate of its own.' },
      );
    }
    requireSingle(leader.joint, path, 'leads');
    return [
      { bone: index, leader: leader.index, coordinate: leader.coordinate, polynomial: coupling.polynomial },
    ];
  });
}
