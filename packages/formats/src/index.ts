export * from './gltf/index.js';
