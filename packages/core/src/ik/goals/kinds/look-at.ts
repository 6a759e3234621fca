import { requirePositive } from '../../../checks.js';
import { GoalError } from '../../../errors.js';
import { boneIndex } from '../../../figure/model/figure.js';
import { BONE_POINT, UP_AXIS } from '../types/checks.js';
import type { BoneRef, LookAtGoal } from '../types/goal.js';
import type { GoalType } from '../types/goal-type.js';
import { pointsAtComponents } from './points-at.js';
import { postureComponents } from './posture.js';

/**
 * Each looker points at the target; one priority lower the chain minimizes sum |rotation|^2 / share. For joints about one axis the
 * minimizer's rotations are in the ratio of the shares; where one is at its limit, the others take the rest. Joints outside the
 * chain move only for other goals.
 */
export const lookAtGoal: GoalType<LookAtGoal> = {
  fields: {
    bone: true,
    axis: true,
    origin: true,
    target: BONE_POINT,
    up: UP_AXIS,
    tolerance: true,
    chain: { bone: true, share: true },
  },
  components(figure, goal, path) {
    const lookers: readonly BoneRef[] = Array.isArray(goal.bone) ? goal.bone : [goal.bone as BoneRef];
    if (lookers.length === 0) throw empty(`${path}.bone`, 'Name a bone that looks.');
    if (!Array.isArray(goal.chain) || goal.chain.length === 0) {
      throw empty(`${path}.chain`, 'Name the bones that rotate: [{ bone, share }].');
    }
    const chain = goal.chain.map((link, n) => {
      if (typeof link !== 'object' || link === null) {
        throw new GoalError('wrong-size', `is ${link}.`, {
          path: `${path}.chain[${n}]`,
          remedy: 'Give { bone, share }.',
        });
      }
      requirePositive(link.share, `${path}.chain[${n}].share`, GoalError);
      return boneIndex(figure, link.bone, `${path}.chain[${n}].bone`);
    });
    const aims = lookers.flatMap((name, n) => {
      const bonePath = Array.isArray(goal.bone) ? `${path}.bone[${n}]` : `${path}.bone`;
      return pointsAtComponents(figure, boneIndex(figure, name, bonePath), goal, path).map((component) => ({
        ...component,
        name: component.name ?? 'aim',
        drivenBones: chain,
      }));
    });
    const shares = goal.chain.flatMap(({ share }, n) =>
      postureComponents(figure, [chain[n]], [1 / share], undefined).map((component) => ({
        ...component,
        name: 'share',
        priorityOffset: 1,
      })),
    );
    return [...aims, ...shares];
  },
};

function empty(path: string, remedy: string): GoalError {
  return new GoalError('wrong-size', 'is empty.', { path, remedy });
}
