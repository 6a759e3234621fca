/** Contacts of the feet in a clip of the source, found or given. */
import {
  requireFields,
  requireList,
  requireNotNegative,
  requireNumbers,
  requireOneOf,
} from '../../checks.js';
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
import { checkHandContact, framesOf, type HandContact, requireArm } from './hand-contacts.js';

/** A contact of a foot with the ground. */
export interface FootContact {
  readonly foot: 'left' | 'right';
  readonly point: 'heel' | 'ball';
  /** In the clip's time, s. */
  readonly over: readonly [from: number, to: number];
}

/** Frames of a foot with heel and ball on the ground: 1. */
export interface FootFlags {
  readonly heel: Uint8Array;
  readonly ball: Uint8Array;
  /** Speeds by which contacts are found, of the source, m/s. */
  readonly heelSpeeds: Float64Array;
  readonly ballSpeeds: Float64Array;
}

export interface ClipContacts {
  /** Of each leg of the target. */
  readonly feet: readonly FootFlags[];
  /** Height of the source's ankles as it stands, along its up, m. */
  readonly ankleLevel: number;
  /** Height of the ground below the source's feet, along its up, m; undefined where none is slow. */
  readonly ground: number | undefined;
}

/** Difference of heights of heels and balls on the ground that is due to the guess of the soles, for legs of adult length, m. */
const MAX_GUESS = 0.06;

const THRESHOLD_FIELDS = { heights: true, speeds: true, minDuration: true };
const CONTACT_FIELDS = { foot: true, point: true, over: true };

/** @throws MotionError for invalid thresholds and contacts. */
export function checkContactOptions(
  contacts: readonly (FootContact | HandContact)[] | undefined,
  detect: Partial<ContactThresholds> | undefined,
): void {
  if (detect !== undefined) {
    requireFields(detect, THRESHOLD_FIELDS, 'options.detect', MotionError);
    for (const name of ['heights', 'speeds'] as const) {
      const pair = detect[name];
      if (pair === undefined) continue;
      requireNumbers(pair, 2, `options.detect.${name}`, MotionError);
      if (pair[0] >= 0 && pair[1] >= pair[0]) continue;
      throw new MotionError('out-of-range', `goes from ${pair[0]} to ${pair[1]}.`, {
        path: `options.detect.${name}`,
        remedy: 'Give two numbers, not negative, the second not below the first.',
      });
    }
    if (detect.minDuration !== undefined) {
      requireNotNegative(detect.minDuration, 'options.detect.minDuration', MotionError, 's');
    }
  }
  if (contacts === undefined) return;
  requireList(
    contacts,
    'options.contacts',
    MotionError,
    'Give a list of { foot, point, over } and { hand, over }.',
  );
  contacts.forEach((contact, c) => {
    const path = `options.contacts[${c}]`;
    if (isOfHand(contact)) {
      checkHandContact(contact, path);
      return;
    }
    requireFields(contact, CONTACT_FIELDS, path, MotionError);
    requireOneOf(contact.foot, ['left', 'right'], `${path}.foot`, MotionError);
    requireOneOf(contact.point, ['heel', 'ball'], `${path}.point`, MotionError);
    requireNumbers(contact.over, 2, `${path}.over`, MotionError);
  });
}

/** @throws MotionError for a contact without a frame of the clip, or of a foot or a hand that source or target lacks. */
export function requireContacts(
  clip: Clip,
  contacts: readonly (FootContact | HandContact)[] | undefined,
): void {
  const { alignment, sourceFeet, times, count } = clip;
  contacts?.forEach((contact, c) => {
    const path = `options.contacts[${c}]`;
    if (isOfHand(contact)) requireArm(clip, contact.hand, `${path}.hand`);
    else if (![alignment.legs, sourceFeet].every((feet) => feet.some(({ name }) => name === contact.foot))) {
      throw new MotionError(
        'unsupported',
        `is '${contact.foot}', a foot that source or target does not have.`,
        {
          path: `${path}.foot`,
          remedy: 'Name its bones in createRetargeter(source, target, options), or leave it out.',
        },
      );
    }
    if (framesOf(clip, contact.over).length > 0) return;
    throw new MotionError(
      'out-of-range',
      `goes from ${contact.over[0]} to ${contact.over[1]} s and has no frame of the clip, ${times[0]} s to ${times[count - 1]} s.`,
      { path: `${path}.over`, remedy: 'Give a span of the clip, the first number not above the second.' },
    );
  });
}

