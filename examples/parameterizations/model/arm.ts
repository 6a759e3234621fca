/** An arm of joints that turn freely, in one form of rotation, under differential control with plain damping. */
import { cholesky, type Numbers } from 'poise/math';
import type { Form } from './forms.js';

/** One joint and the link that it carries. */
export interface Link {
  /** From this joint to the next, or to the hand, in the joint's frame, m. */
  readonly reach: readonly [number, number, number];
}

/** An arm in one form, and the memory of its steps. */
export interface Arm {
  readonly form: Form;
  readonly links: readonly Link[];
  /** Parameters of all joints. */
  readonly parameters: Float64Array;
  readonly rates: Float64Array;
  /** World frames: rotation row by row, then the joint's origin; the hand's origin comes last. */
  readonly rotations: Float64Array;
  readonly origins: Float64Array;
  /** 6 x rates: velocity of the hand over the arm's length, then its angular velocity. */
  readonly jacobian: Float64Array;
  readonly length: number;
  readonly scratch: {
    readonly local: Float64Array;
    readonly axes: Float64Array;
    readonly normal: Float64Array;
    readonly right: Float64Array;
  };
}

/** Where the hand is to be. */
export interface Target {
  readonly position: Numbers;
  /** Row by row. */
  readonly rotation: Numbers;
  /** m/s and rad/s, world axes. */
  readonly velocity: Numbers;
  readonly angularVelocity: Numbers;
}

/** An arm whose joints start at the quaternions given. */
export function createArm(form: Form, links: readonly Link[], start: readonly Numbers[]): Arm {
  const count = links.length;
  const unknowns = count * (form.rates + form.constraints);
  const parameters = new Float64Array(count * form.parameters);
  start.forEach((q, n) => {
    form.start(q, parameters.subarray(n * form.parameters, (n + 1) * form.parameters));
  });
  const arm: Arm = {
    form,
    links,
    parameters,
    rates: new Float64Array(count * form.rates),
    rotations: new Float64Array(9 * count),
    origins: new Float64Array(3 * (count + 1)),
    jacobian: new Float64Array(6 * count * form.rates),
    length: links.reduce((sum, { reach }) => sum + Math.hypot(...reach), 0) || 1,
    scratch: {
      local: new Float64Array(9),
      axes: new Float64Array(12),
      normal: new Float64Array(unknowns * unknowns),
      right: new Float64Array(unknowns),
    },
  };
  updateFrames(arm);
  return arm;
}

/** Forward kinematics. */
export function updateFrames({ form, links, parameters, rotations, origins, scratch }: Arm): void {
  const { local } = scratch;
  for (let n = 0; n < links.length; n++) {
    form.writeRotation(parameters, n * form.parameters, local);
    const o = 9 * n;
    if (n === 0) for (let k = 0; k < 9; k++) rotations[k] = local[k];
    else {
      for (let r = 0; r < 9; r += 3) {
        const a = rotations[o - 9 + r];
        const b = rotations[o - 8 + r];
        const c = rotations[o - 7 + r];
        for (let k = 0; k < 3; k++) rotations[o + r + k] = a * local[k] + b * local[3 + k] + c * local[6 + k];
      }
    }
    const { reach } = links[n];
    for (let r = 0; r < 3; r++) {
      const w = o + 3 * r;
      origins[3 * (n + 1) + r] =
        origins[3 * n + r] +
        rotations[w] * reach[0] +
        rotations[w + 1] * reach[1] +
        rotations[w + 2] * reach[2];
    }
  }
}

/** The Jacobian of the hand against the rates, at the frames last updated. */
export function updateJacobian(arm: Arm): void {
  const { form, links, parameters, rotations, origins, jacobian, length, scratch } = arm;
  const { axes } = scratch;
  const width = links.length * form.rates;
  const hand = 3 * links.length;
  for (let n = 0; n < links.length; n++) {
    form.writeAxes(parameters, n * form.parameters, axes);
    const dx = origins[hand] - origins[3 * n];
    const dy = origins[hand + 1] - origins[3 * n + 1];
    const dz = origins[hand + 2] - origins[3 * n + 2];
    const parent = 9 * (n - 1);
    for (let k = 0; k < form.rates; k++) {
      let x = axes[3 * k];
      let y = axes[3 * k + 1];
      let z = axes[3 * k + 2];
      if (n > 0) {
        const [a, b, c] = [x, y, z];
        x = rotations[parent] * a + rotations[parent + 1] * b + rotations[parent + 2] * c;
        y = rotations[parent + 3] * a + rotations[parent + 4] * b + rotations[parent + 5] * c;
        z = rotations[parent + 6] * a + rotations[parent + 7] * b + rotations[parent + 8] * c;
      }
      const column = n * form.rates + k;
      jacobian[column] = (y * dz - z * dy) / length;
      jacobian[width + column] = (z * dx - x * dz) / length;
      jacobian[2 * width + column] = (x * dy - y * dx) / length;
      jacobian[3 * width + column] = x;
      jacobian[4 * width + column] = y;
      jacobian[5 * width + column] = z;
    }
  }
}

