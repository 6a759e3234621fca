import { FigureError, GoalError } from '../../../errors.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers } from '../../../math/linear/types.js';
import { isCarried, type PositionGoal } from '../../goals/types/goal.js';
import { type Bodies, createBodies, followerAbove, GROUND } from '../bodies/bodies.js';
import { startsOf } from '../bodies/point-index.js';

/** A goal on bodies. */
export interface Effector {
  readonly goal: PositionGoal;
  readonly bone: number;
  readonly body: number;
  readonly point: Numbers;
  /** Bone that carries the target and the point there; -1 for a target in the world. */
  readonly targetBone: number;
  readonly targetBody: number;
  readonly targetPoint: Numbers;
  readonly tolerance: number;
}

/** The part of a figure that the goals move, ready for passes. */
export interface Chains {
  readonly bodies: Bodies;
  readonly effectors: readonly Effector[];
  /** Bodies on the way from an end to the ground, parents first. */
  readonly active: Int32Array;
  /** 1 for each of them. */
  readonly isActive: Uint8Array;
  /** Ends of the goals: that of effector e is 2 e, that of the bone that carries its target 2 e + 1. */
  readonly endBodies: Int32Array;
  /** Weight of each goal, and of all ends at or below each body; read at each solve. */
  readonly weights: Float64Array;
  readonly weightBelow: Float64Array;
  /** 1 where end n hangs at or below body k, at [k * ends + n]. */
  readonly below: Uint8Array;
  /** 1 for a body that hangs on nothing that could move: its joint is the first. Locks do not count. */
  readonly isRoot: Uint8Array;
  /** 1 for a body whose joint cannot turn freely, or is limited: its coordinates are read in every pass. */
  readonly constrained: Uint8Array;
  /** Active bodies on body k: `children[childStart[k] .. childStart[k + 1])`; ends on it likewise. */
  readonly children: Int32Array;
  readonly childStart: Int32Array;
  readonly ends: Int32Array;
  readonly endStart: Int32Array;
  /** Place of each end in its body, m; in the world for one on the ground. */
  readonly places: Float64Array;
}

const DEFAULT_TOLERANCE = 1e-4;

/** @throws GoalError, FigureError for goals or bones that make no sense on the figure. */
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
  const held = new Uint8Array(figure.bones.length);
  locked.forEach((name, n) => {
    held[boneIndex(figure, name, `locked[${n}]`)] = 1;
  });
  for (const { bone, source } of figure.mimicJoints) if (held[bone] === 1) held[source] = 1;
  const bodies = createBodies(figure, held);
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
    childStart: startsOf(children),
    ends: Int32Array.from(ends.flatMap((list) => [...list])),
    endStart: startsOf(ends),
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
    places: new Float64Array(3 * endBodies.length),
  };
}

/** Places of the ends in their bodies, bones standing as `bodyFromBone` has them. */
export function placeEnds({ bodies, effectors, places }: Chains): void {
  for (let e = 0; e < effectors.length; e++) {
    const { bone, point, targetBone, targetPoint } = effectors[e];
    carry(bodies.bodyFromBone, 12 * bone, point, 0, places, 6 * e);
    if (targetBone >= 0) carry(bodies.bodyFromBone, 12 * targetBone, targetPoint, 0, places, 6 * e + 3);
  }
}

/** out[o..] = M x[i..] + p, M and p at m[at..]. */
export function carry(m: Numbers, at: number, x: Numbers, i: number, out: Float64Array, o: number): void {
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
    unsupported(`${path}.priority`, 'FABRIK knows weights only');
  if (goal.mask !== undefined) unsupported(`${path}.mask`, 'FABRIK moves whole points');
  requireWeight(goal.weight ?? 1, `${path}.weight`);
  if (!(tolerance > 0 && Number.isFinite(tolerance))) {
    throw new GoalError('out-of-range', `is ${tolerance}.`, {
      path: `${path}.tolerance`,
      remedy: 'Give a positive, finite number.',
    });
  }
  if (typeof target !== 'object' || target === null) {
    throw new GoalError('wrong-size', `is ${target}.`, {
      path: `${path}.target`,
      remedy: 'Give [x, y, z] in the world, or { bone }.',
    });
  }
  const bone = boneIndex(figure, goal.bone, `${path}.bone`);
  const carried = isCarried(target);
  const targetBone = carried ? boneIndex(figure, target.bone, `${path}.target.bone`) : -1;
  const compiled: Effector = {
    goal,
    bone,
    body: bodyOfBone[bone],
    point: checkedPoint(goal.point, `${path}.point`),
    targetBone,
    targetBody: carried ? bodyOfBone[targetBone] : GROUND,
    targetPoint: checkedPoint(carried ? target.point : undefined, `${path}.target.point`),
    tolerance,
  };
  if (compiled.body === compiled.targetBody) {
    throw new GoalError('immovable-goal', `no free joint moves it (bone '${figure.bones[bone].name}').`, {
      path,
      remedy: 'Free a joint on its chain, or put the goal on another bone.',
    });
  }
  for (const one of [bone, targetBone]) {
    const follower = followerAbove(bodies, one);
    if (follower < 0) continue;
    throw new GoalError(
      'unsupported',
      `is carried by '${figure.bones[follower].name}', which follows another joint.`,
      {
        path,
        remedy: 'Lock the joint that leads, or use solveIk.',
      },
    );
  }
  return compiled;
}

function unsupported(path: string, why: string): never {
  throw new GoalError('unsupported', 'is given.', {
    path,
    remedy: `Leave it out: ${why}; solveIk takes it.`,
  });
}

/** Larger weights would overflow when they are added up. */
const HEAVIEST = 1e100;

function requireWeight(weight: number, path: string): void {
  if (weight >= 0 && weight <= HEAVIEST) return;
  throw new GoalError('out-of-range', `is ${weight}.`, {
    path,
    remedy: 'Give a finite weight of zero or more.',
  });
}

function checkedPoint(point: Numbers | undefined, path: string): Numbers {
  if (point === undefined) return [0, 0, 0];
  if (point?.length === 3 && vec3.allFinite(point)) return Array.from(point);
  throw new GoalError('not-finite', 'is not three finite numbers.', {
    path,
    remedy: 'Give [x, y, z] in the bone frame, or leave it out.',
  });
}

/** Beyond this the squares of distances overflow. */
const FARTHEST = 1e100;

/**
 * Reads what may change from solve to solve: weights and targets in the world.
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
    if (effectors[e].targetBone < 0) checkTarget(effectors[e].goal.target as Numbers, `goals[${e}].target`);
  }
  // Only ratios count.
  for (let e = 0; e < effectors.length; e++) if (largest > 0) weights[e] /= largest;
  for (let n = 0; n < endBodies.length; n++) {
    for (let k = endBodies[n]; k !== GROUND; k = bodies.parents[k]) weightBelow[k] += weights[n >> 1];
  }
}

function checkTarget(target: Numbers, path: string): void {
  if (target.length !== 3 || !vec3.allFinite(target)) {
    throw new GoalError('not-finite', 'is not three finite numbers.', { path, remedy: 'Give [x, y, z], m.' });
  }
  if (vec3.norm(target) <= FARTHEST) return;
  throw new GoalError('out-of-range', 'is too far for its square to be a number.', {
    path,
    remedy: 'Give metres.',
  });
}

/** @throws FigureError for a pose that is not a Float64Array. */
export function requirePoseArray(pose: unknown): void {
  if (pose instanceof Float64Array) return;
  throw new FigureError('wrong-size', 'is not a Float64Array.', {
    path: 'pose',
    remedy: 'Make it with createPose(figure).',
  });
}
