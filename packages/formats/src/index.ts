export { type ReadBudget, requireBudget } from './budget.js';
export * from './bvh/index.js';
export * from './gltf/index.js';
export * from './pose/index.js';
export * from './scene/index.js';
export { parseJson } from './text/parse-json.js';
export * from './urdf/index.js';