/** How fast errors die away, 1/s. */
const GAIN = 10;
const wanted = new Float64Array(6);

/**
 * One step of differential control with damping lambda: minimize |J x - v|^2 + lambda^2 |x|^2 over the rates x, with v the target's
 * velocity plus GAIN times what is missing; then the parameters follow the rates for dt. The unit constraints, where the form has
 * them, are q.q' = GAIN (1 - q.q) / 2, exactly.
 */
export function stepArm(arm: Arm, target: Target, damping: number, dt: number): void {
  const { form, links, parameters, rates, rotations, origins, jacobian, length, scratch } = arm;
  updateJacobian(arm);
  const hand = 3 * links.length;
  const o = 9 * (links.length - 1);
  for (let k = 0; k < 3; k++) {
    wanted[k] = (target.velocity[k] + GAIN * (target.position[k] - origins[hand + k])) / length;
    wanted[3 + k] = target.angularVelocity[k];
  }
  addTurn(rotations, o, target.rotation);
  const width = links.length * form.rates;
  const unknowns = width + links.length * form.constraints;
  const { normal, right } = scratch;
  normal.fill(0);
  for (let a = 0; a < width; a++) {
    let sum = 0;
    for (let r = 0; r < 6; r++) sum += jacobian[r * width + a] * wanted[r];
    right[a] = sum;
    for (let b = 0; b <= a; b++) {
      let product = a === b ? damping * damping : 0;
      for (let r = 0; r < 6; r++) product += jacobian[r * width + a] * jacobian[r * width + b];
      normal[a * unknowns + b] = product;
      normal[b * unknowns + a] = product;
    }
  }
  if (form.constraints > 0) {
    for (let n = 0; n < links.length; n++) {
      const row = width + n;
      let square = 0;
      for (let k = 0; k < 4; k++) {
        const q = parameters[4 * n + k];
        square += q * q;
        normal[row * unknowns + 4 * n + k] = q;
        normal[(4 * n + k) * unknowns + row] = q;
      }
      right[row] = 0.5 * GAIN * (1 - square);
    }
    eliminate(normal, right, unknowns);
  } else if (cholesky.factor(normal, unknowns)) cholesky.solve(normal, unknowns, right);
  else right.fill(0);
  for (let k = 0; k < width; k++) rates[k] = right[k];
  for (let n = 0; n < links.length; n++)
    form.advance(parameters, n * form.parameters, rates, n * form.rates, dt);
  updateFrames(arm);
}

/** Adds GAIN times the rotation that is missing, log(R_target R^T), to the angular velocity wanted. */
function addTurn(rotations: Numbers, o: number, target: Numbers): void {
  // The axis of an R that is near: 1/2 the skew part; its length is brought to the angle.
  let x = 0;
  let y = 0;
  let z = 0;
  let trace = 0;
  for (let k = 0; k < 3; k++) {
    const a = [rotations[o + k], rotations[o + 3 + k], rotations[o + 6 + k]];
    const b = [target[k], target[3 + k], target[6 + k]];
    x += 0.5 * (a[1] * b[2] - a[2] * b[1]);
    y += 0.5 * (a[2] * b[0] - a[0] * b[2]);
    z += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    trace += a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
  const sine = Math.sqrt(x * x + y * y + z * z);
  const angle = Math.atan2(sine, 0.5 * (trace - 1));
  const scale = sine > 1e-12 ? (GAIN * angle) / sine : GAIN;
  wanted[3] += scale * x;
  wanted[4] += scale * y;
  wanted[5] += scale * z;
}

/** Gaussian elimination with partial pivoting, in place. */
function eliminate(a: Float64Array, b: Float64Array, n: number): void {
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let r = k + 1; r < n; r++) if (Math.abs(a[r * n + k]) > Math.abs(a[best * n + k])) best = r;
    if (best !== k) {
      for (let c = k; c < n; c++) {
        const t = a[k * n + c];
        a[k * n + c] = a[best * n + c];
        a[best * n + c] = t;
      }
      const t = b[k];
      b[k] = b[best];
      b[best] = t;
    }
    for (let r = k + 1; r < n; r++) {
      const factor = a[r * n + k] / a[k * n + k];
      if (factor === 0) continue;
      for (let c = k; c < n; c++) a[r * n + c] -= factor * a[k * n + c];
      b[r] -= factor * b[k];
    }
  }
  for (let r = n - 1; r >= 0; r--) {
    let sum = b[r];
    for (let c = r + 1; c < n; c++) sum -= a[r * n + c] * b[c];
    b[r] = sum / a[r * n + r];
  }
}
