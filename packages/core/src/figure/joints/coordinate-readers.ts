import type { JointTypeName } from '../data/types.js';
import { ballReader } from './ball.js';
import { ballAndSocketReader } from './ball-and-socket.js';
import { eulerReader } from './euler.js';
import { freeReader } from './free.js';
import { hingeReader } from './hinge.js';
import type { CoordinateReader } from './joint.js';
import { sliderReader } from './slider.js';
import { swingReader } from './swing.js';

/** By joint type; a fixed joint has no coordinates. */
export const coordinateReaders: Readonly<Record<Exclude<JointTypeName, 'fixed'>, CoordinateReader>> = {
  hinge: hingeReader,
  slider: sliderReader,
  swing: swingReader,
  ball: ballReader,
  'ball-and-socket': ballAndSocketReader,
  euler: eulerReader,
  free: freeReader,
};
