export type { MarkerClip, ReadMarkersOptions } from './clip.js';
export { readC3d } from './read-c3d.js';
export { readTrc } from './read-trc.js';
