/** The contacts that physics-based tools find, to choose among them. */
import { type FieldsOf, requireBoolean, requireFields, requireNumbers } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { FindHumanoidOptions } from '../humanoid/find-humanoid.js';
import type { Vec3 } from '../math/linear/types.js';
import type { Motion } from '../motion/motion.js';
import type { PhysicalContact } from './clips/physical-options.js';
import { requireMotionOf } from './clips/require-motion.js';
import { type ContactOptions, checkDetection } from './contacts/detect-contacts.js';
import { contactsOf } from './contacts/foot-contacts.js';

/** Options of {@link findFootContacts}. */
export interface FootContactOptions {
  /** Bones of the human by VRM name, as `findHumanoid` takes them. Default: those that it recognises. */
  readonly bones?: FindHumanoidOptions['bones'];
  /** World axes, m/s^2: up is opposite to it. Default: against `figure.up`. */
  readonly gravity?: Vec3;
  readonly detect?: ContactOptions;
  /** Whether the clip may be noisy, as `cleanMotion` takes it. Default false, as `makePhysical` takes the spline through its keys. */
  readonly isRecorded?: boolean;
}

const FIELDS: FieldsOf<FootContactOptions> = { bones: true, gravity: true, detect: true, isRecorded: true };

/**
 * The contacts of a humanoid's feet that `makePhysical` and `cleanMotion` find in a clip, in its time: to leave some out and give the others
 * as their `contacts`. None for a figure without a free root, or that is no humanoid.
 *
 * @throws MotionError for a clip of another figure and invalid options; FigureError `unsupported` for a humanoid without feet,
 *   those of `findHumanoid` for `bones`.
 */
export function findFootContacts(
  figure: Figure,
  motion: Motion,
  options: FootContactOptions = {},
): readonly PhysicalContact[] {
  requireFields(options, FIELDS, 'options', MotionError);
  const { gravity, detect, isRecorded, bones } = options;
  if (gravity !== undefined) requireNumbers(gravity, 3, 'options.gravity', MotionError);
  if (isRecorded !== undefined) requireBoolean(isRecorded, 'options.isRecorded', MotionError);
  if (detect !== undefined) checkDetection(detect, 'options.detect');
  requireMotionOf(figure, motion);
  const given = { ...(gravity && { gravity }), ...(detect && { detect }) };
  return contactsOf(figure, motion, given, isRecorded, bones);
}
