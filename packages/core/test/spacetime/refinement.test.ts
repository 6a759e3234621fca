/** Solutions hold between their samples: the mesh is refined until they do, or the status says that they do not. */
import { Quaternion, Vector3 } from 'three';
import { expect, test } from 'vitest';
import { createFigure } from '../../src/figure/index.js';
import { createMotion, createMotionSampler, cubicSpline, samplePose } from '../../src/motion/index.js';
import {
  createSpacetimeProblem,
  createSpacetimeSolver,
  createTrajectory,
  type IntersampleViolation,
  type SpacetimeOptions,
  type SpacetimeProblem,
  type SpacetimeProgress,
  type SpacetimeSolution,
  sampleTrajectory,
  saveSpacetime,
  solveSpacetime,
  stepSpacetime,
} from '../../src/spacetime/index.js';
import { withMesh } from '../../src/spacetime/problem.js';
import { transferStart } from '../../src/spacetime/refine.js';
import { expectClose, expectSameBits } from '../figure/support.js';
import { hopper, SOLE } from './support-physics.js';

const body = hopper();
const WEIGHT = 9.81 * body.bones.reduce((sum, { mass = 0 }) => sum + mass, 0);
const crouched = Float64Array.of(0, 0, 0, 0, 0, 0, 0.6, -1.2, 0.6, 0);

/** A hop of 0.6 s. */
const hop = (intervals = 12, stance = 0.35, height = 0.25): SpacetimeProblem =>
  createSpacetimeProblem(body, {
    duration: 0.6,
    intervals,
    reference: crouched,
    terms: [
      { type: 'pose', at: 0 },
      { type: 'velocity', at: 0 },
      { type: 'contact', bone: 'foot', points: SOLE, over: [0, stance] },
      { type: 'physics' },
      { type: 'goal', at: 0.6, goal: { type: 'position', bone: 'foot', target: [0, height, 0] } },
      { type: 'effort', weight: 1e-3 },
      { type: 'smoothness', weight: 1e-3 },
    ],
  });
const ACCURACY = { tolerance: 1e-6, gain: 1e-4 } as const;
const solveHop = (options: SpacetimeOptions = {}): SpacetimeSolution =>
  solveSpacetime(hop(), { ...ACCURACY, ...options });

/** The largest external force at the root, N, at so many times. */
function rootForce({ trajectory, duration }: SpacetimeSolution, count = 2000): number {
  let largest = 0;
  for (let k = 0; k <= count; k++) {
    const { torques } = sampleTrajectory(trajectory, (k / count) * duration);
    largest = Math.max(largest, Math.hypot(torques[0], torques[1], torques[2]));
  }
  return largest;
}

test.each([
  [8, 0.3, 0.35],
  [16, 0.3, 0.35],
  [8, 0.33, 0.15],
])('what %d intervals with a stance of %d s report is the largest anywhere', (intervals, stance, height) => {
  const solution = solveSpacetime(hop(intervals, stance, height), ACCURACY);
  expect(solution.status).toBe('converged');
  const force = rootForce(solution, 6000);
  expect(force).toBeLessThan(0.05 * WEIGHT);
  const reported = solution.intersample.find(({ type, unit }) => type === 'physics' && unit === 'N');
  expect(reported?.violation).toBeGreaterThan(0.95 * force);
});

const exceeds = ({ violation, tolerance }: IntersampleViolation): boolean => violation > tolerance;

test('the root needs more than 5 % of the weight between the samples, and not after the mesh is refined', () => {
  const coarse = solveHop({ maxRefinements: 0 });
  expect(coarse.status).toBe('coarse');
  expect(coarse.warnings.length).toBeGreaterThan(0);
  expect(coarse.refinements).toBe(0);
  expect(rootForce(coarse)).toBeGreaterThan(0.05 * WEIGHT);

  const solution = solveHop();
  expect(solution.status).toBe('converged');
  expect(solution.refinements).toBeGreaterThan(0);
  expect(solution.warnings).toEqual([]);
  expect(solution.intersample.some(exceeds)).toBe(false);
  expect(rootForce(solution)).toBeLessThan(0.05 * WEIGHT);
  expect(solution.violation).toBeLessThan(ACCURACY.tolerance);
  // The mesh alone is finer: the motion is much the same.
  expect(Math.abs(solution.cost / coarse.cost - 1)).toBeLessThan(0.01);
  expect(solution.iterations).toBeLessThan(2 * coarse.iterations);
});

