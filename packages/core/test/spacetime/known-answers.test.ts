import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createFigure, type Figure, type FigureData } from '../../src/figure/index.js';
import type { Vec3 } from '../../src/math/index.js';
import { createMotion, type Motion } from '../../src/motion/index.js';
import {
  createSpacetimeProblem,
  type FreeDuration,
  type SpacetimeData,
  type SpacetimeSolution,
  type SpacetimeTerm,
  sampleTrajectory,
  solveSpacetime,
  type Trajectory,
} from '../../src/spacetime/index.js';

// Problems whose answers are known by formulas, linear programs, Pontryagin's principle: scripts/oracles/spacetime_known_answers.py.
// Every solve begins at the straight line from start to end, with default options.

type Numbers = readonly number[];

interface Particle {
  readonly name: string;
  readonly mass: number;
  readonly gravity: Vec3;
  readonly from: Numbers;
  readonly to: Numbers;
  readonly duration: number;
  readonly startVelocity: Numbers | null;
  readonly endVelocity: Numbers | null;
  readonly cost: number;
  readonly samples: readonly (readonly [number, Numbers, Numbers, Numbers])[];
}

interface Space {
  readonly degree: number;
  readonly intervals: number;
}

interface ChainCase {
  readonly name: string;
  readonly figure: FigureData;
  readonly gravity: Vec3;
  readonly duration: number;
}

interface LeastTorque extends ChainCase {
  readonly from: Numbers;
  readonly to: Numbers;
  readonly cost: number;
  readonly samples: readonly (readonly [number, Numbers, Numbers, Numbers])[];
  readonly splines: readonly (Space & { readonly cost: number })[];
}

interface LeastTime extends ChainCase {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly samples: readonly Numbers[];
  readonly splines: readonly (Space & { readonly sampled: number })[];
}

interface KnownAnswers {
  readonly blockMove: { readonly cost: number; readonly samples: readonly Numbers[] };
  readonly minimumJerk: { readonly cost: number; readonly samples: readonly Numbers[] };
  readonly particle: {
    readonly cases: readonly Particle[];
    readonly freeDuration: readonly Omit<Particle, 'samples' | 'name'>[];
  };
  readonly bangBang: {
    readonly duration: number;
    readonly splines: readonly (Space & { readonly sampled: number })[];
  };
  readonly leastTorque: readonly LeastTorque[];
  readonly leastTime: readonly LeastTime[];
}

const file = new URL('../fixtures/spacetime/known-answers.json', import.meta.url);
const known: KnownAnswers = JSON.parse(readFileSync(file, 'utf8'));

const inertia = [1, 1, 1, 0, 0, 0] as const;
const block = createFigure({
  bones: [{ name: 'block', joint: { type: 'slider', axis: [1, 0, 0] }, mass: 1, inertia }],
});

/** Three sliders, the last of which carries the mass. */
function particle(mass: number): Figure {
  return createFigure({
    bones: [
      { name: 'x', joint: { type: 'slider', axis: [1, 0, 0] } },
      { name: 'y', parent: 'x', joint: { type: 'slider', axis: [0, 1, 0] } },
      { name: 'z', parent: 'y', joint: { type: 'slider', axis: [0, 0, 1] }, mass, inertia },
    ],
  });
}

function line(figure: Figure, from: Numbers, to: Numbers, duration: number): Motion {
  return createMotion(figure, {
    tracks: [{ coordinate: 0, keys: { times: [0, duration], values: [...from, ...to] } }],
  });
}

/** From one pose to another, at the velocities given. */
function between(
  from: Numbers,
  to: Numbers,
  duration: number,
  start: Numbers | null = from.map(() => 0),
  end: Numbers | null = from.map(() => 0),
): SpacetimeTerm[] {
  return [
    { type: 'pose', at: 0, pose: from },
    { type: 'pose', at: duration, pose: to },
    ...(start === null ? [] : [{ type: 'velocity', at: 0, velocity: start } as const]),
    ...(end === null ? [] : [{ type: 'velocity', at: duration, velocity: end } as const]),
  ];
}

