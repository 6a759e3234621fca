/** Motion editing by trajectory optimization: edits, clean-up, transitions, loops, timing, keyed poses. */

export { type BlendOptions, blendMotions } from './blend-motions.js';
export { type CleanedMotion, type CleanOptions, cleanMotion } from './clean-motion.js';
export {
  type ContactOptions,
  detectContacts,
  type StandingPoints,
  type StandingSpan,
} from './detect-contacts.js';
export {
  type EditedMotion,
  type EditWindow,
  editMotion,
} from './edit-motion.js';
export type { EditOptions, HeldPoint, MotionEdit, MotionShift } from './edit-options.js';
export type { HeldSpan } from './hold-contacts.js';
export { type LoopedMotion, type LoopOptions, loopMotion } from './loop-motion.js';
export { type MakePhysicalOptions, makePhysical, type PoseKeys } from './make-physical.js';
export type { PhysicalContact, PhysicalMotion, PhysicalOptions } from './physical-options.js';
export type { WorldMove } from './planar-move.js';
export { type RetimeOptions, retimeMotion } from './retime-motion.js';
export { type Transition, type TransitionOptions, transition } from './transition.js';
