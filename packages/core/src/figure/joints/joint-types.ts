import type { JointTypeName } from '../data/types.js';
import { ballJoint } from './ball.js';
import { ballAndSocketJoint } from './ball-and-socket.js';
import { eulerJoint } from './euler.js';
import { fixedJoint } from './fixed.js';
import { freeJoint } from './free.js';
import { hingeJoint } from './hinge.js';
import type { JointType } from './joint.js';
import { sliderJoint } from './slider.js';
import { swingJoint } from './swing.js';

/** The joint types by name. */
export const jointTypes: Readonly<Record<JointTypeName, JointType>> = {
  fixed: fixedJoint,
  hinge: hingeJoint,
  slider: sliderJoint,
  swing: swingJoint,
  ball: ballJoint,
  'ball-and-socket': ballAndSocketJoint,
  euler: eulerJoint,
  free: freeJoint,
} as Readonly<Record<JointTypeName, JointType>>;
