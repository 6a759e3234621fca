/** Adaptive piecewise cubic approximation of sampled joint coordinates, within an error bound. */
import { type Curve, createCurve, MAX_ROTATION_VECTOR } from 'poise/motion';
import { regularize } from 'poise/rotation';

/** Input of {@link adaptiveCurve}. */
export interface AdaptiveCurveTask {
  /** Number of coordinates. */
  readonly size: number;
  /** Index of the first component of a rotation vector; -1 without one. */
  readonly rotation: number;
  /** The first `lengths` coordinates are lengths (m), the others angles (rad). */
  readonly lengths: number;
  /** Consecutive intervals, each smooth inside; `keyTime` selects the keys around it, which are in use from `start` to `end`. */
  readonly intervals: readonly { readonly start: number; readonly end: number; readonly keyTime: number }[];
  /** Writes the coordinates at `time` to `q`: the equivalent ones nearest to its previous content. `keyTime` selects the interval. */
  readonly read: (keyTime: number, time: number, q: Float64Array) => void;
  /** Bounds of the error: the sum over the angles (rad), and over the lengths (m). */
  readonly tolerance: { readonly rotation: number; readonly translation: number };
}

/** A curve and its largest sampled error. */
export interface AdaptiveCurve {
  readonly curve: Curve;
  readonly deviation: { readonly rotation: number; readonly translation: number };
  /** Whether it is constant up to rounding. */
  readonly isStatic: boolean;
}

/** Samples inside a piece. */
const SAMPLES = 7;
/** Fraction of the bound allowed at the samples. */
const SAFETY_FACTOR = 0.9;
/** Step of the finite differences, as a fraction of a piece. */
const DIFFERENCE_STEP = 1 / 256;
/** Fourth-order forward difference: 12 h f'(0) from f(0), f(h), ..., f(4 h). */
const FORWARD_DIFFERENCE = [-25, 48, -36, 16, -3];
/** Bisections of an interval at most; a larger error that remains is reported in `deviation`. */
const MAX_DEPTH = 14;
/** Motion within the rounding of single precision, rad or m. */
const STATIC_TOLERANCE = 1e-7;

/**
 * Cubic Hermite pieces with the sampled values and one-sided derivatives at their ends: knots at the ends of all intervals, and by bisection wherever
 * the bound requires one. A rotation vector longer than 3/2 pi is reparameterized to at most pi, at a knot.
 */
export function adaptiveCurve(task: AdaptiveCurveTask): AdaptiveCurve {
  const { size, rotation, lengths, intervals, read, tolerance } = task;
  const knots = [intervals[0].start];
  const controls: number[] = [];
  const deviation = { rotation: 0, translation: 0 };
  const samples = Array.from({ length: SAMPLES + 2 }, () => new Float64Array(size));
  const rates = [new Float64Array(size), new Float64Array(size)];
  const coordinates = new Float64Array(size);
  /** Coordinates at the end of the curve so far. */
  const current = new Float64Array(size);

  const rateAt = (
    keyTime: number,
    time: number,
    span: number,
    value: Float64Array,
    rate: Float64Array,
  ): void => {
    rate.fill(0);
    const h = DIFFERENCE_STEP * span;
    for (const [n, weight] of FORWARD_DIFFERENCE.entries()) {
      if (n === 0) continue;
      coordinates.set(value);
      read(keyTime, time + n * h, coordinates);
      // The weights sum to 0: with differences to the value a constant has a rate of exactly 0.
      for (let c = 0; c < size; c++) rate[c] += (weight * (coordinates[c] - value[c])) / (12 * h);
    }
  };
  const lengthOf = (q: Float64Array): number => Math.hypot(q[rotation], q[rotation + 1], q[rotation + 2]);
  const changeChart = (): void => {
    regularize(current.subarray(rotation, rotation + 3), current.subarray(rotation, rotation + 3));
  };

  const addPieces = (keyTime: number, start: number, end: number, depth: number): void => {
    const span = end - start;
    const middle = 0.5 * (start + end);
    const canHalve = depth > 0 && middle > start && middle < end;
    const halve = (): void => {
      addPieces(keyTime, start, middle, depth - 1);
      addPieces(keyTime, middle, end, depth - 1);
    };
    let longest = 0;
    samples[0].set(current);
    for (let n = 1; n <= SAMPLES + 1; n++) {
      samples[n].set(samples[n - 1]);
      read(keyTime, n > SAMPLES ? end : start + (span * n) / (SAMPLES + 1), samples[n]);
      if (rotation >= 0) longest = Math.max(longest, lengthOf(samples[n]));
    }
    if (longest > MAX_ROTATION_VECTOR) {
      const length = lengthOf(current);
      if (length > Math.PI) {
        changeChart();
        // By rounding half a turn may be longer than pi in either chart.
        if (lengthOf(current) < length) {
          addPieces(keyTime, start, end, depth);
          return;
        }
      }
      if (canHalve) {
        halve();
        return;
      }
    }
    const first = samples[0];
    const last = samples[SAMPLES + 1];
    rateAt(keyTime, start, span, first, rates[0]);
    rateAt(keyTime, end, -span, last, rates[1]);
    let maxAngle = 0;
    let maxDistance = 0;
    for (let n = 1; n <= SAMPLES; n++) {
      const u = n / (SAMPLES + 1);
      let angles = 0;
      let distances = 0;
      for (let c = 0; c < size; c++) {
        const difference = Math.abs(
          hermite(first[c], rates[0][c], last[c], rates[1][c], u, span) - samples[n][c],
        );
        if (c < lengths) distances += difference;
        else angles += difference;
      }
      maxAngle = Math.max(maxAngle, angles);
      maxDistance = Math.max(maxDistance, distances);
    }
    if (
      canHalve &&
      (maxAngle > SAFETY_FACTOR * tolerance.rotation || maxDistance > SAFETY_FACTOR * tolerance.translation)
    ) {
      halve();
      return;
    }
    deviation.rotation = Math.max(deviation.rotation, maxAngle);
    deviation.translation = Math.max(deviation.translation, maxDistance);
    const third = span / 3;
    for (let c = 0; c < size; c++) controls.push(first[c]);
    for (let c = 0; c < size; c++) controls.push(first[c] + third * rates[0][c]);
    for (let c = 0; c < size; c++) controls.push(last[c] - third * rates[1][c]);
    for (let c = 0; c < size; c++) controls.push(last[c]);
    knots.push(end);
    current.set(last);
  };

  for (const { start, end, keyTime } of intervals) {
    // After a jump the coordinates nearest to those before it.
    read(keyTime, start, current);
    addPieces(keyTime, start, end, MAX_DEPTH);
  }
  const isStatic = controls.every((value, i) => Math.abs(value - controls[i % size]) <= STATIC_TOLERANCE);
  return { curve: createCurve({ size, degree: 3, knots, controls }), deviation, isStatic };
}

function hermite(a: number, da: number, b: number, db: number, u: number, h: number): number {
  const blend = u * u * (3 - 2 * u);
  const v = 1 - u;
  return (1 - blend) * a + h * u * v * v * da + blend * b - h * u * u * v * db;
}
