export {
  type ActiveRagdoll,
  type ActiveRagdollOptions,
  type ActiveRagdollState,
  createActiveRagdoll,
  hitActiveRagdoll,
  stepActiveRagdoll,
} from './active-ragdoll.js';
export { blendPoses } from './blend.js';
export { type MotorGains, type MotorGainsOptions, motorGains, type RootAssist } from './gains.js';
export { motorForces } from './motor-forces.js';
export type { ReactionOptions } from './reactions.js';
export {
  createTracker,
  restartTracker,
  type Tracker,
  type TrackerOptions,
  trackingError,
  trackPose,
} from './tracker.js';
