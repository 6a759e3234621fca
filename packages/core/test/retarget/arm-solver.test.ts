import { expect, test } from 'vitest';
import { clampToLimits, createPose, limitViolation } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createArmSolver, placeArms, reachPalm, writePalm } from '../../src/retarget/pose/arm-solver.js';
import { createJointWriter } from '../../src/retarget/pose/joint-writer.js';
import { createRetargeter } from '../../src/retarget/retargeter.js';

const figure = createHumanFigure();
const { arms, target } = createRetargeter(figure, figure).alignment;
const solver = createArmSolver(createJointWriter(target.figure), arms);

/** Numbers from 0 to 1, the same in each run (Park and Miller 1988). */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

// Where the palm is in another pose within the limits it can be.
test.each([
  ['a tenth of the way to another pose', 0.1, 1],
  ['a third of the way', 0.33, 0.995],
  ['any pose', 1, 0.95],
])('palms come to places that the limits allow, %s: within 1 mm, no limit left', (_, share, least) => {
  const random = createRandom();
  const randomPose = (): Float64Array => {
    const pose = createPose(figure);
    for (const { coordinates } of arms) for (const i of coordinates) pose[i] = 4 * (random() - 0.5);
    clampToLimits(figure, pose);
    return pose;
  };
  const point = [0, 0, 0];
  const palm = [0, 0, 0];
  let reached = 0;
  const rounds = 300;
  for (let k = 0; k < rounds; k++) {
    const from = randomPose();
    const to = randomPose().map((q, i) => from[i] + share * (q - from[i]));
    clampToLimits(figure, to);
    for (const arm of arms) {
      placeArms(solver, to);
      writePalm(solver, arm, point);
      const pose = from.slice();
      placeArms(solver, pose);
      reachPalm(solver, arm, point, pose);
      placeArms(solver, pose);
      writePalm(solver, arm, palm);
      if (Math.hypot(...palm.map((x, i) => x - point[i])) < 1e-3) reached++;
      expect(limitViolation(figure, pose)).toBeLessThan(1e-9);
    }
  }
  expect(reached / (arms.length * rounds)).toBeGreaterThanOrEqual(least);
});
