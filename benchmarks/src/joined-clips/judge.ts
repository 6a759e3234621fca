/** Loops and transitions of clips, judged by how much faster than in the clips a bone is. */
import { createTransition, loopMotion } from 'poise/editing';
import type { Figure } from 'poise/figure';
import type { SharedClip } from '../shared-clips/read-clips.js';
import { distances, type EndsAt, endsOf, fastest, transformed } from './speeds.js';

/** The largest rate of 10 s^3 - 15 s^4 + 6 s^5. */
const PEAK = 1.875;
/** What a standing person sways, m/s for a figure of human height. */
const STILL = 0.1;
const HUMAN = 1.7;
const LOOP = 1.3;
const BLEND = 0.5;
const FADE = 0.4;

/** A loop or a transition. */
export interface Joined {
  readonly work: 'loop' | 'transition';
  /** Speed of the fastest bone over the larger of both sources with the way between its places in the time given; without that way. */
  readonly ratio: number;
  readonly bare: number;
  readonly where: string;
  readonly contactError: number;
  /** Over how long it changes the clip, s: of a loop at its start and before its end. */
  readonly windows: readonly number[];
  /** How far feet come below where they are in the sources, m. */
  readonly dip: number;
  /** Wall time, ms. */
  readonly time: number;
}

/** Numbers between 0 and 1 that do not depend on a clip. */
export function seeded(seed: number): () => number {
  let x = seed;
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return x / 4294967296;
  };
}

/** Largest distance of two bones at rest: about the height of a character. */
function extentOf({ bones }: Figure): number {
  const heights = new Float64Array(bones.length);
  for (const { index, parent, rest } of bones)
    heights[index] = (parent < 0 ? 0 : heights[parent]) + (parent < 0 ? 0 : Math.hypot(...rest.position));
  return 2 * Math.max(...heights);
}

function compare(
  { figure }: SharedClip,
  speeds: Float64Array,
  sources: readonly Float64Array[],
  ways: Float64Array,
  when: string,
): Pick<Joined, 'ratio' | 'bare' | 'where'> {
  const still = (STILL * extentOf(figure)) / HUMAN;
  let [ratio, bare, where] = [0, 0, ''];
  speeds.forEach((speed, i) => {
    const source = Math.max(...sources.map((own) => own[i]));
    const own = Math.max(0, speed - still);
    bare = Math.max(bare, own / Math.max(source, still));
    const factor = own > 0 ? own / (source + ways[i]) : 0;
    if (!(factor > ratio)) return;
    ratio = factor;
    where = `${when}: ${figure.bones[i >> 1].name} ${speed.toFixed(2)} m/s, sources ${source.toFixed(2)}, way ${ways[i].toFixed(2)}`;
  });
  return { ratio, bare, where };
}

/** The least height of the feet in a span, m. */
function lowest({ figure, feet }: SharedClip, ends: EndsAt, from: number, to: number): number {
  const count = Math.ceil((to - from) * 240);
  const indices = figure.bones.filter(({ name }) => feet.includes(name)).map(({ index }) => index);
  let low = Number.POSITIVE_INFINITY;
  for (let k = 0; k <= count; k++) {
    const points = ends(from + ((to - from) * k) / count);
    for (const b of indices) {
      const height = figure.up.reduce((sum, x, r) => sum + x * points[6 * b + r], 0);
      low = Math.min(low, height);
    }
  }
  return low;
}

export function judgeLoop(clip: SharedClip, random: () => number): Joined {
  const { figure, motion, feet } = clip;
  const available = motion.end - motion.start;
  const length = Math.min(LOOP, 0.7 * available);
  const margin = Math.min(0.02, 0.05 * available);
  const from = motion.start + margin + (available - length - margin) * random();
  const to = from + length;
  const contactPoints = feet.map((bone) => ({ bone }));
  const begin = performance.now();
  const looped = loopMotion(figure, motion, { from, to, contactPoints });
  const time = performance.now() - begin;
  const ends = endsOf(figure, motion);
  const ways = distances(transformed(looped.transform, ends(from)), ends(to)).map(
    (way) => (PEAK * 0.5 * way) / Math.min(FADE, length / 3),
  );
  const result = endsOf(figure, looped.motion);
  const speeds = fastest(result, 0, length);
  return {
    dip: feet.length > 0 ? lowest(clip, ends, from, to) - lowest(clip, result, 0, length) : 0,
    work: 'loop',
    ...compare(clip, speeds, [fastest(ends, from, to)], ways, `${from.toFixed(3)} to ${to.toFixed(3)} s`),
    contactError: looped.contactError,
    windows: looped.durations,
    time,
  };
}

export function judgeTransition(clip: SharedClip, second: SharedClip, random: () => number): Joined {
  const { figure, motion, feet } = clip;
  const other = second.motion;
  const duration = Math.min(BLEND, 0.4 * (motion.end - motion.start), 0.4 * (other.end - other.start));
  const around = 0.4 * duration;
  const placeIn = ({ start, end }: typeof motion): number => {
    const margin = Math.min(around + 0.02, 0.25 * (end - start - duration));
    return start + margin + (end - start - duration - 2 * margin) * random();
  };
  const [at, from] = [placeIn(motion), placeIn(other)];
  const contactPoints = feet.map((bone) => ({ bone }));
  const begin = performance.now();
  const joined = createTransition(figure, motion, other, { at, from, duration, contactPoints });
  const time = performance.now() - begin;
  const [ends, otherEnds] = [endsOf(figure, motion), endsOf(figure, other)];
  const ways = new Float64Array(2 * figure.bones.length);
  for (let n = 0; n <= 10; n++) {
    const [a, b] = [ends(at + 0.1 * n * duration), otherEnds(from + 0.1 * n * duration)];
    distances(a, transformed(joined.transform, b)).forEach((way, i) => {
      ways[i] = Math.max(ways[i], (PEAK * way) / duration);
    });
  }
  const span = (time0: number, { start, end }: typeof motion): [number, number] => [
    Math.max(start, time0 - around),
    Math.min(end, time0 + duration + around),
  ];
  const result = endsOf(figure, joined.motion);
  const speeds = fastest(result, ...span(at, joined.motion));
  const dip =
    feet.length > 0
      ? Math.min(lowest(clip, ends, ...span(at, motion)), lowest(clip, otherEnds, ...span(from, other))) -
        lowest(clip, result, ...span(at, joined.motion))
      : 0;
  const sources = [fastest(ends, ...span(at, motion)), fastest(otherEnds, ...span(from, other))];
  return {
    work: 'transition',
    ...compare(clip, speeds, sources, ways, `${at.toFixed(3)} s to ${from.toFixed(3)} s of ${second.file}`),
    contactError: joined.contactError,
    windows: [joined.window[1] - joined.window[0]],
    dip,
    time,
  };
}