test('is the same to the bit every time, and tells of its rounds', () => {
  const rounds: number[] = [];
  const first = solveHop({
    onProgress: ({ refinements, cost, violation }: SpacetimeProgress) => {
      rounds.push(refinements);
      expect(Number.isFinite(cost + violation)).toBe(true);
    },
  });
  const second = solveHop();
  expectSameBits(first.save.unknowns, second.save.unknowns);
  expectSameBits(first.save.multipliers, second.save.multipliers);
  expect(rounds).toEqual([...rounds].sort((a, b) => a - b));
  expect(rounds.at(0)).toBe(0);
  expect(rounds.at(-1)).toBe(first.refinements);
  const solver = createSpacetimeSolver(hop(), ACCURACY);
  while (stepSpacetime(solver));
  expectSameBits(saveSpacetime(solver).unknowns, first.save.unknowns);
});

test('resumes before, in and after a refinement', () => {
  const whole = solveHop();
  const { iterations } = solveHop({ maxRefinements: 0 });
  for (const maxIterations of [iterations - 3, iterations, iterations + 2, whole.iterations]) {
    const first = solveHop({ maxIterations });
    const early = maxIterations < iterations ? 'iteration-limit' : 'coarse';
    expect(first.status).toBe(maxIterations < whole.iterations ? early : 'converged');
    expect(first.iterations).toBe(maxIterations);
    // What has converged is kept until the refined mesh has.
    expect(first.refinements).toBe(maxIterations === whole.iterations ? whole.refinements : 0);
    if (maxIterations >= iterations) expect(first.violation).toBeLessThan(ACCURACY.tolerance);
    const start = structuredClone(first.save);
    // A save knows its mesh: the motion is that of the solution.
    const again = createTrajectory(hop(), start);
    for (const time of [0, 0.2, 0.45, 0.6])
      expectSameBits(sampleTrajectory(again, time).torques, sampleTrajectory(first.trajectory, time).torques);
    const rest = solveHop({ start });
    expect(rest.status).toBe('converged');
    expect(rest.refinements).toBe(whole.refinements);
    expect(Math.abs(rest.cost / whole.cost - 1)).toBeLessThan(1e-3);
  }
});

test('the start of a refined solve is the same motion with the same forces', () => {
  const handle = createSpacetimeSolver(hop(), ACCURACY);
  while (handle.nextMesh === undefined) stepSpacetime(handle);
  const refined = withMesh(handle.problem, handle.nextMesh);
  const { unknowns, multipliers } = transferStart(handle.solver, handle.problem, refined);
  for (const time of handle.problem.mesh.breaks) expect(refined.mesh.breaks).toContain(time);
  expect(refined.system.size).toBeGreaterThan(handle.problem.system.size);
  const before = createTrajectory(handle.problem, handle.solver.iterate.unknowns);
  const after = createTrajectory(refined, unknowns);
  for (let k = 0; k <= 97; k++) {
    const time = (k / 97) * before.duration;
    const [a, b] = [sampleTrajectory(before, time), sampleTrajectory(after, time)];
    expectClose(b.pose, a.pose, 1e-12, 'pose');
    expectClose(b.velocity, a.velocity, 1e-10, 'velocity');
    expectClose(b.acceleration, a.acceleration, 1e-7, 'acceleration');
    expectClose(b.forces, a.forces, 1e-9, 'forces');
  }
  // Multipliers stand for the same impulses: those of a row of the contact add up to as much.
  const sumOf = ({ system }: SpacetimeProblem, lambda: ArrayLike<number>): number => {
    let sum = 0;
    for (const { terms } of system.collocations) {
      for (const { term, firstRow } of terms)
        if (term.index === 2 && term.kind === 'equality') sum += lambda[firstRow + 1];
    }
    return sum;
  };
  const sum = sumOf(handle.problem, handle.solver.iterate.multipliers.lambda);
  expect(Math.abs(sumOf(refined, multipliers ?? []) / sum - 1)).toBeLessThan(0.2);
});

