import { requireNumbers } from '../checks.js';
import { DomainError } from '../errors.js';
import { addCross } from '../figure/joints/axes.js';
import type { MutableNumbers, Numbers } from '../math/linear/types.js';
import { updateBoneMotion } from './kinematics/bone-motion.js';
import { expandVelocity } from './kinematics/mimic-joints.js';
import { updateKinematics } from './kinematics/update-kinematics.js';
import type { Dynamics } from './model/dynamics.js';
import { INERTIA_SIZE } from './model/inertia.js';
import { addScaled, clear } from './model/spatial-vectors.js';

const ZERO = /* @__PURE__ */ new Float64Array(3);
/** Of one bone: angular momentum about its origin, linear momentum and origin. Last: total angular momentum about the world's origin. */
const angularMomentum = /* @__PURE__ */ new Float64Array(3);
const boneMomentum = /* @__PURE__ */ new Float64Array(3);
const origin = /* @__PURE__ */ new Float64Array(3);
const angularAboutOrigin = /* @__PURE__ */ new Float64Array(3);

/** Centroidal momentum of a figure, world axes. */
export interface Momentum {
  /** kg */
  readonly mass: number;
  /** Centre of mass, m. */
  readonly center: Float64Array;
  /** Velocity of the centre of mass, m/s. */
  readonly velocity: Float64Array;
  /** Linear momentum, kg m/s. */
  readonly linear: Float64Array;
  /** Angular momentum about the centre of mass, kg m^2/s. */
  readonly angular: Float64Array;
}

/**
 * Kinetic energy v . M v / 2, J, summed over the bones and the rotors (`armature`).
 *
 * @throws DomainError `wrong-size`, `not-finite` for the pose or the velocity.
 */
export function kineticEnergy(dynamics: Dynamics, pose: Numbers, velocity: Numbers): number {
  requireNumbers(pose, dynamics.figure.dof, 'pose', DomainError);
  requireNumbers(velocity, dynamics.figure.dof, 'velocity', DomainError);
  updateKinematics(dynamics, pose);
  updateBoneMotion(dynamics, expandVelocity(dynamics, velocity), undefined, ZERO);
  const { figure, inertias, firstMoments, angularVelocity: w, velocity: v, armature } = dynamics;
  let twice = 0;
  for (let b = 0; b < figure.parents.length; b++) {
    const o = 3 * b;
    writeAngularMomentum(dynamics, b, angularMomentum);
    const mass = inertias[INERTIA_SIZE * b];
    // m |v|^2 + 2 v . (w x h) + w . I w
    twice += mass * (v[o] * v[o] + v[o + 1] * v[o + 1] + v[o + 2] * v[o + 2]);
    twice +=
      2 *
      (v[o] * (w[o + 1] * firstMoments[o + 2] - w[o + 2] * firstMoments[o + 1]) +
        v[o + 1] * (w[o + 2] * firstMoments[o] - w[o] * firstMoments[o + 2]) +
        v[o + 2] * (w[o] * firstMoments[o + 1] - w[o + 1] * firstMoments[o]));
    twice += w[o] * angularMomentum[0] + w[o + 1] * angularMomentum[1] + w[o + 2] * angularMomentum[2];
  }
  for (let i = 0; i < armature.length; i++) twice += armature[i] * velocity[i] * velocity[i];
  return 0.5 * twice;
}

/**
 * Potential energy in the gravity of `dynamics`, J: the sum of -m g . x, zero at the world's origin.
 *
 * @throws DomainError `wrong-size`, `not-finite` for the pose.
 */
export function potentialEnergy(dynamics: Dynamics, pose: Numbers): number {
  requireNumbers(pose, dynamics.figure.dof, 'pose', DomainError);
  updateKinematics(dynamics, pose);
  const { figure, gravity: g, inertias, firstMoments, state } = dynamics;
  let sum = 0;
  for (let b = 0; b < figure.parents.length; b++) {
    const mass = inertias[INERTIA_SIZE * b];
    for (let k = 0; k < 3; k++) {
      sum -= g[k] * (mass * state.worldFromBone[12 * b + 9 + k] + firstMoments[3 * b + k]);
    }
  }
  return sum;
}

/**
 * Mass, centre of mass and centroidal momentum (Orin, Goswami and Lee 2013). Rotors (`armature`) contribute none.
 *
 * @throws DomainError `wrong-size`, `not-finite` for the pose or the velocity.
 */
export function computeMomentum(dynamics: Dynamics, pose: Numbers, velocity: Numbers): Momentum {
  requireNumbers(pose, dynamics.figure.dof, 'pose', DomainError);
  requireNumbers(velocity, dynamics.figure.dof, 'velocity', DomainError);
  updateKinematics(dynamics, pose);
  updateBoneMotion(dynamics, expandVelocity(dynamics, velocity), undefined, ZERO);
  const { figure, inertias, firstMoments, angularVelocity: w, velocity: v, state } = dynamics;
  let mass = 0;
  const center = new Float64Array(3);
  const linear = new Float64Array(3);
  clear(angularAboutOrigin);
  for (let b = 0; b < figure.parents.length; b++) {
    const o = 3 * b;
    const m = inertias[INERTIA_SIZE * b];
    for (let k = 0; k < 3; k++) {
      origin[k] = state.worldFromBone[12 * b + 9 + k];
      boneMomentum[k] = m * v[o + k];
      center[k] += m * origin[k] + firstMoments[o + k];
    }
    addCross(w, o, firstMoments, o, 1, boneMomentum, 0);
    addScaled(boneMomentum, 0, 1, linear, 0);
    // About the world's origin: x x p + h x v + I w, h the first moment.
    writeAngularMomentum(dynamics, b, angularMomentum);
    addScaled(angularMomentum, 0, 1, angularAboutOrigin, 0);
    addCross(origin, 0, boneMomentum, 0, 1, angularAboutOrigin, 0);
    addCross(firstMoments, o, v, o, 1, angularAboutOrigin, 0);
    mass += m;
  }
  for (let k = 0; k < 3; k++) center[k] /= mass;
  const angular = Float64Array.from(angularAboutOrigin);
  addCross(center, 0, linear, 0, -1, angular, 0);
  return { mass, center, velocity: linear.map((x) => x / mass), linear, angular };
}

/** Writes I w of one bone, about its origin, world axes. */
export function writeAngularMomentum(dynamics: Dynamics, b: number, out: MutableNumbers): void {
  const { inertias, angularVelocity: w, state } = dynamics;
  const { worldFromBone: m } = state;
  const e = 12 * b;
  const o = 3 * b;
  const i = INERTIA_SIZE * b + 4;
  // The angular velocity in the bone's axes.
  const p = m[e] * w[o] + m[e + 3] * w[o + 1] + m[e + 6] * w[o + 2];
  const q = m[e + 1] * w[o] + m[e + 4] * w[o + 1] + m[e + 7] * w[o + 2];
  const r = m[e + 2] * w[o] + m[e + 5] * w[o + 1] + m[e + 8] * w[o + 2];
  const x = inertias[i] * p + inertias[i + 3] * q + inertias[i + 4] * r;
  const y = inertias[i + 3] * p + inertias[i + 1] * q + inertias[i + 5] * r;
  const z = inertias[i + 4] * p + inertias[i + 5] * q + inertias[i + 2] * r;
  out[0] = m[e] * x + m[e + 1] * y + m[e + 2] * z;
  out[1] = m[e + 3] * x + m[e + 4] * y + m[e + 5] * z;
  out[2] = m[e + 6] * x + m[e + 7] * y + m[e + 8] * z;
}
