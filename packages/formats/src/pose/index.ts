export { type PoseData, poseFromData, poseToData, type ReadPoseFileOptions, readPose } from './pose-data.js';
