import { describe, expect, test } from 'vitest';
import { createRobotRetargeter, retargetToRobot } from '../../src/robot/index.js';
import {
  sumSubtrees,
  symmetrizeFree,
  updateGradient,
  updateHessian,
  updateMotions,
  updateSums,
} from '../../src/robot/solver/derivatives.js';
import { evaluate, updateFrames } from '../../src/robot/solver/problem.js';
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

/** Derivatives at a pose that is far from the targets, and f there and around. */
function problemAt(root: 'free' | 'fixed', seed: number) {
  const figure = robotFigure(root);
  const retargeter = createRobotRetargeter(figure, config, { maxIterations: 0 });
  const next = random(seed);
  const pose = Float64Array.from({ length: figure.dof }, () => 0.4 * next());
  retargetToRobot(retargeter, humanAt(stance, 0.5, next), pose);
  const { work, at, targets, second, tree } = retargeter.state;
  const trial = createConfiguration(tree);
  const turn = new Float64Array(4);
  const shifted = (steps: readonly (readonly [number, number])[]): Configuration => {
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
  const f = (steps: readonly (readonly [number, number])[]): number => {
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
  return {
    f,
    size: tree.size,
    pattern: work.pattern,
    gradient: work.gradient.slice(),
    hessian: work.hessian.slice(),
  };
}

describe.each(['free', 'fixed'] as const)('the objective of a robot on a %s root', (root) => {
  test.each([1, 2, 3, 4, 5])('has the gradient and the Hessian of differences, seed %i', (seed) => {
    const { f, size, pattern, gradient, hessian } = problemAt(root, seed);
    const { parents, starts, depths } = pattern;
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
  });
});
