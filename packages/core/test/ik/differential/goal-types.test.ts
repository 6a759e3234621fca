import { boneIndex, createPose, createState, forwardKinematics, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createDifferentialControl, type Goal, goalTypes, stepDifferentialControl } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { randomFigure, randomPose, testRandom } from '../../support/random-figure.js';
import { goalKinds } from '../../support/random-goals.js';

describe('every goal type under differential control', () => {
  it.each(Object.keys(goalKinds))(
    '%s: reports the achieved velocity, and the error decreases without active constraints',
    (kind) => {
      const random = testRandom(kind.length * 131 + 7);
      let compared = 0;
      for (let n = 0; n < 12; n++) {
        const figure = randomFigure(random, 9, false);
        const goal = goalKinds[kind](random, figure);
        let control: ReturnType<typeof createDifferentialControl>;
        try {
          control = createDifferentialControl(figure, [goal]);
        } catch {
          continue; // no joint moves it
        }
        const pose = randomPose(figure, random, 1);
        const dt = 1e-5;
        stepDifferentialControl(control, pose, dt);
        const before = control.result.goals.map(({ error, achieved, velocityError, desired }) => ({
          error,
          achieved,
          velocityError,
          desired,
        }));
        expect(control.result.exact).toBe(true);
        stepDifferentialControl(control, pose, dt);
        control.result.goals.forEach(({ error, name }, k) => {
          // The roll about a pointing axis counts less the nearer that axis is to up: its error is no |r|.
          // That of a pole is the swivel, and r its chord.
          if (name === 'up' || name === 'swivel') return;
          const { error: from, achieved, velocityError, desired } = before[k];
          expect(Number.isFinite(error)).toBe(true);
          // Straight towards the target, |r| falls as fast as is achieved.
          if (!(velocityError < 1e-3 * desired && from > 0.01 && from < 2.5)) return;
          expect(Math.abs((from - error) / dt - achieved)).toBeLessThan(2e-3 * (1 + achieved));
          compared++;
        });
      }
      if (kind.startsWith('position') || kind.startsWith('orientation')) expect(compared).toBeGreaterThan(3);
    },
  );

  it('joint-value: the coordinate reaches its value and follows changes', () => {
    const figure = createHumanFigure();
    const goal: Goal & { type: 'joint-value'; value: number } = {
      type: 'joint-value',
      bone: 'leftLowerArm',
      value: 1.2,
    };
    const control = createDifferentialControl(figure, [goal]);
    const pose = createPose(figure);
    const elbow = figure.coordinateStart[boneIndex(figure, 'leftLowerArm')];
    for (let k = 0; k < 120; k++) stepDifferentialControl(control, pose, 1 / 60);
    expect(pose[elbow]).toBeCloseTo(1.2, 6);
    goal.value = 0.4;
    for (let k = 0; k < 120; k++) stepDifferentialControl(control, pose, 1 / 60);
    expect(pose[elbow]).toBeCloseTo(0.4, 6);
  });

  it('are complete', () => {
    const tried = new Set(
      [1, 2, 3].flatMap((seed) =>
        Object.values(goalKinds).map(
          (make) => make(testRandom(seed), randomFigure(testRandom(seed), 9)).type,
        ),
      ),
    );
    expect([...tried, 'joint-value'].sort()).toEqual(Object.keys(goalTypes).sort());
  });
});

describe('a half-space', () => {
  const figure = createHumanFigure();
  /** The left hand is dragged down through a table at 1.1 m and up again. */
  function press(dt: number): { change: number; deepest: number; pressed: boolean; away: number } {
    const target = new Float64Array(3);
    const place = (t: number): void => {
      target.set([0.25, 1.15 + 0.2 * Math.cos(2 * t), 0.35]);
    };
    place(0);
    const table = { point: [0, 1.1, 0], normal: [0, 1, 0] };
    const goals: Goal[] = [
      { type: 'position', bone: 'leftHand', target },
      { type: 'half-space', bone: 'leftHand', target: table },
    ];
    const control = createDifferentialControl(figure, goals, {
      locked: ['hips', 'spine', 'chest', 'upperChest'],
    });
    const pose = createPose(figure);
    for (let k = 0; k < 300; k++) stepDifferentialControl(control, pose, 1 / 100);
    const state = createState(figure);
    let before = control.velocity.slice();
    let change = 0;
    let deepest = 0;
    let pressed = false;
    for (let frame = 1; frame * dt < 3.2; frame++) {
      place(frame * dt);
      const { goals: report } = stepDifferentialControl(control, pose, dt);
      if (report.some(({ multiplier }) => multiplier > 0)) pressed = true;
      control.velocity.forEach((x, k) => {
        change = Math.max(change, Math.abs(x - before[k]));
      });
      before = control.velocity.slice();
      forwardKinematics(state, pose);
      deepest = Math.min(deepest, state.worldFromBone[12 * boneIndex(figure, 'leftHand') + 10] - 1.1);
      expect(limitViolation(figure, pose)).toBe(0);
    }
    return { change, deepest, pressed, away: control.result.goals[0].error };
  }

  it('stops a dragged hand at a table without a velocity jump, and releases it', () => {
    const sweeps = [4e-3, 2e-3, 1e-3].map(press);
    for (const { pressed, away } of sweeps) {
      expect(pressed).toBe(true);
      expect(away).toBeLessThan(0.03);
    }
    for (let n = 1; n < sweeps.length; n++) {
      expect(sweeps[n].change / sweeps[n - 1].change).toBeLessThan(0.65);
      // What the straight-line step leaves out is of second order in it.
      expect(Math.abs(sweeps[n].deepest)).toBeLessThan(0.6 * Math.abs(sweeps[n - 1].deepest) + 1e-9);
    }
    expect(sweeps[0].deepest).toBeGreaterThan(-1e-4);
  });

  it('moves a point behind its plane back out', () => {
    const control = createDifferentialControl(
      figure,
      [{ type: 'half-space', bone: 'leftHand', target: { point: [0, 1.6, 0], normal: [0, 1, 0] } }],
      { locked: ['hips'] },
    );
    const pose = createPose(figure);
    expect(stepDifferentialControl(control, pose, 1 / 60).goals[0].error).toBeGreaterThan(0.1);
    for (let k = 0; k < 600; k++) stepDifferentialControl(control, pose, 1 / 60);
    expect(control.result.goals[0].error).toBeLessThan(0.005);
  });
});
