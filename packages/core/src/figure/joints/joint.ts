import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import type { JointData, RigidData } from '../data/types.js';

const TWO_PI = 2 * Math.PI;

/**
 * The bones of one joint type in one figure, ready for a loop: which bones, where their coordinates start, and the
 * numbers of each joint (axes), `stride` apart.
 */
export interface JointBatch {
  readonly bones: Int32Array;
  /** Parent bone of each, -1 for a root. */
  readonly parents: Int32Array;
  readonly coordinates: Int32Array;
  readonly parameters: Float64Array;
  readonly stride: number;
}

/**
 * A joint type: everything that solvers know of it. One file each; a new joint is a new file and a line in
 * `joint-types.ts`. Loops run over a batch, so that the call is paid once per type and not once per bone.
 *
 * Rigid transforms have 12 numbers (rotation row by row, then position), motion columns 6: angular (rad per unit of
 * coordinate) then linear velocity of the bone's origin (m per unit), both in world axes.
 */
export interface JointType<D extends JointData = JointData> {
  /** Number of coordinates, and of joint velocities. */
  readonly dof: number;
  /** Whether J(q) turns. */
  readonly turns: boolean;
  /** How many coordinates, the first ones, are translations (m); the others are angles (rad). */
  readonly translations: number;
  /** Where among its coordinates a rotation vector starts that may change chart where it has no limit; -1 for none. */
  readonly rotationVector: number;
  /** Whether nu is the angular velocity in the bone frame and nothing else, so that its columns are those of R_world. */
  readonly bodyTurn: boolean;
  /** How many numbers `pack` gives. */
  readonly stride: number;
  /** Checked joint data with unit axes and defaults filled in. @throws FigureError */
  normalize(data: D, path: string): D;
  /** Numbers of a normalized joint for the loops below. */
  pack(data: D, rest: RigidData): readonly number[];
  /** J(q) of each bone to out[12 b]: the rotation if it turns, the position if it has translations. */
  writeTransforms(batch: JointBatch, q: Numbers, out: Float64Array): void;
  /**
   * Columns of velocity against q' (`space` 0) or against the joint velocity nu (`space` 1) to out[6 i] for each
   * coordinate i. `out` comes zeroed, and what is always zero is never written.
   */
  writeColumns(
    batch: JointBatch,
    q: Numbers,
    worldFromBone: Float64Array,
    space: ColumnSpace,
    out: Float64Array,
  ): void;
  /**
   * How the joint's own axes turn with its own coordinates: da_i/dq_j, world axes, three numbers to out[9 i + 3 (j - i)]
   * for each two angles i <= j of the joint (i, j counted over the figure; a joint has three angles at most). `out` comes
   * zeroed, and what is always zero is never written.
   *
   * Only i <= j: an axis that stands before another's angle stays, so all are zero but for coordinates that turn
   * together. The other half is da_j/dq_i = da_i/dq_j + a_i x a_j, as for any two rotations in a row.
   */
  writeAxisDerivatives(batch: JointBatch, q: Numbers, worldFromBone: Float64Array, out: Float64Array): void;
  /** q' = N(q) nu for the joint at batch index k. Frames as in {@link JointData}. */
  coordinateRate(batch: JointBatch, k: number, q: Numbers, nu: Numbers, out: MutableNumbers): void;
  /** nu = N(q)^-1 q'. */
  jointVelocity(batch: JointBatch, k: number, q: Numbers, rate: Numbers, out: MutableNumbers): void;
  /** How many coordinates, whole turns apart from each other not counted, make the same transform: 2 for Euler angles. */
  readonly branches: number;
  /**
   * The inverse of `writeTransforms` for the joint at batch index k: coordinates of the J(q) nearest to a rigid transform
   * (12 numbers), which has its own turn or move where the joint has none. `branch` says which of the `branches`.
   *
   * @param q - Comes with coordinates from before at the joint's place, which choose the whole turns; leaves with the new ones.
   */
  readCoordinates(batch: JointBatch, k: number, transform: Numbers, branch: number, q: MutableNumbers): void;
}

/** Which velocity a motion column is taken against: the coordinate rate q', or the joint velocity nu. */
export type ColumnSpace = typeof COORDINATE_SPACE | typeof VELOCITY_SPACE;

export const COORDINATE_SPACE = 0;
export const VELOCITY_SPACE = 1;

/** The angle `angle + 2 pi k` nearest to `reference`. */
export function nearestAngle(angle: number, reference: number): number {
  return angle + TWO_PI * Math.round((reference - angle) / TWO_PI);
}

/** q' = nu, for the joints whose joint velocity is the coordinate rate. */
export function copyRate(
  this: { readonly dof: number },
  batch: JointBatch,
  k: number,
  _q: Numbers,
  from: Numbers,
  to: MutableNumbers,
): void {
  const i = batch.coordinates[k];
  for (let n = 0; n < this.dof; n++) to[i + n] = from[i + n];
}

/** For joints whose angles follow one another, each about an axis that the later ones leave alone. */
export function noAxisDerivatives(): void {}

/**
 * Writes a bone-frame direction, three numbers from axes[n], in world axes: to out[o], a column's start, where it is turned about, to out[o + 3]
 * where it is slid along. It comes in an array: engines allocate numbers that are handed to a function they do not inline.
 */
export function writeDirection(
  world: Float64Array,
  w: number,
  axes: Float64Array,
  n: number,
  out: Float64Array,
  o: number,
): void {
  const x = axes[n];
  const y = axes[n + 1];
  const z = axes[n + 2];
  out[o] = world[w] * x + world[w + 1] * y + world[w + 2] * z;
  out[o + 1] = world[w + 3] * x + world[w + 4] * y + world[w + 5] * z;
  out[o + 2] = world[w + 6] * x + world[w + 7] * y + world[w + 8] * z;
}
