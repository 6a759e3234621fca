import { ARTICULATED, addShifted } from '../articulated.js';
import { takeOutAny, takeOutOne, takeOutThree, takeOutTwo } from './take-out-joint.js';
import { ANY, type TreeSystem } from './tree-system.js';

/**
 * Factors H at the pose last placed.
 *
 * @returns false where a pivot is not positive or not finite: a joint has nothing to move, stands where its chart is singular, or holds K or S
 *   that are not positive. Rounding may hide the first where what a massless bone lacks is only known by differences.
 */
export function factorTreeSystem(system: TreeSystem): boolean {
  const { dynamics, rigid, boneTerms, articulated: x, kind } = system;
  const { offsets, figure } = dynamics;
  const { parents } = figure;
  for (let i = 0; i < x.length; i++) x[i] = rigid[i] + boneTerms[i];
  for (let b = parents.length - 1; b >= 0; b--) {
    const size = kind[b];
    if (size === 3) {
      if (!takeOutThree(system, b)) return false;
    } else if (size === 2) {
      if (!takeOutTwo(system, b)) return false;
    } else if (size === 1) {
      if (!takeOutOne(system, b)) return false;
    } else if (size === ANY && !takeOutAny(system, b)) return false;
    const p = parents[b];
    if (p < 0) continue;
    const o = 3 * b;
    addShifted(x, ARTICULATED * b, offsets[o], offsets[o + 1], offsets[o + 2], x, ARTICULATED * p);
  }
  return true;
}
