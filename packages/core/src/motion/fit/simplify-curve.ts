import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { findJump, pointsOfPiece } from '../convert/pieces.js';
import { raiseDegree } from '../convert/raise-degree.js';
import { requireCurve } from '../convert/require-curve.js';
import { firstBelow, slicePoints } from '../representation/bernstein.js';
import {
  type Curve,
  createCurvePoint,
  curveOptions,
  evaluateCurve,
  pieceAt,
  writePiece,
} from '../representation/curve.js';
import { fitAdaptively } from './adaptive-sampling.js';
import {
  type CurveFit,
  checkedTolerances,
  type FitCurveOptions,
  fitCurve,
  SIMPLIFY_OPTIONS,
} from './fit-curve.js';

/**
 * Few cubic Hermite keyframes whose curve is within the tolerance of another curve everywhere: {@link fitCurve} with samples
 * added until the bound holds between them. It is tested on the Bezier points of the difference of both curves, not at samples.
 * Corners of the curve stay corners.
 * @returns with `deviation` the largest error at the samples used.
 * @throws MotionError `unsupported` for a discontinuous curve, or an argument that is not a curve.
 */
export function simplifyCurve(curve: Curve, options: Omit<FitCurveOptions, 'corners'>): CurveFit {
  requireCurve(curve);
  const ofCurve = curveOptions(options, SIMPLIFY_OPTIONS);
  const found = findJump(curve);
  if (found !== undefined) {
    throw new MotionError('unsupported', `jumps by ${found.jump} at ${curve.knots[found.join]} s.`, {
      path: `curve.knots[${found.join}]`,
      remedy: 'Split the curve there, and simplify both curves.',
    });
  }
  const { size } = curve;
  const tolerances = checkedTolerances(options.tolerance, size);
  const point = createCurvePoint(size);
  const corners = cornersOf(curve);
  return fitAdaptively(
    curve.knots,
    () => 0,
    (times, fraction) =>
      fitCurve(
        {
          times,
          values: Float64Array.from(times.flatMap((t) => Array.from(evaluateCurve(curve, t, point).value))),
        },
        {
          outside: curve.outside,
          ...ofCurve,
          tolerance: tolerances.map((x) => fraction * x),
          corners: corners.map((time) => times.indexOf(time)),
        },
      ),
    (fit) => excesses(curve, fit.curve, tolerances),
  );
}

/** Jump of the velocity, relative to the largest velocity at any knot, that counts as a corner. */
const CORNER = 1e-9;

function cornersOf(curve: Curve): number[] {
  const { size, knots } = curve;
  const before = createCurvePoint(size);
  const after = createCurvePoint(size);
  const jumps = new Float64Array(knots.length);
  let largest = 0;
  for (let join = 1; join + 1 < knots.length; join++) {
    writePiece(curve, join - 1, knots[join], before.value, before.first, before.second, 0);
    writePiece(curve, join, knots[join], after.value, after.first, after.second, 0);
    for (let c = 0; c < size; c++) {
      jumps[join] = Math.max(jumps[join], Math.abs(after.first[c] - before.first[c]));
      largest = Math.max(largest, Math.abs(after.first[c]), Math.abs(before.first[c]));
    }
  }
  return Array.from(knots).filter((_, join) => jumps[join] > CORNER * largest);
}

/** Times at which two curves over one range differ by more than the tolerances: at most one for each common piece. */
export function excesses(a: Curve, b: Curve, tolerances: Numbers): number[] {
  const degree = Math.max(a.degree, b.degree);
  const [raisedA, raisedB] = [raiseDegree(a, degree), raiseDegree(b, degree)];
  const joins = [...new Set([...Array.from(a.knots), ...Array.from(b.knots)])].sort((x, y) => x - y);
  const found: number[] = [];
  for (let s = 0; s + 1 < joins.length; s++) {
    const [from, to] = [joins[s], joins[s + 1]];
    const [p, q] = [raisedA, raisedB].map((curve) => sliceOf(curve, from, to));
    for (let c = 0; c < a.size; c++) {
      const difference = Float64Array.from(
        { length: degree + 1 },
        (_, k) => p[k * a.size + c] - q[k * a.size + c],
      );
      const u =
        firstBelow(difference, -tolerances[c]) ??
        firstBelow(
          difference.map((x) => -x),
          -tolerances[c],
        );
      if (u === undefined) continue;
      found.push(from + u * (to - from));
      break;
    }
  }
  return found;
}

function sliceOf(curve: Curve, from: number, to: number): Float64Array {
  const piece = pieceAt(curve.knots, from);
  const begin = curve.knots[piece];
  const end = curve.knots[piece + 1];
  const span = end - begin;
  return slicePoints(
    pointsOfPiece(curve, piece),
    curve.size,
    (from - begin) / span,
    to === end ? 1 : (to - begin) / span,
  );
}
