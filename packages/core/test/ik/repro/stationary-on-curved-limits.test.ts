import { readFileSync } from 'node:fs';
import { createFigure, createPose, type Figure, type Quadruple } from 'poise/figure';
import { createIk, type Goal, type IkResult, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { type FixtureProblem, problemOf } from '../oracle/global-optimum.js';

function solved(
  figure: Figure,
  goals: readonly Goal[],
  start = createPose(figure),
  restarts?: number,
): IkResult {
  return solveIk(createIk(figure, goals, restarts === undefined ? {} : { restarts }), start);
}

/*
 * Found by the random figures and by the SLSQP comparison: poses on the boundary of a curved limit that ended `stalled` or
 * `iteration-limit` a hair short of stationary.
 */
describe("Newton's method on a curved limit", () => {
  // Rounding of the face gradient along the normal, divided by a damping of 1e-9, moved the pose 2e-8 off the boundary: f rose by
  // the multiplier times that, and every step was refused.
  it('stays on the boundary: steps keep to the tangent to the last bit', () => {
    const url = new URL('../../fixtures/ik/global-optimum.json', import.meta.url);
    const { problems } = JSON.parse(readFileSync(url, 'utf8')) as { problems: FixtureProblem[] };
    const stagnant: [problem: number, start: number[]][] = [
      [117, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
      [870, [0, 0, 0, 0, 0, 0, 0, 0]],
      [111, [0.39, -1.72, -0.72, -1.09, -0.4, 1.98]],
      [359, [0.68, 0.88, 1.66, 1.53, 1.84, -1.73]],
      [613, [0.69, 1.97, -1.96, -0.81, 0.69, -0.46, -0.64]],
    ];
    for (const [n, start] of stagnant) {
      const { figure, problem } = problemOf(problems[n], 1e-9);
      const result = solved(figure, problem.goals, Float64Array.from(start), 0);
      expect(result.status).toBe('limit-blocked');
      expect(result.stationarity).toBeLessThan(1e-8);
    }
  });

  // The curvature of a limit a hair wide, 1e10 times that of the goals, was the measure of the least damping: all other joints
  // crept. One limit of an animator's rig with an axis all but locked is enough.
  it('moves the other joints where a limit is very narrow', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'base',
          joint: { type: 'euler', order: 'XZY' },
          limit: { type: 'box', min: [0.4, -0.42, -1.08], max: [0.4, 1.25, 0.56] },
        },
        {
          name: 'arm',
          parent: 'base',
          rest: { position: [0, 1.24, 0] },
          joint: { type: 'swing', axis: [1, 0, 0], side: [-0.63, -0.39, -0.66] },
          limit: { type: 'ellipse', halfAngles: [1e-6, 0.5] },
          tip: [0, 1.24, 0],
        },
      ],
    });
    const goals: Goal[] = [
      { type: 'position', bone: 'arm', point: [-0.61, 0.44, 0.84], target: [0, -0.55, 0], tolerance: 1e-7 },
    ];
    const result = solved(figure, goals);
    expect(result.status).toBe('limit-blocked');
    expect(result.stationarity).toBeLessThan(1e-8);
    expect(result.iterations).toBeLessThan(400);
  });

  // Where a hair-thin quarter of the limit meets a wide one, the curvature jumps a millionfold; the damping had to be able to
  // follow it for a step short enough.
  it('converges where a wide quadrant of a limit meets a very narrow one', () => {
    const stagnant: { max: number; s: [number, number]; t: [number, number]; target: Quadruple }[] = [
      { max: 1.02, s: [-1.01, 0.41], t: [-0.65, 1e-6], target: [0.75, -0.1, 0.81, 0.16] },
      { max: 0.76, s: [-0.23, 1.15], t: [-0.79, 1e-5], target: [0.06, 0.7, 0.88, 0] },
      { max: 0.83, s: [-0.35, 1.15], t: [-0.6, 1e-6], target: [-0.02, -0.32, 0.53, 0.76] },
      { max: 0.67, s: [-0.71, 0.56], t: [-1.06, 1e-5], target: [-0.42, -0.87, 0.78, 0.93] },
    ];
    for (const { max, s, t, target } of stagnant) {
      const figure = createFigure({
        bones: [
          { name: 'root', joint: { type: 'ball' }, limit: { type: 'angle', max } },
          {
            name: 'arm',
            parent: 'root',
            joint: { type: 'ball-and-socket', axis: [1, 0, 0] },
            limit: {
              type: 'swing-twist',
              swing: { type: 'quad-ellipse', s, t },
              twist: { min: -0.5, max: 0.5 },
            },
          },
        ],
      });
      const result = solved(figure, [{ type: 'orientation', bone: 'arm', target }], createPose(figure), 0);
      expect(result.status).toBe('limit-blocked');
      expect(result.stationarity).toBeLessThan(1e-8);
    }
  });
});
