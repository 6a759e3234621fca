import { describe, expect, test } from 'vitest';
import { createRobotRetargeter, type RobotRetargeter, retargetToRobot } from '../../src/robot/index.js';
import {
  sumSubtrees,
  symmetrizeFree,
  updateGradient,
  updateHessian,
  updateMotions,
  updateSums,
} from '../../src/robot/solver/derivatives.js';
import { evaluatePosture } from '../../src/robot/solver/minimize.js';
import { evaluate, updateFrames } from '../../src/robot/solver/problem.js';
import {
  addSupport,
  addSupportCurvature,
  clearMultipliers,
  evaluateSupport,
  type Support,
  updateMultipliers,
} from '../../src/robot/solver/support.js';
import type { TreePattern } from '../../src/robot/solver/tree-matrix.js';
import {
  type Configuration,
  copyConfiguration,
  createConfiguration,
  normalize,
  writeExponential,
  writeProduct,
} from '../../src/robot/tree/pose.js';
import { FREE } from '../../src/robot/tree/tree.js';
import { config, humanAt, random, robotFigure, stance } from './support.js';

/** Configurations a few steps from that of a retargeter. */
function shifter({ state: { tree, at } }: RobotRetargeter): (steps: Steps) => Configuration {
  const trial = createConfiguration(tree);
  const turn = new Float64Array(4);
  return (steps) => {
    copyConfiguration(at, trial);
    const step = new Float64Array(tree.size);
    for (const [i, s] of steps) step[i] += s;
    for (let j = 0; j < tree.joints; j++) {
      const i = tree.first[j];
      if (tree.kind[j] !== FREE) {
        trial.values[i] += step[i];
        continue;
      }
      for (let k = 0; k < 3; k++) trial.positions[3 * j + k] += step[i + k];
      writeExponential(step[i + 3], step[i + 4], step[i + 5], turn);
      writeProduct(turn, 0, at.rotations, 4 * j, trial.rotations, 4 * j);
      normalize(trial.rotations, 4 * j);
    }
    return trial;
  };
}

type Steps = readonly (readonly [coordinate: number, step: number])[];

interface Derivatives {
  readonly f: (steps: Steps) => number;
  readonly pattern: TreePattern;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
}

/** Derivatives at a pose that is far from the targets, and f there and around. */
function problemAt(root: 'free' | 'fixed', seed: number): Derivatives {
  const figure = robotFigure(root);
  const retargeter = createRobotRetargeter(figure, config, { maxIterations: 0 });
  const next = random(seed);
  const pose = Float64Array.from({ length: figure.dof }, () => 0.4 * next());
  retargetToRobot(retargeter, humanAt(stance, 0.5, next), pose);
  const { work, targets, second } = retargeter.state;
  const shifted = shifter(retargeter);
  const f = (steps: Steps): number => {
    updateFrames(work, shifted(steps));
    return 0.5 * evaluate(work, second.table, targets);
  };
  f([]);
  updateSums(work, second.table);
  sumSubtrees(work);
  updateMotions(work);
  updateGradient(work);
  updateHessian(work, work.pattern, true);
  symmetrizeFree(work, work.pattern);
  return { f, pattern: work.pattern, gradient: work.gradient.slice(), hessian: work.hessian.slice() };
}