test('torque and speed limits hold within 1 %, by more sample points on the same knots', () => {
  const link = { mass: 1, centerOfMass: [0.5, 0, 0], inertia: [1e-3, 1 / 12, 1 / 12, 0, 0, 0] } as const;
  const joint = { type: 'hinge', axis: [0, 0, 1] } as const;
  const links = createFigure({
    bones: [
      { name: 'a', joint, ...link },
      { name: 'b', parent: 'a', rest: { position: [1, 0, 0] }, joint, ...link },
    ],
  });
  const LIMIT = { torque: 10, speed: 3 } as const;
  const problem = createSpacetimeProblem(links, {
    duration: { min: 0.1, max: 9, start: 2, pieces: 3 },
    intervals: 6,
    gravity: [0, 0, 0],
    terms: [
      { type: 'pose', at: 0, pose: [0, 0] },
      { type: 'velocity', at: 0 },
      { type: 'pose', at: 2, pose: [1.2, -0.8] },
      { type: 'velocity', at: 2 },
      { type: 'torque-limit', limit: LIMIT.torque },
      { type: 'speed-limit', limit: LIMIT.speed },
      { type: 'duration' },
      { type: 'smoothness', weight: 1e-5 },
    ],
  });
  const largest = ({ trajectory, duration }: SpacetimeSolution): number => {
    let most = 0;
    for (let k = 0; k <= 3000; k++) {
      const { torques, velocity } = sampleTrajectory(trajectory, (k / 3000) * duration);
      for (const tau of torques) most = Math.max(most, Math.abs(tau) / LIMIT.torque);
      for (const rate of velocity) most = Math.max(most, Math.abs(rate) / LIMIT.speed);
    }
    return most - 1;
  };
  const coarse = solveSpacetime(problem, { ...ACCURACY, maxRefinements: 0 });
  expect(coarse.status).toBe('coarse');
  expect(largest(coarse)).toBeGreaterThan(0.013);
  const solution = solveSpacetime(problem, ACCURACY);
  expect(solution.status).toBe('converged');
  expect(largest(solution)).toBeLessThan(0.01);
  expect(solution.trajectory.problem.mesh.breaks).toHaveLength(7);
  expect(solution.trajectory.problem.mesh.density).toContain(2);
});

test('a spinning top comes nearer to its closed form', () => {
  const [spin, tilt] = [14, 6];
  const [across, along] = [0.02, 0.005];
  const top = createFigure({
    bones: [
      {
        name: 'top',
        joint: { type: 'free' },
        mass: 1,
        inertia: [across, across, along, 0, 0, 0],
        tip: [0, 0, 0.4],
      },
    ],
  });
  // Thrown up, torque-free: it precesses about L by |L| / I_1 and turns about its own axis by (1 - I_3 / I_1) of its spin.
  const END = 0.5;
  const exact = new Quaternion()
    .setFromAxisAngle(
      new Vector3(tilt * across, 0, spin * along).normalize(),
      (END * Math.hypot(tilt * across, spin * along)) / across,
    )
    .multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), END * spin * (1 - along / across)));
  const solve = (
    maxRefinements: number,
  ): { readonly solution: SpacetimeSolution; readonly error: number } => {
    const problem = createSpacetimeProblem(top, {
      duration: END,
      intervals: 6,
      terms: [
        { type: 'pose', at: 0 },
        { type: 'velocity', at: 0, velocity: [0, 2, 0, tilt, 0, spin] },
        { type: 'physics' },
      ],
    });
    const solution = solveSpacetime(problem, { maxRefinements });
    const [x, y, z] = sampleTrajectory(solution.trajectory, END).pose.slice(3);
    const angle = Math.hypot(x, y, z);
    const found = new Quaternion().setFromAxisAngle(new Vector3(x, y, z).normalize(), angle);
    return { solution, error: found.angleTo(exact) };
  };
  const [coarse, fine] = [solve(0), solve(3)];
  expect([coarse.solution.status, fine.solution.status]).toEqual(['coarse', 'converged']);
  expect(coarse.error).toBeGreaterThan(0.05);
  expect(fine.error).toBeLessThan(1e-3);
});

