/**
 * Spacetime optimization: trajectory optimization of whole motions (Grassia 1997, section 4.3; Witkin and Kass, *Spacetime Constraints*,
 * SIGGRAPH 1988). Unknowns are control points of splines over joint coordinates; goals, limits, physics and effort are terms over them.
 */

export { describeIntersample, type IntersampleViolation } from './intersample.js';
export { createSpacetimeProblem, defaultIntervals, type SpacetimeProblem } from './problem.js';
export type { SpacetimeReport, TermReport } from './report.js';
export {
  createSpacetimeSolver,
  getSpacetimeSolution,
  motionFromSolution,
  type SpacetimeOptions,
  type SpacetimeProgress,
  type SpacetimeSave,
  type SpacetimeSolution,
  type SpacetimeSolver,
  type SpacetimeStatus,
  saveSpacetime,
  solveSpacetime,
  spacetimeProgress,
  stepSpacetime,
} from './solve.js';
export {
  createTrajectory,
  sampleTrajectory,
  type Trajectory,
  type TrajectorySample,
  trajectoryMotion,
} from './trajectory.js';
export type {
  AccelerationTerm,
  BoneValues,
  ClearanceTerm,
  ContactTerm,
  DurationTerm,
  EffortTerm,
  FreeDuration,
  GoalTerm,
  PeriodicTerm,
  PhysicsTerm,
  PoseTerm,
  SmoothnessTerm,
  SpacetimeData,
  SpacetimeTerm,
  SpeedLimitTerm,
  Time,
  TorqueLimitTerm,
  TrackingTerm,
  VelocityTerm,
  When,
} from './types/data.js';