function solve(
  figure: Figure,
  from: Numbers,
  to: Numbers,
  data: Omit<SpacetimeData, 'reference'>,
): SpacetimeSolution {
  const duration = typeof data.duration === 'number' ? data.duration : data.duration.start;
  const problem = createSpacetimeProblem(figure, {
    ...data,
    reference: line(figure, from, to, duration),
  });
  // Discretization errors down to 1e-7 are measured.
  const solution = solveSpacetime(problem, { tolerance: 1e-8, gain: 1e-8 });
  expect(solution.status).toBe('converged');
  expect(solution.violation).toBeLessThan(1.01e-8);
  return solution;
}

/** The integral of the squares of the joint forces: ten points of Gauss in each interval. */
function effortOf(trajectory: Trajectory, intervals: number): number {
  const nodes = [
    0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717,
  ];
  const weights = [
    0.2955242247147529, 0.2692667193099963, 0.219086362515982, 0.1494513491505806, 0.0666713443086881,
  ];
  const half = (0.5 * trajectory.duration) / intervals;
  let sum = 0;
  for (let k = 0; k < intervals; k++) {
    for (let j = 0; j < nodes.length; j++) {
      for (const x of [-nodes[j], nodes[j]]) {
        const { torques } = sampleTrajectory(trajectory, (2 * k + 1 + x) * half);
        for (const tau of torques) sum += half * weights[j] * tau * tau;
      }
    }
  }
  return sum;
}

/** Costs are told to 1e-8 of themselves, and are flat where they are least: motions are told to the root of that. */
const ROOT = 2e-4;

function expectNear(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    expect(Math.abs(actual[i] - expected[i])).toBeLessThanOrEqual(tolerance);
  }
}

describe('least effort in closed form', () => {
  test('a block moves along a cubic, with a linear force', () => {
    const { cost, trajectory } = solve(block, [0], [1], {
      duration: 1,
      gravity: [0, 0, 0],
      terms: [...between([0], [1], 1), { type: 'effort' }],
    });
    expect(Math.abs(cost / known.blockMove.cost - 1)).toBeLessThan(1e-7);
    for (const [t, x, v, u] of known.blockMove.samples) {
      const { pose, velocity, torques } = sampleTrajectory(trajectory, t);
      expectNear([pose[0], velocity[0], torques[0]], [x, v, u], ROOT * 6);
    }
  });

  test('least jerk is the quintic of Flash and Hogan', () => {
    const { cost, trajectory } = solve(block, [0], [1], {
      duration: 1,
      gravity: [0, 0, 0],
      terms: [
        ...between([0], [1], 1),
        { type: 'acceleration', at: 0 },
        { type: 'acceleration', at: 1 },
        { type: 'smoothness', order: 3 },
      ],
    });
    expect(Math.abs(cost / known.minimumJerk.cost - 1)).toBeLessThan(1e-7);
    for (const [t, x, v, a] of known.minimumJerk.samples) {
      const { pose, velocity, acceleration } = sampleTrajectory(trajectory, t);
      expectNear([pose[0], velocity[0], acceleration[0]], [x, v, a], ROOT * 6);
    }
  });

  test.each(known.particle.cases.map((c) => [c.name, c] as const))(
    'a particle with a jet: %s',
    (_, { mass, gravity, from, to, duration, startVelocity, endVelocity, cost: min, samples }) => {
      const { cost, trajectory } = solve(particle(mass), from, to, {
        duration,
        gravity,
        terms: [...between(from, to, duration, startVelocity, endVelocity), { type: 'effort' }],
      });
      expect(Math.abs(cost - min)).toBeLessThan(1e-7 * Math.max(1, min));
      const largest = Math.max(...samples.flatMap(([, x, v, f]) => [...x, ...v, ...f].map(Math.abs)));
      for (const [t, x, v, f] of samples) {
        const { pose, velocity, torques } = sampleTrajectory(trajectory, t);
        expectNear([...pose, ...velocity, ...torques], [...x, ...v, ...f], ROOT * largest);
      }
    },
  );

  test.each(known.particle.freeDuration.map((c) => [c.duration, c] as const))(
    'a particle with free duration: %f s',
    (best, { mass, gravity, from, to, cost: min }) => {
      const duration: FreeDuration = { min: 0.2, max: 20, start: 2 };
      const { cost, trajectory } = solve(particle(mass), from, to, {
        duration,
        gravity,
        terms: [...between(from, to, duration.start), { type: 'effort' }],
      });
      expect(Math.abs(cost / min - 1)).toBeLessThan(1e-7);
      expect(Math.abs(trajectory.duration / best - 1)).toBeLessThan(1e-3);
    },
  );
});

