import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { type Curve, type CurveOptions, checkWhole, createCurve, pieceAt } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  addCoordinate,
  addNeighbour,
  addRotation,
  type CellConstraints,
  modelOf,
  type RateModel,
} from './interval-constraints.js';
import { type RatePath, ratePathOf } from './path-rates.js';
import { speedProfile } from './velocity-profile.js';

/** How fast a motion may go. */
export interface LimitedMotion {
  readonly motion: Curve | RotationCurve;
  /** Rotation: angular speed, rad/s. Curve: |rate| of each coordinate, one number for all or one for each; Infinity for none. */
  readonly rate?: number | Numbers;
  /** Likewise for the angular acceleration, rad/s^2, or |second rate| of each coordinate. */
  readonly acceleration?: number | Numbers;
}

export interface SpeedLimitOptions extends CurveOptions {
  /** Cells that each piece is cut into; the time lost to the bounds between their ends goes down with its square. Default 64. */
  readonly resolution?: number;
  /** Begin or end at rest (`start`, `end`, `both`). Default `neither`: with the rate that it has, if that is within the limits. */
  readonly atRest?: 'start' | 'end' | 'both' | 'neither';
}

/** A motion with its limits, one for each coordinate of a curve and one for a rotation. */
interface Limited {
  readonly motion: Curve | RotationCurve;
  readonly path: RatePath;
  readonly rates: Float64Array;
  readonly accelerations: Float64Array;
}

/**
 * The timing that slows motions down no more than it must for all of their limits to hold everywhere, between samples too. They are played
 * together, never faster than they are. s' is continuous where accelerations are limited, s'' piecewise constant. At a corner with limited
 * acceleration the timing comes to rest, for nothing else stays within the limit.
 *
 * For curves limits are bounded by Bernstein coefficients, for rotations by a cubic of the angular velocity on each cell, with twice the
 * difference seen at three moments of it allowed for.
 * @param limited - Motions over one range of time.
 * @returns a curve of one number, pieces of degree 2, that begins when the motions do.
 * @throws MotionError `wrong-size`, `out-of-range`
 */
export function speedLimitTiming(limited: readonly LimitedMotion[], options: SpeedLimitOptions = {}): Curve {
  const { resolution = 64, atRest = 'neither' } = options;
  checkWhole(resolution, 2, 1 << 20, 'resolution');
  if (!['start', 'end', 'both', 'neither'].includes(atRest)) {
    throw new MotionError('out-of-range', `'${String(atRest)}' is no end of a motion.`, {
      path: 'atRest',
      remedy: "Say 'start', 'end', 'both' or 'neither'.",
    });
  }
  const all = checkedLimits(limited);
  const { ends, cells } = cellsOf(all, resolution);
  const most = new Float64Array(ends.length).fill(1);
  for (const i of stops(all, ends)) most[i] = 0;
  if (atRest === 'start' || atRest === 'both') most[0] = 0;
  if (atRest === 'end' || atRest === 'both') most[most.length - 1] = 0;
  const squares = speedProfile(cells, most);
  // s = s_0 + v_0 t + a t^2/2: the cell takes 2 h/(v_0 + v_1).
  const times = [ends[0]];
  const controls: number[] = [];
  for (let i = 0; i < cells.length; i++) {
    const span = ends[i + 1] - ends[i];
    const from = Math.sqrt(squares[i]);
    const to = Math.sqrt(squares[i + 1]);
    if (!(from + to > 0)) {
      throw new MotionError('unsupported', `has to stop at ${ends[i]} s and at ${ends[i + 1]} s.`, {
        path: 'limited',
        remedy: 'Take away corners that no time is left between, or limits on the acceleration there.',
      });
    }
    times.push(times[i] + (2 * span) / (from + to));
    controls.push(ends[i], ends[i] + (span * from) / (from + to), ends[i + 1]);
  }
  return createCurve({ size: 1, degree: 2, knots: times, controls }, options);
}

