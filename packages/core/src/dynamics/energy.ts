import { addCross } from '../figure/joints/axes.js';
import type { MutableNumbers, Numbers } from '../math/linear/types.js';
import { moveBones } from './kinematics/bone-motion.js';
import { jointRates } from './kinematics/mimic-rates.js';
import { placeBones } from './kinematics/update-kinematics.js';
import { requireVector } from './model/checks.js';
import type { Dynamics } from './model/dynamics.js';
import { INERTIA } from './model/inertia.js';
import { addScaled, clear } from './model/vectors.js';

const STILL = /* @__PURE__ */ new Float64Array(3);
/** Of one bone: its angular momentum about its origin, its momentum and its place; and angular momentum about the world's origin. */
const spin = /* @__PURE__ */ new Float64Array(3);
const own = /* @__PURE__ */ new Float64Array(3);
const place = /* @__PURE__ */ new Float64Array(3);
const about = /* @__PURE__ */ new Float64Array(3);

/** What the motion of a figure amounts to, about its centre of mass; world axes. */
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
 * Kinetic energy, J: nu . M nu / 2 bone by bone, rotors (`armature`) included.
 *
 * @throws DomainError `wrong-size`, `not-finite` for what is given.
 */
export function kineticEnergy(dynamics: Dynamics, pose: Numbers, nu: Numbers): number {
  requireVector(pose, dynamics.figure.dof, 'pose');
  requireVector(nu, dynamics.figure.dof, 'nu');
  placeBones(dynamics, pose);
  moveBones(dynamics, jointRates(dynamics, nu), undefined, STILL);
  const { figure, inertias, moments, angularVelocity: w, velocity: v, armature } = dynamics;
  let twice = 0;
  for (let b = 0; b < figure.parents.length; b++) {
    const o = 3 * b;
    writeSpin(dynamics, b, spin);
    const mass = inertias[INERTIA * b];
    // m |v|^2 + 2 v . (w x h) + w . I w
    twice += mass * (v[o] * v[o] + v[o + 1] * v[o + 1] + v[o + 2] * v[o + 2]);
    twice +=
      2 *
      (v[o] * (w[o + 1] * moments[o + 2] - w[o + 2] * moments[o + 1]) +
        v[o + 1] * (w[o + 2] * moments[o] - w[o] * moments[o + 2]) +
        v[o + 2] * (w[o] * moments[o + 1] - w[o + 1] * moments[o]));
    twice += w[o] * spin[0] + w[o + 1] * spin[1] + w[o + 2] * spin[2];
  }
  for (let i = 0; i < armature.length; i++) twice += armature[i] * nu[i] * nu[i];
  return 0.5 * twice;
}

/**
 * Potential energy in the figure's gravity, J: minus m g . x, zero at the world's origin.
 *
 * @throws DomainError `wrong-size`, `not-finite` for the pose.
 */
export function potentialEnergy(dynamics: Dynamics, pose: Numbers): number {
  requireVector(pose, dynamics.figure.dof, 'pose');
  placeBones(dynamics, pose);
  const { figure, gravity: g, inertias, moments, state } = dynamics;
  let sum = 0;
  for (let b = 0; b < figure.parents.length; b++) {
    const mass = inertias[INERTIA * b];
    for (let k = 0; k < 3; k++) {
      sum -= g[k] * (mass * state.worldFromBone[12 * b + 9 + k] + moments[3 * b + k]);
    }
  }
  return sum;
}

/**
 * Mass, centre of mass, and momentum about it (centroidal momentum, Orin and others 2013). Rotors have none.
 *
 * @throws DomainError `wrong-size`, `not-finite` for what is given.
 */
export function computeMomentum(dynamics: Dynamics, pose: Numbers, nu: Numbers): Momentum {
  requireVector(pose, dynamics.figure.dof, 'pose');
  requireVector(nu, dynamics.figure.dof, 'nu');
  placeBones(dynamics, pose);
  moveBones(dynamics, jointRates(dynamics, nu), undefined, STILL);
  const { figure, inertias, moments, angularVelocity: w, velocity: v, state } = dynamics;
  let mass = 0;
  const center = new Float64Array(3);
  const linear = new Float64Array(3);
  clear(about);
  for (let b = 0; b < figure.parents.length; b++) {
    const o = 3 * b;
    const m = inertias[INERTIA * b];
    for (let k = 0; k < 3; k++) {
      place[k] = state.worldFromBone[12 * b + 9 + k];
      own[k] = m * v[o + k];
      center[k] += m * place[k] + moments[o + k];
    }
    addCross(w, o, moments, o, 1, own, 0);
    addScaled(own, 0, 1, linear, 0);
    // About the world's origin: x x p + h x v + I w.
    writeSpin(dynamics, b, spin);
    addScaled(spin, 0, 1, about, 0);
    addCross(place, 0, own, 0, 1, about, 0);
    addCross(moments, o, v, o, 1, about, 0);
    mass += m;
  }
  for (let k = 0; k < 3; k++) center[k] /= mass;
  const angular = Float64Array.from(about);
  addCross(center, 0, linear, 0, -1, angular, 0);
  return { mass, center, velocity: linear.map((x) => x / mass), linear, angular };
}

/** I w about the bone's origin, world axes. */
export function writeSpin(dynamics: Dynamics, b: number, out: MutableNumbers): void {
  const { inertias, angularVelocity: w, state } = dynamics;
  const { worldFromBone: m } = state;
  const e = 12 * b;
  const o = 3 * b;
  const i = INERTIA * b + 4;
  // In the bone's axes.
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
