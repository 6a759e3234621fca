/** Transforms poses between the figure's own world and that of a simulation: only the coordinates of floating bases change. */
import { FigureError } from 'poise';
import { createState, type Figure, findRootJoints, forwardKinematics } from 'poise/figure';
import { type Numbers, quat, rigid } from 'poise/math';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';

/** A free root and its frame. */
export interface FloatingRoot {
  /** Its first coordinate. */
  readonly coordinate: number;
  /** Figure's world from bone at rest. */
  readonly rest: Float64Array;
  /** Mass of the bones it carries, kg. */
  readonly mass: number;
}

/** @throws FigureError `unsupported` for a figure with a moving bone that has no free joint at or above it. */
export function floatingRoots(figure: Figure): FloatingRoot[] {
  const { bones, parents, dof } = figure;
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(dof));
  const masses = bones.map(({ mass = 0 }) => mass);
  for (let b = bones.length - 1; b > 0; b--) {
    if (parents[b] >= 0 && bones[b].joint.type !== 'free') masses[parents[b]] += masses[b];
  }
  const roots = findRootJoints(figure).map((bone): FloatingRoot => {
    const { name, joint, coordinate } = bones[bone];
    if (joint.type !== 'free') {
      throw new FigureError('unsupported', 'moves without a free joint above it.', {
        path: `figure.bones['${name}']`,
        remedy: 'Give the topmost bone a free joint.',
      });
    }
    return { coordinate, rest: state.worldFromBone.slice(12 * bone, 12 * bone + 12), mass: masses[bone] };
  });
  if (roots.length > 0) return roots;
  throw new FigureError('unsupported', 'has no free joint.', {
    path: `figure ${figure.name}`,
    remedy: 'Give the topmost bone a free joint.',
  });
}

const conjugated = /* @__PURE__ */ new Float64Array(12);
const inverted = /* @__PURE__ */ new Float64Array(12);
const rotation: number[] = [0, 0, 0, 1];
const jointRotation: number[] = [0, 0, 0, 1];
const vector: number[] = [0, 0, 0];
const previous: number[] = [0, 0, 0];

/**
 * Transforms a pose to another world: W' = S W. With W = B J, the joint's J' = (B^-1 S B) J; all other coordinates stay.
 *
 * @param transform - S, rigid, 12 numbers.
 * @param out - Input: the previous pose, whose chart the rotation vectors keep. Must not be `pose`.
 */
export function transformPose(
  roots: readonly FloatingRoot[],
  transform: Numbers,
  pose: Numbers,
  out: Float64Array,
): void {
  let from = 0;
  for (const { coordinate: c, rest } of roots) {
    for (let i = from; i < c; i++) out[i] = pose[i];
    from = c + 6;
    rigid.inverse(rest, inverted);
    rigid.composeAt(inverted, 0, transform, 0, conjugated, 0);
    rigid.composeAt(conjugated, 0, rest, 0, conjugated, 0);
    for (let k = 0; k < 3; k++) {
      vector[k] = pose[c + 3 + k];
      previous[k] = out[c + 3 + k];
      out[c + k] =
        conjugated[3 * k] * pose[c] +
        conjugated[3 * k + 1] * pose[c + 1] +
        conjugated[3 * k + 2] * pose[c + 2] +
        conjugated[9 + k];
    }
    quat.multiply(
      quat.fromMatrix(conjugated, rotation),
      quatFromRotationVector(vector, jointRotation),
      jointRotation,
    );
    rotationVectorFromQuat(jointRotation, previous, vector);
    for (let k = 0; k < 3; k++) out[c + 3 + k] = vector[k];
  }
  for (let i = from; i < out.length; i++) out[i] = pose[i];
}
