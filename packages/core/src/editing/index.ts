/** Motion editing: clips as a whole; by trajectory optimization edits, clean-up, transitions, loops, timing, keyed poses. */

export { type AdditiveOptions, applyAdditive, makeAdditive } from './additive-motion.js';
export { type BlendOptions, blendMotions } from './blend-motions.js';
export {
  type CleanedSegment,
  type CleanSegmentsOptions,
  cleanMotionInSegments,
  type SegmentedMotion,
  type SegmentProgress,
} from './clean-in-segments.js';
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
export { type FootContactOptions, findFootContacts } from './find-foot-contacts.js';
export { type LoopedMotion, type LoopOptions, loopMotion } from './loop-motion.js';
export { type KeyedMotion, type MakePhysicalOptions, makePhysical, type PoseKeys } from './make-physical.js';
export { type MirrorOptions, mirrorMotion, mirrorPose } from './mirror-motion.js';
export { type ResampleOptions, resampleMotion } from './resample-motion.js';
export { type RetimeOptions, retimeMotion } from './retime-motion.js';
export { reverseMotion } from './reverse-motion.js';
export {
  applyRootMotion,
  type ExtractRootMotionOptions,
  extractRootMotion,
  type RootMotion,
  type RootMotionOptions,
} from './root-motion.js';
export { type RootResiduals, type RootResidualsOptions, rootResiduals } from './root-residuals.js';
export { type SimplifiedMotion, type SimplifyMotionOptions, simplifyMotion } from './simplify-motion.js';
export { createTransition, type Transition, type TransitionOptions } from './transition.js';
export { trimMotion } from './trim-motion.js';
export { type WarpOptions, warpMotion } from './warp-motion.js';
export type { EditOptions, MotionEdit, PinnedPoint, PointShift } from './window/edit-options.js';
