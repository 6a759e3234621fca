import { computeMomentum, createDynamics } from 'poise/dynamics';
import { createState, forwardKinematics } from 'poise/figure';
import {
  createSpacetimeProblem,
  type SpacetimeSolution,
  sampleTrajectory,
  solveSpacetime,
} from 'poise/spacetime';
import { describe, expect, it } from 'vitest';
import { drawExample, names } from '../spacetime/draw.js';
import { spacetimeExamples } from '../spacetime/problems/index.js';
import { drawStrip } from '../spacetime/strip.js';

function solved(name: string, intervals: number): SpacetimeSolution {
  const { figure, data, options } = spacetimeExamples[name](intervals);
  return solveSpacetime(createSpacetimeProblem(figure, data), options);
}

/** Where a bone is at a moment, m. */
function positionOf({ trajectory }: SpacetimeSolution, bone: string, time: number): number[] {
  const { figure } = trajectory.problem;
  const state = createState(figure);
  forwardKinematics(state, sampleTrajectory(trajectory, time).pose);
  const o = 12 * figure.bones.findIndex(({ name }) => name === bone) + 9;
  return Array.from(state.worldFromBone.slice(o, o + 3));
}

describe('the robot arm in least time', () => {
  const solution = solved('robot-arm', 16);

  it('is as fast as torques and rates allow, and no faster', () => {
    expect(solution.status).toBe('converged');
    const { trajectory, duration } = solution;
    // The first joint turns 2.6 rad at pi rad/s at most, and has to start and stop.
    expect(duration).toBeGreaterThan(2.6 / Math.PI);
    expect(duration).toBeLessThan(1.2 * (2.6 / Math.PI));
    let fastest = 0;
    for (let k = 0; k <= 200; k++) {
      const { velocity } = sampleTrajectory(trajectory, (k / 200) * duration);
      for (const rate of velocity) fastest = Math.max(fastest, Math.abs(rate));
    }
    // Held at moments of each knot interval; between them it may overshoot a little.
    expect(fastest).toBeLessThan(1.01 * Math.PI);
    expect(fastest).toBeGreaterThan(0.98 * Math.PI);
  });
});

describe('the throw', () => {
  const solution = solved('throw', 24);

  it('has the hand at the mark with the velocity asked for', () => {
    expect(solution.status).toBe('converged');
    const [mark] = spacetimeExamples.throw().marks ?? [];
    const at = positionOf(solution, 'rightHand', 0.7);
    at.forEach((x, k) => {
      expect(Math.abs(x - mark[k])).toBeLessThan(2e-3);
    });
    const h = 1e-4;
    const [a, b] = [0.7 - h, 0.7 + h].map((time) => positionOf(solution, 'rightHand', time));
    const velocity = b.map((x, k) => (x - a[k]) / (2 * h));
    [0.8, 1, 3.5].forEach((asked, k) => {
      expect(Math.abs(velocity[k] - asked)).toBeLessThan(0.15);
    });
  });

  it('leaves hips and legs where they are', () => {
    const before = positionOf(solution, 'leftFoot', 0);
    expect(positionOf(solution, 'leftFoot', 0.6)).toEqual(before);
  });
});

describe('the lamp', () => {
  const solution = solved('luxo-jump', 24);
  const { trajectory } = solution;
  const dynamics = createDynamics(trajectory.problem.figure);

  it('stands on its base, flies, and stands 0.3 m farther', () => {
    expect(solution.status).toBe('converged');
    for (const time of [0, 0.2, 0.45]) expect(positionOf(solution, 'base', time)[1]).toBeCloseTo(0, 4);
    expect(positionOf(solution, 'base', 0.625)[1]).toBeGreaterThan(0.02);
    for (const time of [0.8, 1, 1.2]) {
      const [, y, z] = positionOf(solution, 'base', time);
      expect(y).toBeCloseTo(0, 4);
      expect(z - positionOf(solution, 'base', 0)[2]).toBeCloseTo(0.3, 4);
    }
  });

  it('falls freely while nothing touches the floor', () => {
    const fly = (time: number) => {
      const { pose, velocity, forces } = sampleTrajectory(trajectory, time);
      expect(Math.max(...forces.map(Math.abs))).toBe(0);
      return computeMomentum(dynamics, pose, velocity);
    };
    // At knots, where this is held; between them a spline of 0.05 s a piece is off by millimetres.
    const [a, b, c, d] = [0.55, 0.6, 0.65, 0.7].map(fly);
    for (const [x, y, z] of [
      [a, b, c],
      [b, c, d],
    ]) {
      [0, -9.81, 0].forEach((g, i) => {
        expect(x.center[i] - 2 * y.center[i] + z.center[i]).toBeCloseTo(g * 0.05 ** 2, 6);
      });
    }
    // And the spin in the middle of every knot interval between two that are as long.
    const { breaks } = trajectory.problem.mesh;
    const middles = Array.from(breaks.slice(1), (end, k) => 0.5 * (breaks[k] + end));
    const [first, ...rest] = middles
      .filter((time) => time > 0.55 && time < 0.7)
      .map((time) => fly(time).angular);
    expect(rest.length).toBeGreaterThan(1);
    for (const spin of rest) for (const i of [0, 1, 2]) expect(spin[i]).toBeCloseTo(first[i], 6);
  });

  it('pushes against the floor within the cones of friction, on the way up and down', () => {
    for (let k = 0; k <= 240; k++) {
      const { forces } = sampleTrajectory(trajectory, (k / 240) * solution.duration);
      for (let i = 0; i < forces.length; i += 3) {
        expect(Math.hypot(forces[i], forces[i + 2])).toBeLessThanOrEqual(forces[i + 1] * (1 + 1e-9) + 1e-9);
      }
    }
  });
});

describe('with all defaults', () => {
  // Standing jump and backflip take longer: npm run bench -- spacetime-examples.
  it.each<readonly [string, number, number]>([
    ['luxo-jump', 35.77, 150],
    ['robot-arm', 0.86776, 40],
    ['throw', 10.15744, 40],
    ['step-over', 2.1618, 120],
  ])('%s converges to the best cost', (name, cost, most) => {
    const { figure, data } = spacetimeExamples[name]();
    const solution = solveSpacetime(createSpacetimeProblem(figure, data));
    expect(solution.status).toBe('converged');
    expect(solution.iterations).toBeLessThan(most);
    // Costs to 1e-8 and 1e-8: the lamp's is flat on its refined mesh.
    expect(Math.abs(solution.cost / cost - 1)).toBeLessThan(1e-3);
  });
});

describe('strips', () => {
  it('show every example, each with its own name', () => {
    expect(names).toHaveLength(6);
    for (const name of names) {
      const example = spacetimeExamples[name](8);
      expect(example.name).toBe(name);
      const pose = new Float64Array(example.figure.dof);
      const svg = drawStrip(example, [
        { time: 0, pose },
        { time: 1, pose },
      ]);
      expect(svg).toContain(`<title>${example.title}</title>`);
      expect(svg).toContain('1.00 s');
      expect(svg).not.toContain('NaN');
    }
  });

  it('are drawn of what was solved', () => {
    const { svg, solution } = drawExample('robot-arm');
    expect(solution.status).toBe('converged');
    expect(svg).toContain(`${solution.duration.toFixed(2)} s`);
  });
});
