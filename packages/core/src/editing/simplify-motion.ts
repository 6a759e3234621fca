import { type FieldsOf, requireFields, requirePositive } from '../checks.js';
import { MotionError } from '../errors.js';
import { jointTypes } from '../figure/joints/joint-types.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../figure/kinematics/points.js';
import type { Figure } from '../figure/model/figure.js';
import { createState } from '../figure/model/state.js';
import * as vec3 from '../math/geometry/vec3.js';
import { findJump } from '../motion/convert/pieces.js';
import { simplifyCurve } from '../motion/fit/simplify-curve.js';
import { createMotion, type Motion } from '../motion/motion.js';
import { createMotionSampler, samplePose } from '../motion/sampler.js';
import type { MotionTrack } from '../motion/track.js';
import { keysWithin } from './clips/clip-from-states.js';
import { jointTracks } from './clips/joint-tracks.js';
import { requireMotionOf } from './clips/require-motion.js';

/** Options of {@link simplifyMotion}. */
export interface SimplifyMotionOptions {
  /** Largest rotation of a joint from that of the clip, rad. Default 0.005, 0.3 degrees. */
  readonly angle?: number;
  /** Largest distance of bones' origins and tips from where the clip has them, m. Default 0.002. */
  readonly distance?: number;
}

/** Result of {@link simplifyMotion}. */
export interface SimplifiedMotion {
  /** Cubic Hermite curves, one a joint; tracks that jump are left as they are. */
  readonly motion: Motion;
  /** Keys of all joints before and after. */
  readonly keysBefore: number;
  readonly keys: number;
  /** Largest distance of an origin or a tip at the samples, m: at all keys of the clip and seven times between them. */
  readonly distance: number;
}

const FIELDS: FieldsOf<SimplifyMotionOptions> = { angle: true, distance: true };
/** Samples of an interval between keys of the clip. */
const SAMPLES = 8;
/** The error of an end follows the tolerances of its joints in proportion, nearly: each pass aims below the bound by this. */
const AIM = 0.8;
const MAX_PASSES = 8;

/**
 * Reduces the keys of a clip: as few cubic keyframes a joint as stay within an angle at every joint, everywhere, and within a distance at the ends of all
 * bones, at the samples.
 *
 * @throws MotionError `out-of-range` for a bound that is not positive, for a clip of another figure.
 */
export function simplifyMotion(
  figure: Figure,
  motion: Motion,
  options: SimplifyMotionOptions = {},
): SimplifiedMotion {
  requireFields(options, FIELDS, 'options', MotionError);
  requireMotionOf(figure, motion);
  const { angle = 0.005, distance = 0.002 } = options;
  requirePositive(angle, 'options.angle', MotionError, 'rad');
  requirePositive(distance, 'options.distance', MotionError, 'm');
  const tracks = jointTracks(figure, motion);
  const times = sampleTimes(motion);
  const points = endsOf(figure, motion, times);
  const isTranslation = translations(figure);
  let fraction = 1;
  for (let pass = 1; ; pass++) {
    const simplified = createMotion(figure, {
      ...motion,
      tracks: tracks.map(({ coordinate, curve }) => {
        if (findJump(curve) !== undefined) return { coordinate, curve };
        // A rotation vector that is off by e rotates by at most |e|.
        const tolerance = Array.from({ length: curve.size }, (_, c) =>
          isTranslation[coordinate + c] === 1
            ? (fraction * distance) / Math.sqrt(3)
            : (fraction * angle) / Math.sqrt(3),
        );
        return { coordinate, curve: simplifyCurve(curve, { tolerance }).curve };
      }),
    });
    const found = largestDistance(points, endsOf(figure, simplified, times));
    if (found <= distance || pass === MAX_PASSES) {
      const isWithin = found <= distance;
      const result = isWithin ? simplified : motion;
      return {
        motion: result,
        keysBefore: keyCount(tracks),
        keys: keyCount(jointTracks(figure, result)),
        distance: isWithin ? found : 0,
      };
    }
    fraction *= Math.max(0.1, (AIM * distance) / found);
  }
}

function keyCount(tracks: readonly MotionTrack[]): number {
  return tracks.reduce((sum, { curve }) => sum + curve.knots.length, 0);
}

function translations(figure: Figure): Uint8Array {
  const flags = new Uint8Array(figure.dof);
  for (const { joint, coordinate, dof } of figure.bones) {
    if (dof > 0) flags.fill(1, coordinate, coordinate + jointTypes[joint.type].translations);
  }
  return flags;
}

function sampleTimes(motion: Motion): number[] {
  const keys = keysWithin(motion, motion.start, motion.end);
  return keys.flatMap((time, k) =>
    k === 0
      ? [time]
      : Array.from({ length: SAMPLES }, (_, n) => keys[k - 1] + ((n + 1) / SAMPLES) * (time - keys[k - 1])),
  );
}

/** World positions of origins and tips of all bones, by time. */
function endsOf(figure: Figure, motion: Motion, times: readonly number[]): Float64Array[] {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const points = figure.bones.flatMap(({ index, tip }) => [
    { index, point: [0, 0, 0] as const },
    ...(tip ? [{ index, point: tip }] : []),
  ]);
  return times.map((time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    const out = new Float64Array(3 * points.length);
    points.forEach(({ index, point }, p) => {
      out.set(worldPoint(state, index, point), 3 * p);
    });
    return out;
  });
}

function largestDistance(a: readonly Float64Array[], b: readonly Float64Array[]): number {
  let largest = 0;
  a.forEach((points, k) => {
    for (let p = 0; p < points.length; p += 3)
      largest = Math.max(largest, vec3.distance(points.subarray(p, p + 3), b[k].subarray(p, p + 3)));
  });
  return largest;
}
