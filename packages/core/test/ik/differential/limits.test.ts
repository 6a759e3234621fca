import {
  clampToLimits,
  createFigure,
  createState,
  type Figure,
  limitShapes,
  limitViolation,
  ratesFromVelocity,
} from 'poise/figure';
import { createDifferentialControl, type Goal, stepDifferentialControl } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { seedFromEnvironment } from '../../../../../scripts/test-support/seed.js';
import { randomCases, sweepArm } from './support.js';

const STEPS = [1 / 60, 0, 1 / 1000, 0.3, 1 / 60, 10, 1e6, 1e-9, 1 / 60, 1 / 60];

/** Largest speed over its limit, and part of it that is over; the lengths of |v| from the velocities themselves. */
function overspeed(
  figure: Figure,
  velocity: Float64Array,
  limit: (bone: number, kind: 'angular' | 'linear') => number,
): number {
  let worst = 0;
  for (const bone of figure.bones) {
    const own = Array.from(velocity.subarray(bone.coordinate, bone.coordinate + bone.dof));
    const angular = limit(bone.index, 'angular');
    const linear = limit(bone.index, 'linear');
    const { type } = bone.joint;
    if (type === 'ball') worst = Math.max(worst, Math.hypot(...own) / angular);
    else if (type === 'free') {
      worst = Math.max(worst, Math.hypot(...own.slice(0, 3)) / linear, Math.hypot(...own.slice(3)) / angular);
    } else for (const x of own) worst = Math.max(worst, Math.abs(x) / (type === 'slider' ? linear : angular));
  }
  return worst;
}

