import * as mat3 from '../../math/geometry/mat3.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import * as banded from '../../math/linear/banded-cholesky.js';
import type { Numbers } from '../../math/linear/types.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rightJacobian, rightJacobianInverse } from '../../rotation/rotation-vector/jacobian.js';
import { nearestRotationVector, rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import { type Curve, createCurvePoint, evaluateCurve, writePiece } from '../representation/curve.js';
import { quaternionAt } from '../representation/rotation-keys.js';
import { orientationHermite } from '../rotations/rotation-vector-hermite.js';
import { basisRows, reweigh } from './curve-problem.js';
import { derivativeWeights } from './derivative-weights.js';
import type { FitProblem } from './knot-search.js';

/** A keyframe: orientation, and angular velocity in body axes. */
export interface RotationKeyState {
  readonly quaternion: number[];
  readonly velocity: number[];
}

const TWO_PI = 2 * Math.PI;
const MAX_ITERATIONS = 12;
const REGULARIZATION = 1e-9;
/** Unknowns of a keyframe: a rotation in body axes, and a change of its angular velocity. */
const KEY_UNKNOWNS = 6;
const BANDWIDTH = 2 * KEY_UNKNOWNS - 1;
/**
 * Iterations that reduce the weighted mean error below this fraction of the last continue although it exceeds the
 * tolerance.
 */
const PROGRESS = 0.7;

/**
 * Keyframes of {@link orientationHermite} for orientations, measured by the angle between them. Refitted by Gauss-Newton with
 * Lawson's weights (see {@link curveProblem}). On a piece with the cubic r(t) from a to b, a rotation d of the keyframe in body
 * axes changes a by J_r^-1(a) d, and a change w of its angular velocity changes the tangent by J_r^-1(a) w. The orientation at t
 * then rotates by J_r(r) times the change of r.
 */
export function rotationProblem(
  times: Float64Array,
  quaternions: Float64Array,
  tolerance: number,
  pinFirst: boolean,
  pinLast: boolean,
): FitProblem<RotationKeyState> {
  const count = times.length;
  const point = createCurvePoint(3);
  const orientation: number[] = [0, 0, 0, 1];
  const product = new Float64Array(9);
  const row = new Float64Array(36);

  const piece = (from: number, a: RotationKeyState, to: number, b: RotationKeyState): Curve =>
    orientationHermite({
      times: [times[from], times[to]],
      quaternions: [...a.quaternion, ...b.quaternion],
      angularVelocities: [...a.velocity, ...b.velocity],
      revolutions: [revolutionsBetween(quaternions, from, a.quaternion, to, b.quaternion)],
    });

  return {
    count,
    estimate(i) {
      const own = Array.from(quaternionAt(quaternions, i));
      const inverse = quat.conjugate(own);
      const { first, weights } = derivativeWeights(times, i);
      const velocity = [0, 0, 0];
      for (const [n, weight] of weights.entries()) {
        const vector = rotationVectorFromQuat(quat.multiply(inverse, quaternionAt(quaternions, first + n)));
        vec3.addScaled(velocity, vector, weight, velocity);
      }
      return { quaternion: own, velocity };
    },
    fits(from, a, to, b) {
      if (to - from < 2) return true;
      const curve = piece(from, a, to, b);
      for (let k = from + 1; k < to; k++) {
        quatFromRotationVector(evaluateCurve(curve, times[k], point).value, orientation);
        if (!(quat.angleBetween(orientation, quaternionAt(quaternions, k)) <= tolerance)) return false;
      }
      return true;
    },
    refit(keys, states, fixFirst, fixLast) {
      const first = keys[0];
      const last = keys[keys.length - 1];
      const n = KEY_UNKNOWNS * keys.length;
      const step = (times[last] - times[first]) / (keys.length - 1);
      const { spans, basis } = basisRows(times, keys, step);
      const fixed = [
        ...fixedRows(0, fixFirst, pinFirst && first === 0),
        ...fixedRows(n - KEY_UNKNOWNS, fixLast, pinLast && last === count - 1),
      ];
      const weights = new Float64Array(spans.length).fill(1);
      const errors = new Float64Array(spans.length);
      const band = new Float64Array(n * (BANDWIDTH + 1));
      const right = new Float64Array(n);
      let current = states.slice();
      let lastMean = Number.POSITIVE_INFINITY;
      for (let iteration = 0; iteration <= MAX_ITERATIONS; iteration++) {
        const curves = current.slice(1).map((b, s) => piece(keys[s], current[s], keys[s + 1], b));
        // Inserted keyframes are not in the linearization below.
        if (curves.some(({ knots }) => knots.length > 2)) return undefined;
        band.fill(0);
        right.fill(0);
        for (let i = 0; i < n; i++) band[i * (BANDWIDTH + 1) + BANDWIDTH] = REGULARIZATION;
        const ends = curves.map(({ controls }) =>
          [0, 9].map((o) => rightJacobianInverse([controls[o], controls[o + 1], controls[o + 2]])),
        );
        for (let k = 0; k < spans.length; k++) {
          const span = spans[k];
          writePiece(curves[span], 0, times[first + k], point.value, undefined, undefined, 0);
          quatFromRotationVector(point.value, orientation);
          const error = rotationVectorFromQuat(
            quat.multiply(quat.conjugate(quaternionAt(quaternions, first + k)), orientation),
          );
          errors[k] = vec3.norm(error);
          const jacobian = rightJacobian(point.value);
          // Derivatives of the rotation at the sample with respect to both keyframes: a 3x12 row.
          for (let end = 0; end < 2; end++) {
            mat3.multiply(jacobian, ends[span][end], product);
            for (let r = 0; r < 3; r++) {
              for (let c = 0; c < 3; c++) {
                row[12 * r + 6 * end + c] = product[3 * r + c] * basis[4 * k + 2 * end];
                row[12 * r + 6 * end + 3 + c] = product[3 * r + c] * basis[4 * k + 2 * end + 1];
              }
            }
          }
          addRow(band, right, KEY_UNKNOWNS * span, weights[k], error, row);
        }
        const { largest, mean } = reweigh(weights, errors);
        if (largest <= tolerance) return current;
        // Infeasible with these keyframes, unless the iteration still makes progress.
        if (mean > tolerance && mean > PROGRESS * lastMean) return undefined;
        lastMean = mean;
        for (const i of fixed) banded.fix(band, n, BANDWIDTH, right, i, [0]);
        if (!banded.factor(band, n, BANDWIDTH)) return undefined;
        banded.solve(band, n, BANDWIDTH, right);
        current = current.map((state, i) =>
          updatedKey(state, right.subarray(KEY_UNKNOWNS * i, KEY_UNKNOWNS * i + KEY_UNKNOWNS), step),
        );
      }
      return undefined;
    },
  };
}

/** Revolutions from one keyframe to another beyond the shortest rotation, following the samples between them. */
export function revolutionsBetween(
  quaternions: Float64Array,
  from: number,
  a: Numbers,
  to: number,
  b: Numbers,
): number {
  const inverse = quat.conjugate(a);
  let vector: readonly number[] = [0, 0, 0];
  for (let k = from + 1; k <= to; k++) {
    const next = k === to ? b : quaternionAt(quaternions, k);
    vector = nearestRotationVector(rotationVectorFromQuat(quat.multiply(inverse, next)), vector);
  }
  const short = rotationVectorFromQuat(quat.multiply(inverse, b));
  const length = vec3.norm(short);
  if (length === 0) return Math.round(vec3.norm(vector) / TWO_PI);
  return Math.round((vec3.dot(vector, short) / length - length) / TWO_PI);
}

function fixedRows(from: number, fix: boolean, pin: boolean): number[] {
  return Array.from({ length: fix ? KEY_UNKNOWNS : pin ? KEY_UNKNOWNS / 2 : 0 }, (_, k) => from + k);
}

/** Adds weight * (A^T A) and -weight * A^T error for the 3x12 rows A, whose first column is the unknown `at`. */
function addRow(
  band: Float64Array,
  right: Float64Array,
  at: number,
  weight: number,
  error: readonly number[],
  jacobian: Float64Array,
): void {
  for (let i = 0; i < 12; i++) {
    for (let r = 0; r < 3; r++) right[at + i] -= weight * jacobian[12 * r + i] * error[r];
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let r = 0; r < 3; r++) sum += jacobian[12 * r + i] * jacobian[12 * r + j];
      band[(at + i) * (BANDWIDTH + 1) + BANDWIDTH - i + j] += weight * sum;
    }
  }
}

function updatedKey(
  { quaternion, velocity }: RotationKeyState,
  change: Float64Array,
  step: number,
): RotationKeyState {
  const rotation = quatFromRotationVector(change.subarray(0, 3));
  return {
    quaternion: quat.normalize(quat.multiply(quaternion, rotation)),
    velocity: vec3.addScaled(velocity, change.subarray(3), 1 / step),
  };
}
