export {
  createDifferentialControlWith,
  type DifferentialControl,
  type DifferentialWithOptions,
} from './control.js';
export { createDifferentialControl } from './create-control.js';
export type { DifferentialOptions, Speeds } from './options.js';
export type {
  DifferentialResult,
  DifferentialStatus,
  GoalStatus,
  LimitStatus,
  RateStatus,
} from './result.js';
export type { RotationParameterization } from './rotation-parameterization.js';
export { stepDifferentialControl } from './step.js';
