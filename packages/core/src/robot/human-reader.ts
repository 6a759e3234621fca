/** Frames of a human for a retargeter, from poses of its figure. */
import { type FieldsOf, requireFields, requireList, requireNumbers } from '../checks.js';
import { GoalError } from '../errors.js';
import type { Triple } from '../figure/data/types.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { boneIndex, type Figure } from '../figure/model/figure.js';
import { createState, type FigureState } from '../figure/model/state.js';
import * as quat from '../math/geometry/quat.js';
import type { Numbers } from '../math/linear/types.js';
import type { HumanFrame } from './types/retargeting.js';

/** A body with the position of one bone and the rotation of another. */
export interface JoinedBody {
  readonly position: string;
  readonly rotation: string;
}

/** Options of {@link createHumanReader}. */
export interface HumanReaderOptions {
  /** Bodies that are no bones of the figure, by name: {@link LAFAN1_FEET}. */
  readonly joined?: Readonly<Record<string, JoinedBody>>;
  /** Up in the world of the robot, a unit vector. Default: +Z. The human is rotated from its own `figure.up` by the shortest rotation. */
  readonly up?: Triple;
}

/** The feet that GMR makes for clips of LAFAN1: at the foot, rotated as the toes. */
export const LAFAN1_FEET: Readonly<Record<string, JoinedBody>> = /* @__PURE__ */ Object.freeze({
  LeftFootMod: { position: 'LeftFoot', rotation: 'LeftToe' },
  RightFootMod: { position: 'RightFoot', rotation: 'RightToe' },
});

/** Made by {@link createHumanReader}. */
export interface HumanReader {
  readonly state: FigureState;
  /** Bone of each body for its position, and for its rotation. */
  readonly positionBones: Int32Array;
  readonly rotationBones: Int32Array;
  /** World of the robot from world of the human. */
  readonly robotFromHuman: readonly [number, number, number, number];
  readonly frame: { readonly positions: Float64Array; readonly rotations: Float64Array };
}

const FIELDS: FieldsOf<HumanReaderOptions> = { joined: true, up: true };

/**
 * Prepares the reading of bodies from poses of a human's figure.
 *
 * @param figure - In metres: `readBvh(text, { scale: 0.01 })` for a file in centimetres.
 * @param bodies - `RobotRetargeter.humanBodies`.
 * @throws FigureError `unknown-name` for a body that is neither a bone nor joined; GoalError for invalid options.
 */
export function createHumanReader(
  figure: Figure,
  bodies: readonly string[],
  options: HumanReaderOptions = {},
): HumanReader {
  requireFields(options, FIELDS, 'options', GoalError);
  requireList(bodies, 'bodies', GoalError, 'Give the names of the bodies.');
  const { joined = {}, up = [0, 0, 1] } = options;
  requireNumbers(up, 3, 'options.up', GoalError);
  const bonesOf = (part: keyof JoinedBody) =>
    Int32Array.from(bodies, (body) =>
      boneIndex(figure, Object.hasOwn(joined, body) ? joined[body][part] : body, 'bodies'),
    );
  return {
    state: createState(figure),
    positionBones: bonesOf('position'),
    rotationBones: bonesOf('rotation'),
    robotFromHuman: shortestRotation(figure.up, up),
    frame: { positions: new Float64Array(3 * bodies.length), rotations: new Float64Array(4 * bodies.length) },
  };
}

/** The shortest rotation from one unit vector to another. */
function shortestRotation([ax, ay, az]: Triple, [bx, by, bz]: Triple): [number, number, number, number] {
  const w = 1 + ax * bx + ay * by + az * bz;
  // Opposite: half a turn about an axis perpendicular to both.
  if (w < 1e-9) return Math.abs(ax) < 0.9 ? unit(0, -az, ay, 0) : unit(az, 0, -ax, 0);
  return unit(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx, w);
}

function unit(x: number, y: number, z: number, w: number): [number, number, number, number] {
  const norm = Math.hypot(x, y, z, w);
  return [x / norm, y / norm, z / norm, w / norm];
}

const point: [number, number, number] = [0, 0, 0];
const rotation: [number, number, number, number] = [0, 0, 0, 1];
const rotated: [number, number, number, number] = [0, 0, 0, 1];

/**
 * The bodies of the human in a pose.
 *
 * @returns the frame of the reader, which the next call overwrites.
 * @throws FigureError `wrong-size`.
 */
export function readHuman(reader: HumanReader, pose: Numbers): HumanFrame {
  const { state, positionBones, rotationBones, robotFromHuman, frame } = reader;
  forwardKinematics(state, pose);
  const { worldFromBone } = state;
  for (let b = 0; b < positionBones.length; b++) {
    const o = 12 * positionBones[b] + 9;
    for (let k = 0; k < 3; k++) point[k] = worldFromBone[o + k];
    quat.rotate(robotFromHuman, point, point);
    for (let k = 0; k < 3; k++) frame.positions[3 * b + k] = point[k];
    const m = 12 * rotationBones[b];
    quat.fromMatrix(worldFromBone.subarray(m, m + 9), rotation);
    quat.multiply(robotFromHuman, rotation, rotated);
    for (let k = 0; k < 4; k++) frame.rotations[4 * b + k] = rotated[k];
  }
  return frame;
}
