import { createFigure, createPose, type Figure, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, type IkResult, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';

/** A leg: a ball at the hip, a knee about x, a foot; straight down at rest. */
const leg = createFigure({
  bones: [
    { name: 'thigh', joint: { type: 'ball' } },
    {
      name: 'shin',
      parent: 'thigh',
      rest: { position: [0, -1, 0] },
      joint: { type: 'hinge', axis: [1, 0, 0] },
    },
    { name: 'foot', parent: 'shin', rest: { position: [0, -1, 0] }, joint: { type: 'ball' } },
  ],
});

function solve(figure: Figure, goals: readonly Goal[], pose = createPose(figure)): IkResult {
  // No restarts: the way out is the descent's own.
  return solveIk(createIk(figure, goals, { restarts: 0 }), pose);
}

describe('Newton’s method escapes from saddles', () => {
  it('away from a limit, where the way downhill runs into it', () => {
    const arm = createFigure({
      bones: [
        { name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] } },
        {
          name: 'b',
          parent: 'a',
          rest: { position: [1, 0, 0] },
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -2, max: 0.01 },
        },
        { name: 'c', parent: 'b', rest: { position: [1, 0, 0] }, joint: { type: 'fixed' } },
      ],
    });
    const pose = createPose(arm);
    const { objective } = solve(
      arm,
      [
        { type: 'position', bone: 'c', target: [0, 1e-9, 0] },
        { type: 'position', bone: 'b', target: [0.65, 1e-9, 0] },
      ],
      pose,
    );
    expect(pose[1]).toBe(-2);
    expect(objective).toBeLessThan(3);
  });
});

describe('a lower priority escapes from saddles', () => {
  it('folds a straight arm whose target lies on its line', () => {
    const arm = createFigure({
      bones: Array.from({ length: 4 }, (_, k) => ({
        name: `b${k}`,
        parent: k === 0 ? null : `b${k - 1}`,
        rest: { position: [k === 0 ? 0 : 1, 0, 0] as const },
        joint: { type: 'hinge', axis: [0, 0, 1] } as const,
      })),
    });
    const result = solve(arm, [
      { type: 'joint-value', bone: 'b0', value: 0 },
      { type: 'position', bone: 'b3', target: [1.5, 0, 0], priority: 1 },
    ]);
    expect(result.status).toBe('converged');
  });

  it('swings a knee whose pole is straight behind it, with the foot in place', () => {
    const pose = createPose(leg);
    pose[3] = 1;
    // The foot, and the knee mirrored at the line to it.
    const foot = [0, -1 - Math.cos(1), -Math.sin(1)] as const;
    const along = 1 / (foot[1] ** 2 + foot[2] ** 2);
    const factor = -2 * foot[1] * along;
    const pole: [number, number, number] = [0, factor * foot[1] + 1, factor * foot[2]];
    const result = solve(
      leg,
      [
        { type: 'position', bone: 'foot', target: foot },
        { type: 'pole', bone: 'foot', target: pole, priority: 1 },
      ],
      pose,
    );
    expect(result.status).toBe('converged');
    expect(Math.hypot(pose[0], pose[1], pose[2])).toBeGreaterThan(1);
  });

  it('rolls a head that points right and stands on its crown', () => {
    const head = createFigure({ bones: [{ name: 'head', joint: { type: 'ball' } }] });
    const result = solve(head, [
      { type: 'position', bone: 'head', point: [0, 0, 1], target: [0, 0, 1] },
      {
        type: 'points-at',
        bone: 'head',
        axis: [0, 0, 1],
        target: [0, 0, 5],
        up: { axis: [0, -1, 0] },
        priority: 1,
      },
    ]);
    expect(result.status).toBe('converged');
  });
});

describe('a straight limb with a pole', () => {
  it.each([-1.1, -1.2, -1.5, -1.8])('bends towards the pole for a foot at %f', (y) => {
    const pose = createPose(leg);
    const result = solve(
      leg,
      [
        { type: 'position', bone: 'foot', target: [0, y, 0.05] },
        { type: 'pole', bone: 'foot', target: [0, -1, 1] },
      ],
      pose,
    );
    expect(result.status).toBe('converged');
  });
});

describe('redundant goals of higher priority', () => {
  it('leave a lower priority their null space: three points of a mirrored hand', () => {
    const figure = createHumanFigure();
    const points = [
      [0, 0, 0],
      [0.1, 0, 0],
      [0, 0, 0.1],
    ] as const;
    const reference = Float64Array.from({ length: figure.dof }, (_, i) => 0.3 + 0.3 * Math.sin(i * i));
    const ik = createIk(
      figure,
      [
        { type: 'mirror', bone: 'leftHand', of: 'rightHand', points },
        // With bent elbows: straight ones mirrored lose a rank.
        { type: 'posture', reference },
      ],
      { locked: ['hips'] },
    );
    const pose = Float64Array.from({ length: figure.dof }, (_, i) => 0.5 * Math.sin(1 + 7 * i));
    const result = solveIk(ik, pose);
    expect(result.status).toBe('converged');
    expect(result.lowerPriorities?.[0].stationarity).toBeLessThan(1e-8);
    expect(result.residuals.slice(0, 3).every(({ value }) => value < 1e-11)).toBe(true);
    expect(limitViolation(figure, pose)).toBe(0);
  });
});
