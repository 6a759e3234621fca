import { type FieldsOf, requireFields, requireOneOf } from '../../checks.js';
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

const NONE = { type: true } as const;
const AXIS = { ...NONE, axis: true } as const;
const SWING = { ...AXIS, side: true } as const;

/** Field names of each joint type. */
const FIELDS: { readonly [T in JointTypeName]: FieldsOf<JointData & { type: T }> } = {
  fixed: NONE,
  hinge: AXIS,
  slider: AXIS,
  swing: SWING,
  ball: NONE,
  'ball-and-socket': SWING,
  euler: { ...NONE, order: true },
  free: NONE,
};

/** Checked joint data with unit axes and defaults. @throws FigureError */
export function normalizeJoint(joint: JointData, path: string): JointData {
  requireOneOf(joint.type, Object.keys(normalizers), `${path}.type`, FigureError);
  requireFields(joint, FIELDS[joint.type], path, FigureError);
  return (normalizers[joint.type] as (data: JointData, path: string) => JointData)(joint, path);
}
