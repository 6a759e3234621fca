import { GoalError } from '../../../errors.js';
import { boneIndex } from '../../../figure/model/figure.js';
import {
  copiedAs,
  requireTarget,
  requireVector,
  settledMask,
  settledTarget,
  toleranceOf,
} from '../types/checks.js';
import type { AxisMask, RelativePoseGoal } from '../types/goal.js';
import type { GoalType, PartDraft } from '../types/goal-type.js';
import { orientationPart, settledOrientation } from './orientation.js';
import { positionPart } from './position.js';

/** A position and an orientation, both against one bone and seen from it. */
export const relativePoseGoal: GoalType<RelativePoseGoal> = {
  parts(figure, goal, path) {
    const bone = boneIndex(figure, goal.bone, `${path}.bone`);
    requireTarget(goal.target, `${path}.target`);
    // Before the target counts as one in the world for want of a bone.
    boneIndex(figure, goal.target.bone, `${path}.target.bone`);
    const parts: PartDraft[] = [];
    if (!leavesNothing(goal.positionMask, `${path}.positionMask`)) {
      const data = {
        ...copiedAs('point', goal.point, path),
        ...settledTarget(figure, goal.target, `${path}.target`),
      };
      const mask = settledMask(goal.positionMask, `${path}.positionMask`);
      parts.push({ ...positionPart(bone, data, mask, toleranceOf(goal.tolerance, path)), name: 'position' });
    }
    if (!leavesNothing(goal.orientationMask, `${path}.orientationMask`)) {
      const mask = settledMask(goal.orientationMask, `${path}.orientationMask`);
      const tolerance = toleranceOf(goal.angleTolerance, path, undefined, 'angleTolerance');
      const data = settledOrientation(figure, goal, path);
      parts.push({ ...orientationPart(bone, data, mask, tolerance), name: 'orientation' });
    }
    if (parts.length > 0) return parts;
    throw new GoalError('out-of-range', 'has masks that leave nothing.', {
      path,
      remedy: 'Leave one axis on, or switch the goal off with weight 0.',
    });
  },
};

function leavesNothing(mask: AxisMask | undefined, path: string): boolean {
  if (mask === undefined) return false;
  requireVector(mask, 3, path);
  return mask.every((x) => x === 0);
}
