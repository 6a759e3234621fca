import { PoiseError } from 'poise';
import { createPose, type Figure } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createDifferentialControl,
  type DifferentialControl,
  type DifferentialOptions,
  type Goal,
  stepDifferentialControl,
} from 'poise/ik';
import {
  randomFigure,
  randomPose,
  randomQuat,
  randomTriple,
  testRandom,
} from '../../support/random-figure.js';

export interface RandomCase {
  readonly figure: Figure;
  readonly goals: readonly Goal[];
  readonly options: DifferentialOptions;
  readonly start: Float64Array;
  readonly control: DifferentialControl;
  readonly random: () => number;
}

/** Random figures, goals of several priorities and options; undefined where no joint moves a goal. */
export function randomCase(seed: number, options: DifferentialOptions = {}): RandomCase | undefined {
  const random = testRandom(seed * 7919 + 17);
  for (let k = 0; k < 4; k++) random();
  const figure = randomFigure(random, 3 + Math.floor(7 * random()));
  const goals = Array.from({ length: 1 + Math.floor(3 * random()) }, (_, n): Goal => {
    const common = {
      bone: 1 + Math.floor((figure.bones.length - 1) * random()),
      weight: 10 ** (2 * random() - 1),
      priority: random() < 0.4 ? n : 0,
    };
    const kind = random();
    if (kind < 0.6) {
      const target = random() < 0.2 ? { bone: 0 } : randomTriple(random, 1.5);
      return { type: 'position', ...common, point: randomTriple(random, 0.2), target };
    }
    if (kind < 0.8)
      return { type: 'points-at', ...common, axis: randomTriple(random), target: randomTriple(random, 2) };
    return { type: 'orientation', ...common, target: randomQuat(random) };
  });
  const all: DifferentialOptions = {
    ...(random() < 0.5 ? { posture: { reference: randomPose(figure, random, 1) } } : {}),
    ...(random() < 0.3 ? { maxJointRate: { angular: 3 * random(), linear: random() } } : {}),
    ...options,
  };
  const start = randomPose(figure, random, 1.5);
  try {
    return {
      figure,
      goals,
      options: all,
      start,
      control: createDifferentialControl(figure, goals, all),
      random,
    };
  } catch (error) {
    if (error instanceof PoiseError && error.code === 'immovable-goal') return undefined;
    throw error;
  }
}

export function randomCases(count: number, options: DifferentialOptions = {}, first = 1): RandomCase[] {
  return Array.from({ length: count }, (_, n) => randomCase(first + n, options)).filter(
    (one) => one !== undefined,
  );
}

/** The largest change of a joint velocity between two frames along a path of the left hand of the built-in human. */
export interface Sweep {
  readonly change: number;
  readonly engaged: number;
  readonly released: number;
}

export function sweepArm(dt: number, options: DifferentialOptions, duration = 2.5): Sweep {
  const figure = createHumanFigure();
  const path = (t: number): number[] => [
    0.3 + 0.5 * Math.sin(2 * t),
    1.3 + 0.4 * Math.cos(1.3 * t),
    0.3 + 0.3 * Math.sin(1.7 * t),
  ];
  const target = new Float64Array(path(0));
  const control = createDifferentialControl(figure, [{ type: 'position', bone: 'leftHand', target }], {
    locked: ['hips', 'spine', 'chest', 'upperChest'],
    ...options,
  });
  const pose = createPose(figure);
  for (let k = 0; k < 600; k++) stepDifferentialControl(control, pose, 1 / 100);
  let before = control.velocity.slice();
  let previous = control.result.limits.map(({ active }) => active);
  let change = 0;
  let engaged = 0;
  let released = 0;
  for (let frame = 1; frame * dt <= duration; frame++) {
    target.set(path(frame * dt));
    const { limits } = stepDifferentialControl(control, pose, dt);
    control.velocity.forEach((x, k) => {
      change = Math.max(change, Math.abs(x - before[k]));
    });
    before = control.velocity.slice();
    limits.forEach(({ active }, n) => {
      if (active && !previous[n]) engaged++;
      if (!active && previous[n]) released++;
    });
    previous = limits.map(({ active }) => active);
  }
  return { change, engaged, released };
}
