/** Motion editing by trajectory optimization: edits, clean-up, transitions, loops, timing, keyed poses. */

export { type BlendOptions, blendMotions } from './blend-motions.js';
export { type CleanedMotion, type CleanOptions, cleanMotion } from './clean-motion.js';
export type { PhysicalContact, PhysicalMotion, PhysicalOptions } from './clips/physical-options.js';
export type { WorldMove } from './clips/planar-alignment.js';
export type { HeldSpan } from './contacts/contact-constraints.js';
export {
  type ContactOptions,
  detectContacts,
  type StandingPoints,
  type StandingSpan,
} from './contacts/detect-contacts.js';
export {
  type EditedMotion,
  type EditWindow,
  editMotion,
} from './edit-motion.js';
export { type LoopedMotion, type LoopOptions, loopMotion } from './loop-motion.js';
export { type MakePhysicalOptions, makePhysical, type PoseKeys } from './make-physical.js';
export { type RetimeOptions, retimeMotion } from './retime-motion.js';
export { type Transition, type TransitionOptions, transition } from './transition.js';
export type { EditOptions, HeldPoint, MotionEdit, MotionShift } from './window/edit-options.js';
