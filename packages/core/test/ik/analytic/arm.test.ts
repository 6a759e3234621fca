import { createPose, limitViolation } from 'poise/figure';
import { type AnalyticArm, createAnalyticArm, solveAnalyticArm } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../support/random-figure.js';
import {
  ARMS,
  aimAt,
  armOf,
  bruteForce,
  INDUSTRIAL,
  missOf,
  PUMA,
  reframed,
  sameAngles,
  type TestArm,
  UR5,
} from './support-arms.js';

function closedForm(arm: TestArm): AnalyticArm {
  const made = createAnalyticArm(arm.figure, arm.position, arm.orientation);
  if (made.family === undefined) throw new Error(made.reason);
  return made;
}

function randomAngles(random: () => number, size = Math.PI): number[] {
  return Array.from({ length: 6 }, () => size * (2 * random() - 1));
}

describe.each(ARMS)('closed form of %s', (name, links) => {
  it('names its family', () => {
    const family = { puma: 'wrist-and-parallel-elbow', industrial: 'wrist-and-parallel-elbow' }[name];
    const other = name === 'ur5' ? 'three-parallel' : 'wrist-and-meeting-shoulder';
    expect(closedForm(armOf(links)).family).toBe(family ?? other);
  });

  it('reaches reachable targets to 1e-12 with every solution, and lists the configuration they came from', () => {
    const arm = armOf(reframed(links, 5));
    const solver = closedForm(arm);
    const random = testRandom(11);
    for (let n = 0; n < 300; n++) {
      const angles = randomAngles(random);
      aimAt(arm, angles);
      const pose = createPose(arm.figure);
      pose.set(randomAngles(random));
      const result = solveAnalyticArm(solver, pose);
      expect(result.status).toBe('converged');
      expect(result.iterations).toBe(0);
      expect(Array.from(pose)).toEqual(result.solutions[0]);
      for (const solution of result.solutions) {
        expect(missOf(arm, Float64Array.from(solution)), `${name} ${n}`).toBeLessThan(1e-12);
      }
      expect(result.solutions.some((solution) => sameAngles(solution, angles))).toBe(true);
    }
  });

  it('finds just the solutions that brute force finds', () => {
    const arm = armOf(links);
    const solver = closedForm(arm);
    const random = testRandom(3);
    for (let n = 0; n < 5; n++) {
      aimAt(arm, randomAngles(random));
      const { solutions, forbidden } = solveAnalyticArm(solver, createPose(arm.figure));
      const found = bruteForce(arm, 120, 1000 + n);
      expect(forbidden).toBe(0);
      for (const angles of found)
        expect(
          solutions.some((s) => sameAngles(s, angles)),
          `${n}`,
        ).toBe(true);
      // Brute force may miss a branch, but no more than one in this many starts.
      expect(found.length).toBeGreaterThanOrEqual(solutions.length - 1);
      for (const a of solutions) expect(solutions.filter((b) => sameAngles(a, b))).toHaveLength(1);
    }
  });

  it('gives the same bits for the same input, and the solution nearest to the start first', () => {
    const arm = armOf(links);
    aimAt(arm, [0.3, -0.4, 0.9, 0.5, 1.1, -0.7]);
    const runs = [0, 1].map(() => {
      const pose = createPose(arm.figure);
      pose.set([0.2, -0.3, 0.8, 0.4, 1, -0.6]);
      return solveAnalyticArm(closedForm(arm), pose);
    });
    expect(runs[0]).toEqual(runs[1]);
    expect(sameAngles(runs[0].solutions[0], [0.3, -0.4, 0.9, 0.5, 1.1, -0.7], 1e-9)).toBe(true);
  });

  it('keeps to limits, modulo 2 pi, and counts forbidden solutions', () => {
    const limit: readonly [number, number] = [-1.8 * Math.PI, -0.5];
    const arm = armOf(links.map((link) => ({ ...link, limit })));
    const solver = closedForm(arm);
    const free = armOf(links);
    const unlimited = closedForm(free);
    const random = testRandom(23);
    let forbidden = 0;
    for (let n = 0; n < 100; n++) {
      const angles = Array.from(
        { length: 6 },
        () => limit[0] + (limit[1] - limit[0]) * (0.01 + 0.98 * random()),
      );
      aimAt(arm, angles);
      aimAt(free, angles);
      const pose = createPose(arm.figure);
      const result = solveAnalyticArm(solver, pose);
      expect(result.status).toBe('converged');
      expect(limitViolation(arm.figure, pose)).toBe(0);
      for (const s of result.solutions) expect(limitViolation(arm.figure, s)).toBe(0);
      const all = solveAnalyticArm(unlimited, createPose(free.figure)).solutions;
      const allowed = all.filter((s) =>
        s.every((x) =>
          [-2, -1, 0, 1].some((k) => x + 2 * Math.PI * k <= limit[1] && x + 2 * Math.PI * k >= limit[0]),
        ),
      );
      expect(result.solutions).toHaveLength(allowed.length);
      expect(result.forbidden).toBe(all.length - allowed.length);
      forbidden += result.forbidden;
    }
    expect(forbidden).toBeGreaterThan(50);
  });

  it('meets targets of singular configurations', () => {
    const arm = armOf(links);
    const solver = closedForm(arm);
    const random = testRandom(31);
    for (const [joint, angle] of [
      [4, 0],
      [4, Math.PI],
      [2, 0],
      [2, Math.PI / 2],
      [1, 0],
    ] as const) {
      const angles = randomAngles(random);
      angles[joint] = angle;
      aimAt(arm, angles);
      const pose = createPose(arm.figure);
      const result = solveAnalyticArm(solver, pose);
      expect(result.status, `joint ${joint} at ${angle}`).toBe('converged');
      expect(missOf(arm, pose)).toBeLessThan(1e-12);
    }
  });
});

