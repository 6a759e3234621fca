/** What touches the floor in a part of a clip: found, shown as bars, and how far soles slide there. */
import { findFootContacts, type PhysicalContact } from 'poise/editing';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { rigid, vec3 } from 'poise/math';
import { motionFromPoses } from 'poise/motion';
import type { Clip } from '../animate/clip/clip.js';
import { poseAt } from '../animate/clip/clip-motion.js';
import type { Character } from '../character/character.js';
import { frameCount, posesIn, type Span } from './span.js';

/** Heel or toes of a foot on the floor. */
export interface FootContact {
  /** Row, and start: unique. */
  readonly id: string;
  /** `Left heel`. */
  readonly row: string;
  readonly contact: PhysicalContact;
}

export const ROWS: readonly string[] = ['Left heel', 'Left toes', 'Right heel', 'Right toes'];
/**
 * Speeds below which a foot of an imported clip comes to stand and above which it leaves, m/s of a person 1.75 m high. Feet of keyed poses slide between
 * keys, and have the larger ones of the library.
 */
const IMPORTED = { speeds: [0.2, 0.5], size: 1.75 } as const;
/** Moments between two frames at which sliding is measured. */
const BETWEEN = 4;
/** Shortest time without contact that is a flight, s. */
const FLIGHT = 0.1;

/** Heels and toes that are down in a span of a clip; none of what is no human. */
export function feetIn(clip: Clip, character: Character, span: Span): readonly FootContact[] {
  const { figure, humanoid, floor, size } = character;
  const { leftFoot, rightFoot } = humanoid?.bones ?? {};
  if (leftFoot === undefined && rightFoot === undefined) return [];
  const count = frameCount(clip, span);
  const times = Array.from({ length: count + 1 }, (_, k) =>
    k === count ? span.to : span.from + ((span.to - span.from) * k) / count,
  );
  const motion = motionFromPoses(figure, times, posesIn(clip, character, span), { interpolation: 'linear' });
  const [begins, ends] = IMPORTED.speeds.map((speed) => (speed * size) / IMPORTED.size);
  const contacts = findFootContacts(figure, motion, {
    bones: humanoid?.bones ?? {},
    detect: { ground: floor, ...(clip.imported !== undefined && { speeds: [begins, ends] }) },
  });
  return contacts.map((contact) => {
    const isLeft = leftFoot !== undefined && figure.bones[leftFoot].name === contact.bone;
    const row = `${isLeft ? 'Left' : 'Right'} ${contact.points.length === 1 ? 'heel' : 'toes'}`;
    return { id: `${row} ${contact.over[0].toFixed(3)}`, row, contact };
  });
}

/** Spans in which nothing touches the floor, between two in which something does. */
export function flightsOf(contacts: readonly PhysicalContact[]): Span[] {
  const spans = contacts.map(({ over: [from, to] }) => ({ from, to })).sort((a, b) => a.from - b.from);
  const flights: Span[] = [];
  let end = spans[0]?.to ?? 0;
  for (const { from, to } of spans) {
    if (from - end > FLIGHT) flights.push({ from: end, to: from });
    end = Math.max(end, to);
  }
  return flights;
}

/** Largest way of a sole along the floor from where it is in the middle of its contact, mm of a character as it is drawn. */
export function slidingOf(
  clip: Clip,
  character: Character,
  contacts: readonly PhysicalContact[],
  unit: number,
): number {
  const { figure } = character;
  const path = pointPaths(figure, (time) => poseAt(clip, character, time));
  const step = 1 / (BETWEEN * clip.rate);
  let most = 0;
  for (const { bone, points, over } of contacts) {
    const [from, to] = over;
    const count = Math.max(2, Math.ceil((to - from) / step));
    const middle = path(bone, points, 0.5 * (from + to));
    for (let k = 0; k <= count; k++) {
      path(bone, points, from + ((to - from) * k) / count).forEach((at, n) => {
        const way = vec3.subtract(at, middle[n]);
        const rise = vec3.dot(way, figure.up);
        most = Math.max(most, Math.sqrt(Math.max(0, vec3.dot(way, way) - rise * rise)));
      });
    }
  }
  return (1000 * most) / unit;
}

function pointPaths(figure: Figure, poseOf: (time: number) => Float64Array) {
  const state = createState(figure);
  return (bone: string, points: PhysicalContact['points'], time: number): number[][] => {
    forwardKinematics(state, poseOf(time));
    const { index } = figure.bones.find(({ name }) => name === bone) ?? figure.bones[0];
    const frame = state.worldFromBone.subarray(12 * index, 12 * index + 12);
    return points.map((point) => Array.from(rigid.transformPoint(frame, point)));
  };
}
