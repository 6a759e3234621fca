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
  requireWays,
} from '../representation/rotation-keys.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  stationaryState,
} from '../representation/rotation-state.js';

export interface CumulativeBSplineData {
  /** Control orientations, unit quaternions, four at least; the short way is taken between neighbours. */
  readonly quaternions: Numbers;
  /** s, as of a B-spline of degree 3: four more than there are quaternions. */
  readonly knots: Numbers;
}

const DEGREE = 3;
/** b_i of the four points that a piece depends on, for the last three i: a point counts from its own i on. */
const STEPS = /* @__PURE__ */ Float64Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1);

/**
 * The cumulative cubic B-spline of Kim, Kim and Shin (1995): q_0 prod exp(b_i(t) log(q_{i-1}^-1 q_i)), b_i the sum of the basis functions
 * from i on. C2, local, the same in every frame; angular velocity and acceleration in closed form. It is drawn to the orientations and does
 * not meet them.
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
      remedy: 'Give four unit quaternions at least.',
    });
  }
  const quaternions = alignSigns(checkedQuaternions(data.quaternions, count, 'quaternions'));
  const ways = requireWays(quaternions, 'quaternions');
  const knots = checkedKnots(data.knots, count, DEGREE);
  const pieces = piecesOf(knots, count, DEGREE);
  // On each piece all b_i are 1 or 0 but for the last three.
  const controls = new Float64Array(pieces.length * STEPS.length);
  for (const [s, k] of pieces.entries()) writeBezierPoints(STEPS, 3, knots, k, controls, s * STEPS.length);
  const shares = createCurve({ size: 3, degree: DEGREE, knots: joinsOf(knots, pieces), controls }, options);
  const share = createCurvePoint(3);
  const turn = createCurvePoint(3);
  const one = createRotationState();
  return {
    kind: 'cumulative B-spline',
    knots: shares.knots,
    outside: shares.outside,
    evaluateInside(time, out) {
      const first = pieces[pieceAt(shares.knots, time)] - DEGREE;
      evaluateCurve(shares, time, share);
      stationaryState(quaternionAt(quaternions, first), out);
      for (let j = 0; j < DEGREE; j++) {
        const way = 3 * (first + j);
        for (let k = 0; k < 3; k++) {
          turn.value[k] = share.value[j] * ways[way + k];
          turn.first[k] = share.first[j] * ways[way + k];
          turn.second[k] = share.second[j] * ways[way + k];
        }
        composeRotationStates(out, expRotationState(turn, one), out);
      }
      return out;
    },
  };
}
