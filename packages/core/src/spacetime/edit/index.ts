/** Motion editing by trajectory optimization: edits, clean-up, transitions, loops, timing, keyed poses. */
export {
  type EditedMotion,
  type EditOptions,
  type EditWindow,
  editMotion,
  type HeldPoint,
  type MotionEdit,
  type MotionShift,
} from './edit-motion.js';
