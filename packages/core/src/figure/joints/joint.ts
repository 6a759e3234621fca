import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import type { JointData, RigidData } from '../data/types.js';

const TWO_PI = 2 * Math.PI;

/**
 * The joints of one type in a figure, in structure-of-arrays form.
 */
export interface JointBatch {
  readonly bones: Int32Array;
  /** Parent bone of each, -1 for a root. */
  readonly parents: Int32Array;
  /** First coordinate of each. */
  readonly coordinates: Int32Array;
  /** Packed parameters (axes), `stride` numbers each. */
  readonly parameters: Float64Array;
  readonly stride: number;
}

/**
 * A joint type: its forward kinematics. The rest is apart, by name, so that a bundle leaves out what it does not use: checks
 * (`normalize-joint.ts`), the inverse (`coordinate-readers.ts`), derivatives of axes (`axis-derivatives.ts`). A new joint type is a
 * new file and a line in each table. Functions run over a batch: one call per type, not per bone.
 *
 * Rigid transforms have 12 numbers (rotation row by row, then position), columns of the motion subspace 6: angular velocity (rad
 * per unit of coordinate), then velocity of the bone's origin (m per unit), both in world axes.
 */
export interface JointType<D extends JointData = JointData> {
  /** Number of coordinates, and of joint velocities. */
  readonly dof: number;
  /** Whether the joint transform T(q) has a rotation. */
  readonly rotates: boolean;
  /** Number of translations (m), its first coordinates; the others are angles (rad). */
  readonly translations: number;
  /** Index among its coordinates of a rotation vector that may be reparameterized where it has no limit; -1 for none. */
  readonly rotationVector: number;
  /** Whether the joint velocity is the angular velocity in the bone frame, so that its columns are those of R_world. */
  readonly bodyAngularVelocity: boolean;
  /** Number of parameters that `pack` returns. */
  readonly stride: number;
  /** Parameters of a normalized joint for the batch. */
  pack(data: D, rest: RigidData): readonly number[];
  /** Writes T(q) of each bone to out[12 b]: the rotation if it rotates, the position if it has translations. */
  writeTransforms(batch: JointBatch, q: Numbers, out: Float64Array): void;
  /**
   * Writes the columns of the motion subspace with respect to q' (`space` 0) or the joint velocity v (`space` 1) to out[6 i] for
   * each coordinate i. `out` is zero initially; entries that are always zero are not written.
   */
  writeColumns(
    batch: JointBatch,
    q: Numbers,
    worldFromBone: Float64Array,
    space: ColumnSpace,
    out: Float64Array,
  ): void;
}

/** The inverse of the forward kinematics of a joint type. */
export interface CoordinateReader {
  /** Number of solutions of T(q) = T up to multiples of 2 pi: 2 for Euler angles, else 1. */
  readonly branches: number;
  /**
   * The inverse of `writeTransforms` for the joint at batch index k: coordinates of the T(q) nearest to a rigid transform
   * (12 numbers), ignoring a rotation or translation that the joint does not have. `branch` is the index of the solution.
   *
   * @param q - Input: the previous coordinates of the joint, which choose the multiples of 2 pi. Output: the new ones.
   */
  read(batch: JointBatch, k: number, transform: Numbers, branch: number, q: MutableNumbers): void;
}

/** The velocity that a column of the motion subspace multiplies: the coordinate rate q', or the joint velocity v. */
export type ColumnSpace = typeof COORDINATE_SPACE | typeof VELOCITY_SPACE;

export const COORDINATE_SPACE = 0;
export const VELOCITY_SPACE = 1;

/** The angle `angle + 2 pi k` nearest to `reference`. */
export function nearestAngle(angle: number, reference: number): number {
  return angle + TWO_PI * Math.round((reference - angle) / TWO_PI);
}

/**
 * Rotates the bone-frame direction at axes[n] to world axes: to out[o], where out[o] is the angular or the linear component of a
 * column. Passed in an array, since engines allocate heap numbers for scalar arguments of functions they do not inline.
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