/** Those of the balance alone, every half-plane of which pushes. @param standing - Feet. */
function balanceAt(root: 'free' | 'fixed', seed: number, standing: readonly boolean[]): Derivatives {
  const figure = robotFigure(root);
  const points = [
    [-0.05, 0.04, 0],
    [-0.05, -0.04, 0],
    [0.15, 0.04, 0],
    [0.15, -0.04, 0],
  ] as const;
  const feet = ['left foot', 'right foot'].map((bone) => ({ bone, points }));
  const retargeter = createRobotRetargeter(figure, config, { maxIterations: 0, balance: { feet } });
  const next = random(seed);
  const pose = Float64Array.from({ length: figure.dof }, () => 0.2 * next());
  retargetToRobot(retargeter, { ...humanAt(stance, 0.5, next), standing }, pose);
  const { work, second, balanced } = retargeter.state;
  const support = balanced.support as Support;
  const shifted = shifter(retargeter);
  const f = (steps: Steps): number => {
    updateFrames(work, shifted(steps));
    return 0.5 * evaluateSupport(support, work);
  };
  clearMultipliers(support);
  f([]);
  // Until every multiplier is that of a half-plane far inside.
  const { kept } = support;
  support.penalty = 100;
  support.kept = 3;
  updateMultipliers(support);
  support.kept = kept;
  f([]);
  updateSums(work, { ...second.table, size: 0 });
  addSupport(support, work);
  sumSubtrees(work);
  updateMotions(work);
  updateGradient(work);
  work.hessian.fill(0);
  updateHessian(work, work.densePattern, true);
  symmetrizeFree(work, work.densePattern);
  addSupportCurvature(support, work, true);
  return { f, pattern: work.densePattern, gradient: work.gradient.slice(), hessian: work.hessian.slice() };
}

function expectDifferences({ f, pattern, gradient, hessian }: Derivatives): void {
  const { size, parents, starts, depths } = pattern;
  const h = 1e-4;
  const near: boolean[] = [];
  for (let i = 0; i < size; i++) {
    const slope = (8 * (f([[i, h]]) - f([[i, -h]])) - (f([[i, 2 * h]]) - f([[i, -2 * h]]))) / (12 * h);
    expect(Math.abs(gradient[i] - slope), `gradient ${i}`).toBeLessThan(1e-7 * (1 + Math.abs(slope)));
    const ancestors = new Set<number>();
    for (let k = i; k >= 0; k = parents[k]) ancestors.add(k);
    for (let k = 0; k <= i; k++) {
      const corner = (a: number, b: number) =>
        f([
          [i, a * h],
          [k, b * h],
        ]);
      const curvature = (corner(1, 1) - corner(1, -1) - corner(-1, 1) + corner(-1, -1)) / (4 * h * h);
      const value = ancestors.has(k) ? hessian[starts[i] + depths[k]] : 0;
      near.push(Math.abs(value - curvature) < 2e-5 * (100 + Math.abs(curvature)));
    }
  }
  expect(near).not.toContain(false);
}

describe.each(['free', 'fixed'] as const)('of a robot on a %s root', (root) => {
  test.each([1, 2, 3, 4, 5])(
    'the objective has the gradient and the Hessian of differences, seed %i',
    (seed) => {
      expectDifferences(problemAt(root, seed));
    },
  );

  test.each([
    [1, [true, true]],
    [2, [true, false]],
    [3, [true, true]],
  ] as const)('the balance over feet that move has those of differences, seed %i', (seed, standing) => {
    expectDifferences(balanceAt(root, seed, standing));
  });
});

test('gradient of the distance from a posture', () => {
  const figure = robotFigure('free');
  const retargeter = createRobotRetargeter(figure, config, { maxIterations: 0 });
  const next = random(5);
  const pose = Float64Array.from({ length: figure.dof }, () => 0.4 * next());
  retargetToRobot(retargeter, humanAt(stance, 0.5, next), pose);
  const { work, tree } = retargeter.state;
  const shifted = shifter(retargeter);
  const wanted = createConfiguration(tree);
  const steps = Array.from({ length: tree.size }, (_, i) => [i, 0.3 * next()] as const);
  copyConfiguration(shifted(steps), wanted);
  // Of a free joint one weight for its positions and one for its rotations.
  const weights = Float64Array.from(tree.jointOf, (j, i) =>
    tree.kind[j] !== FREE ? 1 + i : i - tree.first[j] < 3 ? 5 : 7,
  );
  const posture = { at: wanted, weights, gradient: new Float64Array(tree.size) };
  const f = (i: number, step: number): number => 0.5 * evaluatePosture(work, posture, shifted([[i, step]]));
  const numeric = Array.from(weights, (_, i) => (f(i, 1e-5) - f(i, -1e-5)) / 2e-5);
  evaluatePosture(work, posture, shifted([]));
  numeric.forEach((x, i) => {
    expect(Math.abs(posture.gradient[i] - x)).toBeLessThan(1e-7 * (1 + Math.abs(x)));
  });
});
