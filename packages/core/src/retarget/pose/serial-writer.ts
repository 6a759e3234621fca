/** Hinges in series follow the parts of a body, within their limits. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { restOf } from '../../figure/kinematics/rest-pose.js';
import { createPose } from '../../figure/model/pose.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import * as quat from '../../math/geometry/quat.js';
import * as rigid from '../../math/geometry/rigid-transform.js';
import type { Numbers } from '../../math/linear/types.js';
import { createRobotRetargeter, type RobotRetargeterState } from '../../robot/retargeter.js';
import { type Minimum, minimize, type Posture } from '../../robot/solver/minimize.js';
import type { Table } from '../../robot/solver/problem.js';
import { type TargetPlan, type Targets, writeTargets } from '../../robot/targets/targets.js';
import {
  configurationFromPose,
  createConfiguration,
  poseFromConfiguration,
  writeProduct,
  writeRotated,
} from '../../robot/tree/pose.js';
import type { RobotTree } from '../../robot/tree/tree.js';
import type { RobotMatch } from '../../robot/types/retargeting.js';
import type { SerialPart, SerialTarget } from '../body/serial-target.js';
import {
  chooseAnswer,
  createLiveChain,
  type HingeChain,
  hingeChainsOf,
  type LiveChain,
  writeChainRotation,
} from './hinge-chains.js';
import type { Leg } from './leg.js';

export interface SerialWriter {
  readonly target: SerialTarget;
  readonly robot: RobotRetargeterState;
  readonly chains: readonly HingeChain[];
  /** Of the body. */
  readonly state: FigureState;
  /** Frame of the robot's root in that of the hips: at rest, then as it was last fitted. Unit quaternion and position. */
  readonly rest: Placement;
  readonly root: Placement;
  /** Angles of each chain in the frame before. */
  readonly before: readonly Float64Array[];
  readonly restPose: Float64Array;
  readonly live: readonly LiveChain[];
  /** Frames of one frame's parts. */
  readonly parts: BodyFrames;
  readonly fit: Minimum;
  /** Matches of the feet, in the order of the legs. */
  readonly feet: readonly number[];
  /** Hinges and sliders of the legs and the trunk, of each arm, and of the head: they have their kinks together. */
  readonly groups: readonly (readonly number[])[];
  /** 1 for hinges of a part that has several. */
  readonly isInSeries: Uint8Array;
  /** Feet alone, beside a posture. */
  readonly standing: { readonly table: Table; readonly posture: Posture };
}

interface Placement {
  readonly rotation: Float64Array;
  readonly position: Float64Array;
}

/** World frames of the body's parts over a clip: 3 and 4 numbers a part. */
export interface BodyFrames {
  readonly positions: Float64Array;
  readonly rotations: Float64Array;
}

/**
 * Weights by what a part is for: w_r, 1/rad, and w_p in leg lengths. Feet stand where the contacts have them, by 1 mm for some tenth of a degree of the
 * legs; hips and hands give way first; limbs are carried by their orientations.
 */
const WEIGHTS = {
  hips: [2, 4],
  // The rotation by how near a contact is.
  Foot: [1, 200],
  Hand: [0.5, 1],
  other: [1, 0],
} as const;

/** Weights of a posture beside feet: of hinges, 1/rad^2, of the root's position, in leg lengths, and of its rotation, 1/rad^2. */
const POSTURE = { joint: 1, rootPosition: 10, rootRotation: 30 };
/** w_r of feet in the air, which give way to the limits of their ankles sooner than the hips, and of those on the ground, 1/rad. */
const FOOT_IN_AIR = 3;
const FOOT_ON_GROUND = 20;

