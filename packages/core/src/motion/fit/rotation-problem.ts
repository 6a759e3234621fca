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

/** A key: orientation, and angular velocity in body axes. */
export interface TurnState {
  readonly quaternion: number[];
  readonly velocity: number[];
}

const TWO_PI = 2 * Math.PI;
const ROUNDS = 12;
const PULL = 1e-9;
/** Unknowns of a key: a turn of it in body axes, and a change of its angular velocity. */
const OWN = 6;
const WIDTH = 2 * OWN - 1;
/** Rounds that bring the weighted mean error below this, against the last one, go on though it is too large. */
const STILL = 0.7;

/**
 * Keys of {@link orientationHermite} for orientations, measured by the angle between them. Refitted by Gauss and Newton's method with Lawson's weights
 * (see {@link curveProblem}): with the cubic r(t) of a piece from a to b, a turn d of a key by its body axes and a change of its angular velocity
 * w move a by J_r^-1(a) d and its tangent by J_r^-1(a) w, and the orientation at t turns by J_r(r) times what that makes of r.
 */
export function rotationProblem(
  times: Float64Array,
  quaternions: Float64Array,
  tolerance: number,
  pinFirst: boolean,
  pinLast: boolean,
): FitProblem<TurnState> {
  const count = times.length;
  const point = createCurvePoint(3);
  const played: number[] = [0, 0, 0, 1];

  const piece = (from: number, a: TurnState, to: number, b: TurnState): Curve =>
    orientationHermite({
      times: [times[from], times[to]],
      quaternions: [...a.quaternion, ...b.quaternion],
      angularVelocities: [...a.velocity, ...b.velocity],
      turns: [turnsBetween(quaternions, from, a.quaternion, to, b.quaternion)],
    });

  return {
    count,
    estimate(i) {
      const own = Array.from(quaternionAt(quaternions, i));
      const back = quat.conjugate(own);
      const { first, weights } = derivativeWeights(times, i);
      const velocity = [0, 0, 0];
      for (const [n, weight] of weights.entries()) {
        const way = rotationVectorFromQuat(quat.multiply(back, quaternionAt(quaternions, first + n)));
        vec3.addScaled(velocity, way, weight, velocity);
      }
      return { quaternion: own, velocity };
    },
    fits(from, a, to, b) {
      if (to - from < 2) return true;
      const curve = piece(from, a, to, b);
      for (let k = from + 1; k < to; k++) {
        quatFromRotationVector(evaluateCurve(curve, times[k], point).value, played);
        if (!(quat.angleBetween(played, quaternionAt(quaternions, k)) <= tolerance)) return false;
      }
      return true;
    },
    refit(keys, states, holdFirst, holdLast) {
      const first = keys[0];
      const last = keys[keys.length - 1];
      const rows = basisRows(times, keys);
      const n = OWN * keys.length;
      const step = (times[last] - times[first]) / (keys.length - 1);
      const held = [
        ...heldRows(0, holdFirst, pinFirst && first === 0),
        ...heldRows(n - OWN, holdLast, pinLast && last === count - 1),
      ];
      const weights = new Float64Array(rows.length).fill(1);
      let now = states.slice();
      let lastMean = Number.POSITIVE_INFINITY;
      for (let round = 0; round <= ROUNDS; round++) {
        const curves = now.slice(1).map((b, s) => piece(keys[s], now[s], keys[s + 1], b));
        // Hidden keys do not change as the equations below say.
        if (curves.some(({ knots }) => knots.length > 2)) return undefined;
        const errors = new Float64Array(rows.length);
        const band = new Float64Array(n * (WIDTH + 1));
        const right = new Float64Array(n);
        for (let i = 0; i < n; i++) band[i * (WIDTH + 1) + WIDTH] = PULL;
        const ends = curves.map(({ controls }) =>
          [0, 9].map((o) => rightJacobianInverse([controls[o], controls[o + 1], controls[o + 2]])),
        );
        for (const [k, { span, basis }] of rows.entries()) {
          writePiece(curves[span], 0, times[first + k], point.value, undefined, undefined, 0);
          quatFromRotationVector(point.value, played);
          const off = rotationVectorFromQuat(
            quat.multiply(quat.conjugate(quaternionAt(quaternions, first + k)), played),
          );
          errors[k] = vec3.norm(off);
          const spin = rightJacobian(point.value);
          const [atA, atB] = ends[span].map((inverse) => mat3.multiply(spin, inverse));
          addRow(band, right, OWN * span, weights[k], off, [
            mat3.scale(atA, basis[0]),
            mat3.scale(atA, basis[1] / step),
            mat3.scale(atB, basis[2]),
            mat3.scale(atB, basis[3] / step),
          ]);
        }
        const { largest, mean } = reweigh(weights, errors);
        if (largest <= tolerance) return now;
        // Not to be had with these keys, unless the rounds are still closing in.
        if (mean > tolerance && mean > STILL * lastMean) return undefined;
        lastMean = mean;
        for (const i of held) banded.fix(band, n, WIDTH, right, i, [0]);
        if (!banded.factor(band, n, WIDTH)) return undefined;
        banded.solve(band, n, WIDTH, right);
        now = now.map((state, i) => moved(state, right.subarray(OWN * i, OWN * i + OWN), step));
      }
      return undefined;
    },
  };
}

/** Whole turns from one key to another beyond the short way, as the samples between them turn. */
export function turnsBetween(
  quaternions: Float64Array,
  from: number,
  a: Numbers,
  to: number,
  b: Numbers,
): number {
  const back = quat.conjugate(a);
  let way: readonly number[] = [0, 0, 0];
  for (let k = from + 1; k <= to; k++) {
    const next = k === to ? b : quaternionAt(quaternions, k);
    way = nearestRotationVector(rotationVectorFromQuat(quat.multiply(back, next)), way);
  }
  const short = rotationVectorFromQuat(quat.multiply(back, b));
  const length = vec3.norm(short);
  if (length === 0) return Math.round(vec3.norm(way) / TWO_PI);
  return Math.round((vec3.dot(way, short) / length - length) / TWO_PI);
}

function heldRows(from: number, hold: boolean, pin: boolean): number[] {
  return Array.from({ length: hold ? OWN : pin ? OWN / 2 : 0 }, (_, k) => from + k);
}

/** Adds weight * (A^T A) and -weight * A^T off for the row A of four blocks, which begins at the unknown `at`. */
function addRow(
  band: Float64Array,
  right: Float64Array,
  at: number,
  weight: number,
  off: readonly number[],
  blocks: readonly (readonly number[])[],
): void {
  for (let i = 0; i < 12; i++) {
    const mine = blocks[Math.floor(i / 3)];
    for (let r = 0; r < 3; r++) right[at + i] -= weight * mine[3 * r + (i % 3)] * off[r];
    for (let j = 0; j <= i; j++) {
      const other = blocks[Math.floor(j / 3)];
      let sum = 0;
      for (let r = 0; r < 3; r++) sum += mine[3 * r + (i % 3)] * other[3 * r + (j % 3)];
      band[(at + i) * (WIDTH + 1) + WIDTH - i + j] += weight * sum;
    }
  }
}

function moved({ quaternion, velocity }: TurnState, change: Float64Array, step: number): TurnState {
  const turn = quatFromRotationVector(change.subarray(0, 3));
  return {
    quaternion: quat.normalize(quat.multiply(quaternion, turn)),
    velocity: vec3.addScaled(velocity, change.subarray(3), 1 / step),
  };
}
