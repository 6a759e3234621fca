export type { ReadAmcOptions, ReadAsfOptions } from './options.js';
export { type AmcClip, readAmc } from './read-amc.js';
export { type AsfSkeleton, readAsf } from './read-asf.js';
export type { AsfBone, AsfDof } from './skeleton-text.js';
export { type WriteAmcOptions, writeAmc } from './write-amc.js';
export { type WriteAsfOptions, writeAsf } from './write-asf.js';
