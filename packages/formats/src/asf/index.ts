export type { ReadAmcOptions, ReadAsfOptions, WriteAmcOptions, WriteAsfOptions } from './options.js';
export { type AmcClip, readAmc } from './read-amc.js';
export { type AsfSkeleton, readAsf } from './read-asf.js';
export type { AsfBone, AsfDof } from './skeleton-text.js';
export { writeAmc } from './write-amc.js';
export { writeAsf } from './write-asf.js';
