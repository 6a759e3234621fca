/** Human to robot, frame by frame. */
import {
  type FieldsOf,
  requireBoolean,
  requireFields,
  requireFinite,
  requireList,
  requireNotNegative,
  requireNumbers,
  requirePositive,
  requireSize,
  requireWhole,
} from '../checks.js';
import { GoalError } from '../errors.js';
import type { Triple } from '../figure/data/types.js';
import { boneIndex, type Figure } from '../figure/model/figure.js';
import { checkWritablePose } from '../figure/model/pose.js';
import { type Goal, minimize, type Stop } from './solver/minimize.js';
import { createWorkspace, evaluate, type Table, updateFrames, type Workspace } from './solver/problem.js';
import {
  beginSupport,
  chooseFeet,
  clearMultipliers,
  createSupport,
  type Foot,
  imbalanceOf,
  pushes,
  type Support,
  supportResidual,
  updateEdges,
  updateMultipliers,
} from './solver/support.js';
import {
  checkHuman,
  createTargetPlan,
  createTargets,
  type TargetPlan,
  type Targets,
  writeTargets,
} from './targets/targets.js';
import {
  type Configuration,
  configurationFromPose,
  copyConfiguration,
  createConfiguration,
  extrapolate,
  poseFromConfiguration,
} from './tree/pose.js';
import { createRobotTree, FREE, pointInJoint, type RobotTree } from './tree/tree.js';
import type {
  HumanFrame,
  RobotBalance,
  RobotFrame,
  RobotMatch,
  RobotRetargetConfig,
  RobotRetargetOptions,
} from './types/retargeting.js';

/** Made by {@link createRobotRetargeter}; holds the last frames, from which the next one starts. */
export interface RobotRetargeter {
  readonly figure: Figure;
  /** Bodies of the human, in the order of a {@link HumanFrame}. */
  readonly humanBodies: readonly string[];
  readonly state: RobotRetargeterState;
}

/** Arrays and settings of a retargeter. */
export interface RobotRetargeterState {
  readonly tree: RobotTree;
  readonly plan: TargetPlan;
  readonly targets: Targets;
  readonly first: Goal;
  readonly second: Goal;
  readonly balanced: Goal;
  /** Weight of the balance; Infinity for a constraint. */
  readonly balanceWeight: number;
  readonly work: Workspace;
  /** This frame, the last and the one before. */
  readonly at: Configuration;
  readonly last: Configuration;
  readonly before: Configuration;
  /** Largest change of each coordinate a frame. */
  readonly change: Float64Array;
  readonly stop: Stop;
  /** Frames since the start; 2 for more. */
  frames: number;
}

const FIELDS: FieldsOf<RobotRetargetOptions> = {
  humanHeight: true,
  groundOffset: true,
  toGround: true,
  frameTime: true,
  speedLimit: true,
  balance: true,
  maxIterations: true,
  tolerance: true,
};
const BALANCE_FIELDS: FieldsOf<RobotBalance> = {
  feet: true,
  height: true,
  flight: true,
  margin: true,
  weight: true,
};

/**
 * Penalty of the balance as a constraint, 1/m^2, rounds of multipliers at most, and residual that ends them, m. A larger penalty takes fewer rounds and slows Newton's method, as soles move: with 1e6 a run takes 2.7 ms a frame,
 * with 3e4 a fall is left out of balance in 14 of 195 frames.
 */
const PENALTY = 2e5;
const BALANCE_ROUNDS = 30;
/** Rounds of the balance as a goal. */
const SOFT_ROUNDS = 2;
const BALANCED = 1e-5;

/**
 * Prepares the retargeting of a human's motion to a robot as GMR defines it (Araujo et al. 2025, *Retargeting matters: general motion
 * retargeting for humanoid motion tracking*): the robot's hinges, sliders and free root minimize the weighted distances of bones from the
 * scaled and offset bodies of the human, within the limits.
 *
 * @param figure - The robot: hinges, sliders, fixed joints, and a free root.
 * @param config - What `readGmrConfig` of @poise/formats reads.
 * @throws FigureError `unknown-name` for a bone that is not there, `unsupported` for a joint of another type above a bone that follows;
 *   GoalError for invalid options and for a body without a scale.
 */