/** @param legs - Those that the source moves. @param legLength - Of the target. */
export function createSerialWriter(
  target: SerialTarget,
  legs: readonly Leg[],
  legLength: number,
): SerialWriter {
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
  const { state: fitting } = createRobotRetargeter(robot, {
    humanRoot: 'hips',
    groundHeight: 0,
    humanHeight: 1,
    scales: new Map(parts.map(({ human }) => [human, 1])),
    first: matches,
    second: [],
  });
  const { work, tree, second } = fitting;
  work.lower.set(tree.min);
  work.upper.set(tree.max);
  const chains = hingeChainsOf(target);
  const rest = restPlacement(target);
  return {
    target,
    robot: fitting,
    chains,
    state: createState(figure),
    rest,
    root: { rotation: rest.rotation.slice(), position: rest.position.slice() },
    before: chains.map(({ trial }) => trial.slice()),
    restPose: createPose(robot),
    live: chains.map(createLiveChain),
    parts: bodyFrames(parts.length, 1),
    feet: legs.map(({ foot }) => second.table.body.indexOf(foot)),
    fit: { residual: 0, iterations: 0 },
    groups: groupsOf(target, tree),
    isInSeries: Uint8Array.from(tree.inPose, (coordinate) =>
      chains.some(({ coordinates }) => coordinates.length > 1 && coordinates.includes(coordinate)) ? 1 : 0,
    ),
    standing: {
      table: footTable(second.table, parts),
      posture: {
        at: createConfiguration(tree),
        weights: Float64Array.from(tree.jointOf, (j, i) =>
          j !== tree.root
            ? POSTURE.joint
            : i - tree.first[j] < 3
              ? (POSTURE.rootPosition / legLength) ** 2
              : POSTURE.rootRotation,
        ),
        gradient: new Float64Array(tree.size),
      },
    },
  };
}

function groupsOf({ parts }: SerialTarget, tree: RobotTree): number[][] {
  const limbs = [/^left.*(Shoulder|Arm|Hand)$/, /^right.*(Shoulder|Arm|Hand)$/, /^(neck|head|jaw)$/];
  const groups: number[][] = [[], ...limbs.map(() => [])];
  for (let i = 0; i < tree.size; i++) {
    if (tree.jointOf[i] === tree.root) continue;
    const bone = tree.bone[tree.jointOf[i]];
    const part = parts.find(({ joints }) => joints.includes(bone));
    groups[1 + limbs.findIndex((limb) => part !== undefined && limb.test(part.human))].push(i);
  }
  return groups;
}

function footTable(table: Table, parts: readonly SerialPart[]): Table {
  const feet = parts.map(({ human }) => /Foot$/.test(human));
  const only = (weights: Float64Array) => weights.map((weight, m) => (feet[table.body[m]] ? weight : 0));
  return { ...table, positionWeight: only(table.positionWeight), rotationWeight: only(table.rotationWeight) };
}

export function bodyFrames(parts: number, count: number): BodyFrames {
  return { positions: new Float64Array(3 * parts * count), rotations: new Float64Array(4 * parts * count) };
}

/** The free joint of the robot in the frame of the hips at rest. */
function restPlacement({ robot, parts }: SerialTarget): Placement {
  const hips = parts[0].robotBone;
  let root = hips;
  while (robot.bones[root].joint.type !== 'free' && robot.parents[root] >= 0) root = robot.parents[root];
  const { worldFromBone: world } = restOf(robot);
  const from = rigid.relative(
    world.subarray(12 * hips, 12 * hips + 12),
    world.subarray(12 * root, 12 * root + 12),
  );
  return {
    rotation: Float64Array.from(quat.fromMatrix(from.slice(0, 9))),
    position: Float64Array.from(rigid.toPosition(from)),
  };
}

export function aim(
  plan: TargetPlan,
  targets: Targets,
  { parts: { length: size } }: SerialTarget,
  frames: BodyFrames,
  f: number,
): { readonly positions: Float64Array; readonly rotations: Float64Array } {
  const positions = frames.positions.subarray(3 * size * f, 3 * size * (f + 1));
  const rotations = frames.rotations.subarray(4 * size * f, 4 * size * (f + 1));
  // The bodies have the order of the parts.
  const body = { positions, rotations };
  writeTargets(plan, body, targets);
  return body;
}

/**
 * Live: the pose of the robot whose bones are nearest to the parts of the body, by least squares within the limits.
 *
 * @param body - A pose of `target.figure`.
 * @param pose - Of the robot. Out: the frame.
 * @param isNew - Whether it begins anew.
 */
