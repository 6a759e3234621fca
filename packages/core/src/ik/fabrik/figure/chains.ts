import { requireInRange, requirePositive } from '../../../checks.js';
import { GoalError } from '../../../errors.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';
import { copyVector, requireTarget, requireVector } from '../../goals/types/checks.js';
import { isCarried, type PositionGoal } from '../../goals/types/goal.js';
import { type Bodies, createBodies, GROUND, mimicJointAbove } from '../bodies/bodies.js';
import { type BodyFit, createBodyFit } from '../bodies/fit-rotation.js';
import { concatenationStarts } from '../bodies/point-index.js';

/** A position goal compiled for bodies. */
export interface Effector {
  readonly goal: PositionGoal;
  readonly bone: number;
  readonly body: number;
  readonly point: Numbers;
  /** Bone of the target, and the target in it; -1 for a world target. */
  readonly targetBone: number;
  readonly targetBody: number;
  readonly targetPoint: Numbers;
  readonly tolerance: number;
}

/** The bodies that the goals depend on, in order of the passes. */
export interface Chains {
  readonly bodies: Bodies;
  readonly effectors: readonly Effector[];
  /** Bodies between an end and the ground, parents first. */
  readonly active: Int32Array;
  /** 1 for each of them. */
  readonly isActive: Uint8Array;
  /** Bodies of the ends: 2 e for the bone of effector e, 2 e + 1 for the bone of its target. */
  readonly endBodies: Int32Array;
  /** Weight of each goal, and total weight of the ends at or below each body; updated by each solve. */
  readonly weights: Float64Array;
  readonly weightBelow: Float64Array;
  /** 1 where end n depends on body k, at [k * ends + n]. */
  readonly below: Uint8Array;
  /** 1 for the first movable joint from the ground, counting locked joints as movable. */
  readonly isRoot: Uint8Array;
  /** 1 for a joint with limits or fewer than three rotations: its coordinates are updated in every pass. */
  readonly constrained: Uint8Array;
  /** Active children of body k: `children[childStart[k] .. childStart[k + 1])`; ends on it likewise. */
  readonly children: Int32Array;
  readonly childStart: Int32Array;
  readonly ends: Int32Array;
  readonly endStart: Int32Array;
  /** Position of each end in its body, m; in the world for the ground. */
  readonly localEnds: Float64Array;
  /** Workspace of the body that is rotated now. */
  readonly fit: BodyFit;
}

const DEFAULT_TOLERANCE = 1e-4;

/** @throws GoalError, FigureError for invalid goals or bones. */
export function createChains(
  figure: Figure,
  goals: readonly PositionGoal[],
  locked: readonly (string | number)[],
): Chains {
  if (!Array.isArray(goals) || goals.length === 0) {
    throw new GoalError('wrong-size', Array.isArray(goals) ? 'is empty.' : 'is not a list.', {
      path: 'goals',
      remedy: 'Give an array of at least one position goal.',
    });
  }
  const isLocked = new Uint8Array(figure.bones.length);
  locked.forEach((name, n) => {
    isLocked[boneIndex(figure, name, `locked[${n}]`)] = 1;
  });
  for (const { bone, source } of figure.mimicJoints) if (isLocked[bone] === 1) isLocked[source] = 1;
  const bodies = createBodies(figure, isLocked);
  const { count, parents, types, limits } = bodies;
  const effectors = goals.map((goal, n) => compileGoal(bodies, goal, `goals[${n}]`));
  const endBodies = Int32Array.from(effectors.flatMap(({ body, targetBody }) => [body, targetBody]));
  const below = new Uint8Array(count * endBodies.length);
  const isActive = new Uint8Array(count);
  endBodies.forEach((end, n) => {
    for (let k = end; k !== GROUND; k = parents[k]) {
      below[k * endBodies.length + n] = 1;
      isActive[k] = 1;
    }
  });
  const active = Int32Array.from(isActive.keys()).filter((k) => isActive[k] === 1);
  const children = Array.from({ length: count }, (_, k) => active.filter((c) => parents[c] === k));
  const ends = children.map((_, k) => Int32Array.from(endBodies.keys()).filter((n) => endBodies[n] === k));
  return {
    bodies,
    effectors,
    active,
    children: Int32Array.from(children.flatMap((list) => [...list])),
    childStart: concatenationStarts(children),
    ends: Int32Array.from(ends.flatMap((list) => [...list])),
    endStart: concatenationStarts(ends),
    isActive,
    endBodies,
    weights: new Float64Array(effectors.length),
    weightBelow: new Float64Array(count),
    below,
    isRoot: Uint8Array.from(bodies.bones, (bone) => {
      let above = figure.parents[bone];
      while (above >= 0 && figure.bones[above].joint.type === 'fixed') above = figure.parents[above];
      return above < 0 ? 1 : 0;
    }),
    constrained: Uint8Array.from(types, (type, k) =>
      limits[k].length > 0 ||
      type.dof - type.translations < 3 ||
      (type.translations > 0 && parents[k] !== GROUND)
        ? 1
        : 0,
    ),
    localEnds: new Float64Array(3 * endBodies.length),
    fit: createBodyFit(),
  };
}