/** @throws MotionError */
function checkedLimits(limited: readonly LimitedMotion[]): Limited[] {
  if (limited.length === 0) {
    throw new MotionError('wrong-size', 'has no motion.', {
      path: 'limited',
      remedy: 'Give one motion at least.',
    });
  }
  const all = limited.map(({ motion, rate, acceleration }, i) => {
    const path = ratePathOf(motion);
    const count = 'controls' in motion ? motion.size : 1;
    return {
      motion,
      path,
      rates: perCoordinate(rate, count, `limited[${i}].rate`),
      accelerations: perCoordinate(acceleration, count, `limited[${i}].acceleration`),
    };
  });
  return withSharedKnots(all);
}

/** Knots of several motions that are this far apart, against the range, are one. */
const SAME_TIME = 1e-13;

/**
 * The motions with their knots moved by a rounding to those of the motions before them, where there are any so near: between them would be a
 * cell that nothing can be told of. @throws MotionError `out-of-range` for motions over several ranges.
 */
function withSharedKnots(all: readonly Limited[]): Limited[] {
  let joins = Array.from(all[0].path.knots);
  const [start, end] = [joins[0], joins[joins.length - 1]];
  const rounding = 2 * Number.EPSILON * Math.max(Math.abs(start), Math.abs(end));
  const near = Math.max(SAME_TIME * (end - start), rounding);
  return all.map((limited, i) => {
    const { motion, path } = limited;
    const last = path.knots.length - 1;
    if (!(Math.abs(path.knots[0] - start) <= near && Math.abs(path.knots[last] - end) <= near)) {
      throw new MotionError('out-of-range', 'begins or ends at other times than the first motion.', {
        path: `limited[${i}].motion`,
        remedy: 'Give motions over one range; sliceCurve cuts a curve to it.',
      });
    }
    const knots = Array.from(path.knots, (time) => {
      const before = pieceAt(joins, time);
      return [joins[before], joins[before + 1]].find((join) => Math.abs(join - time) <= near) ?? time;
    });
    // Two of its own that near are left, as one motion alone has them; but the ends are one.
    if (knots.some((time, k) => k > 0 && time <= knots[k - 1])) {
      for (let k = 1; k < last; k++) knots[k] = path.knots[k];
    }
    joins = [...new Set([...joins, ...knots])].sort((a, b) => a - b);
    return {
      ...limited,
      motion: 'controls' in motion ? { ...motion, knots } : motion,
      path: { ...path, knots },
    };
  });
}

/** @throws MotionError unless every limit is positive. */
function perCoordinate(limit: number | Numbers | undefined, count: number, path: string): Float64Array {
  const limits =
    typeof limit === 'object'
      ? Float64Array.from(limit)
      : new Float64Array(count).fill(limit ?? Number.POSITIVE_INFINITY);
  if (limits.length !== count) {
    throw new MotionError('wrong-size', `has ${limits.length} numbers where ${count} belong.`, {
      path,
      remedy: 'Give one limit, or one for each coordinate.',
    });
  }
  const bad = limits.findIndex((x) => !(x > 0));
  if (bad < 0) return limits;
  throw new MotionError('out-of-range', `is ${limits[bad]}.`, {
    path: `${path}[${bad}]`,
    remedy: 'Give a positive limit, or Infinity for none.',
  });
}

/** How often a cell is halved whose angular velocity is no cubic yet, and how good that has to be, against the limit. */
const MOST_HALVINGS = 6;
const GOOD_RATE = 1e-6;
const GOOD_SECOND = 1e-5;

