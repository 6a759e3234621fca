/** Physical validity of optimized motions: measured by the sums of the simulator, which are independent of splines, and replayed by it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { computeMomentum, createDynamics } from '../../src/dynamics/index.js';
import { linearCurve } from '../../src/motion/curves/index.js';
import { createMotion } from '../../src/motion/motion.js';
import { createSpacetimeProblem } from '../../src/spacetime/problem.js';
import { type SpacetimeSolution, solveSpacetime } from '../../src/spacetime/solve.js';
import { sampleTrajectory, type Trajectory } from '../../src/spacetime/trajectory.js';
import type { SpacetimeTerm } from '../../src/spacetime/types/data.js';
import { acrobat, arm, hopper, play, poseOf, SOLE, stand } from './support-physics.js';

/** Least squares: the slope of log y against log x. */
function order(x: readonly number[], y: readonly number[]): number {
  const mean = (of: readonly number[]): number => of.reduce((sum, a) => sum + Math.log(a), 0) / of.length;
  const [mx, my] = [mean(x), mean(y)];
  let up = 0;
  let down = 0;
  x.forEach((a, k) => {
    up += (Math.log(a) - mx) * (Math.log(y[k]) - my);
    down += (Math.log(a) - mx) ** 2;
  });
  return up / down;
}

const ROOT = [0, 1, 2, 3, 4, 5];

describe('a second of flight: somersault of 3.6 rad with a twist, from tucked to open', () => {
  const figure = acrobat();
  const dynamics = createDynamics(figure);
  const tucked = poseOf(figure, {
    pelvis: [0, 1, 0, 0, 0, 0],
    chest: [0.3, 0.2, 0],
    leftThigh: [0.3, 0.1],
    rightThigh: [0.3, 0.1],
    leftShin: [-0.4],
    rightShin: [-0.4],
    leftArm: [2.2, 0.3, 0.2],
    rightArm: [1.9, -0.4],
  });
  const open = poseOf(figure, {
    pelvis: [0.1, 0.9, 0.4, -3.6, 0.2, 0],
    chest: [-0.1, -0.3, 0.1],
    leftThigh: [0.9, 0],
    rightThigh: [0.2, -0.2],
    leftShin: [-1.2],
    rightShin: [-0.2],
    leftArm: [0.4, 0.2, -0.8],
    rightArm: [0.3, -0.9],
  });
  const reference = createMotion(figure, {
    tracks: [{ coordinate: 0, curve: linearCurve({ times: [0, 1], values: [...tucked, ...open] }) }],
  });
  const costs: readonly SpacetimeTerm[] = [
    { type: 'pose', at: 0 },
    { type: 'pose', at: 1 },
    { type: 'effort', weight: 1e-3 },
    { type: 'smoothness', weight: 1e-3 },
  ];
  const counts = [8, 12, 16, 24];
  let flights: Trajectory[] = [];

  function solve(intervals: number, terms: readonly SpacetimeTerm[]): SpacetimeSolution {
    const problem = createSpacetimeProblem(figure, { duration: 1, intervals, reference, terms });
    return solveSpacetime(problem, { tolerance: 1e-10 });
  }

  function momentumAt(trajectory: Trajectory, time: number) {
    const { pose, velocity } = sampleTrajectory(trajectory, time);
    return computeMomentum(dynamics, pose, velocity);
  }

  /** Largest distance of the angular momentum from that at the start, over its length. */
  function strays(trajectory: Trajectory, times: readonly number[]): number {
    const { angular } = momentumAt(trajectory, 0);
    return Math.max(
      ...times.map((time) => {
        const now = momentumAt(trajectory, time).angular;
        return (
          Math.hypot(now[0] - angular[0], now[1] - angular[1], now[2] - angular[2]) / Math.hypot(...angular)
        );
      }),
    );
  }

  /** Largest distance of the centre of mass from the parabola that it leaves on, m. */
  function strayFall(trajectory: Trajectory, times: readonly number[]): number {
    const { center: c, velocity: v } = momentumAt(trajectory, 0);
    return Math.max(
      ...times.map((t) => {
        const { center } = momentumAt(trajectory, t);
        return Math.hypot(
          center[0] - c[0] - v[0] * t,
          center[1] - c[1] - v[1] * t + 0.5 * 9.81 * t * t,
          center[2] - c[2] - v[2] * t,
        );
      }),
    );
  }

  const between = Array.from({ length: 601 }, (_, k) => k / 600);

  beforeAll(() => {
    flights = counts.map((intervals) => {
      const { status, trajectory } = solve(intervals, [...costs, { type: 'physics' }]);
      expect(status).toBe('converged');
      return trajectory;
    });
  });

  test('angular momentum is conserved to 1e-8 at the collocation points', () => {
    flights.forEach((flight, n) => {
      const middles = Array.from({ length: counts[n] }, (_, k) => (k + 0.5) / counts[n]);
      expect(strays(flight, [...middles, 1])).toBeLessThan(1e-8);
    });
  });

  test('between them to 1e-5, with third order in the interval length or better', () => {
    const off = flights.map((flight) => strays(flight, between));
    expect(off[2]).toBeLessThan(1e-5);
    expect(off[3]).toBeLessThan(1e-5);
    expect(order(counts, off)).toBeLessThan(-2.8);
  });

  test('the centre of mass is ballistic', () => {
    const off = flights.map((flight) => strayFall(flight, between));
    expect(off[3]).toBeLessThan(1e-4);
    expect(order(counts, off)).toBeLessThan(-2.8);
  });

  test('replayed open loop by its torques it stays within 1 cm, and converges with more intervals', () => {
    const off = flights.map((flight) => play(flight, ROOT));
    for (const far of off) expect(far).toBeLessThan(0.01);
    expect(off[3]).toBeLessThan(0.2 * off[0]);
  });

  test('without the physics term it is no flight', () => {
    const { trajectory: floating } = solve(16, costs);
    expect(strays(floating, between)).toBeGreaterThan(0.1);
    expect(strayFall(floating, between)).toBeGreaterThan(0.1);
  });
});

