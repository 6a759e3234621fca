/** Loops and transitions of recorded clips without kicks: speeds of all bones between keys, by forward kinematics alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { createTransition, loopMotion, type PlanarTransform } from 'poise/editing';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { expect, test } from 'vitest';

const CMU = 0.0254 / 0.45;

interface Clip {
  readonly scale: number;
  readonly up: 'y' | 'z';
  /** Bones that touch the ground. Default: the toes. */
  readonly feet?: readonly string[];
  readonly loops: readonly number[];
  readonly transitions: readonly number[];
}

/** With the numbers of the loops and transitions of a clip that are looked at: `npm run bench -- joined-clips` looks at all clips. */
const CLIPS: readonly (readonly [file: string, clip: Clip])[] = [
  ['cmu_01_01_hop_turn.bvh', { scale: CMU, up: 'y', loops: [5, 11, 17], transitions: [3] }],
  ['cmu_12_01_walk.bvh', { scale: CMU, up: 'y', loops: [0, 7], transitions: [2, 5] }],
  ['pymo_meredith_walk_high_valence.bvh', { scale: 0.01, up: 'y', loops: [9, 18], transitions: [4] }],
  [
    'walk01.bvh',
    { scale: 0.01, up: 'y', feet: ['LeftFoot', 'RightFoot'], loops: [5, 12, 19], transitions: [1] },
  ],
  ['fair_wave_hello.bvh', { scale: 0.04, up: 'z', loops: [3], transitions: [0] }],
  ['fair_jumping.bvh', { scale: 0.04, up: 'z', loops: [0, 14, 15, 16], transitions: [6] }],
];
const TOES = ['LeftToeBase', 'RightToeBase'];
const LOOP = 1.3;
const BLEND = 0.5;
/** Half the time between two frames of the recordings at 120 Hz. */
const STEP = 1 / 240;
/** The largest rate of 10 s^3 - 15 s^4 + 6 s^5. */
const PEAK = 1.875;
/** How much faster a bone may be. */
const FACTOR = 1.2;
/** m/s: what a standing person sways. */
const STILL = 0.1;

/** Positions of the origin and the tip of every bone, world, m. */
function endsOf(figure: Figure, motion: Motion): (time: number) => number[][] {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return (time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    const w = state.worldFromBone;
    return figure.bones.flatMap(({ index, tip = [0, 0, 0] }) => {
      const o = 12 * index;
      const origin = [w[o + 9], w[o + 10], w[o + 11]];
      const rotated = [0, 1, 2].map(
        (r) => w[o + 3 * r] * tip[0] + w[o + 3 * r + 1] * tip[1] + w[o + 3 * r + 2] * tip[2],
      );
      return [origin, origin.map((x, r) => x + rotated[r])];
    });
  };
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** Largest speed of every point within a span, m/s. */
function fastest(ends: (time: number) => number[][], from: number, to: number): number[] {
  const count = Math.ceil((to - from) / STEP);
  const h = (to - from) / count;
  let before = ends(from);
  const speeds = before.map(() => 0);
  for (let k = 1; k <= count; k++) {
    const here = ends(from + k * h);
    here.forEach((p, i) => {
      speeds[i] = Math.max(speeds[i], distance(p, before[i]) / h);
    });
    before = here;
  }
  return speeds;
}

function transformed({ angle, translation }: PlanarTransform): (point: readonly number[]) => number[] {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return ([x, y, z]) => [c * x + s * z + translation[0], y + translation[1], c * z - s * x + translation[2]];
}

/** Numbers between 0 and 1 that do not depend on a clip. */
function seeded(seed: number): () => number {
  let x = seed;
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return x / 4294967296;
  };
}

/** How many times as fast a point is, at most, as the larger of both sources there, with the way between their places in the time given. */
function worstOf(
  figure: Figure,
  speeds: readonly number[],
  sources: readonly (readonly number[])[],
  ways: readonly number[],
): { readonly factor: number; readonly where: string } {
  let worst = { factor: 0, where: '' };
  speeds.forEach((speed, i) => {
    const source = Math.max(...sources.map((own) => own[i]));
    const factor = Math.max(0, speed - STILL) / (source + ways[i]);
    if (!(factor > worst.factor)) return;
    const bone = figure.bones[i >> 1].name;
    worst = { factor, where: `${bone} ${speed.toFixed(2)} m/s, sources ${source.toFixed(2)}` };
  });
  return worst;
}

describeWithData('joined clips', 'bvh', (folder) => {
  const load = (file: string, { scale, up }: Clip) =>
    readBvh(readFileSync(join(folder, file)), { scale, fileUpAxis: up });
  const pointsOf = ({ feet = TOES }: Clip) => feet.map((bone) => ({ bone }));

  test.each(CLIPS)('%s: loops do not kick', (file, clip) => {
    const { figure, motion } = load(file, clip);
    const random = seeded(7);
    const ends = endsOf(figure, motion);
    for (let n = 0; n <= Math.max(...clip.loops); n++) {
      const from = motion.start + 0.02 + (motion.end - motion.start - LOOP - 0.02) * random();
      if (!clip.loops.includes(n)) continue;
      const to = from + LOOP;
      const looped = loopMotion(figure, motion, { from, to, contactPoints: pointsOf(clip) });
      const move = transformed(looped.transform);
      const last = ends(to);
      const ways = ends(from).map((p, i) => (PEAK * 0.5 * distance(move(p), last[i])) / 0.4);
      const speeds = fastest(endsOf(figure, looped.motion), 0, LOOP);
      const worst = worstOf(figure, speeds, [fastest(ends, from, to)], ways);
      expect.soft(worst.factor, `loop ${n} from ${from}: ${worst.where}`).toBeLessThan(FACTOR);
      expect(looped.contactError).toBeLessThan(1e-3);
      expect(looped.velocityChange.speed).toBeLessThan(1.01 * Math.max(...speeds));
    }
  });

  test.each(CLIPS)('%s: transitions do not kick', (file, clip) => {
    const contactPoints = pointsOf(clip);
    const { figure, motion } = load(file, clip);
    const random = seeded(11);
    const ends = endsOf(figure, motion);
    const room = motion.end - motion.start - 1.4;
    for (let n = 0; n <= Math.max(...clip.transitions); n++) {
      const at = motion.start + 0.22 + room * random();
      const from = motion.start + 0.22 + room * random();
      if (!clip.transitions.includes(n)) continue;
      const joined = createTransition(figure, motion, motion, { at, from, duration: BLEND, contactPoints });
      const move = transformed(joined.transform);
      const ways = ends(at).map(() => 0);
      for (let s = 0; s <= 1; s += 0.1) {
        const [a, b] = [ends(at + s * BLEND), ends(from + s * BLEND)];
        a.forEach((p, i) => {
          ways[i] = Math.max(ways[i], (PEAK * distance(p, move(b[i]))) / BLEND);
        });
      }
      const speeds = fastest(endsOf(figure, joined.motion), at - 0.2, at + BLEND + 0.2);
      const sources = [at, from].map((time) => fastest(ends, time - 0.2, time + BLEND + 0.2));
      const worst = worstOf(figure, speeds, sources, ways);
      expect.soft(worst.factor, `transition at ${at} to ${from}: ${worst.where}`).toBeLessThan(FACTOR);
      expect(joined.contactError).toBeLessThan(1e-3);
      expect(joined.velocityChange.change).toBeLessThan(Math.max(...ways) + 0.5 * Math.max(...speeds));
    }
  });
});
