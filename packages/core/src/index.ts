export * from './dynamics/index.js';
export * from './errors.js';
export * from './figure/index.js';
export * from './ik/index.js';
export * from './math/index.js';
export * from './motion/index.js';
export * from './rotation/index.js';
export * from './spacetime/index.js';