export function createRobotRetargeter(
  figure: Figure,
  config: RobotRetargetConfig,
  options: RobotRetargetOptions = {},
): RobotRetargeter {
  requireFields(options, FIELDS, 'options', GoalError);
  const { humanHeight = config.humanHeight, groundOffset = 0, toGround = false } = options;
  const { maxIterations = 50, tolerance = 1e-6, balance } = options;
  requirePositive(humanHeight, 'options.humanHeight', GoalError, 'm');
  requireFinite(groundOffset, 'options.groundOffset', GoalError);
  requireBoolean(toGround, 'options.toGround', GoalError);
  requireWhole(maxIterations, 'options.maxIterations', GoalError);
  requireNotNegative(tolerance, 'options.tolerance', GoalError);
  const matches = [...config.first, ...config.second].filter(hasWeight);
  if (matches.length === 0) {
    throw new GoalError('unsupported', 'has no entry with a weight.', {
      path: 'config',
      remedy: 'Give it at least one bone that follows a body.',
    });
  }
  const tree = createRobotTree(
    figure,
    matches.map(({ robot }) => boneIndex(figure, robot, 'config')),
  );
  const plan = createTargetPlan(config, figure.up, { humanHeight, groundOffset, toGround });
  const targets = createTargets(plan);
  const tables = [config.first, config.second].map((table) => tableOf(tree, plan, table));
  // A configuration may have one table only.
  const second: Goal = { table: tables[1].size > 0 ? tables[1] : tables[0], targets };
  return {
    figure,
    humanBodies: plan.bodies,
    state: {
      tree,
      plan,
      targets,
      first: { table: tables[0], targets },
      second,
      balanced: { ...second, support: balance && supportOf(tree, balance) },
      balanceWeight: balance?.weight ?? Number.POSITIVE_INFINITY,
      work: createWorkspace(tree, matches.length),
      at: createConfiguration(tree),
      last: createConfiguration(tree),
      before: createConfiguration(tree),
      change: changesOf(tree, options),
      stop: { maxIterations, tolerance },
      frames: 0,
    },
  };
}

/** GMR ignores entries without a weight. */
function hasWeight({ positionWeight, rotationWeight }: RobotMatch): boolean {
  return positionWeight > 0 || rotationWeight > 0;
}

function tableOf(tree: RobotTree, { bodies }: TargetPlan, all: readonly RobotMatch[]): Table {
  const matches = all.filter(hasWeight);
  const bones = matches.map(({ robot }) => boneIndex(tree.figure, robot, 'config'));
  return {
    size: matches.length,
    joint: Int32Array.from(bones, (bone) => jointOrWorld(tree, bone)),
    rotation: Float64Array.from(bones.flatMap((b) => [...tree.boneRotation.subarray(4 * b, 4 * b + 4)])),
    position: Float64Array.from(bones.flatMap((b) => [...tree.bonePosition.subarray(3 * b, 3 * b + 3)])),
    body: Int32Array.from(matches, ({ human }) => bodies.indexOf(human)),
    positionWeight: Float64Array.from(matches, ({ positionWeight }) => positionWeight ** 2),
    rotationWeight: Float64Array.from(matches, ({ rotationWeight }) => rotationWeight ** 2),
  };
}

function jointOrWorld({ jointOfBone, joints }: RobotTree, bone: number): number {
  return jointOfBone[bone] < 0 ? joints : jointOfBone[bone];
}

/** Largest change of each coordinate a frame: speed limit times frame time. */
function changesOf(tree: RobotTree, { speedLimit, frameTime }: RobotRetargetOptions): Float64Array {
  const changes = new Float64Array(tree.size).fill(Number.POSITIVE_INFINITY);
  if (frameTime !== undefined) requirePositive(frameTime, 'options.frameTime', GoalError, 's');
  if (speedLimit === undefined) return changes;
  if (speedLimit !== 'figure') requirePositive(speedLimit, 'options.speedLimit', GoalError);
  if (frameTime === undefined) {
    throw new GoalError('unsupported', 'is missing where there is a speed limit.', {
      path: 'options.frameTime',
      remedy: 'Give the time between frames, s: 1 / frames per second.',
    });
  }
  for (let i = 0; i < tree.size; i++) {
    const joint = tree.jointOf[i];
    if (tree.kind[joint] === FREE) continue;
    const speed = speedLimit === 'figure' ? tree.figure.bones[tree.bone[joint]].speedLimit : speedLimit;
    changes[i] = (speed ?? Number.POSITIVE_INFINITY) * frameTime;
  }
  return changes;
}

function supportOf(tree: RobotTree, balance: RobotBalance): Support {
  const path = 'options.balance';
  requireFields(balance, BALANCE_FIELDS, path, GoalError);
  const { feet, height = 0.03, flight = 0.15, margin = 0.01, weight = Number.POSITIVE_INFINITY } = balance;
  requireNotNegative(height, `${path}.height`, GoalError, 'm');
  requirePositive(flight, `${path}.flight`, GoalError, 'm', true);
  requireNotNegative(margin, `${path}.margin`, GoalError, 'm');
  requirePositive(weight, `${path}.weight`, GoalError, '1/m', true);
  requireList(feet, `${path}.feet`, GoalError, 'Give the feet with the points of their soles.');
  return createSupport(
    tree,
    feet.map(({ bone, points }, k) => footOf(tree, bone, points, `${path}.feet[${k}]`)),
    { height, flight, margin },
  );
}

