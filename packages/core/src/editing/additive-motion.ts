/** Additive clips: the displacement of a clip from a reference pose, applied to other clips. */
import { type FieldsOf, requireFields, requireFinite } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { checkPose } from '../figure/model/pose.js';
import { rotationVectors } from '../figure/model/regularize.js';
import type { Numbers } from '../math/linear/types.js';
import type { Motion } from '../motion/motion.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  invertRotationState,
  stationaryState,
} from '../motion/representation/rotation-state.js';
import { createMotionSampler, samplePose } from '../motion/sampler.js';
import { quatFromRotationVector } from '../rotation/rotation-vector/exponential.js';
import { clipFromStates, distinctTimes, keysWithin } from './clips/clip-from-states.js';
import { type ClipState, clipStates, type Side } from './clips/clip-state.js';
import { requireMotionOf } from './clips/require-motion.js';

/** Options of {@link makeAdditive}. */
export interface AdditiveOptions {
  /** Pose that counts as no displacement, length `figure.dof`. Default: the clip's first. */
  readonly reference?: Numbers;
  readonly name?: string;
}

const FIELDS: FieldsOf<AdditiveOptions> = { reference: true, name: true };

/**
 * A clip as displacements d from a reference pose: q - q_ref for numbers, log(R_ref^-1 R) for rotation vectors. {@link applyAdditive} adds them to
 * another clip. Exact at the keys of the clip, with first and second derivative.
 *
 * @throws MotionError for a clip of another figure, an invalid reference or option.
 */
export function makeAdditive(figure: Figure, motion: Motion, options: AdditiveOptions = {}): Motion {
  requireFields(options, FIELDS, 'options', MotionError);
  requireMotionOf(figure, motion);
  const { name = `${motion.name}, additive` } = options;
  const reference =
    options.reference ??
    samplePose(createMotionSampler(figure, motion), motion.start, new Float64Array(figure.dof));
  checkPose(figure, reference, 'options.reference');
  const vectors = Array.from(rotationVectors(figure));
  const inverses = vectors.map((i) => {
    const q = quatFromRotationVector([reference[i], reference[i + 1], reference[i + 2]]);
    const state = stationaryState(q);
    return invertRotationState(state, state);
  });
  const states = clipStates(figure, motion);
  return clipFromStates(
    figure,
    keysWithin(motion, motion.start, motion.end),
    (time, side) => {
      const state = states(time, side);
      for (let i = 0; i < figure.dof; i++) state.value[i] -= reference[i];
      state.rotations.forEach((rotation, k) => {
        composeRotationStates(inverses[k], rotation, rotation);
      });
      return state;
    },
    { name, outside: motion.outside },
  );
}

/**
 * A clip with an additive one on it, scaled by a weight: q + w d, R exp(w d). It has the length of the first; the additive clip starts with it and
 * is extrapolated by its own `outside`.
 *
 * @param weight - 1 is all of the displacement, 0 none; negative and larger ones extrapolate.
 * @throws MotionError for clips of another figure, a weight that is not finite.
 */
export function applyAdditive(figure: Figure, motion: Motion, additive: Motion, weight = 1): Motion {
  requireMotionOf(figure, motion);
  requireMotionOf(figure, additive, 'additive');
  requireFinite(weight, 'weight', MotionError);
  const { start, end } = motion;
  const delay = start - additive.start;
  const base = clipStates(figure, motion);
  const sampler = createMotionSampler(figure, additive);
  const inside = clipStates(figure, additive);
  const rounding = 1e-9 * (additive.end - additive.start);
  const displacementAt = (time: number, side: Side): Pick<ClipState, 'value' | 'first' | 'second'> => {
    const local = time - delay;
    // At an end of the additive clip its extrapolation begins.
    const isInside = side === 'after' ? local < additive.end - rounding : local > additive.start + rounding;
    if (local >= additive.start - rounding && local <= additive.end + rounding && isInside)
      return inside(local, side);
    const value = new Float64Array(figure.dof);
    const first = new Float64Array(figure.dof);
    const second = new Float64Array(figure.dof);
    samplePose(sampler, side === 'after' ? local + rounding : local - rounding, value, first, second);
    return { value, first, second };
  };
  const vectors = Array.from(rotationVectors(figure));
  const between = createRotationState();
  const times = distinctTimes(
    [
      ...keysWithin(motion, start, end),
      ...keysWithin(additive, additive.start, additive.end)
        .map((time) => time + delay)
        .filter((time) => time > start && time < end),
    ],
    end - start,
  );
  return clipFromStates(
    figure,
    times,
    (time, side) => {
      const state = base(time, side);
      const d = displacementAt(time, side);
      for (const order of ['value', 'first', 'second'] as const)
        for (let i = 0; i < figure.dof; i++) state[order][i] += weight * d[order][i];
      state.rotations.forEach((rotation, k) => {
        const at = vectors[k];
        const scaled = (from: Float64Array): Float64Array => from.subarray(at, at + 3).map((x) => weight * x);
        expRotationState(
          { value: scaled(d.value), first: scaled(d.first), second: scaled(d.second) },
          between,
        );
        composeRotationStates(rotation, between, rotation);
      });
      return state;
    },
    { name: motion.name, outside: motion.outside },
  );
}
