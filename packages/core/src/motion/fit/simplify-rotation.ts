import { MotionError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { type CurvePoint, createCurvePoint, curveOptions } from '../representation/curve.js';
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
import { fitAdaptively } from './adaptive-sampling.js';
import { checkedTolerances, SIMPLIFY_OPTIONS } from './fit-curve.js';
import { type FitRotationsOptions, fitRotations, type RotationFit } from './fit-rotations.js';

/**
 * Few keyframes of a Hermite curve of rotation vectors ({@link orientationHermite}) within an angle of any rotation curve
 * everywhere: the conversion from every other kind. Samples are added to those of {@link fitRotations} until the bound holds
 * between them. There the relative rotation of both curves is bounded by the Bezier points of the quintic through its values and
 * rates at both ends of an interval; intervals are bisected until the quintic's error, twice that at the midpoint, is within the
 * bound as well. Corners of the curve stay corners.
 * @returns with `deviation` the largest angle at the samples used.
 * @throws MotionError `unsupported` for a discontinuous curve.
 */
export function simplifyRotation(
  curve: RotationCurve,
  options: Omit<FitRotationsOptions, 'corners'>,
): RotationFit {
  const ofCurve = curveOptions(options, SIMPLIFY_OPTIONS);
  const [tolerance] = checkedTolerances(options.tolerance, 1);
  requireRotationCurve(curve, 'curve');
  const corners = cornersOf(curve);
  const state = createRotationState();
  return fitAdaptively(
    curve.knots,
    // Less than pi between samples.
    (piece) =>
      Math.ceil(arcLength(curve, { from: curve.knots[piece], to: curve.knots[piece + 1], tolerance: 0.1 })),
    (times, fraction) =>
      fitRotations(
        {
          times,
          quaternions: Float64Array.from(
            times.flatMap((t) => Array.from(evaluateRotation(curve, t, state).quaternion)),
          ),
        },
        {
          outside: curve.outside,
          ...ofCurve,
          tolerance: fraction * tolerance,
          corners: corners.map((time) => times.indexOf(time)),
        },
      ),
    (fit) => excesses(curve, fit.curve, tolerance),
  );
}

/** Jump of the orientation beyond rounding, rad, and of the angular velocity, relative to the largest at any knot. */
const JUMP = 1e-9;
/** Relative rounding of a time: an evaluation just before a knot may be early by this. */
const TIME_ROUNDING = 4 * Number.EPSILON;

/** @throws MotionError `unsupported` where the orientation is discontinuous. */
function cornersOf(curve: RotationCurve): number[] {
  const { knots } = curve;
  const jumps = new Float64Array(knots.length);
  let largest = 0;
  for (let join = 1; join + 1 < knots.length; join++) {
    const before = curve.evaluateInside(justBefore(knots[join]), createRotationState());
    const after = curve.evaluateInside(knots[join], createRotationState());
    const jump = quat.angleBetween(before.quaternion, after.quaternion);
    const rounding = TIME_ROUNDING * Math.abs(knots[join]);
    const fastest = Math.max(vec3.norm(before.angularVelocity), vec3.norm(after.angularVelocity));
    if (jump > JUMP + rounding * fastest) {
      throw new MotionError('unsupported', `jumps by ${jump} rad at ${knots[join]} s.`, {
        path: `curve.knots[${join}]`,
        remedy: 'Give a continuous curve.',
      });
    }
    const curvature = Math.max(vec3.norm(before.angularAcceleration), vec3.norm(after.angularAcceleration));
    jumps[join] = vec3.distance(before.angularVelocity, after.angularVelocity) - rounding * curvature;
    largest = Math.max(largest, fastest);
  }
  return Array.from(knots).filter((_, join) => jumps[join] > JUMP * largest);
}

function justBefore(time: number): number {
  return time - Math.max(Math.abs(time) * Number.EPSILON, Number.MIN_VALUE);
}

const MAX_DEPTH = 20;
const SAFETY = 2;

/**
 * Times at which two curves over one range differ by more than the tolerance (rad): at most one for each common
 * piece.
 */
function excesses(a: RotationCurve, b: RotationCurve, tolerance: number): number[] {
  const joins = [...new Set([...Array.from(a.knots), ...Array.from(b.knots)])].sort((x, y) => x - y);
  const found: number[] = [];
  for (let s = 0; s + 1 < joins.length; s++) {
    const first = relativeRotation(a, b, joins[s]);
    const last = relativeRotation(a, b, justBefore(joins[s + 1]));
    const time = excess(a, b, joins[s], first, joins[s + 1], last, tolerance, MAX_DEPTH);
    if (time !== undefined) found.push(time);
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
  const between = relativeRotation(a, b, middle);
  if (!(vec3.norm(between.value) <= tolerance)) return middle;
  const h = to - from;
  // Bezier points of the quintic through value, rate and second rate at both ends.
  const points = [0, 1, 2, 3, 4, 5].map((k) => {
    const end = k < 3 ? first : last;
    const steps = k < 3 ? k : k - 5;
    const curvature = k === 2 || k === 3 ? 0.05 * h * h : 0;
    const leg = vec3.addScaled(end.value, end.first, 0.2 * h * steps);
    return vec3.addScaled(leg, end.second, curvature);
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
function relativeRotation(a: RotationCurve, b: RotationCurve, time: number): CurvePoint {
  a.evaluateInside(time, stateA);
  b.evaluateInside(time, stateB);
  composeRotationStates(invertRotationState(stateA, stateA), stateB, stateB);
  if (stateB.quaternion[3] < 0) quat.negate(stateB.quaternion, stateB.quaternion);
  return logRotationState(stateB, createCurvePoint(3));
}
