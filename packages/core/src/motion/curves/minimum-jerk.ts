import type { FieldsOf } from '../../checks.js';
import * as banded from '../../math/linear/banded-cholesky.js';
import type { Numbers } from '../../math/linear/types.js';
import { type Curve, type CurveOptions, curveOptions } from '../representation/curve.js';
import { checkedKeys, checkedVector, type Keys } from '../representation/keyframes.js';
import { quinticCurve } from './quintic.js';

export interface MinimumJerkOptions extends CurveOptions {
  /** n numbers each, per s and per s^2. Default zeros: from rest to rest. */
  readonly startVelocity?: Numbers;
  readonly startAcceleration?: Numbers;
  readonly endVelocity?: Numbers;
  readonly endAcceleration?: Numbers;
}

const OPTIONS: FieldsOf<MinimumJerkOptions> = {
  outside: true,
  startVelocity: true,
  startAcceleration: true,
  endVelocity: true,
  endAcceleration: true,
};

/**
 * p''' of a quintic over s in [0, 1] is 6 c_3 + 24 c_4 s + 60 c_5 s^2. Rows c_3, c_4, c_5; columns displacement D, velocity and
 * acceleration at the start, then at the end.
 */
const COEFFICIENTS = [
  [10, -6, -1.5, -4, 0.5],
  [-15, 8, 1.5, 7, -1],
  [6, -3, -0.5, -3, 0.5],
] as const;
/** Integral of (6 c_3 + 24 c_4 s + 60 c_5 s^2)^2 = c^T M c. */
const JERK = [
  [36, 72, 120],
  [72, 192, 360],
  [120, 360, 720],
] as const;
/** C^T M C: the integral of squared jerk over (D, v_0, a_0, v_1, a_1). */
const COST = /* @__PURE__ */ [0, 1, 2, 3, 4].map((i) =>
  [0, 1, 2, 3, 4].map((j) => {
    let sum = 0;
    for (let k = 0; k < 3; k++) {
      for (let l = 0; l < 3; l++) sum += COEFFICIENTS[k][i] * JERK[k][l] * COEFFICIENTS[l][j];
    }
    return sum;
  }),
);

/** Half bandwidth: a keyframe has two unknowns, coupled to those of the one before. */
const WIDTH = 3;

/**
 * The interpolant that minimizes the integral of |x'''|^2 (Flash and Hogan 1985, with via points): quintic pieces, C4. Between
 * two rests it is K_0 + (K_1 - K_0) (10 s^3 - 15 s^4 + 6 s^5).
 * @throws MotionError
 */
export function minimumJerkCurve(keys: Keys, options: MinimumJerkOptions = {}): Curve {
  const ofCurve = curveOptions(options, OPTIONS);
  const { count, size, times, values } = checkedKeys(keys);
  const n = 2 * count;
  const band = new Float64Array(n * (WIDTH + 1));
  const right = new Float64Array(n * size);
  for (let s = 0; s + 1 < count; s++) {
    const h = times[s + 1] - times[s];
    // Unknown k of the piece is row 2 s + k; velocities are scaled by h to s in [0, 1], accelerations by h^2.
    const scale = [h, h * h, h, h * h];
    const share = 1 / h ** 5;
    for (let k = 0; k < 4; k++) {
      const row = 2 * s + k;
      for (let l = 0; l <= k; l++) {
        band[row * (WIDTH + 1) + WIDTH - k + l] += share * scale[k] * scale[l] * COST[k + 1][l + 1];
      }
      const coefficient = share * scale[k] * COST[k + 1][0];
      for (let c = 0; c < size; c++) {
        right[row * size + c] -= coefficient * (values[(s + 1) * size + c] - values[s * size + c]);
      }
    }
  }
  const ends = [
    checkedVector(options.startVelocity, size, 'startVelocity'),
    checkedVector(options.startAcceleration, size, 'startAcceleration'),
    checkedVector(options.endVelocity, size, 'endVelocity'),
    checkedVector(options.endAcceleration, size, 'endAcceleration'),
  ];
  for (const [k, vector] of ends.entries()) {
    banded.fix(band, n, WIDTH, right, k < 2 ? k : n - 4 + k, vector);
  }
  banded.factor(band, n, WIDTH);
  banded.solve(band, n, WIDTH, right, size);
  const velocities = new Float64Array(count * size);
  const accelerations = new Float64Array(count * size);
  for (let i = 0; i < count; i++) {
    velocities.set(right.subarray(2 * i * size, (2 * i + 1) * size), i * size);
    accelerations.set(right.subarray((2 * i + 1) * size, (2 * i + 2) * size), i * size);
  }
  return quinticCurve({ times, values, velocities, accelerations }, ofCurve);
}
