/** Contacts of the hands with the ground in a clip of the source, found or given. */
import { requireFields, requireNumbers, requireOneOf } from '../../checks.js';
import { MotionError } from '../../errors.js';
import type { Clip } from '../clip/clip.js';
import {
  ADULT_LEG,
  type ContactThresholds,
  DEFAULT_THRESHOLDS,
  findContacts,
  groundBelow,
  pathOf,
} from './detect.js';

/** A contact of a palm with the ground. */
export interface HandContact {
  readonly hand: 'left' | 'right';
  /** In the clip's time, s. */
  readonly over: readonly [from: number, to: number];
}

const FIELDS = { hand: true, over: true };

/** @throws MotionError for an invalid contact. */
export function checkHandContact(contact: HandContact, path: string): void {
  requireFields(contact, FIELDS, path, MotionError);
  requireOneOf(contact.hand, ['left', 'right'], `${path}.hand`, MotionError);
  requireNumbers(contact.over, 2, `${path}.over`, MotionError);
}

/** Height of a palm over the ground of the feet up to which it may be on it, for legs of adult length, m: that of a wrist over its fist. */
const MAX_HEIGHT = 0.12;

/**
 * Of each arm of the target: 1 in the frames in which the palm is on the ground. Hands that come near the ground of the feet have one of their own: how
 * high palms are over their wrists is a guess.
 *
 * @param given - None: found. @param ground - Of the source's feet, along its up; undefined without a foot that stands.
 */
export function handContactsOf(
  clip: Clip,
  given: readonly HandContact[] | undefined,
  detect: Partial<ContactThresholds> = {},
  ground: number | undefined,
): Uint8Array[] {
  const { alignment, sourcePalms, step, count } = clip;
  const { source, arms } = alignment;
  const flags = arms.map(() => new Uint8Array(count));
  if (given !== undefined) {
    given.forEach(({ hand, over }) => {
      const a = requireArm(clip, hand, 'options.contacts');
      for (const f of framesOf(clip, over)) flags[a][f] = 1;
    });
    return flags;
  }
  if (ground === undefined) return flags;
  const thresholds = { ...DEFAULT_THRESHOLDS, ...detect };
  const scale = source.legLength / ADULT_LEG;
  const paths = arms.map(({ name }) => {
    const path = pathOf(
      sourcePalms[source.hands.findIndex((hand) => hand.name === name)],
      source.figure.up,
      step,
    );
    // Hands that rest elsewhere say nothing about the ground.
    const speeds = path.speeds.map((speed, f) =>
      path.heights[f] - ground > MAX_HEIGHT * scale ? Number.POSITIVE_INFINITY : speed,
    );
    return { ...path, speeds };
  });
  const level = groundBelow(paths, thresholds.speeds[0] * scale, scale);
  if (level === undefined) return flags;
  paths.forEach((path, a) => {
    findContacts(path, level, scale, step, thresholds, flags[a]);
  });
  return flags;
}

/** Index of the arm that ends in a hand. @throws MotionError for a hand that source or target does not have. */
export function requireArm({ alignment }: Clip, hand: 'left' | 'right', path: string): number {
  const arm = alignment.arms.findIndex(({ name }) => name === hand);
  if (arm >= 0) return arm;
  throw new MotionError('unsupported', `is '${hand}', of which source or target has no arm with a hand.`, {
    path,
    remedy: 'Name its bones in createRetargeter(source, target, options), or leave it out.',
  });
}

/** Frames within a span of the clip's time. */
export function framesOf({ times }: Clip, [from, to]: readonly [number, number]): number[] {
  return Array.from(times.keys()).filter((f) => times[f] >= from - 1e-9 && times[f] <= to + 1e-9);
}
