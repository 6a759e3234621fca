import * as rigid from '../../math/geometry/rigid-transform.js';
import type { Numbers, Vec3 } from '../../math/linear/types.js';
import type { Triple } from '../data/types.js';
import type { Figure } from '../model/figure.js';
import { createState } from '../model/state.js';
import { forwardKinematics } from './forward-kinematics.js';

/** A figure at rest. */
export interface Rest {
  readonly figure: Figure;
  /** 12 numbers a bone. */
  readonly worldFromBone: Float64Array;
}

/** Of each figure that was asked for: recognition, bodies and limits ask many times. */
const rests = new WeakMap<Figure, Rest>();

/** The figure at rest, computed once: shared, not to be written to. */
export function restOf(figure: Figure): Rest {
  const known = rests.get(figure);
  if (known !== undefined) return known;
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const rest = { figure, worldFromBone: state.worldFromBone };
  rests.set(figure, rest);
  return rest;
}

/** Origin of a bone, world axes. */
export function originOf({ worldFromBone }: Rest, bone: number): Triple {
  return triple(worldFromBone.subarray(12 * bone + 9, 12 * bone + 12));
}

/** A world point in the frame of a bone. */
export function pointIn({ worldFromBone }: Rest, bone: number, point: Vec3): Triple {
  return triple(rigid.inverseTransformPoint(worldFromBone.subarray(12 * bone, 12 * bone + 12), point));
}

/** A world direction in the axes of a bone. */
export function directionIn({ worldFromBone }: Rest, bone: number, direction: Vec3): Triple {
  return triple(rigid.inverseTransformVector(worldFromBone.subarray(12 * bone, 12 * bone + 12), direction));
}

/** A point of a bone in the world. */
export function pointOf({ worldFromBone }: Rest, bone: number, point: Vec3): Triple {
  return triple(rigid.transformPoint(worldFromBone.subarray(12 * bone, 12 * bone + 12), point));
}

export function triple(v: Numbers): Triple {
  return [v[0] + 0, v[1] + 0, v[2] + 0];
}
