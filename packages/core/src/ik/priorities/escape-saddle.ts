import * as ldl from '../../math/linear/ldl.js';
import { copyNumbers, maxNorm } from '../../math/linear/vector.js';
import { projectStep } from '../../math/optimization/active-limits.js';
import { evaluate } from '../problem/problem.js';
import { newtonOf } from '../solver/newton.js';
import { levelObjective, type PriorityLevel } from './level.js';
import { projectOntoNullSpace, reduceSymmetric } from './null-space.js';
import { pinReachedLimits, restoreConstraints } from './restore-constraints.js';
import { writeHessian } from './step.js';

/** Largest change of a scaled coordinate in the first step, rad, and how often the step is halved. */
const MAX_STEP = 1;
const MAX_HALVINGS = 12;

/**
 * Leaves a saddle (a straight arm whose target lies on its line, a pole straight behind) along a direction of negative curvature in
 * the null space, with the sign that lowers f more, the positive one on a tie. The new pose is left in `work.trial`, evaluated.
 *
 * @param f - Of the level, at the pose.
 * @returns the lower f; undefined where there is no such direction.
 */
export function escapeSaddle(level: PriorityLevel, pose: Float64Array, f: number): number | undefined {
  const { stacked, work, nullSpace, curvature } = level;
  writeHessian(level, pose);
  const { hessian, direction, trial: lowestPose } = newtonOf(stacked, work);
  hessian.set(level.hessian);
  reduceSymmetric(nullSpace, hessian);
  if (!(curvature.largest > 0) || !ldl.writeNegativeCurvature(hessian, curvature.largest, direction))
    return undefined;
  projectOntoNullSpace(nullSpace, direction);
  for (let n = 0, length = MAX_STEP / maxNorm(direction); n < MAX_HALVINGS; n++, length *= 0.5) {
    let lowest = f;
    for (const signedLength of [length, -length]) {
      for (let k = 0; k < direction.length; k++) work.step[k] = signedLength * direction[k];
      work.activeSet.active.fill(0);
      work.fixed.fill(0);
      level.pinned.set(nullSpace.activeSet.active);
      projectStep(work.activeSet, pose, work.step, work.trial, work.fixed);
      pinReachedLimits(level);
      copyNumbers(work.trial, work.candidate, pose.length);
      if (!restoreConstraints(level, work.candidate)) continue;
      const next = levelObjective(level);
      if (!(next < lowest)) continue;
      lowest = next;
      copyNumbers(work.candidate, lowestPose, pose.length);
    }
    if (!(lowest < f)) continue;
    copyNumbers(lowestPose, work.trial, pose.length);
    evaluate(stacked, work.trial);
    return lowest;
  }
  return undefined;
}
