export {
  type ReadRobotMotionOptions,
  readRobotMotion,
  type WriteRobotMotionOptions,
  writeRobotMotion,
} from './motion-file.js';
export { type GmrConfig, type GmrMatch, type ReadGmrConfigOptions, readGmrConfig } from './read-config.js';
export { posesFromRobotMotion, type RobotMotion, robotMotionFromPoses } from './robot-motion.js';