function cellsOf(
  all: readonly Limited[],
  resolution: number,
): { ends: Float64Array; cells: CellConstraints[] } {
  const joins = [...new Set(all.flatMap(({ path }) => Array.from(path.knots)))].sort((a, b) => a - b);
  const ends = [joins[0]];
  const cells: CellConstraints[] = [];
  const add = (from: number, to: number, depth: number): void => {
    const models: RateModel[] = [];
    for (const { motion, path, rates, accelerations } of all) {
      if ('controls' in motion) continue;
      const model = modelOf(path, pieceAt(path.knots, from), from, to);
      models.push(model);
      const bad = model.off > GOOD_RATE * rates[0] || model.offSecond > GOOD_SECOND * accelerations[0];
      if (bad && depth < MOST_HALVINGS) {
        const middle = 0.5 * (from + to);
        add(from, middle, depth + 1);
        add(middle, to, depth + 1);
        return;
      }
    }
    const cell: CellConstraints = { lines: [], ellipses: [] };
    let next = 0;
    for (const limits of all) {
      const { motion, rates, accelerations } = limits;
      if ('controls' in motion) {
        for (let c = 0; c < motion.size; c++)
          addCoordinate(motion, c, from, to, rates[c], accelerations[c], cell);
      } else addRotation(models[next++], from, to, rates[0], accelerations[0], cell);
      addNeighbours(limits, from, to, cell);
    }
    cells.push(cell);
    ends.push(to);
  };
  for (let s = 0; s + 1 < joins.length; s++) {
    const span = joins[s + 1] - joins[s];
    // Finer by the joins, where a rate may jump: what it costs to slow down before it is as long as the last cell.
    const shares = [0, 1 / 16, ...Array.from({ length: resolution - 1 }, (_, k) => k + 1)];
    shares.push(resolution - 1 / 16, resolution);
    for (let k = 1; k < shares.length; k++) {
      const from = joins[s] + (span * shares[k - 1]) / resolution;
      const to = k + 1 === shares.length ? joins[s + 1] : joins[s] + (span * shares[k]) / resolution;
      if (to > from) add(from, to, 0);
    }
  }
  return { ends: Float64Array.from(ends), cells };
}

/** What the pieces before and after a cell say at the joins that it begins and ends with. */
function addNeighbours(
  { motion, path, accelerations }: Limited,
  from: number,
  to: number,
  cell: CellConstraints,
): void {
  const { knots, size } = path;
  const piece = pieceAt(knots, from);
  const rate = new Float64Array(size);
  const second = new Float64Array(size);
  for (const [other, join, atEnd] of [
    [piece - 1, from, false],
    [piece + 1, to, true],
  ] as const) {
    if (other < 0 || other > knots.length - 2 || join !== knots[atEnd ? other : piece]) continue;
    path.write(other, join, rate, second);
    if ('evaluateInside' in motion) addNeighbour(rate, second, from, to, atEnd, accelerations[0], cell);
    else {
      for (let c = 0; c < size; c++) {
        const one = [rate.subarray(c, c + 1), second.subarray(c, c + 1)] as const;
        addNeighbour(...one, from, to, atEnd, accelerations[c], cell);
      }
    }
  }
}

/** Jump of a rate at a join, against the largest rate at any join, that counts as a corner. */
const CORNER = 1e-9;

/** The ends of cells where a rate with a limited acceleration jumps. */
function stops(all: readonly Limited[], ends: Float64Array): number[] {
  const found: number[] = [];
  for (const { motion, path, accelerations } of all) {
    const { knots, size } = path;
    const before = new Float64Array(size);
    const after = new Float64Array(size);
    const second = new Float64Array(size);
    const jumps = new Float64Array(knots.length);
    let largest = 0;
    for (let join = 1; join + 1 < knots.length; join++) {
      path.write(join - 1, knots[join], before, second);
      path.write(join, knots[join], after, second);
      largest = Math.max(largest, ...before.map(Math.abs), ...after.map(Math.abs));
      for (let c = 0; c < size; c++) {
        const limited = accelerations['controls' in motion ? c : 0] < Number.POSITIVE_INFINITY;
        if (limited) jumps[join] = Math.max(jumps[join], Math.abs(after[c] - before[c]));
      }
    }
    for (const [join, jump] of jumps.entries())
      if (jump > CORNER * largest) found.push(ends.indexOf(knots[join]));
  }
  return found;
}
