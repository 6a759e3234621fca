import { GoalError } from '../../../errors.js';
import { boneIndex } from '../../../figure/model/figure.js';
import {
  copyAs,
  normalizeMask,
  requireTarget,
  requireVector,
  resolveTarget,
  toleranceOf,
} from '../types/checks.js';
import type { AxisMask, RelativePoseGoal } from '../types/goal.js';
import type { GoalComponent, GoalType } from '../types/goal-type.js';
import { orientationComponent, resolveOrientation } from './orientation.js';
import { positionComponent } from './position.js';

/** A position and an orientation, both against one bone and seen from it. */
export const relativePoseGoal: GoalType<RelativePoseGoal> = {
  components(figure, goal, path) {
    const bone = boneIndex(figure, goal.bone, `${path}.bone`);
    requireTarget(goal.target, `${path}.target`);
    // Before the target counts as one in the world for want of a bone.
    boneIndex(figure, goal.target.bone, `${path}.target.bone`);
    const parts: GoalComponent[] = [];
    if (!leavesNothing(goal.positionMask, `${path}.positionMask`)) {
      const data = {
        ...copyAs('point', goal.point, path),
        ...resolveTarget(figure, goal.target, `${path}.target`),
      };
      const mask = normalizeMask(goal.positionMask, `${path}.positionMask`);
      parts.push({
        ...positionComponent(bone, data, mask, toleranceOf(goal.tolerance, path)),
        name: 'position',
      });
    }
    if (!leavesNothing(goal.orientationMask, `${path}.orientationMask`)) {
      const mask = normalizeMask(goal.orientationMask, `${path}.orientationMask`);
      const tolerance = toleranceOf(goal.angleTolerance, path, undefined, 'angleTolerance');
      const data = resolveOrientation(figure, goal, path);
      parts.push({ ...orientationComponent(bone, data, mask, tolerance), name: 'orientation' });
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
