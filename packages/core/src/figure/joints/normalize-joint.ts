import { requireOneOf } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { JointData, JointTypeName } from '../data/types.js';
import { normalizeBallAndSocket } from './ball-and-socket.js';
import { normalizeEuler } from './euler.js';
import { normalizeHinge } from './hinge.js';
import { normalizeSlider } from './slider.js';
import { normalizeSwing } from './swing.js';

const normalizers: {
  readonly [T in JointTypeName]: (data: JointData & { type: T }, path: string) => JointData;
} = {
  fixed: () => ({ type: 'fixed' }),
  hinge: normalizeHinge,
  slider: normalizeSlider,
  swing: normalizeSwing,
  ball: () => ({ type: 'ball' }),
  'ball-and-socket': normalizeBallAndSocket,
  euler: normalizeEuler,
  free: () => ({ type: 'free' }),
};

/** Checked joint data with unit axes and defaults. @throws FigureError */
export function normalizeJoint(joint: JointData, path: string): JointData {
  requireOneOf(joint.type, Object.keys(normalizers), `${path}.type`, FigureError);
  return (normalizers[joint.type] as (data: JointData, path: string) => JointData)(joint, path);
}
