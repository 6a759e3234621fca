import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import type { FigureState } from '../model/state.js';

/**
 * Velocities of all bones from joint velocities v, 6 numbers a bone, world axes: angular velocity (rad/s), then velocity of the
 * bone's origin (m/s). Requires `forwardKinematics` and `updateMotionSubspaceV`.
 */
export function boneVelocitiesFromVelocity(state: FigureState, velocity: Numbers, out: MutableNumbers): void {
  accumulate(state, state.columnsV, velocity, out, state.bodyAngularVelocity);
}

/** {@link boneVelocitiesFromVelocity} from coordinate rates q'. Requires `updateMotionSubspaceQ`. */
export function boneVelocitiesFromRates(state: FigureState, rates: Numbers, out: MutableNumbers): void {
  accumulate(state, state.columnsQ, rates, out);
}

/**
 * w_b = w_p + sum a_i x_i; v_b = v_p + w_p x (o_b - o_p) + sum l_i x_i.
 *
 * @param bodyAngularVelocity - Marks the bones whose columns are those of R_world, where x is the joint velocity.
 */
function accumulate(
  state: FigureState,
  columns: Float64Array,
  x: Numbers,
  out: MutableNumbers,
  bodyAngularVelocity?: Uint8Array,
): void {
  const { figure, worldFromBone: world, mimicOfBone, mimicDerivatives } = state;
  const { parents, coordinateStart, mimicJoints, dof } = figure;
  for (let b = 0; b < parents.length; b++) {
    const p = parents[b];
    const o = 6 * b;
    for (let k = 0; k < 6; k++) out[o + k] = p < 0 ? 0 : out[6 * p + k];
    if (p >= 0) {
      const dx = world[12 * b + 9] - world[12 * p + 9];
      const dy = world[12 * b + 10] - world[12 * p + 10];
      const dz = world[12 * b + 11] - world[12 * p + 11];
      out[o + 3] += out[o + 1] * dz - out[o + 2] * dy;
      out[o + 4] += out[o + 2] * dx - out[o] * dz;
      out[o + 5] += out[o] * dy - out[o + 1] * dx;
    }
    const first = coordinateStart[b];
    if (bodyAngularVelocity?.[b] === 1) {
      for (let row = 0; row < 3; row++) {
        const w = 12 * b + 3 * row;
        out[o + row] += world[w] * x[first] + world[w + 1] * x[first + 1] + world[w + 2] * x[first + 2];
      }
      continue;
    }
    for (let i = first; i < coordinateStart[b + 1]; i++) {
      for (let k = 0; k < 6; k++) out[o + k] += columns[6 * i + k] * x[i];
    }
    const mimic = mimicOfBone[b];
    if (mimic < 0) continue;
    // The rate of the source is its joint velocity.
    const rate = mimicDerivatives[mimic] * x[mimicJoints[mimic].coordinate];
    for (let k = 0; k < 6; k++) out[o + k] += columns[6 * (dof + mimic) + k] * rate;
  }
}

/** q' = N(q) v for all joints. */
export function ratesFromVelocity(
  state: FigureState,
  pose: Numbers,
  velocity: Numbers,
  out: MutableNumbers,
): void {
  for (const { type, batch, isMimic } of state.groups) {
    if (isMimic) continue;
    for (let k = 0; k < batch.bones.length; k++) type.coordinateRate(batch, k, pose, velocity, out);
  }
}

/** v = N(q)^-1 q' for all joints. */
export function velocityFromRates(
  state: FigureState,
  pose: Numbers,
  rates: Numbers,
  out: MutableNumbers,
): void {
  for (const { type, batch, isMimic } of state.groups) {
    if (isMimic) continue;
    for (let k = 0; k < batch.bones.length; k++) type.jointVelocity(batch, k, pose, rates, out);
  }
}