/** Updates the positions of the ends in their bodies from `bodyFromBone`. */
export function updateLocalEnds({ bodies, effectors, localEnds }: Chains): void {
  for (let e = 0; e < effectors.length; e++) {
    const { bone, point, targetBone, targetPoint } = effectors[e];
    transformPoint(bodies.bodyFromBone, 12 * bone, point, 0, localEnds, 6 * e);
    if (targetBone >= 0)
      transformPoint(bodies.bodyFromBone, 12 * targetBone, targetPoint, 0, localEnds, 6 * e + 3);
  }
}

/** out[o..] = M x[i..] + p, M and p at m[at..]. */
export function transformPoint(
  m: Numbers,
  at: number,
  x: Numbers,
  i: number,
  out: Float64Array,
  o: number,
): void {
  const x0 = x[i];
  const x1 = x[i + 1];
  const x2 = x[i + 2];
  out[o] = m[at] * x0 + m[at + 1] * x1 + m[at + 2] * x2 + m[at + 9];
  out[o + 1] = m[at + 3] * x0 + m[at + 4] * x1 + m[at + 5] * x2 + m[at + 10];
  out[o + 2] = m[at + 6] * x0 + m[at + 7] * x1 + m[at + 8] * x2 + m[at + 11];
}

function compileGoal(bodies: Bodies, goal: PositionGoal, path: string): Effector {
  const { figure, bodyOfBone } = bodies;
  if (goal?.type !== 'position') {
    throw new GoalError('unsupported', `is '${String(goal?.type)}'.`, {
      path: `${path}.type`,
      remedy: "FABRIK takes 'position' goals; solveIk takes all.",
    });
  }
  const { tolerance = DEFAULT_TOLERANCE, target } = goal;
  if (goal.priority !== undefined && goal.priority !== 0)
    unsupported(`${path}.priority`, 'FABRIK has weights but no priorities');
  if (goal.mask !== undefined) unsupported(`${path}.mask`, 'FABRIK has no masks');
  requireWeight(goal.weight ?? 1, `${path}.weight`);
  requirePositive(tolerance, `${path}.tolerance`, GoalError);
  requireTarget(target, `${path}.target`, 3);
  const bone = boneIndex(figure, goal.bone, `${path}.bone`);
  const carried = isCarried(target);
  const targetBone = carried ? boneIndex(figure, target.bone, `${path}.target.bone`) : -1;
  const compiled: Effector = {
    goal,
    bone,
    body: bodyOfBone[bone],
    point: copyVector(goal.point, `${path}.point`) ?? [0, 0, 0],
    targetBone,
    targetBody: carried ? bodyOfBone[targetBone] : GROUND,
    targetPoint: (carried ? copyVector(target.point, `${path}.target.point`) : undefined) ?? [0, 0, 0],
    tolerance,
  };
  if (compiled.body === compiled.targetBody) {
    throw new GoalError('immovable-goal', `no free joint moves it (bone '${figure.bones[bone].name}').`, {
      path,
      remedy: 'Free a joint on its chain, or put the goal on another bone.',
    });
  }
  for (const one of [bone, targetBone]) {
    const mimic = mimicJointAbove(bodies, one);
    if (mimic < 0) continue;
    throw new GoalError('unsupported', `depends on the mimic joint of '${figure.bones[mimic].name}'.`, {
      path,
      remedy: 'Lock its source joint, or use solveIk.',
    });
  }
  return compiled;
}

function unsupported(path: string, reason: string): never {
  throw new GoalError('unsupported', 'is given.', {
    path,
    remedy: `Leave it out: ${reason}; solveIk supports it.`,
  });
}

/** Larger weights overflow in sums. */
const MAX_WEIGHT = 1e100;

function requireWeight(weight: number, path: string): void {
  if (!(weight >= 0 && weight <= MAX_WEIGHT)) requireInRange(weight, 0, MAX_WEIGHT, path, GoalError);
}

/**
 * Reads the weights and world targets, which may change between solves.
 *
 * @throws GoalError `not-finite`, `out-of-range`.
 */
export function readGoals({ bodies, effectors, weights, weightBelow, endBodies }: Chains): void {
  weightBelow.fill(0);
  let largest = 0;
  for (let e = 0; e < effectors.length; e++) {
    weights[e] = effectors[e].goal.weight ?? 1;
    requireWeight(weights[e], `goals[${e}].weight`);
    largest = Math.max(largest, weights[e]);
    if (effectors[e].targetBone < 0)
      requireVector(effectors[e].goal.target as Numbers, 3, `goals[${e}].target`);
  }
  // Only ratios of weights matter.
  for (let e = 0; e < effectors.length; e++) if (largest > 0) weights[e] /= largest;
  for (let n = 0; n < endBodies.length; n++) {
    for (let k = endBodies[n]; k !== GROUND; k = bodies.parents[k]) weightBelow[k] += weights[n >> 1];
  }
}
