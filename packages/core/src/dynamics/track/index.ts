export {
  type ActiveRagdoll,
  type ActiveRagdollOptions,
  type ActiveRagdollState,
  createActiveRagdoll,
  hitActiveRagdoll,
  stepActiveRagdoll,
} from './active-ragdoll.js';
export { type MotorGains, type MotorGainsOptions, motorGains, type RootAssist } from './drives/gains.js';
export { motorForces } from './drives/motor-forces.js';
export {
  createTracker,
  restartTracker,
  type Tracker,
  type TrackerOptions,
  trackingError,
  trackPose,
} from './motion-tracker.js';
export { blendPoses } from './pose/blend.js';
export type { ReactionOptions } from './reactions/hit-reactions.js';
