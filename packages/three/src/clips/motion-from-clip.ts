import { FigureError } from 'poise';
import { createPose } from 'poise/figure';
import { type FieldsOf, requireFields, requirePositive } from 'poise/internal/checks';
import { vec3 } from 'poise/math';
import { type Motion, motionFromPoses } from 'poise/motion';
import { type AnimationClip, AnimationMixer, type Object3D } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';
import { restoreTransforms, rootOf, saveTransforms } from './object-transforms.js';

/** Options of {@link motionFromClip}. */
export interface MotionFromClipOptions {
  /** Keys a second. Default 60. */
  readonly rate?: number;
  /** The object whose clip it is: names of tracks are looked up below it. Default: the topmost object above the figure. */
  readonly root?: Object3D;
}

/** Result of {@link motionFromClip}. */
export interface ClipMotion {
  readonly motion: Motion;
  /** What the joints of the figure cannot do of the clip, one sentence each. */
  readonly warnings: readonly string[];
}

const FIELDS: FieldsOf<MotionFromClipOptions> = { rate: true, root: true };
/** Translation of a bone without one of its own that is worth a word, relative to the largest extent of the figure. */
const LOST = 1e-3;

/**
 * A clip of three.js as a motion of the bound figure, whatever loader it comes from (FBX, glTF, BVH, Collada): three's own mixer plays it, and the pose of each
 * sample is read. The objects are left as they were; another mixer may play on them.
 *
 * @param clip - Its tracks name objects under the figure's root.
 * @throws FigureError `unsupported` for what is no clip or a clip that moves no bone, `out-of-range` for a rate that is not positive.
 */
export function motionFromClip(
  binding: FigureBinding,
  clip: AnimationClip,
  options: MotionFromClipOptions = {},
): ClipMotion {
  requireFields(options, FIELDS, 'options', FigureError);
  const { rate = 60 } = options;
  requirePositive(rate, 'options.rate', FigureError, 'keys a second');
  requireClip(clip);
  const { figure } = binding;
  const root = options.root ?? rootOf(binding);
  const saved = saveTransforms(root);
  const mixer = new AnimationMixer(root);
  const action = mixer.clipAction(clip);
  const count = Math.max(1, Math.ceil(clip.duration * rate - 1e-3));
  const times = Float64Array.from({ length: count + 1 }, (_, k) => (k < count ? k / rate : clip.duration));
  const lost = new Float64Array(figure.bones.length);
  const rests = binding.rests.slice();
  const poses: Float64Array[] = [];
  try {
    // As long as the clip: the last frame of a repetition is the first.
    action.setLoop(LOOP_ONCE, 1);
    action.clampWhenFinished = true;
    action.play();
    for (const time of times) {
      action.reset();
      action.time = time;
      mixer.update(0);
      const pose = poses[poses.length - 1]?.slice() ?? createPose(figure);
      poses.push(binding.readPose(pose).slice());
      for (const { index, rest } of figure.bones) {
        const at = binding.rests.subarray(12 * index + 9, 12 * index + 12);
        lost[index] = Math.max(lost[index], vec3.distance(at, rest.position));
      }
    }
  } finally {
    action.stop();
    mixer.uncacheRoot(root);
    restoreTransforms(saved);
    binding.rests.set(rests);
  }
  requireMovement(poses, clip);
  const motion = motionFromPoses(figure, times, poses, { name: clip.name });
  const extent = figure.bones.reduce((most, { rest }) => Math.max(most, vec3.norm(rest.position)), 0);
  const warnings = figure.bones.flatMap(({ index, name, joint }) =>
    lost[index] > LOST * extent && joint.type !== 'free'
      ? [
          `${name}: its ${joint.type} joint has no translation; the clip moves it by ${(1000 * lost[index]).toFixed(0)} mm.`,
        ]
      : [],
  );
  return { motion, warnings };
}

/** three's `LoopOnce`. */
const LOOP_ONCE = 2200;

function requireClip(clip: AnimationClip): void {
  if (Array.isArray(clip?.tracks) && clip.duration > 0) return;
  throw new FigureError('unsupported', clip?.tracks ? 'has no duration.' : 'is not an animation clip.', {
    path: 'clip',
    remedy: 'Give one of the `animations` of a loaded file.',
  });
}

/** @throws FigureError for a clip all of whose tracks are of other objects. */
function requireMovement(poses: readonly Float64Array[], { name, tracks }: AnimationClip): void {
  const [first] = poses;
  if (tracks.length === 0 || poses.some((pose) => pose.some((x, i) => x !== first[i]))) return;
  throw new FigureError('unsupported', 'moves no bone of the figure.', {
    path: `clip '${name}'`,
    remedy: `Its tracks are of ${tracks
      .slice(0, 3)
      .map((track) => `'${track.name}'`)
      .join(', ')}: give the clip of this character, or retarget it.`,
  });
}
