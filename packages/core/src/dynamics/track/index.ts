export {
  type ActiveRagdoll,
  type ActiveRagdollOptions,
  type ActiveRagdollState,
  createActiveRagdoll,
  hitActiveRagdoll,
  stepActiveRagdoll,
} from './active-ragdoll.js';
export {
  createMotorGains,
  type MotorGains,
  type MotorGainsOptions,
  type RootAssist,
} from './drives/gains.js';
export { motorForces } from './drives/motor-forces.js';
export {
  createMotionTracker,
  type MotionTracker,
  type MotionTrackerOptions,
  restartMotionTracker,
  trackingError,
  trackPose,
} from './motion-tracker.js';
export { blendPoses } from './pose/blend.js';
export type { ReactionOptions } from './reactions/hit-reactions.js';