function footOf(tree: RobotTree, bone: string, points: readonly Triple[], path: string): Foot {
  const b = boneIndex(tree.figure, bone, `${path}.bone`);
  requireList(points, `${path}.points`, GoalError, 'Give the corners of the sole.');
  return {
    joint: jointOrWorld(tree, b),
    points: points.map((point, k) => {
      requireNumbers(point, 3, `${path}.points[${k}]`, GoalError);
      return pointInJoint(tree, b, point);
    }),
  };
}

/** Forgets the frames before, so that the next one starts at the pose given: for another clip, or after a cut. */
export function resetRobotRetargeter({ state }: RobotRetargeter): void {
  state.frames = 0;
}

/**
 * The pose of the robot for one frame, in place: the minimum of the second table's objective within the limits, the speed limits and the
 * balance. The first frame starts at the pose given and minimizes the first table before; later ones start where the last two frames lead.
 * Coordinates that move no bone of the tables are left as they are.
 *
 * @param pose - Length `figure.dof`; written, and read at the first frame.
 * @throws GoalError `wrong-size`, `not-finite` for a frame, FigureError for a pose.
 */
export function retargetToRobot(
  retargeter: RobotRetargeter,
  human: HumanFrame,
  pose: Float64Array,
): RobotFrame {
  const { figure, state } = retargeter;
  const { tree, plan, targets, first, second, work, at, last, before, stop } = state;
  checkHuman(plan, human);
  checkWritablePose(figure, pose);
  writeTargets(plan, human, targets);
  writeStart(state, pose);
  const frame: RobotFrame = { objective: 0, residual: 0, iterations: 0, atBound: 0, imbalance: 0 };
  const { support } = state.balanced;
  if (state.frames === 0) {
    if (support !== undefined) beginSupport(support);
    if (first.table !== second.table) minimize(work, first, at, stop, frame);
  }
  // Where the support pushed in the frame before, it does so from the start.
  if (support === undefined || !pushes(support)) minimize(work, second, at, stop, frame);
  if (support !== undefined) balance(state, support, human, frame);
  frame.objective = evaluate(work, second.table, targets);
  for (let i = 0; i < tree.size; i++)
    if (at.values[i] <= work.lower[i] || at.values[i] >= work.upper[i]) frame.atBound++;
  copyConfiguration(state.frames === 0 ? at : last, before);
  copyConfiguration(at, last);
  state.frames = Math.min(state.frames + 1, 2);
  poseFromConfiguration(tree, at, pose);
  return frame;
}

/** The start of a frame, and its bounds. */
function writeStart(
  { tree, work, at, last, before, change, frames }: RobotRetargeterState,
  pose: Float64Array,
): void {
  if (frames === 0) configurationFromPose(tree, pose, at);
  else extrapolate(tree, before, last, at);
  for (let i = 0; i < tree.size; i++) {
    const x = last.values[i];
    work.lower[i] = frames === 0 ? tree.min[i] : Math.max(tree.min[i], x - change[i]);
    work.upper[i] = frames === 0 ? tree.max[i] : Math.min(tree.max[i], x + change[i]);
    at.values[i] = Math.min(Math.max(at.values[i], work.lower[i]), work.upper[i]);
  }
}

/** Moves the centre of mass over the feet: an augmented Lagrangian, from the multipliers of the frame before. */
function balance(
  { balanced, balanceWeight, work, at, stop }: RobotRetargeterState,
  support: Support,
  human: HumanFrame,
  frame: RobotFrame,
): void {
  if (human.standing !== undefined) {
    requireSize(
      human.standing,
      support.feet.length,
      'human.standing',
      GoalError,
      'Give true or false for each foot.',
    );
  }
  const isHard = balanceWeight === Number.POSITIVE_INFINITY;
  const residual = isHard ? supportResidual : imbalanceOf;
  support.penalty = isHard ? PENALTY : balanceWeight ** 2;
  let isMinimum = !pushes(support);
  updateFrames(work, at);
  chooseFeet(support, work, balanced.table, balanced.targets, human.standing);
  updateEdges(support, work);
  for (let round = 0; round < (isHard ? BALANCE_ROUNDS : SOFT_ROUNDS); round++) {
    if (isMinimum && residual(support) <= BALANCED) break;
    minimize(work, balanced, at, stop, frame);
    isMinimum = true;
    if (isHard) updateMultipliers(support);
    // The hull may have changed with the feet.
    updateEdges(support, work);
  }
  frame.imbalance = imbalanceOf(support);
  // Where balance cannot be met, multipliers grow without bound.
  if (frame.imbalance > BALANCED) clearMultipliers(support);
}
