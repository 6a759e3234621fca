/** three.js bindings of Poise: figures from object hierarchies, and poses in and out. */
export { type BindFigureOptions, bindFigure, FigureBinding } from './binding/bind-figure.js';
export {
  type BoneLookup,
  type FigureFromObject3DOptions,
  figureFromObject3D,
  type Object3DFigure,
} from './binding/figure-from-object3d.js';
export type { FigureRoot } from './binding/hierarchy.js';
export type { BoneObject, BoneObjects } from './binding/match-objects.js';
export { type ClipFromMotionOptions, clipFromMotion } from './clips/clip-from-motion.js';
export { type ClipMotion, type MotionFromClipOptions, motionFromClip } from './clips/motion-from-clip.js';
export {
  FootPlanter,
  type FootPlanterOptions,
  type PlantedFoot,
} from './foot-planting/foot-planter.js';
export type { Ground, GroundHeight } from './foot-planting/ground.js';
export { FigureHelper, type FigureHelperOptions } from './helpers/figure-helper.js';
export { GoalHelper, type GoalHelperOptions } from './helpers/goal-helper.js';
export { LimitHelper, type LimitHelperOptions, type LimitState } from './helpers/limit-helper.js';
export { SimulationHelper, type SimulationHelperOptions } from './helpers/simulation-helper.js';
export type { HelperSource } from './helpers/source.js';
export {
  type FigureObjects,
  type Object3DFromFigureOptions,
  object3DFromFigure,
} from './object3d-from-figure.js';
export { writeBindPose } from './retarget/bind-pose.js';
export {
  ClipRetargeter,
  type ClipRetargeterOptions,
  type RetargetedClip,
} from './retarget/clip-retargeter.js';
export type { SolePoint } from './retarget/soles.js';
export {
  FigureSimulation,
  type FigureSimulationOptions,
} from './simulation/figure-simulation.js';
export { Grab } from './simulation/grab.js';
export { RagdollBinding, type RagdollBindingOptions } from './simulation/ragdoll-binding.js';
export { FigureSolver } from './solver/figure-solver.js';
export {
  type FigureSolverOptions,
  FigureSolverWith,
  type FigureSolverWithOptions,
} from './solver/figure-solver-with.js';
export type {
  OrientationTarget,
  PlaneTarget,
  PointTarget,
  SceneBone,
  SceneGoal,
  Xyz,
  Xyzw,
} from './solver/scene-goals.js';
