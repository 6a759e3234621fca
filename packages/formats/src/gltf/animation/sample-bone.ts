/** Reads the coordinates of one joint from where the file has its bone. */
import {
  type Bone,
  createFigure,
  createState,
  type FigureState,
  forwardKinematics,
  poseFromLocalTransforms,
} from 'poise/figure';
import { quat } from 'poise/math';
import type { AnimatedBone } from './animated-nodes.js';
import { rotationError } from './animation-player.js';

/** A joint that is read moment by moment. */
export interface BoneFollower {
  /** The coordinates at a moment of a stretch, to `q`, near to those that it holds. */
  readonly read: (during: number, time: number, q: Float64Array) => void;
  /** Largest angle (rad) and distance (m) that the joint was off where it was read. */
  angle: number;
  distance: number;
}

const turnA: number[] = [0, 0, 0, 1];
const turnB: number[] = [0, 0, 0, 1];

/** By a figure of that bone alone, so that the others cost nothing. */
export function followBone({ name, rest, joint, limit }: Bone, animated: AnimatedBone): BoneFollower {
  const alone = createFigure({ bones: [{ name, parent: null, rest, joint, ...(limit && { limit }) }] });
  const state = createState(alone);
  const wanted = new Float64Array(12);
  const follower: BoneFollower = {
    read(during, time, q) {
      animated.write(during, time, wanted);
      poseFromLocalTransforms(state, wanted, q);
      // A free joint can be anywhere.
      if (joint.type !== 'free') note(follower, state, q, wanted);
    },
    angle: 0,
    distance: 0,
  };
  return follower;
}

function note(follower: BoneFollower, state: FigureState, q: Float64Array, wanted: Float64Array): void {
  forwardKinematics(state, q);
  const made = state.parentFromBone;
  quat.normalize(quat.fromMatrix(made, turnA), turnA);
  quat.normalize(quat.fromMatrix(wanted, turnB), turnB);
  follower.angle = Math.max(follower.angle, rotationError(turnA, turnB));
  const way = Math.hypot(made[9] - wanted[9], made[10] - wanted[10], made[11] - wanted[11]);
  follower.distance = Math.max(follower.distance, way);
}