export function writeSerialPose(
  writer: SerialWriter,
  body: Numbers,
  nearOf: (foot: number) => number,
  pose: Float64Array,
  isNew: boolean,
): void {
  const { chains, live, parts, restPose } = writer;
  readBody(writer, body, parts, 0);
  chains.forEach((chain, c) => {
    if (isNew) live[c].chosen.size = 0;
    writeChainRotation(chain, parts.rotations, 0, live[c].rotation);
    chooseAnswer(chain, live[c]);
  });
  if (isNew) {
    pose.set(restPose);
    beginSerial(writer, (c) => live[c].chosen.angles);
  }
  chains.forEach((_, c) => {
    moveChain(writer, c, live[c].chosen.angles, 0);
  });
  weighFeet(writer, nearOf);
  fitFrame(writer, parts, 0);
  poseFromConfiguration(writer.robot.tree, writer.robot.at, pose);
}

/** Feet on the ground are turned as these have them; those in the air give way to the limits of the ankle, not the hips. */
export function weighFeet({ robot, standing, feet }: SerialWriter, nearOf: (foot: number) => number): void {
  feet.forEach((m, foot) => {
    const weight = (FOOT_IN_AIR + (FOOT_ON_GROUND - FOOT_IN_AIR) * nearOf(foot)) ** 2;
    robot.second.table.rotationWeight[m] = weight;
    standing.table.rotationWeight[m] = weight;
  });
}

export function readBody({ state, target }: SerialWriter, body: Numbers, out: BodyFrames, f: number): void {
  forwardKinematics(state, body);
  const { worldFromBone: world } = state;
  const size = target.parts.length;
  for (let b = 0; b < size; b++) {
    for (let k = 0; k < 3; k++) out.positions[3 * (size * f + b) + k] = world[12 * b + 9 + k];
    quat.fromMatrix(world.subarray(12 * b, 12 * b + 9), turn);
    out.rotations.set(turn, 4 * (size * f + b));
  }
}

const turn = /* @__PURE__ */ new Float64Array(4);
const inverse = /* @__PURE__ */ new Float64Array(4);
const moved = /* @__PURE__ */ new Float64Array(3);

/** The first frame starts at the first angles of the chains, at the rest of all else. */
export function beginSerial(
  { robot: { tree, at }, chains, rest, root, before, restPose }: SerialWriter,
  anglesOf: (c: number) => Float64Array,
): void {
  configurationFromPose(tree, restPose, at);
  root.rotation.set(rest.rotation);
  root.position.set(rest.position);
  chains.forEach(({ coordinates }, c) => {
    coordinates.forEach((coordinate, k) => {
      before[c][k] = anglesOf(c)[k];
      const i = tree.inPose.indexOf(coordinate);
      if (i >= 0) at.values[i] = before[c][k];
    });
  });
}

/** Moves the hinges of a chain as its angles have moved since the frame before. */
export function moveChain(
  { robot: { tree, at }, chains, before }: SerialWriter,
  c: number,
  angles: Float64Array,
  o: number,
): void {
  const { coordinates } = chains[c];
  for (let k = 0; k < coordinates.length; k++) {
    const i = tree.inPose.indexOf(coordinates[k]);
    if (i < 0) continue;
    const x = at.values[i] + angles[o + k] - before[c][k];
    at.values[i] = Math.min(Math.max(x, tree.min[i]), tree.max[i]);
    before[c][k] = angles[o + k];
  }
}

/** Least squares, from where the hinges are and where the hips have the root. */
export function fitFrame({ target, robot, root, fit }: SerialWriter, frames: BodyFrames, f: number): void {
  const { tree, plan, targets, second, work, at, stop } = robot;
  const { positions, rotations } = aim(plan, targets, target, frames, f);
  const j = tree.root;
  writeProduct(rotations, 0, root.rotation, 0, at.rotations, 4 * j);
  writeRotated(rotations, 0, root.position[0], root.position[1], root.position[2], moved);
  for (let k = 0; k < 3; k++) at.positions[3 * j + k] = positions[k] + moved[k];
  minimize(work, second, at, stop, fit);
  for (let k = 0; k < 4; k++) inverse[k] = (k < 3 ? -1 : 1) * rotations[k];
  writeProduct(inverse, 0, at.rotations, 4 * j, root.rotation, 0);
  const p = at.positions;
  writeRotated(
    inverse,
    0,
    p[3 * j] - positions[0],
    p[3 * j + 1] - positions[1],
    p[3 * j + 2] - positions[2],
    root.position,
  );
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
