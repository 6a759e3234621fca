/** What retargeting did, measured on the poses of the result. */
import type { FigureState } from '../../figure/model/state.js';
import { unset3 } from '../../math/linear/unset.js';
import type { AnyHumanBone } from '../body/rest-axes.js';
import type { Alignment, Clip } from '../clip/clip.js';
import { spansOf } from '../contact/detect.js';
import type { FootPath } from '../displacement/foot-paths.js';
import type { PinnedHands } from '../hands/pinned-hands.js';
import { type RelationReport, relationReports } from '../hands/relations.js';
import { angleBetweenAt, transformAt } from '../kernel/rotations.js';
import { frontHeight } from '../pose/leg.js';
import { type HolosomaMetrics, holosomaMetrics, skatingRatio } from './published-metrics.js';
import { targetFrames } from './target-frames.js';

/** A point of the target's foot or hand. */
export type ContactReport = FootContactReport | HandContactReport;

/** A foot point of the target. The height of a ball is that of the front of the sole and of toes that lie flat: on these a foot stands as its heel is up. */
export interface FootContactReport extends PointReport {
  readonly foot: 'left' | 'right';
  readonly point: 'heel' | 'ball';
}

/** The middle of a palm of the target. */
export interface HandContactReport extends PointReport {
  readonly hand: 'left' | 'right';
  readonly point: 'palm';
}

/** Contacts of a point, one value a frame. */
export interface PointReport {
  /** 1 where the source is in contact. */
  readonly inContact: Uint8Array;
  /** First and last frame of each contact. */
  readonly spans: readonly (readonly [from: number, to: number])[];
  /** Distance along the ground from where the contact began, mm; 0 without contact. */
  readonly sliding: Float32Array;
  /** Depth below the ground, mm. */
  readonly penetration: Float32Array;
  /** 1 where the source's contact is one of the target: no more than 5 mm from the ground and from where it began. */
  readonly kept: Uint8Array;
}

/** Report of `retargetMotion`. Frames are those of `times`; arrays a bone and frame have index `bones.length * frame + bone`. */
export interface RetargetReport {
  /** s. */
  readonly times: Float64Array;
  readonly bones: readonly AnyHumanBone[];
  /** Angle between the orientation that the source gives and the one of the result, degrees: what limits, hinges, contacts and other levers took. */
  readonly orientationError: Float32Array;
  /** 1 where a limit of the bone's joint is active. */
  readonly atLimit: Uint8Array;
  /** Heels and balls of both feet, and palms with contacts. */
  readonly contacts: readonly ContactReport[];
  /** In the order of `options.relations`. */
  readonly relations: readonly RelationReport[];
  /**
   * Root mean square jerk of the bone's origin over that of the source's, by the lengths of their bodies; a bone. Of hips and feet in the world, of
   * others relative to the bone that carries them.
   */
  readonly jerkRatio: Float32Array;
  readonly summary: RetargetSummary;
}

/** Figures of a whole clip. */
export interface RetargetSummary {
  readonly frames: number;
  /** Largest sliding in a contact, mm: the largest and the median over contacts. */
  readonly maxSliding: number;
  readonly medianSliding: number;
  /** mm. */
  readonly maxPenetration: number;
  /** Share of the source's contact frames that are kept, 0 to 1; 1 without contacts. */
  readonly contactsKept: number;
  /** Degrees. */
  readonly meanOrientationError: number;
  readonly maxOrientationError: number;
  /** Share of the frames in which a limit is active. */
  readonly limitedFrames: number;
  /** Of all bones together. */
  readonly jerkRatio: number;
  /** As holosoma's `eval_retargeting.py` counts, over the balls of the feet. */
  readonly holosoma: HolosomaMetrics;
  /** As Guided Motion Diffusion counts: share of frames with a foot under 5 cm that moves faster than 0.5 m/s, at 20 frames a second. */
  readonly skatingRatio: number;
}

/** Distance from the ground, and along it, up to which a contact is kept, m. */
const KEPT = 5e-3;
/** Third difference from frame to frame that counts as none, m. */
const STILL = 1e-6;

const point = /* @__PURE__ */ unset3();

/**
 * @param poses - Of the figure of the results: `retargeter.target`.
 * @param state - Of the target body, overwritten.
 */
