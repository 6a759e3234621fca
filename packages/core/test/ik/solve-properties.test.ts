import { PoiseError } from 'poise';
import { clampToLimits, createFigure, type Figure, figureToData, limitViolation } from 'poise/figure';
import { createIk, type Goal, type Ik, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/ik/problem/problem.js';
import { createWorkspace } from '../../src/ik/problem/workspace.js';
import { levenbergMarquardt } from '../../src/ik/solver/levenberg-marquardt.js';
import { objectiveOf, stationarityOf } from '../support/objective.js';
import { createProblem } from '../support/problem.js';
import { randomFigure, randomPose, randomTriple, testRandom } from '../support/random-figure.js';

interface Case {
  readonly figure: Figure;
  readonly goals: Goal[];
  readonly locked: string[];
  readonly restarts: number;
  readonly start: Float64Array;
  readonly ik: Ik;
}

/**
 * A random figure from a millimetre to a kilometre, with random limits, goals (targets in the world and on the figure, weights
 * over six decades), locked bones and a start outside the limits; undefined where no joint moves a goal.
 */
function randomCase(seed: number): Case | undefined {
  const random = testRandom(seed * 7919);
  const size = 10 ** (6 * random() - 3);
  const figure = scaled(randomFigure(random, 3 + Math.floor(8 * random())), size);
  const goals = randomGoals(figure, random, size);
  const locked = figure.bones.filter(() => random() < 0.1).map(({ name }) => name);
  const restarts = random() < 0.5 ? 0 : 2;
  const start = randomPose(figure, random, 3);
  for (const { joint, coordinate } of figure.bones) {
    const translations = joint.type === 'slider' ? 1 : joint.type === 'free' ? 3 : 0;
    for (let k = 0; k < translations; k++) start[coordinate + k] *= size;
  }
  try {
    return { figure, goals, locked, restarts, start, ik: createIk(figure, goals, { locked, restarts }) };
  } catch (error) {
    if (error instanceof PoiseError && error.code === 'immovable-goal') return undefined;
    throw error;
  }
}

/** The figure with all its lengths times `size`. */
function scaled(figure: Figure, size: number): Figure {
  const longer = (v: readonly number[]): [number, number, number] => [size * v[0], size * v[1], size * v[2]];
  return createFigure({
    bones: figureToData(figure).bones.map((bone) => ({
      ...bone,
      rest: { ...bone.rest, position: longer(bone.rest?.position ?? [0, 0, 0]) },
      ...(bone.tip === undefined ? {} : { tip: longer(bone.tip) }),
      ...(bone.limit?.type === 'interval' && bone.joint?.type === 'slider'
        ? { limit: { ...bone.limit, min: size * (bone.limit.min ?? 0), max: size * (bone.limit.max ?? 0) } }
        : {}),
    })),
  });
}

function randomGoals(figure: Figure, random: () => number, size: number): Goal[] {
  const pick = (): number => 1 + Math.floor((figure.bones.length - 1) * random());
  return Array.from({ length: 1 + Math.floor(3 * random()) }, (): Goal => {
    const common = { bone: pick(), weight: 10 ** (6 * random() - 3) };
    const carried = random() < 0.25;
    const kind = random();
    const other = { bone: pick() };
    if (kind < 0.6) {
      const target = carried ? other : randomTriple(random, size);
      return {
        type: 'position',
        ...common,
        point: randomTriple(random, 0.2 * size),
        target,
        tolerance: 1e-4 * size,
      };
    }
    if (kind < 0.8) {
      const target = carried ? other : randomTriple(random, 2 * size);
      return { type: 'points-at', ...common, axis: randomTriple(random), target };
    }
    return {
      type: 'orientation',
      ...common,
      target: carried ? other : [...randomTriple(random), 1 - random()],
    };
  });
}

const cases = Array.from({ length: 300 }, (_, n) => randomCase(n + 1)).filter((one) => one !== undefined);

describe('any figure, any goals, any limits', () => {
  it('never leave a limit, end in NaN, or end above the start; statuses mean what they say', () => {
    const seen = new Map<string, number>();
    cases.forEach(({ figure, goals, locked, restarts, start, ik }, n) => {
      const projected = start.slice();
      clampToLimits(figure, projected);
      const pose = start.slice();
      const result = solveIk(ik, pose);
      const says = `case ${n}, ${result.status}, restarts ${restarts}`;
      seen.set(result.status, (seen.get(result.status) ?? 0) + 1);
      expect(pose.every(Number.isFinite), says).toBe(true);
      expect(limitViolation(figure, pose), says).toBe(0);
      const f = objectiveOf(figure, goals, pose, result.lengthScale);
      expect(Math.abs(f - result.objective), says).toBeLessThanOrEqual(1e-10 * (1 + f));
      if (result.status !== 'converged') {
        const before = objectiveOf(figure, goals, projected, result.lengthScale);
        expect(f, says).toBeLessThanOrEqual(before * (1 + 1e-10));
      }
      expect(result.residuals.every(({ satisfied }) => satisfied)).toBe(result.status === 'converged');
      for (const { value, tolerance, satisfied } of result.residuals)
        expect(satisfied).toBe(value <= tolerance);
      expect(result.activeLimits.every(({ multiplier }) => multiplier > 0)).toBe(true);
      for (const name of locked) {
        const bone = figure.bones.find((one) => one.name === name);
        for (let k = 0; k < (bone?.dof ?? 0); k++) {
          expect(pose[(bone?.coordinate ?? 0) + k]).toBe(projected[(bone?.coordinate ?? 0) + k]);
        }
      }
      if (result.status === 'out-of-reach') expect(result.activeLimits, says).toEqual([]);
      if (result.status === 'limit-blocked') expect(result.activeLimits.length, says).toBeGreaterThan(0);
      if (result.status === 'out-of-reach' || result.status === 'limit-blocked') {
        expect(stationarityOf(figure, goals, pose, result.lengthScale, locked), says).toBeLessThan(1.01e-8);
      }
    });
    expect(seen.get('converged')).toBeGreaterThan(30);
    expect(seen.get('limit-blocked')).toBeGreaterThan(20);
    expect(seen.get('out-of-reach')).toBeGreaterThan(5);
    // An honest ending is the rule, a stall the exception.
    const loose = (seen.get('stalled') ?? 0) + (seen.get('iteration-limit') ?? 0);
    expect(loose).toBeLessThanOrEqual(0.02 * cases.length);
  });

  it('keep every accepted iterate allowed and no higher than the one before', () => {
    for (const { figure, goals, locked, start } of cases.slice(0, 60)) {
      const problem = createProblem(figure, goals, locked);
      const work = createWorkspace(problem);
      const first = start.slice();
      clampToLimits(figure, first);
      let before = evaluate(problem, first);
      for (let steps = 1; steps <= 12; steps++) {
        const pose = first.slice();
        const { objective } = levenbergMarquardt(problem, work, pose, steps);
        expect(limitViolation(figure, pose)).toBe(0);
        expect(objective).toBeLessThanOrEqual(before);
        before = objective;
      }
    }
  });

  it('give the same bits again, on the same solver and on a new one', () => {
    for (const { figure, goals, locked, restarts, start, ik } of cases.slice(0, 40)) {
      const runs = [ik, ik, createIk(figure, goals, { locked, restarts })].map((solver) => {
        const pose = start.slice();
        return { result: solveIk(solver, pose), pose };
      });
      expect(runs[1]).toEqual(runs[0]);
      expect(runs[2]).toEqual(runs[0]);
    }
  });
});