describe('limits and rates under differential control', () => {
  it('are satisfied by the velocities, for any figure, goals and step', () => {
    let steps = 0;
    let inexact = 0;
    let active = 0;
    let curved = 0;
    let saturated = 0;
    // The seeds of every run, and those of this one (POISE_SEED).
    const drawn = randomCases(40, {}, seedFromEnvironment(process.env.POISE_SEED) % 1e6);
    for (const { figure, control, start, random } of [...randomCases(100), ...drawn]) {
      const pose = start.slice();
      clampToLimits(figure, pose);
      const state = createState(figure);
      for (let step = 0; step < 3 * STEPS.length; step++) {
        const dt = STEPS[Math.floor(STEPS.length * random())];
        const before = pose.slice();
        const { exact, limits, rates } = stepDifferentialControl(control, pose, dt);
        steps++;
        if (!exact) inexact++;
        expect(limitViolation(figure, pose)).toBe(0);
        expect(pose.every(Number.isFinite)).toBe(true);
        // Before any rounding is taken out: q + dt N v in the chart of the pose before.
        const moved = new Float64Array(figure.dof);
        ratesFromVelocity(state, before, control.velocity, moved);
        for (let i = 0; i < moved.length; i++) moved[i] = before[i] + dt * moved[i];
        // Longer steps have several parts, and the velocities are those of the last.
        if (dt <= 1 / 40) expect(limitViolation(figure, moved)).toBeLessThanOrEqual(1e-12);
        expect(
          overspeed(
            figure,
            control.velocity,
            (bone, kind) => control.workspace.options.rateLimits[bone][kind],
          ),
        ).toBeLessThanOrEqual(1 + 1e-12);
        active += limits.filter((limit) => limit.active).length;
        curved += limits.filter(
          (limit, n) => limit.active && control.workspace.bounds.limits[n].kind !== 'interval',
        ).length;
        saturated += rates.filter((rate) => rate.saturated).length;
        for (const { active: holds, multiplier } of limits) expect(multiplier > 0).toBe(holds);
        for (const rate of rates) {
          expect(rate.multiplier > 0).toBe(rate.saturated);
        }
      }
    }
    // Cut short in a few steps of extreme figures that rest on several curved limits at once; held there, too.
    expect(inexact).toBeLessThanOrEqual(0.002 * steps);
    // The property has been put to the test.
    expect(active).toBeGreaterThan(500);
    expect(curved).toBeGreaterThan(200);
    expect(saturated).toBeGreaterThan(500);
  });

  it('slow a joint down as exp(-limitGain t), and are never violated', () => {
    const figure = createHinge(1);
    const control = createDifferentialControl(
      figure,
      [{ type: 'position', bone: 'tip', target: [-1, 0.2, 0] }],
      {
        limitGain: 10,
        maxJointRate: { angular: Number.POSITIVE_INFINITY },
        maxGoalSpeed: { linear: 100 },
        gain: 50,
      },
    );
    const pose = new Float64Array([0.9]);
    for (let k = 1; k <= 40; k++) {
      stepDifferentialControl(control, pose, 0.02);
      expect(Math.abs(1 - pose[0] - 0.1 * Math.exp(-0.2 * k))).toBeLessThan(1e-14);
      expect(control.result.status).toBe('limit-blocked');
    }
  });

  it('change the joint velocities continuously as they become active and inactive', () => {
    const sweeps = [4e-3, 2e-3, 1e-3, 5e-4].map((dt) => sweepArm(dt, {}));
    for (const { engaged, released } of sweeps) {
      expect(engaged).toBeGreaterThanOrEqual(2);
      expect(released).toBeGreaterThanOrEqual(2);
    }
    // A jump would stay as it is; a continuous velocity changes by half as much in half the time.
    for (let n = 1; n < sweeps.length; n++) expect(sweeps[n].change / sweeps[n - 1].change).toBeLessThan(0.6);
    expect(sweeps[3].change).toBeLessThan(0.1);
  });

  it('change them continuously with a posture and rate limits', () => {
    const posture = { reference: new Float64Array(53) };
    const sweeps = [1e-3, 2.5e-4].map((dt) => sweepArm(dt, { posture, maxJointRate: { angular: 2 } }));
    for (const { engaged, released } of sweeps) expect(Math.min(engaged, released)).toBeGreaterThanOrEqual(2);
    expect(sweeps[1].change / sweeps[0].change).toBeLessThan(0.45);
  });

  it('never cause a velocity jump: shorter frames change it by less, on any figure', () => {
    let crossed = 0;
    const seed = seedFromEnvironment(process.env.POISE_SEED) % 1e6;
    for (const one of [...randomCases(24, {}, 400), ...randomCases(6, {}, seed)]) {
      const { figure, goals, options } = one;
      const sweep = (dt: number): { change: number; switches: number } => {
        // Small moves of the desired velocity: every point target sways.
        const targets = goals.map((goal) =>
          goal.type === 'position' && Array.isArray(goal.target) ? Float64Array.from(goal.target) : undefined,
        );
        const swaying = goals.map((goal, n) =>
          targets[n] === undefined ? goal : ({ ...goal, target: targets[n] } as Goal),
        );
        const control = createDifferentialControl(figure, swaying, options);
        const pose = one.start.slice();
        for (let k = 0; k < 200; k++) stepDifferentialControl(control, pose, 1 / 40);
        let before = control.velocity.slice();
        let previous = '';
        let change = 0;
        let switches = 0;
        let first = true;
        for (let frame = 0; frame * dt < 0.15; frame++) {
          const t = frame * dt;
          targets.forEach((target, n) => {
            const { target: from } = goals[n] as unknown as { target: number[] };
            for (let k = 0; target !== undefined && k < 3; k++)
              target[k] = from[k] + 0.3 * Math.sin(9 * t) * Math.cos(k + n);
          });
          const { limits, rates, exact } = stepDifferentialControl(control, pose, dt);
          const now = JSON.stringify([
            limits.map(({ active }) => active),
            rates.map(({ saturated }) => saturated),
          ]);
          if (!first && exact) {
            for (let k = 0; k < before.length; k++)
              change = Math.max(change, Math.abs(control.velocity[k] - before[k]));
            if (now !== previous) switches++;
          }
          first = false;
          previous = now;
          before = control.velocity.slice();
        }
        return { change, switches };
      };
      // A jump stays as it is however short the frame; the steepest change seen needs frames of 1/8000 s to shrink.
      const coarse = sweep(2e-3);
      if (coarse.switches > 0) crossed++;
      let min = coarse.change;
      for (let dt = 2.5e-4; min > 0.4 * coarse.change + 1e-4 && dt > 1e-5; dt /= 4)
        min = Math.min(min, sweep(dt).change);
      expect(min).toBeLessThanOrEqual(0.4 * coarse.change + 1e-4);
    }
    expect(crossed).toBeGreaterThan(4);
  });

  it('active for the posture alone do not explain a missed goal', () => {
    const hinge = { type: 'hinge', axis: [0, 0, 1] } as const;
    const figure = createFigure({
      bones: [
        { name: 'base' },
        { name: 'shoulder', parent: 'base', joint: hinge, limit: { type: 'interval', min: -1, max: 1 } },
        { name: 'elbow', parent: 'shoulder', rest: { position: [1, 0, 0] }, joint: hinge },
        { name: 'tip', parent: 'elbow', rest: { position: [1, 0, 0] } },
        { name: 'wheel', parent: 'base', joint: hinge },
      ],
    });
    // The tip is at its height, and the posture draws the shoulder into its limit; the wheel has far to go.
    const goals: Goal[] = [
      { type: 'position', bone: 'tip', target: [0, Math.sin(1) + Math.sin(0.5), 0], mask: [0, 1, 0] },
      { type: 'joint-value', bone: 'wheel', value: 2 },
    ];
    const statusWith = (rate: number): string => {
      const control = createDifferentialControl(figure, goals, {
        posture: { reference: new Float64Array([3, 0, 0]), rate: 5 },
        maxJointRate: { bones: { wheel: { angular: rate } } },
      });
      const { status, limits } = stepDifferentialControl(control, new Float64Array([1, -0.5, 0]), 1 / 60);
      expect(limits.map(({ active, priority }) => [active, priority])).toEqual([[true, 1]]);
      return status;
    };
    expect(statusWith(0.5)).toBe('rate-limited');
    expect(statusWith(100)).toBe('tracking');
  });

  it('project an infeasible pose first', () => {
    const figure = createHinge(1);
    const control = createDifferentialControl(figure, [{ type: 'position', bone: 'tip', target: [1, 0, 0] }]);
    const pose = new Float64Array([3]);
    stepDifferentialControl(control, pose, 0);
    expect(pose[0]).toBe(1);
  });
});