test('an arm on its stand, replayed open loop by its torques for a second, stays within 1 cm', () => {
  const figure = arm();
  const from = poseOf(figure, { turret: [-0.8], upper: [0.5, 0.2], lower: [0.6], hand: [0.2, 0.4, 0] });
  const to = poseOf(figure, { turret: [1.3], upper: [1.4, -0.5], lower: [1.7], hand: [-0.6, -2.4, 0.8] });
  const problem = createSpacetimeProblem(figure, {
    duration: 1,
    reference: from,
    terms: [
      { type: 'pose', at: 0, pose: from },
      { type: 'pose', at: 1, pose: to },
      { type: 'velocity', at: 0 },
      { type: 'velocity', at: 1 },
      { type: 'effort' },
      // A light hand would whirl to save an arm effort.
      { type: 'smoothness', weight: 0.02 },
    ],
  });
  const { status, trajectory } = solveSpacetime(problem);
  expect(status).toBe('converged');
  expect(play(trajectory, [])).toBeLessThan(1e-4);
});

describe('a stance of a second: a hopper goes down and leans', () => {
  const figure = hopper();
  const limit = { shin: 80, thigh: 120, trunk: 120 };
  const bounds = [0, 0, 0, 0, 0, 0, 80, 120, 120, 120];
  const from = poseOf(figure, { shin: [0.3], thigh: [-0.6], trunk: [0.3, 0] });
  const to = poseOf(figure, { shin: [0.7], thigh: [-1.4], trunk: [0.85, 0.15] });
  let stance: Trajectory;

  beforeAll(() => {
    const problem = createSpacetimeProblem(figure, {
      duration: 1,
      intervals: 16,
      reference: from,
      terms: [
        { type: 'pose', at: 0, pose: from },
        { type: 'pose', at: 1, pose: to },
        { type: 'velocity', at: 0 },
        { type: 'velocity', at: 1 },
        { type: 'contact', bone: 'foot', points: SOLE, over: [0, 1] },
        { type: 'torque-limit', limit },
        { type: 'physics' },
        { type: 'effort', weight: 1e-3 },
        { type: 'smoothness', weight: 1e-3 },
      ],
    });
    const { status, trajectory } = solveSpacetime(problem, { tolerance: 1e-7, gain: 1e-6 });
    expect(status).toBe('converged');
    stance = trajectory;
  });

  test('the residual root force is below a thousandth of the weight', () => {
    const weight = 15 * 9.81;
    for (let k = 0; k <= 320; k++) {
      const { torques } = sampleTrajectory(stance, k / 320);
      for (const i of ROOT) expect(Math.abs(torques[i])).toBeLessThan(1e-3 * weight);
    }
  });

  test('on the ground, with feedback of 5 % of the torque bounds at most, it stays within 1 cm', () => {
    const { maxDeviation: max, saturated } = stand(stance, bounds, 0.05);
    expect(max).toBeLessThan(1e-3);
    expect(saturated).toBe(false);
  });

  test('even open loop it stays within 1 cm', () => {
    expect(stand(stance, bounds, 0).maxDeviation).toBeLessThan(0.01);
  });
});

test('the scale of flight residuals is the longest interval, independent of breaks at contacts', () => {
  for (const [ends, intervals] of [
    [[], 10],
    [[0.234], 11],
    [[0.234, 0.377, 0.71], 12],
  ] as const) {
    const contacts = ends.map(
      (end): SpacetimeTerm => ({ type: 'contact', bone: 'foot', points: SOLE, over: [0, end] }),
    );
    const { system } = createSpacetimeProblem(hopper(), {
      duration: 1,
      intervals: 10,
      terms: [...contacts, { type: 'physics' }],
    });
    expect(system.parameterization.basis.intervals).toBe(intervals);
    const falls = system.terms.filter(({ usesTime }) => usesTime);
    expect(falls).toHaveLength(1);
    expect(falls[0].unit).toBeCloseTo(9.81 * 0.1 ** 2, 14);
  }
});
