import { FigureError } from 'poise';
import { createPose, type Figure } from 'poise/figure';
import { type FieldsOf, requireFields, requirePositive, requireString } from 'poise/internal/checks';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import {
  AnimationClip,
  type KeyframeTrack,
  type Object3D,
  QuaternionKeyframeTrack,
  VectorKeyframeTrack,
} from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';
import { restoreTransforms, rootOf, saveTransforms } from './object-transforms.js';

/** Options of {@link clipFromMotion}. */
export interface ClipFromMotionOptions {
  /** Keys a second. Default 30, as three interpolates them. */
  readonly rate?: number;
  /** Default: that of the motion. */
  readonly name?: string;
}

const FIELDS: FieldsOf<ClipFromMotionOptions> = { rate: true, name: true };

/** Change of a number of a track that counts, in units of the scene or of a quaternion. */
const STILL = 1e-9;

/**
 * A motion of the bound figure as a clip of three.js, which plays on its objects: quaternions of all bones, positions of those that move or stand elsewhere than
 * now. Keys are sampled at a rate; between them three interpolates. The clip starts at 0.
 *
 * @throws FigureError `out-of-range` for a rate that is not positive; MotionError for a motion of another figure.
 */
export function clipFromMotion(
  binding: FigureBinding,
  motion: Motion,
  options: ClipFromMotionOptions = {},
): AnimationClip {
  requireFields(options, FIELDS, 'options', FigureError);
  const { rate = 30, name = motion.name } = options;
  requirePositive(rate, 'options.rate', FigureError, 'keys a second');
  requireString(name, 'options.name', FigureError);
  const { figure } = binding;
  const sampler = createMotionSampler(figure, motion);
  const length = motion.end - motion.start;
  const count = Math.max(1, Math.ceil(length * rate - 1e-3));
  const times = Float32Array.from({ length: count + 1 }, (_, k) => (k < count ? k / rate : length));
  const recorded = recordedObjects(figure, binding, times.length);
  const pose = createPose(figure);
  const saved = saveTransforms(rootOf(binding));
  try {
    times.forEach((time, k) => {
      const at = k < count ? motion.start + time : motion.end;
      binding.writePose(samplePose(sampler, at, pose));
      for (const { object, positions, quaternions } of recorded) {
        object.position.toArray(positions, 3 * k);
        const sign = k > 0 && dotAt(object, quaternions, k - 1) < 0 ? -1 : 1;
        const { x, y, z, w } = object.quaternion;
        quaternions.set([sign * x, sign * y, sign * z, sign * w], 4 * k);
      }
    });
  } finally {
    restoreTransforms(saved);
  }
  const tracks = recorded.flatMap(({ object, positions, quaternions }): KeyframeTrack[] => {
    // As three's property bindings look it up.
    const target = object.name === '' ? object.uuid : object.name;
    const { x, y, z } = object.position;
    const moves = positions.some((value, i) => Math.abs(value - [x, y, z][i % 3]) > STILL);
    return [
      ...(moves ? [new VectorKeyframeTrack(`${target}.position`, times, positions)] : []),
      new QuaternionKeyframeTrack(`${target}.quaternion`, times, quaternions),
    ];
  });
  return new AnimationClip(name, length, tracks);
}

interface Recorded {
  readonly object: Object3D;
  readonly positions: number[];
  readonly quaternions: Float32Array;
}

/** Objects of bones that move by themselves or with another joint. */
function recordedObjects(figure: Figure, { objects }: FigureBinding, count: number): Recorded[] {
  return figure.bones.flatMap(({ index, joint }) => {
    const object = objects[index];
    if (object === undefined || joint.type === 'fixed') return [];
    return [
      { object, positions: new Array<number>(3 * count).fill(0), quaternions: new Float32Array(4 * count) },
    ];
  });
}

function dotAt({ quaternion: { x, y, z, w } }: Object3D, keys: Float32Array, k: number): number {
  return x * keys[4 * k] + y * keys[4 * k + 1] + z * keys[4 * k + 2] + w * keys[4 * k + 3];
}
