/** Hinges in series follow the parts of a body, within their limits. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { restOf } from '../../figure/kinematics/rest-pose.js';
import { createPose } from '../../figure/model/pose.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import * as quat from '../../math/geometry/quat.js';
import * as rigid from '../../math/geometry/rigid-transform.js';
import type { Numbers } from '../../math/linear/types.js';
import {
  createRobotRetargeter,
  type RobotRetargeter,
  resetRobotRetargeter,
  retargetToRobot,
} from '../../robot/retargeter.js';
import type { RobotMatch } from '../../robot/types/retargeting.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import type { SerialTarget } from '../body/serial-target.js';
import {
  type ChainAngles,
  chainPath,
  chainRotation,
  type HingeChain,
  hingeChainsOf,
  nextAnswer,
} from './hinge-chains.js';

export interface SerialWriter {
  readonly target: SerialTarget;
  readonly robot: RobotRetargeter;
  readonly chains: readonly HingeChain[];
  /** Of the body. */
  readonly state: FigureState;
  readonly positions: Float64Array;
  readonly rotations: Float64Array;
  readonly root: SerialRoot;
  readonly restPose: Float64Array;
  /** Live: the answer of each chain in the frame before. */
  readonly answers: (ChainAngles | undefined)[];
}

/** The free joint of the robot, and its frame at rest, which the hips carry. */
interface SerialRoot {
  readonly coordinate: number;
  readonly rest: Float64Array;
  /** Root from hips at rest. */
  readonly rootFromHips: readonly number[];
}

/**
 * Weights by what a part is for: w_r, 1/rad, and w_p in leg lengths. Feet stand where the contacts have them, by 1 mm for some tenth of a degree of the
 * legs; hips and hands give way first; limbs are carried by their orientations.
 */
const WEIGHTS = {
  hips: [2, 4],
  Foot: [10, 200],
  Hand: [0.5, 1],
  other: [1, 0],
} as const;

/** @param legLength - Of the body, m. */
export function createSerialWriter(target: SerialTarget, legLength: number): SerialWriter {
  const { robot, figure, parts } = target;
  const matches = parts.map(({ human, robotBone, center }): RobotMatch => {
    const kind =
      human === 'hips' ? 'hips' : /Foot$/.test(human) ? 'Foot' : /Hand$/.test(human) ? 'Hand' : 'other';
    const [rotationWeight, positionWeight] = WEIGHTS[kind];
    return {
      robot: robot.bones[robotBone].name,
      human,
      positionWeight: positionWeight / legLength,
      rotationWeight,
      // From the origin of the part to that of the robot's bone.
      position: [-center[0], -center[1], -center[2]],
      rotation: [0, 0, 0, 1],
    };
  });
  return {
    target,
    robot: createRobotRetargeter(robot, {
      humanRoot: 'hips',
      groundHeight: 0,
      humanHeight: 1,
      scales: new Map(parts.map(({ human }) => [human, 1])),
      first: matches,
      second: [],
    }),
    chains: hingeChainsOf(target),
    state: createState(figure),
    root: rootOf(target),
    answers: [],
    positions: new Float64Array(3 * parts.length),
    rotations: new Float64Array(4 * parts.length),
    restPose: createPose(robot),
  };
}

function rootOf({ robot, parts }: SerialTarget): SerialRoot {
  const hips = parts[0].robotBone;
  let root = hips;
  while (robot.bones[root].joint.type !== 'free' && robot.parents[root] >= 0) root = robot.parents[root];
  const { worldFromBone: world } = restOf(robot);
  const rest = world.slice(12 * root, 12 * root + 12);
  const fromHips = rigid.relative(world.subarray(12 * hips, 12 * hips + 12), rest);
  return { coordinate: robot.bones[root].coordinate, rest, rootFromHips: fromHips };
}

