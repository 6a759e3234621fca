import { FigureError } from '../../errors.js';
import { requireFinite, unknownBone } from './normalize.js';
import type { JointData, MimicData } from './types.js';

/**
 * A joint that follows another: its coordinate is phi(y), y that of the source, and the pose stores y alone
 * (DESIGN.md, "Constraints").
 */
export interface MimicJoint {
  /** The bone that follows. */
  readonly bone: number;
  /** The bone that leads. */
  readonly source: number;
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
  readonly mimic?: MimicData;
}

/**
 * A checked copy of what a bone says it follows; whom, {@link mimicJointsOf} finds out.
 *
 * @throws FigureError
 */
export function normalizeMimic({ bone, polynomial }: MimicData, joint: JointData, path: string): MimicData {
  requireSingle(joint, path);
  const place = `${path}.polynomial`;
  const numbers = requireFinite(polynomial, Math.max(1, polynomial?.length ?? 1), place);
  // Minus zero becomes zero: JSON has none.
  return { bone, polynomial: Array.from(numbers, (c) => c + 0) };
}

/** One coordinate, whose rate is the joint velocity: phi' then serves both. */
function requireSingle({ type }: JointData, path: string): void {
  if (type === 'hinge' || type === 'slider') return;
  throw new FigureError('unsupported', `is of a ${type} joint.`, {
    path,
    remedy: 'Only a hinge or a slider leads or follows.',
  });
}

/**
 * Who follows whom, in bone order.
 *
 * @param pathOf - Place of a bone in the caller's data.
 * @throws FigureError for a source that is not there, follows another itself, or has not one coordinate.
 */
export function mimicJointsOf(bones: readonly Member[], pathOf: (bone: number) => string): MimicJoint[] {
  return bones.flatMap(({ index, mimic }) => {
    if (mimic === undefined) return [];
    const path = `${pathOf(index)}.mimic.bone`;
    const source = bones.find(({ name }) => name === mimic.bone);
    if (source === undefined) {
      const names = bones.map(({ name }) => name);
      throw unknownBone(mimic.bone, names, path, 'Name a bone of this figure.');
    }
    if (source.mimic !== undefined) {
      throw new FigureError('cycle', `'${source.name}' follows '${source.mimic.bone}' itself.`, {
        path,
        remedy: 'Name a bone whose joint has a coordinate of its own.',
      });
    }
    requireSingle(source.joint, path);
    const { coordinate } = source;
    return [{ bone: index, source: source.index, coordinate, polynomial: mimic.polynomial }];
  });
}
