/** Signed distances between bones, and between bones and the world, with their gradients. SI units, world axes. */
export { type Clearance, type ClearanceOptions, type ClearanceRow, createClearance } from './clearance.js';
export { writeClearanceGradients, writeClearances } from './evaluate.js';
export { createSelfClearance } from './self.js';
export type { PairChoice } from './shape-pairs.js';
