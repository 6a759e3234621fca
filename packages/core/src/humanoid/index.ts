/** Humanoids: the built-in human figure, and recognition of the human bones of a rig. */
export { type FindHumanoidOptions, findHumanoid, type Humanoid, requireHumanoid } from './find-humanoid.js';
export { createHumanFigure, type HumanFigureOptions } from './human.js';
export { type HumanGaze, humanGaze } from './human-gaze.js';
export { type HumanRestPose, humanRestPose } from './human-rest-pose.js';
export {
  DETAIL_BONES,
  type DetailBone,
  HUMAN_BONES,
  type HumanBone,
  type HumanBoneMap,
} from './recognition/human-bones.js';
export { namedHumanStands } from './recognition/recognise.js';
export { withAnatomicalLimits } from './with-anatomical-limits.js';