export function reportOf(
  clip: Clip,
  feet: readonly FootPath[],
  { inContact: palms, tracks }: PinnedHands,
  poses: readonly Float64Array[],
  state: FigureState,
  ground: number,
): RetargetReport {
  const { alignment, count, row, orientations, times, step } = clip;
  const { segments, segmentOf } = alignment.plan;
  const { figure } = alignment.target;
  const { up } = figure;
  const size = segments.length;
  const frames = targetFrames(alignment, poses, state);
  const orientationError = new Float32Array(size * count);
  const atLimit = new Uint8Array(size * count);
  const origins = new Float64Array(3 * size * count);
  const paths = () => ({ path: new Float64Array(3 * count), heights: new Float64Array(count) });
  const heightAt = (points: Float64Array, n: number): number =>
    points[3 * n] * up[0] + points[3 * n + 1] * up[1] + points[3 * n + 2] * up[2] - ground;
  const soles = feet.flatMap(({ leg, heel, ball }) => [
    { leg, name: 'heel' as const, at: leg.heel, inContact: heel, ...paths() },
    { leg, name: 'ball' as const, at: leg.ball, inContact: ball, ...paths() },
  ]);
  const hands = alignment.arms.flatMap((arm, a) =>
    palms[a].includes(1) ? [{ arm, inContact: palms[a], ...paths() }] : [],
  );
  let errorSum = 0;
  let maxError = 0;
  let limited = 0;
  for (let f = 0; f < count; f++) {
    const world = frames.worldAt(f);
    let isLimited = false;
    for (let s = 0; s < size; s++) {
      const { bone } = segments[s];
      const angle =
        s === segmentOf.hips
          ? angleBetweenAt(world, 12 * bone, clip.pelvis, 9 * f)
          : angleBetweenAt(world, 12 * bone, orientations, row * f + 9 * s);
      const error = (180 / Math.PI) * angle;
      orientationError[size * f + s] = error;
      errorSum += error;
      if (error > maxError) maxError = error;
      for (let k = 0; k < 3; k++) origins[3 * (size * f + s) + k] = world[12 * bone + 9 + k];
      if (frames.limits[s].length > 0 && frames.isActive(f, frames.limits[s])) {
        atLimit[size * f + s] = 1;
        isLimited = true;
      }
    }
    if (isLimited) limited++;
    for (const { leg, name, at, path, heights } of soles) {
      const b = 12 * leg.foot;
      transformAt(world, b, at, 0, world, b + 9, path, 3 * f);
      // A foot whose heel is up stands on its front.
      heights[f] =
        name === 'heel'
          ? heightAt(path, f)
          : frontHeight(leg, world, b, up) + heightAt(world, 4 * leg.foot + 3);
    }
    for (const { arm, path, heights } of hands) {
      const b = 12 * arm.hand;
      transformAt(world, b, arm.palm, 0, world, b + 9, path, 3 * f);
      heights[f] = heightAt(path, f);
    }
  }
  const contacts = [
    ...soles.map(({ leg, name, inContact, path, heights }): FootContactReport => {
      return { foot: leg.name, point: name, ...pointReport(inContact, path, heights, up) };
    }),
    ...hands.map(({ arm, inContact, path, heights }): HandContactReport => {
      return { hand: arm.name, point: 'palm', ...pointReport(inContact, path, heights, up) };
    }),
  ];
  const jerks = jerkRatios(clip, origins);
  const slides = contacts.flatMap(({ spans, sliding }) =>
    spans.map(([from, to]) => sliding.subarray(from, to + 1).reduce((a, b) => Math.max(a, b), 0)),
  );
  slides.sort((a, b) => a - b);
  let contactFrames = 0;
  let kept = 0;
  let maxPenetration = 0;
  for (const contact of contacts) {
    for (let f = 0; f < count; f++) {
      contactFrames += contact.inContact[f];
      kept += contact.kept[f];
      if (contact.penetration[f] > maxPenetration) maxPenetration = contact.penetration[f];
    }
  }
  const balls = soles.filter(({ name }) => name === 'ball');
  return {
    times,
    bones: segments.map(({ human }) => human),
    orientationError,
    atLimit,
    contacts,
    relations: relationReports(clip, tracks, frames.worldAt),
    jerkRatio: jerks.ratios,
    summary: {
      frames: count,
      maxSliding: slides.length > 0 ? slides[slides.length - 1] : 0,
      medianSliding: slides.length > 0 ? slides[Math.floor(slides.length / 2)] : 0,
      maxPenetration,
      contactsKept: contactFrames > 0 ? kept / contactFrames : 1,
      meanOrientationError: errorSum / (size * count),
      maxOrientationError: maxError,
      limitedFrames: limited / count,
      jerkRatio: jerks.ratio,
      holosoma: holosomaMetrics(balls, up, ground, step),
      skatingRatio: skatingRatio(
        balls.map(({ path }) => path),
        up,
        ground,
        step,
      ),
    },
  };
}

