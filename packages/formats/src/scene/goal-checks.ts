/** Inverse-kinematics goals in a scene: their keys except weight, priority and tolerances, which a term does not read. */
import type { BoneOrientation, BonePoint, Goal, Plane, UpAxis } from 'poise/ik';
import {
  bone,
  type Check,
  either,
  type Fields,
  isObject,
  list,
  number,
  numbers,
  object,
  optional,
  refuse,
  tagged,
  vector,
} from './check.js';

/** Keys that the term itself has, or that do not apply to a motion. */
const TERM_KEYS = ['weight', 'priority', 'tolerance', 'angleTolerance'] as const;

type TermKey = (typeof TERM_KEYS)[number];

const vec3 = vector(3);
const quat = vector(4);
const type: Check = () => {};

const bonePoint = object<BonePoint>({ bone, point: optional(vec3) });
const boneOrientation = object<BoneOrientation>({ bone, offset: optional(quat) });
const bonePose = object<BonePoint & BoneOrientation>({
  bone,
  point: optional(vec3),
  offset: optional(quat),
});
const pointTarget = either(isObject, bonePoint, vec3);
const plane = object<Plane>({ point: vec3, normal: vec3, bone: optional(bone) });
const up = object<UpAxis>({ axis: vec3, direction: optional(vec3) });
const bones = list(bone, 'a list of bones');

const goals: { readonly [T in Goal['type']]: Fields<Omit<Extract<Goal, { type: T }>, TermKey>> } = {
  position: { type, bone, point: optional(vec3), target: pointTarget, mask: optional(vec3) },
  orientation: {
    type,
    bone,
    offset: optional(quat),
    target: either(isObject, boneOrientation, quat),
    mask: optional(vec3),
  },
  'points-at': { type, bone, axis: vec3, origin: optional(vec3), target: pointTarget, up: optional(up) },
  'look-at': {
    type,
    bone: either(Array.isArray, bones, bone),
    axis: vec3,
    origin: optional(vec3),
    target: pointTarget,
    up: optional(up),
    chain: list(object<{ bone: string | number; share: number }>({ bone, share: number })),
  },
  pole: { type, bone, middle: optional(bone), start: optional(bone), target: pointTarget },
  distance: { type, bone, point: optional(vec3), target: pointTarget, distance: number },
  plane: { type, bone, point: optional(vec3), target: plane },
  'half-space': { type, bone, point: optional(vec3), target: plane, clearance: optional(number) },
  'relative-pose': {
    type,
    bone,
    point: optional(vec3),
    offset: optional(quat),
    target: bonePose,
    positionMask: optional(vec3),
    orientationMask: optional(vec3),
  },
  'center-of-mass': {
    type,
    target: optional(vec3),
    mask: optional(vec3),
    support: optional(list(vec3, 'a list of points')),
    up: optional(vec3),
  },
  posture: { type, bones: optional(bones), stiffness: optional(numbers), reference: optional(numbers) },
  'joint-value': { type, bone, coordinate: optional(number), value: number },
  mirror: { type, bone, of: bone, plane: optional(plane), points: optional(list(vec3, 'a list of points')) },
};

const known = tagged(
  Object.fromEntries(Object.entries(goals).map(([name, fields]) => [name, object<object>(fields)])),
);

/** A goal of a term. */
export const goal: Check = (value, path) => {
  if (isObject(value)) {
    for (const key of TERM_KEYS) {
      if (!Object.hasOwn(value, key)) continue;
      const remedy =
        key === 'weight'
          ? "Put the weight into the term, beside 'goal'; without one it is a constraint."
          : 'Remove it.';
      refuse(
        'unsupported',
        `${path}.${key}`,
        'is not used here: a term is a cost with the weight of the term, or a hard constraint.',
        remedy,
      );
    }
  }
  known(value, path);
};
