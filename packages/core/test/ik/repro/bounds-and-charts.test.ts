import { createFigure } from 'poise/figure';
import { createIk, type Goal, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { differentiate, evaluate, writeGradient } from '../../../src/ik/problem/problem.js';
import { updateActiveSet } from '../../../src/math/optimization/active-limits.js';
import { chainOf } from '../oracle/judged.js';

/* Found by the random figures. */

describe('a goal on one coordinate of an unlimited ball joint', () => {
  // A whole turn taken off a rotation vector is the same rotation but another coordinate: f jumped from 0.12 to 1.38 on the way.
  it('keeps the joint in its chart: f never rises on the way', () => {
    const figure = createFigure({ bones: chainOf(2, { type: 'ball' }) });
    const goals: Goal[] = [
      { type: 'joint-value', bone: 'bone1', coordinate: 2, value: 4 },
      { type: 'position', bone: 'bone1', point: [0, 1, 0], target: [0.3, -1.2, 0.4] },
    ];
    const seen: number[] = [];
    const ik = createIk(figure, goals, { restarts: 0, onIterate: (_pose, f) => seen.push(f) });
    const pose = Float64Array.from([0.1, 0.2, -0.1, 0.5, -0.3, 2.5]);
    const result = solveIk(ik, pose);
    for (let n = 1; n < seen.length; n++) expect(seen[n]).toBeLessThanOrEqual(seen[n - 1]);
    expect(result.status).toBe('converged');
    expect(pose[5]).toBeCloseTo(4, 3);
  });
});

describe('a pose that rounding has left an ulp inside a bound', () => {
  // Then |P(q - grad f) - q| is nothing, so it counts as stationary; a bound that was not told made it out-of-reach.
  it.each([1, -1])('is at the bound all the same (side %d)', (side) => {
    const bones = chainOf(
      2,
      { type: 'hinge', axis: [0, 0, 1] },
      { limit: { type: 'interval', min: -0.3, max: 0.3 } },
    );
    const figure = createFigure({ bones });
    // Towards -x the hinges turn to +0.3, towards +x to -0.3.
    const goals: Goal[] = [{ type: 'position', bone: 'bone1', point: [0, 1, 0], target: [-2 * side, 0, 0] }];
    const { problem, workspace } = createIk(figure, goals);
    const pose = Float64Array.from([side * 0.3, side * (0.3 - 2 ** -54)]);
    evaluate(problem, pose);
    differentiate(problem, pose);
    writeGradient(problem, workspace.gradient);
    updateActiveSet(workspace.activeSet, pose, workspace.gradient);
    expect(Array.from(workspace.activeSet.active)).toEqual([1, 1]);
    const result = solveIk(createIk(figure, goals, { maxIterations: 0, restarts: 0 }), pose);
    expect(result.status).toBe('limit-blocked');
    expect(result.activeLimits.map(({ bone }) => bone)).toEqual(['bone0', 'bone1']);
  });
});

describe('a pose that rounding has left within a curved limit a hair wide', () => {
  // Found by the soak: the coordinate came from -0.01 in one step, and an ulp of that is 1e-10 of the limit. The answer was out-of-reach.
  it.each([
    { type: 'cone', halfAngle: 2e-8 },
    { type: 'ellipse', halfAngles: [2e-8, 1] },
    { type: 'quad-ellipse', s: [-1, 2e-8], t: [-0.2, 2e-8] },
  ] as const)('is at its boundary all the same ($type)', (limit) => {
    const figure = createFigure({
      bones: [{ name: 'bone', joint: { type: 'swing', axis: [0, 1, 0] }, limit }],
    });
    const goals: Goal[] = [{ type: 'joint-value', bone: 'bone', coordinate: 0, value: 0.8 }];
    const pose = Float64Array.from([2e-8 - 2 ** -58, 0]);
    const result = solveIk(createIk(figure, goals, { maxIterations: 0, restarts: 0 }), pose);
    expect(result.status).toBe('limit-blocked');
    expect(result.activeLimits.map(({ multiplier }) => multiplier)).toEqual([expect.closeTo(0.8)]);
  });
});