describe('least torque', () => {
  const cases = known.leastTorque.flatMap((c) =>
    c.splines.map((space) => [c.name, space.degree, space.intervals, c, space.cost] as const),
  );
  test.each(cases)('%s: degree %i, %i intervals', (_, degree, intervals, c, best) => {
    const { from, to, duration, gravity } = c;
    const { trajectory } = solve(createFigure(c.figure), from, to, {
      duration,
      gravity,
      degree,
      intervals,
      terms: [...between(from, to, duration), { type: 'effort' }],
    });
    const cost = effortOf(trajectory, intervals);
    const more = cost / best - 1;
    expect(more).toBeGreaterThan(-1e-7);
    // The solver looks at fewer moments than the oracle: of few intervals it makes less good use.
    expect(more).toBeLessThan(intervals >= 16 && degree === 5 ? 1e-6 : 1e-2);
    if (intervals < 32 || degree < 5) return;
    for (const [t, q, v] of c.samples) {
      const { pose, velocity } = sampleTrajectory(trajectory, Math.min(t, trajectory.duration));
      expectNear(pose, q, 1e-3);
      expectNear(velocity, v, 1e-2);
    }
  });
});

/**
 * The largest share of its limit that a torque takes, where the bound is held: at both ends, six times in the first and the last interval, three times
 * in the others.
 */
function maxTorque(trajectory: Trajectory, intervals: number, limit: number): number {
  let max = 0;
  const shares = [0, 1];
  for (let k = 0; k < intervals; k++) {
    const count = k === 0 || k === intervals - 1 ? 6 : 3;
    for (let j = 0; j < count; j++) shares.push((k + (j + 0.5) / count) / intervals);
  }
  for (const share of shares) {
    const { torques } = sampleTrajectory(trajectory, share * trajectory.duration);
    max = Math.max(max, Math.abs(torques[0]) / limit);
  }
  return max;
}

describe('least time', () => {
  const spaces = known.bangBang.splines.map((s) => [s.degree, s.intervals, s.sampled] as const);
  test.each(spaces)('a block accelerates and brakes: degree %i, %i intervals', (degree, intervals, best) => {
    const duration: FreeDuration = { min: 0.5, max: 8, start: 4 };
    const { cost, trajectory } = solve(block, [0], [1], {
      duration,
      degree,
      intervals,
      gravity: [0, 0, 0],
      terms: [...between([0], [1], 4), { type: 'duration' }, { type: 'torque-limit', limit: 1 }],
    });
    expect(Math.abs(trajectory.duration / best - 1)).toBeLessThan(1e-6);
    expect(cost).toBeCloseTo(trajectory.duration, 10);
    if (intervals > 8) expect(trajectory.duration / known.bangBang.duration).toBeLessThan(1.01);
    expect(maxTorque(trajectory, intervals, 1)).toBeLessThan(1 + 2e-8);
  });

  const hinges = known.leastTime.flatMap((c) =>
    c.splines.map((space) => [c.name, space.degree, space.intervals, c, space.sampled] as const),
  );
  test.each(hinges)('a hinge %s: degree %i, %i intervals', (_, degree, intervals, c, best) => {
    const duration: FreeDuration = { min: 0.1, max: 5, start: 1 };
    const { trajectory } = solve(createFigure(c.figure), [c.from], [c.to], {
      duration,
      degree,
      intervals,
      gravity: c.gravity,
      terms: [
        ...between([c.from], [c.to], 1),
        { type: 'duration' },
        { type: 'torque-limit', limit: c.limit },
      ],
    });
    expect(Math.abs(trajectory.duration / best - 1)).toBeLessThan(1e-6);
    expect(maxTorque(trajectory, intervals, c.limit)).toBeLessThan(1 + 2e-8);
    if (intervals < 64) return;
    // The true answer, which splines round off at the switch.
    expect(trajectory.duration / c.duration - 1).toBeLessThan(1e-3);
    for (const [t, q, v] of c.samples) {
      const { pose, velocity } = sampleTrajectory(trajectory, (t / c.duration) * trajectory.duration);
      expectNear([pose[0], velocity[0]], [q, v], 0.02);
    }
  });
});
