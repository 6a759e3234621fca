/** Motion editing by trajectory optimization: edits, clean-up, transitions, loops, timing, keyed poses. */

export { type BlendOptions, blendMotions } from './blend-motions.js';
export { type CleanedMotion, type CleanOptions, cleanMotion } from './clean-motion.js';
export type { PhysicalContact, PhysicalMotion, PhysicalOptions } from './clips/physical-options.js';
export type { PlanarTransform } from './clips/planar-alignment.js';
export type { VelocityChange } from './clips/velocity-change.js';
export {
  type ContactOptions,
  type ContactPoints,
  type ContactSpan,
  detectContacts,
} from './contacts/detect-contacts.js';
export type { PinnedSpan } from './contacts/pinned-spans.js';
export {
  type EditedMotion,
  type EditWindow,
  editMotion,
} from './edit-motion.js';
export { type LoopedMotion, type LoopOptions, loopMotion } from './loop-motion.js';
export { type MakePhysicalOptions, makePhysical, type PoseKeys } from './make-physical.js';
export { type RetimeOptions, retimeMotion } from './retime-motion.js';
export { createTransition, type Transition, type TransitionOptions } from './transition.js';
export type { EditOptions, MotionEdit, PinnedPoint, PointShift } from './window/edit-options.js';