describe('the feasible velocities', () => {
  it('are those that lead to a point of the limit within the horizon, for every kind of limit', () => {
    // q + reach q' in S, with reach = dt / (1 - exp(-k dt)): checked on the shapes themselves.
    for (const { figure, control, start } of randomCases(40, {
      maxJointRate: { angular: 1e9, linear: 1e9 },
    })) {
      const pose = start.slice();
      clampToLimits(figure, pose);
      const before = pose.slice();
      const dt = 1 / 50;
      const { limits } = stepDifferentialControl(control, pose, dt);
      const reach = dt / (1 - Math.exp(-20 * dt));
      const rates = new Float64Array(figure.dof);
      ratesFromVelocity(createState(figure), before, control.velocity, rates);
      const ahead = before.map((x, i) => x + reach * rates[i]);
      control.workspace.bounds.limits.forEach(({ kind, parameters, coordinate, size }, n) => {
        const g = limitShapes[kind].value(parameters, ahead, coordinate, size);
        expect(g).toBeLessThanOrEqual(1e-11);
        // An active limit is met exactly.
        if (
          limits[n].active &&
          limits[n].priority === 0 &&
          control.workspace.levels.length === 1 &&
          control.workspace.options.posture === undefined
        ) {
          expect(Math.abs(g)).toBeLessThanOrEqual(1e-11);
        }
      });
    }
  });
});

function createHinge(max: number): Figure {
  return createFigure({
    bones: [
      {
        name: 'base',
        joint: { type: 'hinge', axis: [0, 0, 1] },
        limit: { type: 'interval', min: -max, max },
      },
      { name: 'tip', parent: 'base', rest: { position: [1, 0, 0] } },
    ],
  });
}