test('a reference with kinks at its keys leaves no jumps of the acceleration', () => {
  const turning = createMotion(body, {
    tracks: [
      {
        coordinate: 3,
        keys: { times: [0, 0.21, 0.4, 0.6], values: [0, 0, 0, 1.2, 0, 0, 1.5, 0.8, 0, 3, 0, 0.4] },
      },
    ],
  });
  const problem = createSpacetimeProblem(body, {
    duration: 0.6,
    reference: turning,
    terms: [{ type: 'pose', at: 0 }, { type: 'pose', at: 0.6 }, { type: 'physics' }, { type: 'smoothness' }],
  });
  const solution = solveSpacetime(problem, ACCURACY);
  expect(solution.status).toBe('converged');
  expect(solution.refinements).toBe(0);
  expect(rootForce(solution)).toBeLessThan(0.05 * WEIGHT);
});

test('what holds between its samples takes the same iterations as without refinement, to the bit', () => {
  const block = createFigure({
    bones: [{ name: 'block', joint: { type: 'slider', axis: [1, 0, 0] }, mass: 1 }],
  });
  const solve = (maxRefinements?: number): SpacetimeSolution =>
    solveSpacetime(
      createSpacetimeProblem(block, {
        duration: { min: 0.3, max: 6, start: 2 },
        terms: [
          { type: 'pose', at: 0, pose: [0] },
          { type: 'velocity', at: 0 },
          { type: 'pose', at: 2, pose: [1] },
          { type: 'velocity', at: 2 },
          { type: 'torque-limit', limit: 4 },
          { type: 'duration' },
        ],
      }),
      { ...(maxRefinements !== undefined && { maxRefinements }) },
    );
  const [refined, plain] = [solve(), solve(0)];
  expect([refined.status, refined.refinements, refined.iterations]).toEqual([
    'converged',
    0,
    plain.iterations,
  ]);
  expect(refined.save.breaks).toBeUndefined();
  expectSameBits(refined.save.unknowns, plain.save.unknowns);
});

test('a solution on a mesh stays the answer where iterations end in a refinement', () => {
  const link = { joint: { type: 'hinge', axis: [0, 0, 1] }, mass: 1, centerOfMass: [0, 0.5, 0] } as const;
  const links = createFigure({
    bones: [
      { name: 'a', ...link },
      { name: 'b', parent: 'a', rest: { position: [0, 1, 0] }, ...link },
    ],
  });
  const leastTime = createSpacetimeProblem(links, {
    duration: { min: 0.2, max: 4, start: 1, pieces: 4 },
    intervals: 8,
    gravity: [0, 0, 0],
    terms: [
      { type: 'pose', at: 'start', pose: [0, 0] },
      { type: 'pose', at: 'end', pose: [1.5, -1] },
      { type: 'velocity', at: 'start' },
      { type: 'velocity', at: 'end' },
      { type: 'torque-limit', limit: 10 },
      { type: 'duration', weight: 1 },
      { type: 'smoothness', weight: 1e-6 },
    ],
  });
  const coarse = solveSpacetime(leastTime, { maxRefinements: 0 });
  const stopped = solveSpacetime(leastTime, { maxIterations: coarse.iterations + 20 });
  expect(stopped.status).toBe('coarse');
  expect(stopped.violation).toBeLessThan(1e-6);
  expect(stopped.duration).toBe(coarse.duration);
});

test('tracking alone is the clip, whatever its detail', () => {
  const figure = createFigure({
    bones: [{ name: 'a', joint: { type: 'ball' }, mass: 1, centerOfMass: [0, 0.5, 0] }],
  });
  const times = Array.from({ length: 61 }, (_, k) => k / 60);
  const values = times.flatMap((t) => [0.3 * Math.sin(60 * t), 0.5 * t, 0.3 * Math.cos(60 * t)]);
  const motion = createMotion(figure, { tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }] });
  const { trajectory } = solveSpacetime(
    createSpacetimeProblem(figure, { duration: 1, reference: motion, terms: [{ type: 'tracking' }] }),
  );
  const sampler = createMotionSampler(figure, motion);
  for (let k = 0; k <= 200; k++) {
    const wanted = samplePose(sampler, k / 200, new Float64Array(3));
    const { pose } = sampleTrajectory(trajectory, k / 200);
    for (let i = 0; i < 3; i++) expect(pose[i]).toBeCloseTo(wanted[i], 9);
  }
});
