import { requirePoint, requireRoom } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../math/linear/types.js';
import { unset3 } from '../../math/linear/unset.js';
import { boneIndex } from '../model/figure.js';
import { totalMass } from '../model/mass.js';
import type { FigureState } from '../model/state.js';

const ORIGIN: Vec3 = [0, 0, 0];

/** World position of a bone's centre of mass, and of a column. */
const center = /* @__PURE__ */ new Float64Array(3);

/**
 * World position of a point of a bone, m. Requires `forwardKinematics`.
 *
 * @param bone - Name or index; an index saves the search for the name.
 * @param point - In the bone's frame, m. Default: its origin.
 * @throws FigureError `unknown-name` for no bone of the figure; `wrong-size`, `not-finite` for a point that is no three numbers; `wrong-size` for
 *   an `out` without room.
 */
export function worldPoint<T extends MutableNumbers = number[]>(
  state: FigureState,
  bone: string | number,
  point: Vec3 = ORIGIN,
  out: T = unset3(),
): T {
  const m = state.worldFromBone;
  const o = 12 * boneIndex(state.figure, bone);
  requirePoint(point, 'point', FigureError);
  requireRoom(out, 3, 'out', FigureError);
  const x = point[0];
  const y = point[1];
  const z = point[2];
  out[0] = m[o + 9] + m[o] * x + m[o + 1] * y + m[o + 2] * z;
  out[1] = m[o + 10] + m[o + 3] * x + m[o + 4] * y + m[o + 5] * z;
  out[2] = m[o + 11] + m[o + 6] * x + m[o + 7] * y + m[o + 8] * z;
  return out;
}

/**
 * Centre of mass of a figure, world, m: sum m_b x_b / sum m_b over the bones with a mass, x_b the `centerOfMass` of each. Requires
 * `forwardKinematics`.
 *
 * @throws FigureError `out-of-range` for a figure without mass, `wrong-size` for an `out` without room.
 */
export function centerOfMass<T extends MutableNumbers = number[]>(state: FigureState, out: T = unset3()): T {
  const { bones } = state.figure;
  const total = totalMass(state.figure);
  requireRoom(out, 3, 'out', FigureError);
  out[0] = out[1] = out[2] = 0;
  for (let b = 0; b < bones.length; b++) {
    const { mass = 0, centerOfMass: point } = bones[b];
    if (mass === 0) continue;
    worldPoint(state, b, point, center);
    for (let k = 0; k < 3; k++) out[k] += (mass / total) * center[k];
  }
  return out;
}

/**
 * Jacobian of the centre of mass with respect to q: 3 x dof, row by row, world axes, metres per unit of q'. All of `out` is written. Requires
 * `forwardKinematics` and `updateMotionSubspaceQ`.
 *
 * @throws FigureError `out-of-range` for a figure without mass, `wrong-size` for an `out` without room.
 */
export function centerOfMassJacobianQ<T extends MutableNumbers = Float64Array>(
  state: FigureState,
  out: T = new Float64Array(3 * state.figure.dof) as MutableNumbers as T,
): T {
  return writeJacobian(state, state.columnsQ, undefined, out);
}

/** {@link centerOfMassJacobianQ} with respect to the joint velocity v. Requires `updateMotionSubspaceV`. */
export function centerOfMassJacobianV<T extends MutableNumbers = Float64Array>(
  state: FigureState,
  out: T = new Float64Array(3 * state.figure.dof) as MutableNumbers as T,
): T {
  return writeJacobian(state, state.columnsV, state.bodyAngularVelocity, out);
}

/** Column i = sum over the bones b that coordinate i moves, m_b/M (l_i + a_i x (x_b - origin of the bone of i)). */
function writeJacobian<T extends MutableNumbers>(
  state: FigureState,
  columns: Float64Array,
  bodyAngularVelocity: Uint8Array | undefined,
  out: T,
): T {
  const { figure, worldFromBone: world, mimicOfBone, mimicDerivatives } = state;
  const { bones, parents, coordinateStart, mimicJoints, dof } = figure;
  const total = totalMass(figure);
  requireRoom(out, 3 * dof, 'out', FigureError);
  for (let i = 0; i < 3 * dof; i++) out[i] = 0;
  for (let bone = 0; bone < bones.length; bone++) {
    const { mass = 0, centerOfMass: point } = bones[bone];
    if (mass === 0) continue;
    worldPoint(state, bone, point, center);
    const share = mass / total;
    for (let b = bone; b >= 0; b = parents[b]) {
      const first = coordinateStart[b];
      const end = coordinateStart[b + 1];
      if (bodyAngularVelocity?.[b] === 1) {
        // a_k = R_world e_k, l_k = 0.
        for (let k = 0; k < 3; k++) addColumn(world, 12 * b + k, 3, -1, world, b, share, first + k, dof, out);
        continue;
      }
      for (let i = first; i < end; i++) addColumn(columns, 6 * i, 1, 6 * i + 3, world, b, share, i, dof, out);
      const mimic = mimicOfBone[b];
      if (mimic < 0) continue;
      const c = 6 * (dof + mimic);
      const factor = share * mimicDerivatives[mimic];
      addColumn(columns, c, 1, c + 3, world, b, factor, mimicJoints[mimic].coordinate, dof, out);
    }
  }
  return out;
}

/** Adds factor (l + a x (center - origin of b)) to column i, a at from[a], from[a + stride], ..., l at from[l], or 0 for l < 0. */
function addColumn(
  from: Float64Array,
  a: number,
  stride: number,
  l: number,
  world: Numbers,
  b: number,
  factor: number,
  i: number,
  dof: number,
  out: MutableNumbers,
): void {
  const dx = center[0] - world[12 * b + 9];
  const dy = center[1] - world[12 * b + 10];
  const dz = center[2] - world[12 * b + 11];
  const ax = from[a];
  const ay = from[a + stride];
  const az = from[a + 2 * stride];
  out[i] += factor * ((l < 0 ? 0 : from[l]) + ay * dz - az * dy);
  out[dof + i] += factor * ((l < 0 ? 0 : from[l + 1]) + az * dx - ax * dz);
  out[2 * dof + i] += factor * ((l < 0 ? 0 : from[l + 2]) + ax * dy - ay * dx);
}
