/** Contact detection: points near the ground and slow, with hysteresis. Motion of a foot within such a span is foot sliding (foot skating). */
import {
  type FieldsOf,
  requireFields,
  requireFinite,
  requireList,
  requireNotNegative,
  requireNumbers,
} from '../../checks.js';
import { MotionError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import { humanScaleOf } from '../clips/human-scale.js';

/** Points of a bone that are in contact together, as the sole of a foot. */
export interface ContactPoints {
  readonly bone: string;
  /** In the bone's frame, m. Default: its origin. */
  readonly points?: readonly Vec3[];
}

/** A contact span. */
export interface ContactSpan {
  readonly bone: string;
  readonly points: readonly Vec3[];
  /** In the clip's time, s. */
  readonly over: readonly [from: number, to: number];
}

/** Thresholds of the detection. Lengths are for a figure with legs of adult length, and scaled to others. */
export interface ContactOptions {
  /** World. Default `figure.up`. */
  readonly up?: Vec3;
  /** Height of the ground along `up`, m. Default: the second percentile of the lowest points over all samples. */
  readonly ground?: number;
  /** A contact starts below the first height above the ground and ends above the second, m. Default `[0.03, 0.06]`, scaled. */
  readonly heights?: readonly [begins: number, ends: number];
  /** It starts below the first speed and ends above the second, m/s. Default `[0.2, 0.5]`, scaled. */
  readonly speeds?: readonly [begins: number, ends: number];
  /** Shorter contacts are dropped, and shorter gaps between them closed, s. Default 0.1. */
  readonly minDuration?: number;
}

export const CONTACT_FIELDS: FieldsOf<ContactOptions> = {
  up: true,
  ground: true,
  heights: true,
  speeds: true,
  minDuration: true,
};

/** Sample interval, s. */
const SAMPLE_STEP = 1 / 60;
const GROUND_QUANTILE = 0.02;
/** Speeds at which contacts of clips and of keyed poses begin and end, m/s. */
const SPEEDS = [0.2, 0.5] as const;
const ROUGH_SPEEDS = [0.3, 0.8] as const;

/**
 * Finds the spans over which all points of an entry are near the ground and slow. Speeds are central differences over a thirtieth of a
 * second.
 *
 * @throws MotionError, FigureError for a clip of another figure, invalid bones, points and numbers.
 */
export function detectContacts(
  figure: Figure,
  motion: Motion,
  contactPoints: readonly ContactPoints[],
  options: ContactOptions = {},
): ContactSpan[] {
  checkDetection(options, 'options');
  checkContactPoints(figure, contactPoints, 'contactPoints');
  return contactSpans(figure, motion, contactPoints, options);
}

/** Checks options of the detection alone, fields included. @throws MotionError */
export function checkDetection(options: ContactOptions, path: string): void {
  requireFields(options, CONTACT_FIELDS, path, MotionError);
  checkThresholds(options, path);
}

/** Checks the options of the detection among those of a caller. @throws MotionError */
export function checkThresholds(options: ContactOptions, path: string): void {
  const { up, ground, heights, speeds, minDuration } = options;
  if (up !== undefined) {
    requireNumbers(up, 3, `${path}.up`, MotionError);
    if (!(vec3.norm(up) > 0)) {
      throw new MotionError('out-of-range', 'has no length.', {
        path: `${path}.up`,
        remedy: 'Give a direction.',
      });
    }
  }
  if (ground !== undefined) requireFinite(ground, `${path}.ground`, MotionError);
  if (heights !== undefined) requireAscending(heights, `${path}.heights`);
  if (speeds !== undefined) requireAscending(speeds, `${path}.speeds`);
  if (minDuration !== undefined) requireNotNegative(minDuration, `${path}.minDuration`, MotionError, 's');
}

const POINT_FIELDS: FieldsOf<ContactPoints> = { bone: true, points: true };

/** @throws MotionError, FigureError */
export function checkContactPoints(
  figure: Figure,
  contactPoints: readonly ContactPoints[],
  path: string,
): void {
  requireList(contactPoints, path, MotionError, 'Give a list of { bone, points }.');
  contactPoints.forEach((entry, e) => {
    requireFields(entry, POINT_FIELDS, `${path}[${e}]`, MotionError);
    boneIndex(figure, entry.bone, `${path}[${e}].bone`);
    if (entry.points === undefined) return;
    const own = `${path}[${e}].points`;
    requireList(entry.points, own, MotionError, "Give a list of points, in the bone's frame.");
    if (entry.points.length === 0) {
      throw new MotionError('wrong-size', 'has no points.', {
        path: own,
        remedy: 'Give a point, or leave `points` out for the origin of the bone.',
      });
    }
    entry.points.forEach((point, k) => {
      requireNumbers(point, 3, `${own}[${k}]`, MotionError);
    });
  });
}

/** The same for arguments that have been checked. */
export function contactSpans(
  figure: Figure,
  motion: Motion,
  contactPoints: readonly ContactPoints[],
  options: ContactOptions = {},
): ContactSpan[] {
  return contactSpansOn(figure, motion, contactPoints, options).spans;
}

/**
 * The spans, and the height of the ground along `up`, m.
 *
 * @param isRough - For keyed poses, whose feet slide and sink by centimetres between keys: larger default speeds, the ground at the median
 *   height of slow points, and hysteresis towards the past too, so that a contact also begins at the second thresholds.
 */
export function contactSpansOn(
  figure: Figure,
  motion: Motion,
  contactPoints: readonly ContactPoints[],
  options: ContactOptions,
  isRough = false,
): { readonly spans: ContactSpan[]; readonly ground: number } {
  const scale = humanScaleOf(figure);
  const up = vec3.normalize(options.up ?? figure.up);
  const heights = options.heights ?? [0.03 * scale, 0.06 * scale];
  const usual = isRough ? ROUGH_SPEEDS : SPEEDS;
  const speeds = options.speeds ?? [usual[0] * scale, usual[1] * scale];
  const minDuration = options.minDuration ?? 0.1;
  const count = Math.max(2, Math.ceil((motion.end - motion.start) / SAMPLE_STEP));
  const times = Array.from(
    { length: count + 1 },
    (_, k) => motion.start + ((motion.end - motion.start) * k) / count,
  );
  const step = times[1] - times[0];
  const entries = contactPoints.map(({ bone, points = [[0, 0, 0]] }) => ({
    bone,
    points,
    index: boneIndex(figure, bone),
  }));
  const positions = pointPositions(figure, motion, entries, times);
  // Of the points of each entry: their heights, and the speed of the fastest, at each sample.
  const heightsOf = entries.map((_, e) => positions[e].map((points) => points.map((x) => vec3.dot(x, up))));
  const speedsOf = entries.map(({ points }, e) =>
    times.map((_, k) => {
      const before = Math.max(0, k - 1);
      const after = Math.min(count, k + 1);
      return Math.max(
        ...points.map(
          (__, p) =>
            vec3.norm(vec3.subtract(positions[e][after][p], positions[e][before][p])) /
            ((after - before) * step),
        ),
      );
    }),
  );
  const lowestOf = (isCounted: (entry: number, k: number) => boolean): number[] =>
    entries
      .flatMap((_, e) => times.flatMap((__, k) => (isCounted(e, k) ? [Math.min(...heightsOf[e][k])] : [])))
      .sort((x, y) => x - y);
  const slow = isRough ? lowestOf((e, k) => speedsOf[e][k] <= speeds[0]) : [];
  const lowest = slow.length > 0 ? slow : lowestOf(() => true);
  const quantile = slow.length > 0 ? 0.5 : GROUND_QUANTILE;
  const ground = options.ground ?? lowest[Math.floor(quantile * lowest.length)] ?? 0;
  const spans = entries.flatMap(({ bone, points }, e) => {
    const isBelow = (k: number, threshold: 0 | 1): boolean =>
      Math.max(...heightsOf[e][k]) - ground <= heights[threshold] && speedsOf[e][k] <= speeds[threshold];
    let inContact = false;
    const flags = times.map((_, k) => {
      inContact = isBelow(k, inContact ? 1 : 0);
      return inContact;
    });
    for (let k = count - 1; isRough && k >= 0; k--) flags[k] ||= flags[k + 1] && isBelow(k, 1);
    return spansOf(flags, times, minDuration).map((over) => ({ bone, points, over }));
  });
  return { spans, ground };
}

function requireAscending(pair: readonly [number, number], path: string): void {
  requireNumbers(pair, 2, path, MotionError);
  const [from, to] = pair;
  if (from >= 0 && to >= from) return;
  throw new MotionError('out-of-range', `goes from ${from} to ${to}.`, {
    path,
    remedy: 'Give two numbers, not negative, the second not below the first.',
  });
}

function spansOf(
  flags: readonly boolean[],
  times: readonly number[],
  minDuration: number,
): [number, number][] {
  const spans: [number, number][] = [];
  for (let k = 0; k < flags.length; k++) {
    if (!flags[k]) continue;
    const last = spans[spans.length - 1];
    if (k > 0 && flags[k - 1] && last !== undefined) last[1] = times[k];
    else if (last !== undefined && times[k] - last[1] < minDuration) last[1] = times[k];
    else spans.push([times[k], times[k]]);
  }
  return spans.filter(([from, to]) => to - from >= minDuration);
}

/** World positions by entry, sample and point. */
function pointPositions(
  figure: Figure,
  motion: Motion,
  entries: readonly { readonly index: number; readonly points: readonly Vec3[] }[],
  times: readonly number[],
): number[][][][] {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const positions: number[][][][] = entries.map(() => []);
  for (const time of times) {
    forwardKinematics(state, samplePose(sampler, time, pose));
    entries.forEach(({ index, points }, e) => {
      positions[e].push(points.map((point) => worldPoint(state, index, point)));
    });
  }
  return positions;
}
