import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { checkedKnots, joinsOf, piecesOf, writeBezierPoints } from '../curves/b-spline.js';
import {
  type CurveOptions,
  createCurve,
  createCurvePoint,
  evaluateCurve,
  pieceAt,
} from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  alignSigns,
  checkedQuaternions,
  quaternionAt,
  relativeRotationVectors,
} from '../representation/rotation-keys.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  stationaryState,
} from '../representation/rotation-state.js';

export interface CumulativeBSplineData {
  /** Control orientations, at least four unit quaternions; the shorter arc is taken between neighbours. */
  readonly quaternions: Numbers;
  /** Knots, s, of a B-spline of degree 3: four more than quaternions. */
  readonly knots: Numbers;
}

const DEGREE = 3;
/**
 * Control values of the last three cumulative basis functions b_i on the four points that affect a piece: 1 from
 * point i on.
 */
const CUMULATIVE_BASIS = /* @__PURE__ */ Float64Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1);

/**
 * The cumulative cubic B-spline of Kim, Kim and Shin (1995): q_0 prod exp(b_i(t) log(q_{i-1}^-1 q_i)), b_i the sum of the basis
 * functions from i on. C2, local, frame invariant; angular velocity and acceleration in closed form. It approximates its control
 * orientations.
 * @throws MotionError
 */
export function cumulativeBSplineCurve(
  data: CumulativeBSplineData,
  options: CurveOptions = {},
): RotationCurve {
  const count = data.quaternions.length / 4;
  if (!(Number.isInteger(count) && count > DEGREE)) {
    throw new MotionError('wrong-size', `has ${data.quaternions.length} numbers.`, {
      path: 'quaternions',
      remedy: 'Give at least four unit quaternions.',
    });
  }
  const quaternions = alignSigns(checkedQuaternions(data.quaternions, count, 'quaternions'));
  const deltas = relativeRotationVectors(quaternions, 'quaternions');
  const knots = checkedKnots(data.knots, count, DEGREE);
  const pieces = piecesOf(knots, count, DEGREE);
  // On each piece all b_i are 1 or 0 except the last three.
  const controls = new Float64Array(pieces.length * CUMULATIVE_BASIS.length);
  for (const [s, k] of pieces.entries())
    writeBezierPoints(CUMULATIVE_BASIS, 3, knots, k, controls, s * CUMULATIVE_BASIS.length);
  const basis = createCurve({ size: 3, degree: DEGREE, knots: joinsOf(knots, pieces), controls }, options);
  const weights = createCurvePoint(3);
  const vector = createCurvePoint(3);
  const rotation = createRotationState();
  return {
    kind: 'cumulative B-spline',
    knots: basis.knots,
    outside: basis.outside,
    evaluateInside(time, out) {
      const first = pieces[pieceAt(basis.knots, time)] - DEGREE;
      evaluateCurve(basis, time, weights);
      stationaryState(quaternionAt(quaternions, first), out);
      for (let j = 0; j < DEGREE; j++) {
        const delta = 3 * (first + j);
        for (let k = 0; k < 3; k++) {
          vector.value[k] = weights.value[j] * deltas[delta + k];
          vector.first[k] = weights.first[j] * deltas[delta + k];
          vector.second[k] = weights.second[j] * deltas[delta + k];
        }
        composeRotationStates(out, expRotationState(vector, rotation), out);
      }
      return out;
    },
  };
}
