import { requireRoom, requireSize } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeRightJacobian, writeRightJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import { checkPoseSize } from '../model/pose.js';
import type { FigureState } from '../model/state.js';

const matrix = /* @__PURE__ */ new Float64Array(9);

/**
 * Velocities of all bones from joint velocities v, 6 numbers a bone, world axes: angular velocity (rad/s), then velocity of the
 * bone's origin (m/s). Requires `forwardKinematics` and `updateMotionSubspaceV`. NaN gives NaN.
 *
 * @throws FigureError `wrong-size` for a velocity or an `out` that is shorter.
 */
export function boneVelocitiesFromVelocity(state: FigureState, velocity: Numbers, out: MutableNumbers): void {
  requireCount(state, velocity, 'velocity');
  accumulate(state, state.columnsV, velocity, out, state.bodyAngularVelocity);
}

/** {@link boneVelocitiesFromVelocity} from coordinate rates q'. Requires `updateMotionSubspaceQ`. */
export function boneVelocitiesFromRates(state: FigureState, rates: Numbers, out: MutableNumbers): void {
  requireCount(state, rates, 'rates');
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
  requireRoom(out, 6 * parents.length, 'out', FigureError);
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

/**
 * q' = N(q) v for all joints: v itself, and J_r^-1(r) w of a rotation vector r, w the angular velocity in the bone frame. NaN gives NaN.
 *
 * @throws FigureError `wrong-size` for a pose of another length, a velocity or an `out` that is shorter.
 */
export function ratesFromVelocity(
  state: FigureState,
  pose: Numbers,
  velocity: Numbers,
  out: MutableNumbers,
): void {
  requireCount(state, velocity, 'velocity');
  convert(state, pose, velocity, writeRightJacobianInverse, out);
}

/** v = N(q)^-1 q' for all joints: the inverse of {@link ratesFromVelocity}. */
export function velocityFromRates(
  state: FigureState,
  pose: Numbers,
  rates: Numbers,
  out: MutableNumbers,
): void {
  requireCount(state, rates, 'rates');
  convert(state, pose, rates, writeRightJacobian, out);
}

/** Longer lists may carry something behind. */
function requireCount({ figure }: FigureState, numbers: Numbers, path: string): void {
  const count = figure.dof;
  if (typeof numbers !== 'object' || !(numbers?.length >= count))
    requireSize(numbers, count, path, FigureError);
}

function convert(
  state: FigureState,
  pose: Numbers,
  from: Numbers,
  writeMatrix: typeof writeRightJacobian,
  out: MutableNumbers,
): void {
  checkPoseSize(state.figure, pose);
  requireRoom(out, state.figure.dof, 'out', FigureError);
  for (const { type, batch, isMimic } of state.groups) {
    if (isMimic) continue;
    const { dof, rotationVector } = type;
    for (let k = 0; k < batch.bones.length; k++) {
      const i = batch.coordinates[k];
      const end = rotationVector < 0 ? i + dof : i + rotationVector;
      for (let n = i; n < end; n++) out[n] = from[n];
      if (rotationVector < 0) continue;
      writeMatrix(pose[end], pose[end + 1], pose[end + 2], matrix, 0);
      multiply3(matrix, from, end, out, end);
    }
  }
}

/** out[o..] = M x[i..], M row by row. */
function multiply3(m: Numbers, x: Numbers, i: number, out: MutableNumbers, o: number): void {
  const x0 = x[i];
  const x1 = x[i + 1];
  const x2 = x[i + 2];
  out[o] = m[0] * x0 + m[1] * x1 + m[2] * x2;
  out[o + 1] = m[3] * x0 + m[4] * x1 + m[5] * x2;
  out[o + 2] = m[6] * x0 + m[7] * x1 + m[8] * x2;
}
