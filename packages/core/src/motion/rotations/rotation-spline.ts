import type { FieldsOf } from '../../checks.js';
import { MotionError } from '../../errors.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import * as blockTridiagonal from '../../math/linear/block-tridiagonal.js';
import type { Numbers } from '../../math/linear/types.js';
import { createRotationCache, evaluateRotationVector } from '../../rotation/rotation-vector/evaluate.js';
import { rightJacobian, rightJacobianInverse } from '../../rotation/rotation-vector/jacobian.js';
import { angularAccelerationFromRates } from '../../rotation/rotation-vector/rates.js';
import {
  type CurveOptions,
  checkedNumbers,
  createCurve,
  createCurvePoint,
  curveOptions,
  evaluateCurve,
  pieceAt,
} from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  alignSigns,
  checkedRotationKeys,
  quaternionAt,
  type RotationKeys,
  relativeRotationVectors,
} from '../representation/rotation-keys.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  stationaryState,
} from '../representation/rotation-state.js';

export interface RotationSplineOptions extends CurveOptions {
  /**
   * Angular velocity at the first and last keyframe, body axes, rad/s. Default: that of slerp on the first and last
   * piece.
   */
  readonly startVelocity?: Numbers;
  readonly endVelocity?: Numbers;
}

const OPTIONS: FieldsOf<RotationSplineOptions> = { outside: true, startVelocity: true, endVelocity: true };

/** Largest number of Newton steps, and of step halvings in the line search. */
const MAX_STEPS = 50;
const MAX_HALVINGS = 30;
/** Relative jump of acceleration attributed to rounding. */
const ROUNDING = 1e-15;

/**
 * The C2 rotation spline: on each piece q_i exp(r(t)), r a cubic from 0 to log(q_i^-1 q_{i+1}), with the angular velocities at
 * the keyframes that make the angular acceleration continuous (Mustafin and Nabatov 2018; SciPy's `RotationSpline`). Takes the
 * shorter arc between keyframes. Frame invariant.
 *
 * The velocities solve a nonlinear block tridiagonal system, by Newton's method with exact derivatives, to rounding.
 * @throws MotionError; `unsupported` where Newton's method does not converge.
 */
export function rotationSpline(keys: RotationKeys, options: RotationSplineOptions = {}): RotationCurve {
  const ofCurve = curveOptions(options, OPTIONS);
  const { times, quaternions } = checkedRotationKeys(keys);
  const deltas = relativeRotationVectors(alignSigns(quaternions));
  const spans = times.subarray(1).map((t, s) => t - times[s]);
  const velocities = keyVelocities(deltas, spans, options);
  const vectors = createCurve(
    { size: 3, degree: 3, knots: times, controls: bezierPoints(deltas, spans, velocities) },
    ofCurve,
  );
  const vector = createCurvePoint(3);
  const rotation = createRotationState();
  return {
    kind: 'C2 rotation spline',
    knots: times,
    outside: vectors.outside,
    evaluateInside(time, out) {
      stationaryState(quaternionAt(quaternions, pieceAt(times, time)), rotation);
      return composeRotationStates(
        rotation,
        expRotationState(evaluateCurve(vectors, time, vector), out),
        out,
      );
    },
  };
}

/** Each piece in its own chart, from zero: 0, h w_i/3, r - h r'/3, r with r' = J_r^-1(r) w_{i+1}. */
function bezierPoints(deltas: Float64Array, spans: Float64Array, velocities: Float64Array): Float64Array {
  const controls = new Float64Array(12 * spans.length);
  for (let s = 0; s < spans.length; s++) {
    const delta = deltas.subarray(3 * s, 3 * s + 3);
    const arriving = mat3.multiplyVector(
      rightJacobianInverse(delta),
      velocities.subarray(3 * s + 3, 3 * s + 6),
    );
    for (let k = 0; k < 3; k++) {
      controls[12 * s + 3 + k] = (spans[s] / 3) * velocities[3 * s + k];
      controls[12 * s + 6 + k] = delta[k] - (spans[s] / 3) * arriving[k];
      controls[12 * s + 9 + k] = delta[k];
    }
  }
  return controls;
}

/** Angular velocity at each keyframe, three numbers, body axes. */
function keyVelocities(
  deltas: Float64Array,
  spans: Float64Array,
  { startVelocity, endVelocity }: RotationSplineOptions,
): Float64Array {
  const pieces = spans.length;
  const velocities = new Float64Array(3 * (pieces + 1));
  for (let s = 0; s < pieces; s++) {
    for (let k = 0; k < 3; k++) velocities[3 * s + k] = deltas[3 * s + k] / spans[s];
  }
  velocities.copyWithin(3 * pieces, 3 * pieces - 3, 3 * pieces);
  if (startVelocity !== undefined) velocities.set(checkedNumbers(startVelocity, 3, 'startVelocity'));
  if (endVelocity !== undefined) velocities.set(checkedNumbers(endVelocity, 3, 'endVelocity'), 3 * pieces);
  if (pieces > 1) solveVelocities(deltas, spans, velocities);
  return velocities;
}

