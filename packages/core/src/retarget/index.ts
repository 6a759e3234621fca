/** Retargeting: a clip of one humanoid on another. */
export type { AnyHumanBone } from './body/rest-axes.js';
export type { FootContact } from './contact/clip-contacts.js';
export type { ContactThresholds } from './contact/detect.js';
export type { HandContact } from './contact/hand-contacts.js';
export { type GroundContact, groundContacts } from './ground-contacts.js';
export type { HandPoint, HandRelation, RelationReport } from './hands/relations.js';
export {
  createLiveRetargeter,
  type LiveFootState,
  type LiveHandState,
  type LiveRetargeter,
  retargetPose,
} from './live-retargeter.js';
export type { HolosomaMetrics } from './report/published-metrics.js';
export type {
  ContactReport,
  FootContactReport,
  HandContactReport,
  PointReport,
  RetargetReport,
  RetargetSummary,
} from './report/report.js';
export {
  type RetargetedMotion,
  type RetargetMotionOptions,
  retargetMotion,
} from './retarget-motion.js';
export {
  createRetargeter,
  type RetargetedBone,
  type Retargeter,
  type RetargeterOptions,
} from './retargeter.js';
