import { requireFields, requireList } from '../../checks.js';
import { FigureError } from '../../errors.js';
import { requireFinite, unknownBone } from './normalize.js';
import type { JointData, MimicData, MimicPiece } from './types.js';

/** A mimic joint: its coordinate is phi(y), y the coordinate of its source joint. The pose stores y only. */
export interface MimicJoint {
  /** Bone of the mimic joint. */
  readonly bone: number;
  /** Bone of the source joint. */
  readonly source: number;
  /** Index of y in the pose. */
  readonly coordinate: number;
  /** phi(y) = c[0] + c[1] y + c[2] y^2 + ... */
  readonly polynomial: readonly number[];
  /** Polynomials of y - from that hold from some y on, ascending. */
  readonly pieces?: readonly MimicPiece[];
}

/** The fields of `Bone` read here. */
interface BoneFields {
  readonly index: number;
  readonly name: string;
  readonly joint: JointData;
  readonly coordinate: number;
  readonly mimic?: MimicData;
}

/** Coefficients of a polynomial at most: finding where one of high degree meets a limit takes long. */
const MAX_COEFFICIENTS = 32;

/**
 * A checked copy of the mimic data of one bone. {@link mimicJointsOf} checks the source.
 *
 * @throws FigureError `unsupported`, `wrong-size`, `not-finite`.
 */
export function normalizeMimic(mimic: MimicData, joint: JointData, path: string): MimicData {
  requireFields(mimic, { bone: true, polynomial: true, pieces: true }, path, FigureError);
  requireOneDof(joint, path);
  const { bone, pieces } = mimic;
  const polynomial = normalizePolynomial(mimic, path);
  if (!pieces) return { bone, polynomial };
  requireList(pieces, `${path}.pieces`, FigureError, 'Give an array of { from, polynomial }.');
  let last = -Infinity;
  const checked = pieces.map((piece, n): MimicPiece => {
    const at = `${path}.pieces[${n}]`;
    requireFields(piece ?? {}, { from: true, polynomial: true }, at, FigureError);
    const from = piece?.from;
    if (!(from > last && from < Infinity)) {
      throw new FigureError('out-of-range', 'is not above the last.', {
        path: `${at}.from`,
        remedy: 'Sort the pieces by from.',
      });
    }
    last = from;
    return { from: from + 0, polynomial: normalizePolynomial(piece, at) };
  });
  return { bone, polynomial, pieces: checked };
}

function normalizePolynomial(
  { polynomial }: Pick<MimicPiece, 'polynomial'>,
  path: string,
): readonly number[] {
  if ((polynomial?.length ?? 0) > MAX_COEFFICIENTS) {
    throw new FigureError('wrong-size', `has ${polynomial.length} coefficients.`, {
      path: `${path}.polynomial`,
      remedy: `Give at most ${MAX_COEFFICIENTS}.`,
    });
  }
  const numbers = requireFinite(polynomial, Math.max(1, polynomial?.length ?? 1), `${path}.polynomial`);
  // -0 becomes 0, as in JSON.
  return Array.from(numbers, (c) => c + 0);
}

/** @throws FigureError `unsupported` for a joint other than hinge and slider, whose velocity is the rate of one coordinate. */
function requireOneDof({ type }: JointData, path: string): void {
  if (type === 'hinge' || type === 'slider') return;
  throw new FigureError('unsupported', `is of a ${type} joint.`, {
    path,
    remedy: 'Use a hinge or a slider for a mimic joint and its source.',
  });
}

/**
 * The mimic joints of a figure, in bone order.
 *
 * @param pathOf - Path of a bone in the caller's data.
 * @throws FigureError for a source that does not exist, is a mimic joint itself, or is neither hinge nor slider.
 */
export function mimicJointsOf(bones: readonly BoneFields[], pathOf: (bone: number) => string): MimicJoint[] {
  const named = new Map(bones.map((bone) => [bone.name, bone]));
  return bones.flatMap(({ index, mimic }) => {
    if (mimic === undefined) return [];
    const path = `${pathOf(index)}.mimic.bone`;
    const source = named.get(mimic.bone);
    if (source === undefined) {
      const names = bones.map(({ name }) => name);
      throw unknownBone(mimic.bone, names, path, 'Name a bone of this figure.');
    }
    if (source.mimic !== undefined) {
      throw new FigureError('cycle', `'${source.name}' is itself a mimic joint of '${source.mimic.bone}'.`, {
        path,
        remedy: 'Name a bone whose joint is not a mimic joint.',
      });
    }
    requireOneDof(source.joint, path);
    const { coordinate } = source;
    const { bone: _bone, ...phi } = mimic;
    return [{ bone: index, source: source.index, coordinate, ...phi }];
  });
}
