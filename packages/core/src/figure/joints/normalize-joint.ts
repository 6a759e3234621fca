import { shown } from '../../checks.js';
import { FigureError, nearestName } from '../../errors.js';
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
  const name: unknown = joint.type;
  if (typeof name === 'string' && Object.hasOwn(normalizers, name)) {
    return (normalizers[joint.type] as (data: JointData, path: string) => JointData)(joint, path);
  }
  const names = Object.keys(normalizers);
  const near = typeof name === 'string' ? nearestName(name, names) : undefined;
  throw new FigureError('unsupported', `is ${shown(name)}.`, {
    path: `${path}.type`,
    remedy: `Use one of ${names.join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
  });
}