/** Solves for the inner velocities that make the acceleration continuous. @throws MotionError `unsupported` */
function solveVelocities(deltas: Float64Array, spans: Float64Array, velocities: Float64Array): void {
  const inner = spans.length - 1;
  const step = new Float64Array(3 * inner);
  const trial = velocities.slice();
  let current = writeJumps(deltas, spans, velocities, step);
  for (let n = 0; n < MAX_STEPS; n++) {
    if (current.jump <= ROUNDING * current.largest) return;
    if (!blockTridiagonal.solve(writeBlocks(deltas, spans, velocities), step)) break;
    let next = current;
    for (let halving = 0, alpha = 1; halving < MAX_HALVINGS; halving++, alpha *= 0.5) {
      for (let i = 0; i < step.length; i++) trial[3 + i] = velocities[3 + i] - alpha * step[i];
      next = writeJumps(deltas, spans, trial, undefined);
      if (next.jump < current.jump) break;
    }
    if (!(next.jump < current.jump)) break;
    velocities.set(trial);
    current = writeJumps(deltas, spans, velocities, step);
  }
  if (current.jump <= 1e4 * ROUNDING * current.largest) return;
  throw new MotionError('unsupported', 'has no C2 spline: Newton did not converge.', {
    path: 'keys',
    remedy:
      'Put keyframes closer together, or give end velocities nearer to the rotation between the keyframes.',
  });
}

const cache = /* @__PURE__ */ createRotationCache();

/**
 * Writes the jumps of the angular acceleration at the inner keyframes, before minus after, to `out`.
 *
 * @returns the largest jump, and the largest acceleration on either side.
 */
function writeJumps(
  deltas: Float64Array,
  spans: Float64Array,
  velocities: Float64Array,
  out: Float64Array | undefined,
): { jump: number; largest: number } {
  const pieces = spans.length;
  const before = [0, 0, 0];
  let jump = 0;
  let largest = 0;
  for (let s = 0; s < pieces; s++) {
    const h = spans[s];
    const at = evaluateRotationVector(deltas.subarray(3 * s, 3 * s + 3), cache);
    const delta = [at.x, at.y, at.z];
    const leaving = velocities.subarray(3 * s, 3 * s + 3);
    const arriving = mat3.multiplyVector(rightJacobianInverse(at), velocities.subarray(3 * s + 3, 3 * s + 6));
    // r'' of the cubic at both ends; at zero w' = r''.
    const starts = [0, 1, 2].map((k) => ((6 * delta[k]) / h - 4 * leaving[k] - 2 * arriving[k]) / h);
    const ends = [0, 1, 2].map((k) => ((-6 * delta[k]) / h + 2 * leaving[k] + 4 * arriving[k]) / h);
    for (let k = 0; s > 0 && k < 3; k++) {
      const difference = before[k] - starts[k];
      jump = Math.max(jump, Math.abs(difference));
      if (out !== undefined) out[3 * (s - 1) + k] = difference;
    }
    angularAccelerationFromRates(at, arriving, ends, 'body', before);
    largest = Math.max(largest, vec3.norm(starts), vec3.norm(before));
  }
  return { jump, largest };
}

type Blocks = { [row in keyof blockTridiagonal.BlockRows]: number[][] };

/** Jacobian of the jumps with respect to the inner velocities. */
function writeBlocks(deltas: Float64Array, spans: Float64Array, velocities: Float64Array): Blocks {
  const rows: Blocks = { left: [], middle: [], right: [] };
  for (let s = 0; s < spans.length; s++) {
    const h = spans[s];
    const at = evaluateRotationVector(deltas.subarray(3 * s, 3 * s + 3), cache);
    const inverse = rightJacobianInverse(at);
    const arriving = mat3.multiplyVector(inverse, velocities.subarray(3 * s + 3, 3 * s + 6));
    // At the start of the piece, with respect to the velocity there and at its end.
    if (s > 0) {
      const own = rows.middle[s - 1];
      for (let k = 0; k < 9; k += 4) own[k] += 4 / h;
      rows.right.push(mat3.scale(inverse, 2 / h));
    }
    // At its end, likewise.
    if (s + 1 < spans.length) {
      rows.left.push(mat3.scale(rightJacobian(at), 2 / h));
      const own = mat3.multiply(velocityTermDerivative(at, arriving), inverse);
      for (let k = 0; k < 9; k += 4) own[k] += 4 / h;
      rows.middle.push(own);
    }
  }
  return rows;
}

/** d/dr' of (v.r')(E v x r' - F v x (v x r')) + C r' x (v x r'), the term of w' that is quadratic in r'. */
function velocityTermDerivative(at: ReturnType<typeof createRotationCache>, rate: Numbers): number[] {
  const v = [at.x, at.y, at.z];
  const across = vec3.cross(v, rate);
  const dot = vec3.dot(v, rate);
  const cross = mat3.skew(v);
  const square = mat3.multiply(cross, cross);
  const lead = vec3.addScaled(vec3.scale(across, at.E), vec3.cross(v, across), -at.F);
  const out = mat3.outer(lead, v);
  const vector = mat3.multiply(mat3.skew(rate), cross);
  const crossSkew = mat3.skew(across);
  for (let k = 0; k < 9; k++) {
    out[k] += dot * (at.E * cross[k] - at.F * square[k]) + at.C * (vector[k] - crossSkew[k]);
  }
  return out;
}
