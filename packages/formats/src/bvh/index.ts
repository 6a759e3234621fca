export type { BvhChannel, BvhJoint } from './hierarchy.js';
export type { BvhPositions, ReadBvhOptions } from './options.js';
export { type BvhClip, type BvhLayout, readBvh } from './read-bvh.js';
export { BVH_UNITS } from './units.js';
export { type WriteBvhOptions, writeBvh } from './write-bvh.js';