/** Whether a contact is of a hand. What is no contact is checked as one of a foot. */
export function isOfHand(contact: FootContact | HandContact): contact is HandContact {
  return typeof contact === 'object' && contact !== null && 'hand' in contact;
}

/** The contacts given, or those found in the source. */
export function contactsOf(
  clip: Clip,
  given: readonly FootContact[] | undefined,
  detect: Partial<ContactThresholds> = {},
): ClipContacts {
  const { alignment, sourceFeet, step, count } = clip;
  const { source } = alignment;
  const { up } = source.figure;
  const thresholds = { ...DEFAULT_THRESHOLDS, ...detect };
  const scale = source.legLength / ADULT_LEG;
  const slow = thresholds.speeds[0] * scale;
  const paths = sourceFeet.map((foot) => {
    const [heel, ball, ankle, toes] = [foot.heel, foot.ball, foot.ankle, foot.toes].map((positions) =>
      pathOf(positions, up, step),
    );
    // Joints are recorded, soles are a guess: a foot whose joints are slow is still.
    for (let f = 0; f < count; f++) {
      ball.speeds[f] = Math.min(ball.speeds[f], toes.speeds[f]);
      heel.speeds[f] = Math.min(heel.speeds[f], Math.max(ankle.speeds[f], toes.speeds[f]));
    }
    return { name: foot.name, heel, ball };
  });
  // Heels and balls apart: where the soles of the source are is a guess.
  const [heelGround, ballGround] = (['heel', 'ball'] as const).map((point) =>
    groundBelow(
      paths.map((path) => path[point]),
      slow,
      scale,
    ),
  );
  const ground = Math.min(heelGround ?? Number.POSITIVE_INFINITY, ballGround ?? Number.POSITIVE_INFINITY);
  // Heels that never come down, or balls: the others say where the ground is.
  const levelOf = (own: number | undefined): number | undefined =>
    own !== undefined && own - ground > MAX_GUESS * scale ? ground : own;
  const grounds = { heel: levelOf(heelGround), ball: levelOf(ballGround) };
  const found = paths.map(({ name, heel, ball }) => {
    const flags = {
      name,
      heel: new Uint8Array(count),
      ball: new Uint8Array(count),
      heelSpeeds: heel.speeds,
      ballSpeeds: ball.speeds,
    };
    if (given !== undefined) {
      for (const contact of given) {
        if (contact.foot !== name) continue;
        for (const f of framesOf(clip, contact.over)) flags[contact.point][f] = 1;
      }
      return flags;
    }
    if (grounds.heel !== undefined) findContacts(heel, grounds.heel, scale, step, thresholds, flags.heel);
    if (grounds.ball !== undefined) findContacts(ball, grounds.ball, scale, step, thresholds, flags.ball);
    return flags;
  });
  const none = (): FootFlags => ({
    heel: new Uint8Array(count),
    ball: new Uint8Array(count),
    heelSpeeds: new Float64Array(count),
    ballSpeeds: new Float64Array(count),
  });
  return {
    feet: alignment.legs.map((leg) => found.find(({ name }) => name === leg.name) ?? none()),
    ankleLevel: ankleLevelOf(clip, found, grounds.heel ?? grounds.ball),
    ground: Number.isFinite(ground) ? ground : undefined,
  };
}

/** Median height of the ankles of feet that stand; else over the ground by the rest pose, or where the clip is lowest. */
function ankleLevelOf(
  { alignment, sourceFeet, count }: Clip,
  found: readonly FootFlags[],
  ground: number | undefined,
): number {
  const { source } = alignment;
  const { up } = source.figure;
  const heights: number[] = [];
  const all: number[] = [];
  sourceFeet.forEach(({ ankle }, l) => {
    for (let f = 0; f < count; f++) {
      const height = ankle[3 * f] * up[0] + ankle[3 * f + 1] * up[1] + ankle[3 * f + 2] * up[2];
      all.push(height);
      if (found[l].heel[f] === 1 && found[l].ball[f] === 1) heights.push(height);
    }
  });
  if (heights.length > 0) return heights.sort((a, b) => a - b)[Math.floor(heights.length / 2)];
  if (ground !== undefined) return ground + source.ankleHeight;
  return all.length > 0 ? all.reduce((a, b) => Math.min(a, b)) : source.ankleHeight;
}
