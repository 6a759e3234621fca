/** Human motion on humanoid robots, by GMR's objective, within exact limits. */
export {
  createHumanReader,
  type HumanReader,
  type HumanReaderOptions,
  type JoinedBody,
  LAFAN1_FEET,
  readHuman,
} from './human-reader.js';
export {
  createRobotRetargeter,
  type RobotRetargeter,
  type RobotRetargeterState,
  resetRobotRetargeter,
  retargetToRobot,
} from './retargeter.js';
export type {
  HumanFrame,
  RobotBalance,
  RobotFrame,
  RobotMatch,
  RobotRetargetConfig,
  RobotRetargetOptions,
  SupportFoot,
} from './types/retargeting.js';
