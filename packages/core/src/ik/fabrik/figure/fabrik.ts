import { GoalError } from '../../../errors.js';
import { WORLD_FRAME } from '../../../figure/basis.js';
import { forwardKinematics } from '../../../figure/kinematics/forward-kinematics.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import { checkPose, clampToLimits } from '../../../figure/model/pose.js';
import * as rigid from '../../../math/geometry/rigid-transform.js';
import type { Numbers } from '../../../math/linear/types.js';
import type { PositionGoal } from '../../goals/types/goal.js';
import { requireBoolean, requireCount, requireOneOf, requireOptions } from '../../problem/option-checks.js';
import type { IkResult } from '../../problem/status.js';
import { placeBones, poseBodies, readBodies } from '../bodies/bodies.js';
import { type Chains, carry, createChains, placeEnds, readGoals, requirePoseArray } from './chains.js';
import { createJudge, type Judge, judge } from './fabrik-result.js';
import { createPasses, measure, type Passes } from './passes.js';
import { createSearch, type Search, search } from './search.js';

/** Settings of FABRIK. The defaults serve every problem set of the tests. */
export interface FabrikOptions {
  /**
   * Passes there and back, and sweeps, at most in one descent. Where the goals are not met the best pose found is then
   * brought to rest by sweeps, ten times as many at most. Default 300.
   */
  readonly maxIterations?: number;
  /** Descents from other starts at most, where the first sticks short of the goals. 0 stays with the pose given. Default 16. */
  readonly restarts?: number;
  /** Of the starts that are drawn. Default 1. */
  readonly seed?: number;
  /** Bones whose joints stay as they are, once the pose is within its limits. */
  readonly locked?: readonly (string | number)[];
  /** Whether goals may move a root that can move: `fixed` holds its origin and lets it turn. Default `free`. */
  readonly root?: 'free' | 'fixed';
  /**
   * What the passes reckon in: the world (default), or the frame of a bone as it stands at the start. The notes leave the choice; the
   * answer is the same to rounding.
   */
  readonly basis?: string | number;
  /** False leaves out the sweeps and the other starts: the passes of the papers alone, for comparison. Default true. */
  readonly sweeps?: boolean;
}

/** FABRIK on a figure, goals checked and all memory made: solve it as often as targets move. */
export interface Fabrik {
  readonly figure: Figure;
  readonly chains: Chains;
  readonly passes: Passes;
  readonly search: Search;
  readonly judge: Judge;
  /** Bone whose frame is the basis, `WORLD` for the world. */
  readonly basis: number;
}

/**
 * Prepares FABRIK (Aristidou & Lasenby 2011; with limits, Aristidou, Chrysanthou & Lasenby 2016) on a figure: one chain or a tree,
 * several ends, closed loops as goals whose target a bone carries, any joints and limits.
 *
 * @param goals - Position goals without priority or mask; other goals want `solveIk`.
 * @throws GoalError, FigureError for goals and options that make no sense on the figure.
 */
export function createFabrik(
  figure: Figure,
  goals: readonly PositionGoal[],
  options: FabrikOptions = {},
): Fabrik {
  checkOptions(options);
  const { maxIterations = 300, restarts = 16, seed = 1, locked = [], root = 'free', sweeps = true } = options;
  const { basis = WORLD_FRAME } = options;
  const chains = createChains(figure, goals, locked);
  const passes = createPasses(chains, root === 'fixed');
  const judged = createJudge(chains, root === 'fixed');
  return {
    figure,
    chains,
    passes,
    search: createSearch(passes, { maxIterations, restarts, seed, sweeps, lengthScale: judged.lengthScale }),
    judge: judged,
    basis: basis === WORLD_FRAME ? WORLD_FRAME : boneIndex(figure, basis, 'options.basis'),
  };
}

/**
 * Moves `pose` in place to where the goals are met, or as near as it comes, and says which. The start is first moved to the nearest
 * allowed pose; what is returned is within all limits. Same input, same bits.
 *
 * `out-of-reach` and `limit-blocked` are said only where the gradient proves the pose stationary; all else short of the goals is
 * `stalled`.
 *
 * @param pose - Length `figure.dof`; read as the start, written as the answer.
 * @throws FigureError for a pose of the wrong size or not finite, GoalError for a target or weight that is none.
 */
export function solveFabrik(fabrik: Fabrik, pose: Float64Array): IkResult {
  const { figure, chains, passes } = fabrik;
  const { bodies } = chains;
  requirePoseArray(pose);
  checkPose(figure, pose);
  readGoals(chains);
  clampToLimits(figure, pose);
  forwardKinematics(bodies.state, pose);
  placeBones(bodies);
  placeEnds(chains);
  setBasis(fabrik);
  passes.pose.set(pose);
  poseBodies(bodies, pose);
  measure(passes);
  const effort = search(fabrik.search, pose);
  readBodies(bodies, chains.active, passes.pose);
  pose.set(passes.pose);
  return judge(fabrik.judge, pose, effort);
}

/** ground = basisFromWorld, and the targets of the world in it. */
function setBasis({ chains, passes, basis }: Fabrik): void {
  const { ground, state } = chains.bodies;
  if (basis === WORLD_FRAME) rigid.identity(ground);
  else rigid.inverse(state.worldFromBone.subarray(12 * basis, 12 * basis + 12), ground);
  for (let e = 0; e < chains.effectors.length; e++) {
    const { targetBone, goal } = chains.effectors[e];
    if (targetBone < 0) carry(ground, 0, goal.target as Numbers, 0, passes.targets, 3 * e);
  }
}

const OPTIONS = ['maxIterations', 'restarts', 'seed', 'locked', 'root', 'basis', 'sweeps'];

function checkOptions(options: FabrikOptions): void {
  requireOptions(options, OPTIONS);
  for (const name of ['maxIterations', 'restarts', 'seed'] as const) {
    requireCount(options[name], `options.${name}`);
  }
  requireOneOf(options.root, ['free', 'fixed'], 'options.root');
  requireBoolean(options.sweeps, 'options.sweeps');
  if (options.locked === undefined || Array.isArray(options.locked)) return;
  throw new GoalError('wrong-size', 'is not a list of bones.', {
    path: 'options.locked',
    remedy: `Give an array: ['hips'].`,
  });
}
