/** Poses of a figure in its own world and in that of a simulation: they differ in the coordinates of the joints that float. */
import { FigureError } from 'poise';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { type Numbers, quat, rigid } from 'poise/math';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';

/** A free joint above which nothing moves. */
export interface FloatingRoot {
  /** First of its coordinates. */
  readonly coordinate: number;
  /** Figure's world from the bone at rest. */
  readonly rest: Float64Array;
}

/** @throws FigureError `unsupported` for a figure that has a moving bone with no free joint at or above it. */
export function floatingRoots(figure: Figure): FloatingRoot[] {
  const { bones, dof } = figure;
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(dof));
  const roots: FloatingRoot[] = [];
  const carried = new Uint8Array(bones.length);
  for (const { index, name, parent, joint, coordinate } of bones) {
    if (parent >= 0 && carried[parent] === 1) {
      carried[index] = 1;
    } else if (joint.type === 'free') {
      carried[index] = 1;
      roots.push({ coordinate, rest: state.worldFromBone.slice(12 * index, 12 * index + 12) });
    } else if (joint.type !== 'fixed') {
      throw new FigureError('unsupported', 'moves without a free joint above it.', {
        path: `figure.bones['${name}']`,
        remedy: 'Give the topmost bone a free joint.',
      });
    }
  }
  if (roots.length > 0) return roots;
  throw new FigureError('unsupported', 'has no free joint.', {
    path: `figure ${figure.name}`,
    remedy: 'Give the topmost bone a free joint.',
  });
}

const moved = /* @__PURE__ */ new Float64Array(12);
const inverted = /* @__PURE__ */ new Float64Array(12);
const turn: number[] = [0, 0, 0, 1];
const own: number[] = [0, 0, 0, 1];
const vector: number[] = [0, 0, 0];
const before: number[] = [0, 0, 0];

/**
 * A pose of a figure whose world is seen from another: W' = S W. With W = B J, the joint's J' = (B^-1 S B) J; all other coordinates stay.
 *
 * @param move - S, rigid, 12 numbers.
 * @param out - Read as the pose before, whose chart the rotation vectors keep to; not `pose`.
 */
export function movePose(
  roots: readonly FloatingRoot[],
  move: Numbers,
  pose: Numbers,
  out: Float64Array,
): void {
  let from = 0;
  for (const { coordinate: c, rest } of roots) {
    for (let i = from; i < c; i++) out[i] = pose[i];
    from = c + 6;
    rigid.inverse(rest, inverted);
    rigid.composeAt(inverted, 0, move, 0, moved, 0);
    rigid.composeAt(moved, 0, rest, 0, moved, 0);
    for (let k = 0; k < 3; k++) {
      vector[k] = pose[c + 3 + k];
      before[k] = out[c + 3 + k];
      out[c + k] =
        moved[3 * k] * pose[c] +
        moved[3 * k + 1] * pose[c + 1] +
        moved[3 * k + 2] * pose[c + 2] +
        moved[9 + k];
    }
    quat.multiply(quat.fromMatrix(moved, turn), quatFromRotationVector(vector, own), own);
    rotationVectorFromQuat(own, before, vector);
    for (let k = 0; k < 3; k++) out[c + 3 + k] = vector[k];
  }
  for (let i = from; i < out.length; i++) out[i] = pose[i];
}
