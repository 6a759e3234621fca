import { architecturePictures } from './architecture-picture.mjs';
import { goalPictures } from './goal-pictures.mjs';
import { motionPictures } from './motion-pictures.mjs';

/**
 * The pictures that the library draws for its documentation, and where they lie.
 *
 * @type {readonly { place: string, pictures: Record<string, () => { toString(): string }> }[]}
 */
export const pictureSets = [
  { place: 'docs/architecture', pictures: architecturePictures },
  { place: 'docs/goals/pictures', pictures: goalPictures },
  { place: 'docs/motion', pictures: motionPictures },
];
