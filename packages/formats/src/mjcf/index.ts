export type { MjcfJointType } from './joint-element.js';
export type { MjcfJoint, MjcfKeyframe, MjcfModel, MjcfSite } from './model.js';
export type { ReadMjcfOptions } from './options.js';
export { poseFromQpos, type QposLayout, qposFromPose } from './qpos.js';
export { readMjcf } from './read-mjcf.js';
