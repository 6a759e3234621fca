/**
 * Pins contact points of a clip, which removes foot sliding (foot skating): an exact displacement at every key of a contact, and one that
 * fades before and after.
 */

import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import { type Bone, boneIndex, type Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import { cubicSpline } from '../../motion/curves/cubic-spline.js';
import type { Motion } from '../../motion/motion.js';
import { createCurvePoint, evaluateCurve } from '../../motion/representation/curve.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import { displacementMetric } from '../clips/bone-weights.js';
import { distinctTimes, keysWithin } from '../clips/clip-from-states.js';
import { humanScaleOf } from '../clips/human-scale.js';
import { displaceMotion } from '../displacement/displace-motion.js';
import type { ContactPoints, ContactSpan } from './detect-contacts.js';
import { createMinDisplacement, type PointTarget } from './min-displacement.js';
import { type OffsetAt, type Pin, type PinOffset, pinPoint } from './pinned-paths.js';
import {
  type Cycle,
  type PinnedSpan,
  repeatedPins,
  SAME_POSITION,
  separatePins,
  withoutRush,
  withTimeBetween,
} from './pinned-spans.js';
import { clipPaths, type PointPath, type PointPaths } from './point-paths.js';

/** What points do outside their spans. */
export interface PinOptions {
  /** Spans over which points stay on their paths. */
  readonly still?: readonly ContactSpan[];
  /** Points to keep on their paths, and these. Default: those of the spans, on the paths of the clip. */
  readonly points?: readonly ContactPoints[];
  readonly paths?: PointPaths;
  /** The span outside which all points are where the clip has them, s. Default: all of it. */
  readonly over?: readonly [from: number, to: number];
  /** The cycle of a loop. */
  readonly cycle?: Cycle;
  /** Of points that nothing pins, against the displacement: 0 on their paths, 1 about halfway to them. Default 0.3. */
  readonly compliance?: number;
}

/** Result of {@link pinContacts}. */
export interface PinnedMotion {
  readonly motion: Motion;
  /** The spans over which points are pinned: shorter than given where the points would otherwise have to rush. */
  readonly contacts: readonly PinnedSpan[];
  /** Largest distance of a point from its position in its span, at keys and between, m. */
  readonly contactError: number;
}

/** Largest spacing of keys in a contact, s. */
const MAX_KEY_SPACING = 1 / 40;
/** Samples between two keys. */
const SAMPLES_BETWEEN = 3;

/**
 * Compliance of points that nothing pins: they follow their paths where that moves the figure little. Exactly on them they drag the hips of a runner
 * along, and without paths feet dip by centimetres.
 */
const FREE_COMPLIANCE = 0.3;

/** A point of a bone and its offset from the clip. */
interface PinnedPoint {
  readonly bone: number;
  readonly point: Vec3;
  readonly path: PointPath;
  readonly offsetAt: OffsetAt;
  /** Whether no other point of the bone is pinned at other times: then the point is where it is to be, pinned or not. */
  readonly isAlone: boolean;
}

/** A point that stays on the path of the clip. */
const CLIP: PinOffset = { offset: [0, 0, 0], freedom: 1, stiffness: 0 };

/**
 * Pins points to their positions by the least displacement of the pose at every key (pieces longer than a fortieth of a second are split).
 * Before and after their spans the points keep an offset from the clip that fades, so that no foot is let go at once: {@link pinPoint}.
 */
export function pinContacts(
  figure: Figure,
  motion: Motion,
  given: readonly PinnedSpan[],
  options: PinOptions = {},
): PinnedMotion {
  if (given.length === 0 && !options.points?.length) return { motion, contacts: [], contactError: 0 };
  const paths = options.paths ?? clipPaths(figure, motion);
  const unit = humanScaleOf(figure);
  const over = options.over ?? ([motion.start, motion.end] as const);
  const apart = withTimeBetween(paths, over, given, options.cycle, unit);
  const spans = options.paths === undefined ? apart : withoutRush(paths, over, apart, options, unit);
  const { dof } = figure;
  const { compliance: free = FREE_COMPLIANCE } = options;
  const points = pinnedPoints(figure, motion, spans, paths, options);
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const times = cutKeys(motion);
  const { metric, carriers } = metricOf(figure, motion);
  const solve = createMinDisplacement(figure, metric, unit);
  const displacement = new Float64Array(dof);
  const [begin, end] = options.over ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const displacementAt = (time: number): Float64Array => {
    if (time < begin || time > end) return displacement.fill(0).slice();
    const before = samplePose(sampler, time, new Float64Array(dof));
    forwardKinematics(state, before);
    let isMoved = false;
    let stiffest = 0;
    const targets = points.map(({ bone, point, isAlone, path, offsetAt }): PointTarget => {
      const here = options.paths === undefined ? worldPoint(state, bone, point, [0, 0, 0]) : path(time);
      const moved = offsetAt(time, here);
      const { offset, freedom, stiffness } = moved ?? CLIP;
      stiffest = Math.max(stiffest, stiffness);
      const target: Vec3 = [here[0] + offset[0], here[1] + offset[1], here[2] + offset[2]];
      isMoved ||= vec3.distance(worldPoint(state, bone, point), target) > SAME_POSITION * unit;
      return { bone, point, target, compliance: isAlone ? free * freedom : freedom };
    });
    if (isMoved) solve(before, targets, displacement, { coordinates: carriers, factor: stiffest });
    else displacement.fill(0);
    return displacement.slice();
  };
  const keys = options.cycle === undefined ? times : aroundSeam(times, options.cycle);
  const displacements = keys.map(displacementAt);
  if (options.cycle !== undefined) {
    // What the first keys started from is known at the end; a second round starts from there.
    displacement.set(displacements[displacements.length - SEAM_KEYS - 1]);
    for (let k = 0; k < keys.length; k++) {
      const before = displacements[k];
      displacements[k] = displacementAt(keys[k]);
      // From here on it would repeat what it did.
      if (before.every((x, i) => Math.abs(x - displacements[k][i]) <= SAME_DISPLACEMENT)) break;
    }
  }
  const curve = cubicSpline({ times: keys, values: displacements.flatMap((values) => Array.from(values)) });
  const coordinates = Int32Array.from({ length: dof }, (_, i) => i).filter((i) =>
    displacements.some((displacement) => displacement[i] !== 0),
  );
  const pinned = displaceMotion(
    figure,
    motion,
    [
      {
        from: motion.start,
        to: motion.end,
        coordinates: withRotationVectors(figure, coordinates),
        at: (time) => evaluateCurve(curve, time, createCurvePoint(dof)),
      },
    ],
    MAX_KEY_SPACING,
  );
  return { motion: pinned, contacts: spans, contactError: contactErrorOf(figure, pinned, spans, times) };
}

/** Difference of the displacements of two rounds, rad or m of a person, from which on the second is the first. */
const SAME_DISPLACEMENT = 1e-10;

/**
 * The metric. Of free joints below each other the topmost that the clip translates carries the figure: above it and below it translations stay
 * as they are, so that no leg leaves its socket; a joint above it that does not rotate either stays altogether.
 */
function metricOf(
  figure: Figure,
  motion: Motion,
): { readonly metric: Float64Array; readonly carriers: readonly number[] } {
  const metric = displacementMetric(figure);
  const free = figure.bones.filter(({ joint }) => joint.type === 'free');
  const carriers: number[] = [];
  const translated = free.filter(({ coordinate }) => !isStill(motion, coordinate, 3));
  for (const { index, coordinate } of free) {
    const isBelowAny = (others: readonly Bone[]): boolean =>
      others.some((other) => isBelow(figure, index, other.index));
    const isAboveCarrier = translated.some((other) => isBelow(figure, other.index, index));
    const isTranslated = translated.some((bone) => bone.index === index);
    const isCarrier = isTranslated ? !isBelowAny(translated) : !isAboveCarrier && !isBelowAny(free);
    if (isCarrier) {
      for (let k = 0; k < 6; k++) carriers.push(coordinate + k);
      continue;
    }
    const size = isAboveCarrier && isStill(motion, coordinate, 6) ? 6 : 3;
    metric.fill(Number.POSITIVE_INFINITY, coordinate, coordinate + size);
  }
  return { metric, carriers };
}

function isBelow({ parents }: Figure, bone: number, other: number): boolean {
  for (let b = parents[bone]; b >= 0; b = parents[b]) if (b === other) return true;
  return false;
}

/** Whether a clip has constant values of some coordinates: so have its Bezier points. */
function isStill({ tracks }: Motion, first: number, count: number): boolean {
  return tracks.every(({ coordinate, curve: { size, controls } }) => {
    const [low, high] = [Math.max(first, coordinate), Math.min(first + count, coordinate + size)];
    for (let i = low; i < high; i++) {
      for (let o = i - coordinate; o < controls.length; o += size)
        if (Math.abs(controls[o] - controls[i - coordinate]) > STILL) return false;
    }
    return true;
  });
}

/** Change of a coordinate that is rounding, rad or m. */
const STILL = 1e-6;

/** Keys of the neighbouring cycles that the spline of a loop continues to: by the last the seam no longer feels where it ends. */
const SEAM_KEYS = 12;

/** The keys of a loop, and some of the cycles before and after. */
function aroundSeam(times: readonly number[], { length }: Cycle): number[] {
  const before = times.slice(-SEAM_KEYS - 1, -1).map((time) => time - length);
  const after = times.slice(1, SEAM_KEYS + 1).map((time) => time + length);
  return [...before, ...times, ...after];
}

/** The points of all spans, with their offsets from the clip. */
function pinnedPoints(
  figure: Figure,
  motion: Motion,
  spans: readonly PinnedSpan[],
  paths: PointPaths,
  { still = [], points: others = [], cycle }: PinOptions,
): PinnedPoint[] {
  const entries = new Map<string, { bone: string; point: Vec3; pins: Pin[] }>();
  const entryOf = (bone: string, point: Vec3): { bone: string; point: Vec3; pins: Pin[] } => {
    const key = `${Array.from(point).join(' ')} ${bone}`;
    const entry = entries.get(key) ?? { bone, point, pins: [] };
    entries.set(key, entry);
    return entry;
  };
  for (const { bone, points, positions, over } of spans) {
    points.forEach((point, k) => {
      const [from, to] = over;
      entryOf(bone, point).pins.push({ from, to, position: positions[k] });
    });
  }
  for (const { bone, points, over } of still) {
    for (const point of points) {
      const [from, to] = over;
      entryOf(bone, point).pins.push({ from, to, position: undefined });
    }
  }
  for (const { bone, points = [[0, 0, 0]] } of others) for (const point of points) entryOf(bone, point);
  const tolerance = 1e-9 * (motion.end - motion.start);
  const unit = humanScaleOf(figure);
  return [...entries.values()].map(({ bone, point, pins }) => {
    const path = paths(bone, point);
    return {
      bone: boneIndex(figure, bone),
      point,
      path,
      offsetAt: pinPoint(
        path,
        separatePins(repeatedPins(pins, cycle), SAME_POSITION * unit),
        tolerance,
        unit,
      ),
      isAlone: [...entries.values()].every(
        (other) => other.bone !== bone || spansOf(other.pins) === spansOf(pins),
      ),
    };
  });
}

function spansOf(pins: readonly Pin[]): string {
  return pins.map(({ from, to }) => `${from} ${to}`).join();
}

/** Largest distance of pinned points from their positions, at the keys of their spans and between them. */
function contactErrorOf(
  figure: Figure,
  motion: Motion,
  spans: readonly PinnedSpan[],
  times: readonly number[],
): number {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const tolerance = 1e-9 * (motion.end - motion.start);
  const sampled = times.flatMap((time, k) =>
    k + 1 === times.length
      ? [time]
      : Array.from(
          { length: SAMPLES_BETWEEN + 1 },
          (_, n) => time + (n / (SAMPLES_BETWEEN + 1)) * (times[k + 1] - time),
        ),
  );
  let error = 0;
  for (const time of sampled) {
    const own = spans.filter(({ over: [from, to] }) => time >= from - tolerance && time <= to + tolerance);
    if (own.length === 0) continue;
    forwardKinematics(state, samplePose(sampler, time, pose));
    for (const { bone, points, positions } of own) {
      points.forEach((point, k) => {
        error = Math.max(error, vec3.distance(worldPoint(state, bone, point), positions[k]));
      });
    }
  }
  return error;
}

/** The clip's keys, and those that split long pieces. */
function cutKeys(motion: Motion): number[] {
  const keys = keysWithin(motion, motion.start, motion.end);
  const all = keys.slice();
  for (let k = 0; k + 1 < keys.length; k++) {
    const span = keys[k + 1] - keys[k];
    const count = Math.max(1, Math.ceil(span / MAX_KEY_SPACING - 1e-9));
    for (let n = 1; n < count; n++) all.push(keys[k] + (span * n) / count);
  }
  return distinctTimes(all, motion.end - motion.start);
}

/** Completes rotation vectors: their three coordinates are displaced together. */
function withRotationVectors(figure: Figure, coordinates: Int32Array): Int32Array {
  const bones = new Set(Array.from(coordinates, (i) => figure.boneOfCoordinate[i]));
  return Int32Array.from({ length: figure.dof }, (_, i) => i).filter((i) =>
    bones.has(figure.boneOfCoordinate[i]),
  );
}
