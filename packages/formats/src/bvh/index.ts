export type { BvhPositions, ReadBvhOptions } from './options.js';
export { type BvhClip, readBvh } from './read-bvh.js';
export { BVH_UNITS } from './units.js';
