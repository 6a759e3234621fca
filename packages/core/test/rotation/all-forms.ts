/** Everything of `poise/rotation` and `poise/rotation/alternatives`. */
export * from '../../src/rotation/alternatives/index.js';
export * from '../../src/rotation/index.js';
