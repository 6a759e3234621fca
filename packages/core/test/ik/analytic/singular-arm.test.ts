import { createPose, limitViolation } from 'poise/figure';
import { createAnalyticArm, solveAnalyticArm } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../support/random-figure.js';
import {
  aimAt,
  armOf,
  INDUSTRIAL,
  type Link,
  MEETING_SHOULDER,
  missOf,
  PUMA,
  tipOf,
  UR5,
} from './support-arms.js';

/** The Puma without its offsets: its wrist may come to stand over its first axis. */
const PLAIN = PUMA.map((link) => ({
  ...link,
  position: [link.position[0] > 0.4 ? 0.4318 : 0, 0, link.position[2]] as const,
}));

/** Axes 1 and 2 meet, and the wrist can come to the line of axis 1. */
const MEETING = MEETING_SHOULDER.map((link, k) =>
  k === 2 ? { ...link, position: [-0.1, -0.2, 0.3] as const } : link,
);

type Limits = readonly (readonly [number, number])[];

/** An arm whose hinges have limits of 0.8 to 3 rad in width, about anywhere. */
function limited(links: readonly Link[], random: () => number): { links: readonly Link[]; limits: Limits } {
  const limits = links.map(() => {
    const middle = 2 * (2 * random() - 1);
    const half = 0.4 + 1.1 * random();
    return [middle - half, middle + half] as const;
  });
  return { links: links.map((link, k) => ({ ...link, limit: limits[k] })), limits };
}

const within = (random: () => number, [min, max]: readonly [number, number]): number =>
  min + (max - min) * (0.02 + 0.96 * random());

/** Angles with the wrist's centre on the first axis, by Newton's method on the tests' own kinematics. */
function overBase(links: readonly Link[], random: () => number): number[] {
  const arm = armOf(links);
  const angles = links.map(() => Math.PI * (2 * random() - 1));
  const center = (q2: number, q3: number): number[] => {
    const at = (q1: number): number[] => {
      const pose = createPose(arm.figure).fill(0);
      pose.set([q1, q2, q3]);
      // The tip of the third hinge's bone: the wrist centre is fixed in it.
      return tipOf({ ...arm.figure, bones: arm.figure.bones.slice(0, 5) }, {}, {}, pose).p;
    };
    // Off the axis by what turning about it moves it.
    const [a, b, c] = [at(0), at(1), at(2)];
    return [...a.map((x, k) => x - b[k]), ...a.map((x, k) => x - c[k])];
  };
  for (let step = 0; step < 40; step++) {
    const [x, y] = [angles[1], angles[2]];
    const r = center(x, y);
    if (Math.hypot(...r) < 1e-13) break;
    const h = 1e-6;
    const dx = center(x + h, y).map((v, k) => (v - center(x - h, y)[k]) / (2 * h));
    const dy = center(x, y + h).map((v, k) => (v - center(x, y - h)[k]) / (2 * h));
    const dot = (a: number[], b: number[]): number => a.reduce((s, v, k) => s + v * b[k], 0);
    const [a, b, c] = [dot(dx, dx) + 1e-12, dot(dx, dy), dot(dy, dy) + 1e-12];
    const [u, v] = [dot(dx, r), dot(dy, r)];
    const det = a * c - b * b;
    angles[1] -= (c * u - b * v) / det;
    angles[2] -= (a * v - b * u) / det;
  }
  if (Math.hypot(...center(angles[1], angles[2])) < 1e-12) {
    return angles.map((x) => Math.atan2(Math.sin(x), Math.cos(x)));
  }
  return overBase(links, random);
}

const WRISTS: readonly (readonly [string, readonly Link[], number])[] = [
  ['puma', PUMA, 0],
  ['puma, turned over', PUMA, Math.PI],
  ['industrial', INDUSTRIAL, 0],
  ['meeting shoulder', MEETING_SHOULDER, Math.atan2(0.8, 0.6)],
  ['ur5, axis 6 along the parallel ones', UR5, 0],
];

describe('singular poses, limits on all hinges', () => {
  it.each(WRISTS)('%s: the wrist in line, a split within the limits is found', (_, links, straight) => {
    const random = testRandom(404);
    for (let n = 0; n < 80; n++) {
      const { links: own, limits } = limited(links, random);
      const shifted = own.map((link, k) =>
        k === 4 ? { ...link, limit: [straight - 0.5, straight + 0.7] as const } : link,
      );
      const arm = armOf(shifted);
      const angles = limits.map((limit) => within(random, limit));
      angles[4] = straight;
      aimAt(arm, angles);
      const made = createAnalyticArm(arm.figure, arm.position, arm.orientation);
      if (made.family === undefined) throw new Error(made.reason);
      const pose = createPose(arm.figure);
      pose.set(limits.map((limit) => within(random, limit)));
      const result = solveAnalyticArm(made, pose);
      expect(result.solutions.length, `${n}`).toBeGreaterThan(0);
      expect(result.status).toBe('converged');
      for (const solution of result.solutions) {
        expect(limitViolation(arm.figure, solution)).toBe(0);
        expect(missOf(arm, Float64Array.from(solution))).toBeLessThan(1e-11);
      }
    }
  });

  it.each([
    ['plain', PLAIN],
    ['meeting shoulder', MEETING],
  ] as const)(
    '%s: the wrist over the first axis, any turn of which would do: one within the limits is found',
    (_, links) => {
      const random = testRandom(405);
      for (let n = 0; n < 100; n++) {
        const angles = overBase(links, random);
        const limits = angles.map((x) => [x - 0.05 - random(), x + 0.05 + random()] as const);
        const arm = armOf(links.map((link, k) => ({ ...link, limit: limits[k] })));
        aimAt(arm, angles);
        const made = createAnalyticArm(arm.figure, arm.position, arm.orientation);
        if (made.family === undefined) throw new Error(made.reason);
        const pose = createPose(arm.figure);
        pose.set(limits.map((limit) => within(random, limit)));
        const result = solveAnalyticArm(made, pose);
        expect(result.solutions.length, `${n}`).toBeGreaterThan(0);
        expect(result.status).toBe('converged');
        for (const solution of result.solutions) {
          expect(limitViolation(arm.figure, solution)).toBe(0);
          expect(missOf(arm, Float64Array.from(solution))).toBeLessThan(1e-11);
        }
      }
    },
  );
});
