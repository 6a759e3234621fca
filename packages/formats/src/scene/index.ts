export { withScenePath } from './error-location.js';
export { type ReadSceneOptions, readScene, sceneFiles } from './read-scene.js';
export type {
  SceneCoordinates,
  SceneData,
  SceneFigure,
  ScenePose,
  SceneRagdoll,
  SceneReference,
  SceneTerm,
} from './scene-data.js';
export { spacetimeFromScene } from './scene-problem.js';
export type { SceneFiles } from './scene-reference.js';
