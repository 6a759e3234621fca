import { MotionError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { type CurvePoint, createCurvePoint } from '../representation/curve.js';
import { evaluateRotation, type RotationCurve } from '../representation/rotation-curve.js';
import {
  composeRotationStates,
  createRotationState,
  invertRotationState,
  logRotationState,
  type RotationState,
} from '../representation/rotation-state.js';
import { arcLength } from '../retime/arc-length.js';
import { requireRotationCurve } from '../retime/path-rates.js';
import { refine } from './adaptive-sampling.js';
import { checkedTolerances } from './fit-curve.js';
import { type FitRotationsOptions, fitRotations, type RotationFit } from './fit-rotations.js';

/**
 * Few keys of a Hermite curve of rotation vectors ({@link orientationHermite}) within an angle of any rotation curve everywhere: the conversion from
 * every other kind. Samples are added to what {@link fitRotations} is given until the bound holds between them. There the rotation from one curve
 * to the other is known with its rates at both ends of an interval, and bounded by the Bezier points of the quintic through them; intervals are
 * halved until the quintic's error, twice what it is at the middle, fits in as well. Corners of the curve stay corners.
 * @returns with `deviation` the largest angle at the samples used.
 * @throws MotionError `unsupported` for a curve that jumps.
 */
export function simplifyRotation(
  curve: RotationCurve,
  options: Omit<FitRotationsOptions, 'corners'>,
): RotationFit {
  const [tolerance] = checkedTolerances(options.tolerance, 1);
  requireRotationCurve(curve, 'curve');
  const corners = cornersOf(curve);
  const state = createRotationState();
  return refine(
    curve.knots,
    // Less than half a turn from one to the next.
    (piece) =>
      Math.ceil(arcLength(curve, { from: curve.knots[piece], to: curve.knots[piece + 1], tolerance: 0.1 })),
    (times, share) =>
      fitRotations(
        {
          times,
          quaternions: Float64Array.from(
            times.flatMap((t) => Array.from(evaluateRotation(curve, t, state).quaternion)),
          ),
        },
        {
          ...options,
          outside: options.outside ?? curve.outside,
          tolerance: share * tolerance,
          corners: corners.map((time) => times.indexOf(time)),
        },
      ),
    (fit) => excesses(curve, fit.curve, tolerance),
  );
}

/** A jump of the orientation that no rounding of it explains, rad, and of the angular velocity, against the largest at any join. */
const JUMP = 1e-9;
/** What a look one rounding before a join may be early by, against the moment. */
const EARLY = 4 * Number.EPSILON;

/** @throws MotionError `unsupported` where the orientation itself jumps. */
function cornersOf(curve: RotationCurve): number[] {
  const { knots } = curve;
  const jumps = new Float64Array(knots.length);
  let largest = 0;
  for (let join = 1; join + 1 < knots.length; join++) {
    const before = curve.evaluateInside(justBefore(knots[join]), createRotationState());
    const after = curve.evaluateInside(knots[join], createRotationState());
    const jump = quat.angleBetween(before.quaternion, after.quaternion);
    const early = EARLY * Math.abs(knots[join]);
    const fastest = Math.max(vec3.norm(before.angularVelocity), vec3.norm(after.angularVelocity));
    if (jump > JUMP + early * fastest) {
      throw new MotionError('unsupported', `jumps by ${jump} rad at ${knots[join]} s.`, {
        path: `curve.knots[${join}]`,
        remedy: 'Give a curve that is continuous.',
      });
    }
    const bend = Math.max(vec3.norm(before.angularAcceleration), vec3.norm(after.angularAcceleration));
    jumps[join] = vec3.distance(before.angularVelocity, after.angularVelocity) - early * bend;
    largest = Math.max(largest, fastest);
  }
  return Array.from(knots).filter((_, join) => jumps[join] > JUMP * largest);
}

function justBefore(time: number): number {
  return time - Math.max(Math.abs(time) * Number.EPSILON, Number.MIN_VALUE);
}

const DEEPEST = 20;
const SAFETY = 2;

/** Moments at which two curves over one range are further apart than the tolerance (rad): one for each piece of both where there is one. */
function excesses(a: RotationCurve, b: RotationCurve, tolerance: number): number[] {
  const joins = [...new Set([...Array.from(a.knots), ...Array.from(b.knots)])].sort((x, y) => x - y);
  const found: number[] = [];
  for (let s = 0; s + 1 < joins.length; s++) {
    const first = wayBetween(a, b, joins[s]);
    const last = wayBetween(a, b, justBefore(joins[s + 1]));
    const late = excess(a, b, joins[s], first, joins[s + 1], last, tolerance, DEEPEST);
    if (late !== undefined) found.push(late);
  }
  return found;
}

function excess(
  a: RotationCurve,
  b: RotationCurve,
  from: number,
  first: CurvePoint,
  to: number,
  last: CurvePoint,
  tolerance: number,
  depth: number,
): number | undefined {
  const middle = 0.5 * (from + to);
  const between = wayBetween(a, b, middle);
  if (!(vec3.norm(between.value) <= tolerance)) return middle;
  const h = to - from;
  // Bezier points of the quintic through value, rate and second rate at both ends.
  const points = [0, 1, 2, 3, 4, 5].map((k) => {
    const end = k < 3 ? first : last;
    const legs = k < 3 ? k : k - 5;
    const bend = k === 2 || k === 3 ? 0.05 * h * h : 0;
    const leg = vec3.addScaled(end.value, end.first, 0.2 * h * legs);
    return vec3.addScaled(leg, end.second, bend);
  });
  const quintic = [0, 0, 0];
  for (const [k, point] of points.entries())
    vec3.addScaled(quintic, point, [1, 5, 10, 10, 5, 1][k] / 32, quintic);
  const off = SAFETY * vec3.distance(quintic, between.value);
  if (Math.max(...points.map(vec3.norm)) + off <= tolerance) return undefined;
  if (depth === 0) return middle;
  return (
    excess(a, b, from, first, middle, between, tolerance, depth - 1) ??
    excess(a, b, middle, between, to, last, tolerance, depth - 1)
  );
}

const stateA: RotationState = /* @__PURE__ */ createRotationState();
const stateB: RotationState = /* @__PURE__ */ createRotationState();

/** The rotation vector from one curve to the other, with its rates. */
function wayBetween(a: RotationCurve, b: RotationCurve, time: number): CurvePoint {
  a.evaluateInside(time, stateA);
  b.evaluateInside(time, stateB);
  composeRotationStates(invertRotationState(stateA, stateA), stateB, stateB);
  if (stateB.quaternion[3] < 0) quat.negate(stateB.quaternion, stateB.quaternion);
  return logRotationState(stateB, createCurvePoint(3));
}