function pointReport(
  inContact: Uint8Array,
  path: Float64Array,
  heights: Float64Array,
  up: ArrayLike<number>,
): PointReport {
  const count = inContact.length;
  const sliding = new Float32Array(count);
  const penetration = new Float32Array(count);
  const kept = new Uint8Array(count);
  const spans = spansOf(inContact);
  for (let f = 0; f < count; f++) penetration[f] = Math.max(0, -1000 * heights[f]);
  for (const [from, to] of spans) {
    for (let f = from; f <= to; f++) {
      for (let k = 0; k < 3; k++) point[k] = path[3 * f + k] - path[3 * from + k];
      const along = point[0] * up[0] + point[1] * up[1] + point[2] * up[2];
      const slide = Math.sqrt(Math.max(0, point[0] ** 2 + point[1] ** 2 + point[2] ** 2 - along * along));
      sliding[f] = 1000 * slide;
      kept[f] = Math.abs(heights[f]) <= KEPT && slide <= KEPT ? 1 : 0;
    }
  }
  return { inContact, spans, sliding, penetration, kept };
}

/**
 * Root mean square of third differences over the source's. Of the middle of the hip joints and of feet in the world, by the size of the legs; of all
 * other bones relative to the bone that carries them, by their mean distance: the same rotations of a body with other proportions have a ratio of 1.
 */
function jerkRatios(
  clip: Clip,
  origins: Float64Array,
): { readonly ratios: Float32Array; readonly ratio: number } {
  const { alignment, count, hipCenters, sourceHips, sourceOrigins } = clip;
  const { segments, sources } = alignment.plan;
  const carriers = carriersOf(alignment);
  // Hinges in series may leave the hips beside their path.
  const uppers = segments.flatMap(({ human }, s) =>
    /UpperLeg$/.test(human) ? [pathOf(origins, count, segments.length, s, -1)] : [],
  );
  const hips =
    alignment.serial === undefined ? hipCenters : uppers[0].map((x, i) => 0.5 * (x + uppers[1][i]));
  const ratios = new Float32Array(segments.length);
  // A clip that stands still has the third differences of rounding.
  const still = count * STILL ** 2;
  let all = 0;
  let allSource = 0;
  segments.forEach(({ human, source }, s) => {
    const carrier = carriers[s];
    const isHips = human === 'hips';
    const path = isHips ? hips : pathOf(origins, count, segments.length, s, carrier);
    const from = isHips
      ? sourceHips
      : pathOf(sourceOrigins, count, sources.length, source, carrier < 0 ? -1 : segments[carrier].source);
    const size = carrier < 0 ? alignment.scale ** 2 : sumOfSquares(path) / sumOfSquares(from);
    if (!(size > 0 && size < Number.POSITIVE_INFINITY)) {
      ratios[s] = 1;
      return;
    }
    const own = sumOfJerks(path) / size;
    const given = sumOfJerks(from);
    ratios[s] = Math.sqrt(Math.max(own, still) / Math.max(given, still));
    all += own;
    allSource += given;
  });
  return { ratios, ratio: Math.sqrt(Math.max(all, still) / Math.max(allSource, still)) };
}

/** Path of one of `size` points, relative to its carrier if there is one. */
function pathOf(
  positions: Float64Array,
  count: number,
  size: number,
  index: number,
  carrier: number,
): Float64Array {
  const path = new Float64Array(3 * count);
  for (let f = 0; f < count; f++) {
    for (let k = 0; k < 3; k++) {
      path[3 * f + k] =
        positions[3 * (size * f + index) + k] - (carrier < 0 ? 0 : positions[3 * (size * f + carrier) + k]);
    }
  }
  return path;
}

/** Of each segment the one that carries it; -1 for hips and feet. */
function carriersOf({ plan: { segments }, target }: Alignment): number[] {
  const { parents } = target.figure;
  const segmentOfBone = new Map(segments.map(({ bone }, s) => [bone, s]));
  return segments.map(({ human, bone }) => {
    if (human === 'leftFoot' || human === 'rightFoot') return -1;
    let b = parents[bone];
    while (b >= 0 && !segmentOfBone.has(b)) b = parents[b];
    return segmentOfBone.get(b) ?? -1;
  });
}

function sumOfSquares(path: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < path.length; i++) sum += path[i] * path[i];
  return sum;
}

function sumOfJerks(path: Float64Array): number {
  let sum = 0;
  for (let i = 0; i + 9 < path.length; i++) {
    const third = path[i + 9] - 3 * path[i + 6] + 3 * path[i + 3] - path[i];
    sum += third * third;
  }
  return sum;
}
