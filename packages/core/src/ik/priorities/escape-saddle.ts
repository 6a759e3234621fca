import { copyNumbers } from '../../math/linear/vector.js';
import { evaluate } from '../problem/problem.js';
import { writeTrial } from '../problem/projected-step.js';
import { writeNegativeCurvature } from '../solver/newton.js';
import { type Later, laterObjective } from './level.js';
import { keepOpenWays } from './null-space.js';
import { hold } from './restore-constraints.js';
import { writeLagrangianHessian } from './step.js';

/** Largest change of a scaled coordinate in the first step, rad, and how often it is halved. */
const STEP = 1;
const HALVINGS = 12;

/**
 * Leaves a stationary pose that is not the lowest about (a straight arm whose target lies on its line, a pole straight behind) along a
 * way of negative curvature that is open, to the side that lowers f more, the first on a tie. The new pose is left in `work.trial`,
 * evaluated.
 *
 * @param f - Of the priority, at the pose.
 * @returns f there; undefined where no such way leads lower.
 */
export function escapeLater(later: Later, pose: Float64Array, f: number): number | undefined {
  const { all, work, face, curvature } = later;
  writeLagrangianHessian(later, pose);
  const { hessian, direction, reached } = work.secondOrder();
  if (!(curvature.largest > 0) || !writeNegativeCurvature(hessian, curvature.largest, direction))
    return undefined;
  keepOpenWays(face, all, direction, 1);
  let longest = 0;
  for (let k = 0; k < direction.length; k++) longest = Math.max(longest, Math.abs(direction[k]));
  for (let n = 0, length = STEP / longest; n < HALVINGS; n++, length *= 0.5) {
    let lowest = f;
    for (const side of [length, -length]) {
      for (let k = 0; k < direction.length; k++) work.step[k] = side * direction[k];
      work.activeSet.active.fill(0);
      work.decided.fill(0);
      writeTrial(all, work, pose);
      copyNumbers(work.trial, work.candidate, pose.length);
      if (!hold(later, work.candidate)) continue;
      const next = laterObjective(later);
      if (!(next < lowest)) continue;
      lowest = next;
      copyNumbers(work.candidate, reached, pose.length);
    }
    if (!(lowest < f)) continue;
    copyNumbers(reached, work.trial, pose.length);
    evaluate(all, work.trial);
    return lowest;
  }
  return undefined;
}