describe('closed form where there is none', () => {
  it('hands targets beyond the arm to solveIk, which gives the nearest pose and its status', () => {
    const arm = armOf(PUMA);
    arm.position.target.splice(0, 3, 4, 5, 6);
    const pose = createPose(arm.figure);
    const result = solveAnalyticArm(closedForm(arm), pose);
    expect(result.solutions).toEqual([]);
    expect(result.status).toBe('out-of-reach');
    expect(pose.every(Number.isFinite)).toBe(true);
  });

  it('hands targets that a limit forbids to solveIk, within the limits', () => {
    const arm = armOf(INDUSTRIAL.map((link) => ({ ...link, limit: [-0.2, 0.2] as const })));
    const free = armOf(INDUSTRIAL);
    aimAt(free, [1.5, 1, -1, 1, 1, 1]);
    arm.position.target.splice(0, 3, ...free.position.target);
    arm.orientation.target.splice(0, 4, ...free.orientation.target);
    const pose = createPose(arm.figure);
    const result = solveAnalyticArm(closedForm(arm), pose);
    expect(result.solutions).toEqual([]);
    expect(result.forbidden).toBeGreaterThan(0);
    expect(result.status).not.toBe('converged');
    expect(limitViolation(arm.figure, pose)).toBe(0);
  });

  it('refuses a wrist whose axes miss each other by a micrometre, and says why', () => {
    const off = PUMA.map((link, k) => (k === 5 ? { ...link, position: [1e-6, 0, 0] as const } : link));
    const arm = armOf(off);
    const made = createAnalyticArm(arm.figure, arm.position, arm.orientation);
    expect(made).toEqual({ family: undefined, reason: 'axes 4, 5 and 6 do not meet in a point' });
  });

  it('refuses a parallel elbow that is off by a microradian', () => {
    const off = INDUSTRIAL.map((link, k) => (k === 2 ? { ...link, axis: [1e-6, 0, -1] as const } : link));
    const arm = armOf(off);
    expect(createAnalyticArm(arm.figure, arm.position, arm.orientation)).toMatchObject({
      reason: 'axes 4, 5 and 6 meet, but neither are 2 and 3 parallel nor do 1 and 2 meet',
    });
  });

  it('does not move the joints up to a base', () => {
    const seven = armOf([{ position: [0, 0.1, 0], axis: [0.6, 0, 0.8] }, ...UR5]);
    const refused = createAnalyticArm(seven.figure, seven.position, seven.orientation);
    expect(refused).toMatchObject({ reason: 'the arm has 7 joints that move, not six' });
    const arm = createAnalyticArm(seven.figure, seven.position, seven.orientation, { base: 'j1' });
    if (arm.family === undefined) throw new Error(arm.reason);
    const random = testRandom(41);
    for (let n = 0; n < 50; n++) {
      const angles = [Math.PI * (2 * random() - 1), ...randomAngles(random)];
      aimAt(seven, angles);
      const pose = createPose(seven.figure);
      pose[0] = angles[0];
      const result = solveAnalyticArm(arm, pose);
      expect(result.solutions.some((s) => sameAngles(s, angles.slice(1)))).toBe(true);
      expect(pose[0]).toBe(angles[0]);
      expect(missOf(seven, pose)).toBeLessThan(1e-12);
    }
  });

  it('refuses five hinges, and goals of different bones', () => {
    const five = armOf(UR5.slice(0, 5));
    expect(createAnalyticArm(five.figure, five.position, five.orientation)).toMatchObject({
      reason: 'the arm has 5 joints that move, not six',
    });
    const arm = armOf(UR5);
    expect(createAnalyticArm(arm.figure, { ...arm.position, bone: 'j5' }, arm.orientation)).toMatchObject({
      reason: 'the two goals are on different bones',
    });
  });

  it('throws as solveIk for invalid targets and poses', () => {
    const arm = armOf(UR5);
    const solver = closedForm(arm);
    arm.position.target[1] = Number.NaN;
    expect(() => solveAnalyticArm(solver, createPose(arm.figure))).toThrow(/not finite|NaN/);
    arm.position.target[1] = 0;
    arm.orientation.target.fill(0);
    expect(() => solveAnalyticArm(solver, createPose(arm.figure))).toThrow(/target/);
    expect(() => solveAnalyticArm(solver, new Float64Array(3))).toThrow(/pose/);
  });
});
