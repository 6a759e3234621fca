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

/** A position and an orientation relative to another bone, in its frame. */
export const relativePoseGoal: GoalType<RelativePoseGoal> = {
  fields: {
    bone: true,
    point: true,
    offset: true,
    target: { bone: true, point: true, offset: true },
    positionMask: true,
    orientationMask: true,
    tolerance: true,
    angleTolerance: true,
  },
  components(figure, goal, path) {
    const bone = boneIndex(figure, goal.bone, `${path}.bone`);
    requireTarget(goal.target, `${path}.target`);
    // Checked first: without a bone it would be taken for a world target.
    boneIndex(figure, goal.target.bone, `${path}.target.bone`);
    const components: GoalComponent[] = [];
    if (!isZeroMask(goal.positionMask, `${path}.positionMask`)) {
      const data = {
        ...copyAs('point', goal.point, path),
        ...resolveTarget(figure, goal.target, `${path}.target`),
      };
      const mask = normalizeMask(goal.positionMask, `${path}.positionMask`);
      components.push({
        ...positionComponent(bone, data, mask, toleranceOf(goal.tolerance, path)),
        name: 'position',
      });
    }
    if (!isZeroMask(goal.orientationMask, `${path}.orientationMask`)) {
      const mask = normalizeMask(goal.orientationMask, `${path}.orientationMask`);
      const tolerance = toleranceOf(goal.angleTolerance, path, undefined, 'angleTolerance');
      const data = resolveOrientation(figure, goal, path);
      components.push({ ...orientationComponent(bone, data, mask, tolerance), name: 'orientation' });
    }
    if (components.length > 0) return components;
    throw new GoalError('out-of-range', 'has masks that leave nothing.', {
      path,
      remedy: 'Leave one axis on, or switch the goal off with weight 0.',
    });
  },
};

function isZeroMask(mask: AxisMask | undefined, path: string): boolean {
  if (mask === undefined) return false;
  requireVector(mask, 3, path);
  return mask.every((x) => x === 0);
}