/** Poses of the robot that follow those of the body. @param step - Between frames, s. */
export function writeSerialPoses(
  writer: SerialWriter,
  bodies: readonly Float64Array[],
  step: number,
): Float64Array[] {
  const { chains, state, target } = writer;
  const row = 12 * target.parts.length;
  const worlds = new Float64Array(row * bodies.length);
  bodies.forEach((body, f) => {
    forwardKinematics(state, body);
    worlds.set(state.worldFromBone, row * f);
  });
  const worldAt = (f: number): Float64Array => worlds.subarray(row * f, row * f + row);
  const paths = chains.map((chain) => {
    return chainPath(chain, bodies.length, step, (f) => rotationOf(chain, worldAt(f)));
  });
  const pose = writer.restPose.slice();
  return bodies.map((_, f) => {
    solve(writer, worldAt(f), (c) => paths[c][f], pose);
    return pose.slice();
  });
}

/**
 * Live: the pose of the robot whose bones are nearest to the parts of the body, by least squares within the limits.
 *
 * @param body - A pose of `target.figure`.
 * @param pose - Of the robot. In: the frame before. Out: the frame.
 */
export function writeSerialPose(writer: SerialWriter, body: Numbers, pose: Float64Array): void {
  const { chains, state, answers } = writer;
  forwardKinematics(state, body);
  chains.forEach((chain, c) => {
    answers[c] = nextAnswer(chain, rotationOf(chain, state.worldFromBone), answers[c]);
  });
  solve(writer, state.worldFromBone, (c) => answers[c]?.angles ?? [], pose);
}

/** Live: begins anew at the rest pose. */
export function resetSerialWriter({ answers, restPose }: SerialWriter, pose: Float64Array): void {
  answers.length = 0;
  pose.set(restPose);
}

function rotationOf(chain: HingeChain, world: Float64Array): number[] {
  const at = (part: number): Float64Array => world.subarray(12 * part, 12 * part + 9);
  return chainRotation(chain, at(chain.above), at(chain.part));
}

/** Least squares from the angles of the chains and the root where the hips have it. @param world - Of the body's bones. */
function solve(
  { target, robot, chains, root, positions, rotations }: SerialWriter,
  world: Float64Array,
  anglesOf: (c: number) => readonly number[],
  pose: Float64Array,
): void {
  chains.forEach(({ coordinates }, c) => {
    const angles = anglesOf(c);
    for (let k = 0; k < angles.length; k++) pose[coordinates[k]] = angles[k];
  });
  // The origin of the hips is that of their bone.
  const place = rigid.relative(root.rest, rigid.compose(world.subarray(0, 12), root.rootFromHips));
  pose.set([...rigid.toPosition(place), ...rotationVectorFromMatrix(place.slice(0, 9))], root.coordinate);
  // The bodies have the order of the parts.
  for (let b = 0; b < target.parts.length; b++) {
    for (let k = 0; k < 3; k++) positions[3 * b + k] = world[12 * b + 9 + k];
    const q = quat.fromMatrix(world.subarray(12 * b, 12 * b + 9));
    for (let k = 0; k < 4; k++) rotations[4 * b + k] = q[k];
  }
  resetRobotRetargeter(robot);
  retargetToRobot(robot, { positions, rotations }, pose);
}

/** Reads poses of the robot as frames of the body's bones. */
export interface SerialReader {
  readonly target: SerialTarget;
  readonly state: FigureState;
  /** Twelve numbers a bone of the body. */
  readonly world: Float64Array;
}

export function createSerialReader(target: SerialTarget): SerialReader {
  return {
    target,
    state: createState(target.robot),
    world: new Float64Array(12 * target.parts.length),
  };
}

/** World transforms of the body's bones, as the robot has them. @returns `reader.world`. */
export function readSerialPose({ target, state, world }: SerialReader, pose: Numbers): Float64Array {
  forwardKinematics(state, pose);
  target.parts.forEach(({ robotBone, center }, b) => {
    const from = state.worldFromBone.subarray(12 * robotBone, 12 * robotBone + 12);
    world.set(from.subarray(0, 9), 12 * b);
    world.set(rigid.transformPoint(from, center), 12 * b + 9);
  });
  return world;
}
