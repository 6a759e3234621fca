import { type FieldsOf, requireBoolean, requireFields, requireOneOf, requireWhole } from '../../../checks.js';
import { GoalError } from '../../../errors.js';
import { WORLD_FRAME } from '../../../figure/basis.js';
import { forwardKinematics } from '../../../figure/kinematics/forward-kinematics.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import { checkWritablePose, clampToLimits } from '../../../figure/model/pose.js';
import * as rigid from '../../../math/geometry/rigid-transform.js';
import type { Numbers } from '../../../math/linear/types.js';
import type { PositionGoal } from '../../goals/types/goal.js';
import { requireBones } from '../../problem/option-checks.js';
import type { IkResult } from '../../problem/status.js';
import { projectFrames, updateBodies, updateBoneFrames } from '../bodies/bodies.js';
import { type Chains, createChains, readGoals, transformPoint, updateLocalEnds } from './chains.js';
import { createFabrikResult, createResultWorkspace, type ResultWorkspace } from './fabrik-result.js';
import { createMultiStart, type MultiStart, runMultiStart } from './multi-start.js';
import { createPasses, evaluate, type Passes } from './passes.js';

/** Options of FABRIK. */
export interface FabrikOptions {
  /**
   * Largest number of passes and coordinate-descent rounds in one descent. Where the goals are not met, the best pose found is then
   * polished by at most ten times as many rounds. Default 300.
   */
  readonly maxIterations?: number;
  /** Largest number of further starts when the first descent ends short of the goals. 0 keeps the given start. Default 16. */
  readonly restarts?: number;
  /** Seed of the random starts. Default 1. */
  readonly seed?: number;
  /** Bones with locked joints. Their coordinates are only clamped to the limits. */
  readonly locked?: readonly (string | number)[];
  /** `fixed` locks the translation of a movable root; its rotation stays free. Default `free`. */
  readonly root?: 'free' | 'fixed';
  /**
   * Frame of the computation: the world (default), or the frame of a bone at the start. The lecture notes on constraints in a scene graph
   * leave the choice; the result is the same to rounding.
   */
  readonly basis?: string | number;
  /** False disables coordinate descent and restarts: the passes of the papers alone, for comparison. Default true. */
  readonly coordinateDescent?: boolean;
}

const OPTIONS: FieldsOf<FabrikOptions> = {
  maxIterations: true,
  restarts: true,
  seed: true,
  locked: true,
  root: true,
  basis: true,
  coordinateDescent: true,
};

/** FABRIK on a figure with goals checked and memory allocated, for repeated solves. */
export interface Fabrik {
  readonly figure: Figure;
  readonly chains: Chains;
  readonly passes: Passes;
  readonly multiStart: MultiStart;
  readonly resultWorkspace: ResultWorkspace;
  /** Bone whose frame is the basis, `WORLD_FRAME` for the world. */
  readonly basis: number;
}

/**
 * Prepares FABRIK (Aristidou & Lasenby 2011; with limits, Aristidou, Chrysanthou & Lasenby 2016) on a figure: a chain or a tree with one
 * or more ends, any joints and limits; closed loops are goals whose target is on a bone.
 *
 * @param goals - Position goals without priority or mask; for other goals use `solveIk`.
 * @throws GoalError, FigureError for invalid goals or options.
 */
export function createFabrik(
  figure: Figure,
  goals: readonly PositionGoal[],
  options: FabrikOptions = {},
): Fabrik {
  requireFields(options, OPTIONS, 'options', GoalError);
  const {
    maxIterations = 300,
    restarts = 16,
    seed = 1,
    locked = [],
    root = 'free',
    coordinateDescent = true,
  } = options;
  const { basis = WORLD_FRAME } = options;
  for (const [name, value] of Object.entries({ maxIterations, restarts, seed })) {
    requireWhole(value, `options.${name}`, GoalError);
  }
  requireOneOf(root, ['free', 'fixed'], 'options.root', GoalError);
  requireBoolean(coordinateDescent, 'options.coordinateDescent', GoalError);
  requireBones(options.locked, 'options.locked');
  const chains = createChains(figure, goals, locked);
  const passes = createPasses(chains, root === 'fixed');
  const resultWorkspace = createResultWorkspace(chains, root === 'fixed');
  return {
    figure,
    chains,
    passes,
    multiStart: createMultiStart(passes, {
      maxIterations,
      restarts,
      seed,
      coordinateDescent,
      lengthScale: resultWorkspace.lengthScale,
    }),
    resultWorkspace,
    basis: basis === WORLD_FRAME ? WORLD_FRAME : boneIndex(figure, basis, 'options.basis'),
  };
}

/**
 * Moves `pose` in place to meet the goals, or as near as possible, and reports the status. The start is first clamped to the limits; the
 * result is within all limits. Same input, same bits.
 *
 * `out-of-reach` and `limit-blocked` are reported only where the gradient proves the pose stationary; otherwise the status is `stalled`.
 *
 * @param pose - Length `figure.dof`; the start on input, the solution on output.
 * @throws FigureError for a pose of the wrong size or not finite, GoalError for an invalid target or weight.
 */
export function solveFabrik(fabrik: Fabrik, pose: Float64Array): IkResult {
  const { figure, chains, passes } = fabrik;
  const { bodies } = chains;
  checkWritablePose(figure, pose);
  readGoals(chains);
  clampToLimits(figure, pose);
  forwardKinematics(bodies.state, pose);
  updateBoneFrames(bodies);
  updateLocalEnds(chains);
  setBasis(fabrik);
  passes.pose.set(pose);
  updateBodies(bodies, pose);
  evaluate(passes);
  const statistics = runMultiStart(fabrik.multiStart, pose);
  projectFrames(bodies, chains.active, passes.pose);
  pose.set(passes.pose);
  return createFabrikResult(fabrik.resultWorkspace, pose, statistics);
}

/** ground = basisFromWorld; converts the world targets to the basis. */
function setBasis({ chains, passes, basis }: Fabrik): void {
  const { ground, state } = chains.bodies;
  if (basis === WORLD_FRAME) rigid.identity(ground);
  else rigid.inverse(state.worldFromBone.subarray(12 * basis, 12 * basis + 12), ground);
  for (let e = 0; e < chains.effectors.length; e++) {
    const { targetBone, goal } = chains.effectors[e];
    if (targetBone < 0) transformPoint(ground, 0, goal.target as Numbers, 0, passes.targets, 3 * e);
  }
}
