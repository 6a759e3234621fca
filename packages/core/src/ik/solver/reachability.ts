import { jointTypes } from '../../figure/joints/joint-types.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import type { Numbers } from '../../math/linear/types.js';
import { type PositionData, positionResidual } from '../goals/kinds/position.js';
import type { CompiledComponent } from '../goals/types/goal-type.js';
import type { Problem } from '../problem/problem.js';

/**
 * Whether the target of some position goal is provably farther than its chain is long, so that no restart can help. False where
 * that is unknown (translations on the chain, targets carried by a bone).
 */
export function outOfReach(problem: Problem): boolean {
  return problem.goals.some(
    (component) =>
      component.residualFunction === positionResidual &&
      component.rowScale > 0 &&
      isBeyondChain(problem, component, component.data as PositionData),
  );
}

/**
 * The length of the chain from the point up to its free joint nearest to the root is the sum of its links; a target farther from
 * that joint's origin than the length plus the tolerance is out of reach.
 */
function isBeyondChain(problem: Problem, compiled: CompiledComponent, goal: PositionData): boolean {
  const { figure, state, jacobian, mimicColumns } = problem;
  const { parentFromBone, columnStart, columnEnd } = state;
  const { columnOf } = mimicColumns === undefined ? jacobian : mimicColumns.extended;
  if (compiled.targetBone >= 0) return false;
  const point = goal.point ?? [0, 0, 0];
  let length = Math.hypot(point[0], point[1], point[2]);
  let chain = 0;
  let top = -1;
  for (let b = compiled.bone; b >= 0; b = figure.parents[b]) {
    const { joint } = figure.bones[b];
    let moves = false;
    for (let i = columnStart[b]; i < columnEnd[b]; i++) if (columnOf[i] >= 0) moves = true;
    if (moves) {
      if (jointTypes[joint.type].translations > 0) return false;
      top = b;
      chain = length;
    }
    // At the current pose: the length of a locked slider is its extension.
    const o = 12 * b + 9;
    length += Math.hypot(parentFromBone[o], parentFromBone[o + 1], parentFromBone[o + 2]);
  }
  if (top < 0) return false;
  const base = [0, 0, 0];
  worldPoint(state, top, undefined, base);
  const target = goal.target as Numbers;
  const distance = Math.hypot(target[0] - base[0], target[1] - base[1], target[2] - base[2]);
  return distance > chain + compiled.tolerance;
}
