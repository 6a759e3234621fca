export type { UrdfJointLimits, UrdfJointType, UrdfMimic } from './joint-element.js';
export type { ReadUrdfOptions } from './options.js';
export { readUrdf, type UrdfJoint, type UrdfRobot, urdfJoint } from './read-urdf.js';
