/** Coordinates of one joint from the animated transform of its bone. */
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

/** Samples the coordinates of a joint. */
export interface BoneSampler {
  /** Writes the coordinates at `time` to `q`: the equivalent ones nearest to its previous content. `keyTime` selects the interval. */
  readonly read: (keyTime: number, time: number, q: Float64Array) => void;
  /** Largest angle (rad) and distance (m) between the joint and the file over all samples. */
  angle: number;
  distance: number;
}

const actualRotation: number[] = [0, 0, 0, 1];
const expectedRotation: number[] = [0, 0, 0, 1];

/** Uses a figure of that bone alone to save the cost of the others. */
export function createBoneSampler({ name, rest, joint, limit }: Bone, animated: AnimatedBone): BoneSampler {
  const oneBoneFigure = createFigure({
    bones: [{ name, parent: null, rest, joint, ...(limit && { limit }) }],
  });
  const state = createState(oneBoneFigure);
  const expected = new Float64Array(12);
  const sampler: BoneSampler = {
    read(keyTime, time, q) {
      animated.write(keyTime, time, expected);
      poseFromLocalTransforms(state, expected, q);
      // A free joint reproduces every transform.
      if (joint.type !== 'free') recordError(sampler, state, q, expected);
    },
    angle: 0,
    distance: 0,
  };
  return sampler;
}

function recordError(
  sampler: BoneSampler,
  state: FigureState,
  q: Float64Array,
  expected: Float64Array,
): void {
  forwardKinematics(state, q);
  const actual = state.parentFromBone;
  quat.normalize(quat.fromMatrix(actual, actualRotation), actualRotation);
  quat.normalize(quat.fromMatrix(expected, expectedRotation), expectedRotation);
  sampler.angle = Math.max(sampler.angle, rotationError(actualRotation, expectedRotation));
  const distance = Math.hypot(actual[9] - expected[9], actual[10] - expected[10], actual[11] - expected[11]);
  sampler.distance = Math.max(sampler.distance, distance);
}
