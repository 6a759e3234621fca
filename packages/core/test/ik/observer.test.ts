import { type PoiseError, PoiseError as PoiseErrorClass } from 'poise';
import { createPose, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, type IkOptions, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { objectiveOf } from '../support/objective.js';

const figure = createHumanFigure();
/** Two places for one hand: no pose meets both, and none is provably beyond the arm, so other starts are tried. */
const torn: Goal[] = [
  { type: 'position', bone: 'leftHand', target: [0.3, 1.3, 0.4] },
  { type: 'position', bone: 'leftHand', target: [0.1, 1.1, 0.3] },
];

function watched(
  goals: Goal[],
  options: IkOptions,
): { poses: Float64Array[]; objectives: number[]; end: Float64Array } {
  const poses: Float64Array[] = [];
  const objectives: number[] = [];
  const ik = createIk(figure, goals, {
    ...options,
    onIterate: (pose, objective) => {
      poses.push(pose.slice());
      objectives.push(objective);
    },
  });
  const end = createPose(figure);
  solveIk(ik, end);
  return { poses, objectives, end };
}

describe('the observer of iterates', () => {
  it('sees the start, every accepted pose of one descent in decreasing order of f, and the answer last', () => {
    const { poses, objectives, end } = watched(torn, { locked: ['hips'], restarts: 0 });
    expect(poses.length).toBeGreaterThan(5);
    expect(poses[0]).toEqual(createPose(figure));
    expect(poses.at(-1)).toEqual(end);
    for (let n = 1; n < objectives.length; n++) {
      // At the end f no longer shows the difference that the gradient does (1e-14 relative).
      expect(objectives[n]).toBeLessThanOrEqual(objectives[n - 1] * (1 + 1e-13));
    }
    poses.forEach((pose, n) => {
      expect(limitViolation(figure, pose)).toBe(0);
      expect(objectiveOf(figure, torn, pose, lengthScale())).toBeCloseTo(objectives[n], 12);
    });
  });

  it('sees the restarts too', () => {
    const near = watched(torn, { locked: ['hips'], restarts: 0 });
    const all = watched(torn, { locked: ['hips'], restarts: 4 });
    const starts = all.objectives.filter((f, n) => n > 0 && f > 1.001 * all.objectives[n - 1]);
    expect(starts.length).toBeGreaterThan(0);
    expect(all.poses.length).toBeGreaterThan(near.poses.length);
  });

  it('changes no bit of the answer', () => {
    const pose = createPose(figure);
    solveIk(createIk(figure, torn, { locked: ['hips'] }), pose);
    expect(watched(torn, { locked: ['hips'] }).end).toEqual(pose);
  });

  it('must be a function', () => {
    let error: PoiseError | undefined;
    try {
      createIk(figure, torn, { onIterate: 5 } as unknown as IkOptions);
    } catch (thrown) {
      if (thrown instanceof PoiseErrorClass) error = thrown;
    }
    expect([error?.code, error?.path]).toEqual(['unsupported', 'options.onIterate']);
  });
});

function lengthScale(): number {
  return solveIk(createIk(figure, torn, { restarts: 0, maxIterations: 0 }), createPose(figure)).lengthScale;
}
