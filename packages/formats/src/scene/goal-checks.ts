/** Goals of inverse kinematics in a scene: their own keys but for weight, priority and tolerances, which terms do not read. */
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

/** What the term says itself, or what makes no sense of a motion. */
const OF_THE_TERM = ['weight', 'priority', 'tolerance', 'angleTolerance'] as const;

type OfTheTerm = (typeof OF_THE_TERM)[number];

const vec3 = vector(3);
const quat = vector(4);
const type: Check = () => {};

const carriedPoint = object<BonePoint>({ bone, point: optional(vec3) });
const carriedTurn = object<BoneOrientation>({ bone, offset: optional(quat) });
const carriedPose = object<BonePoint & BoneOrientation>({
  bone,
  point: optional(vec3),
  offset: optional(quat),
});
const place = either(isObject, carriedPoint, vec3);
const plane = object<Plane>({ point: vec3, normal: vec3, bone: optional(bone) });
const up = object<UpAxis>({ axis: vec3, direction: optional(vec3) });
const bones = list(bone, 'a list of bones');

const goals: { readonly [T in Goal['type']]: Fields<Omit<Extract<Goal, { type: T }>, OfTheTerm>> } = {
  position: { type, bone, point: optional(vec3), target: place, mask: optional(vec3) },
  orientation: {
    type,
    bone,
    offset: optional(quat),
    target: either(isObject, carriedTurn, quat),
    mask: optional(vec3),
  },
  'points-at': { type, bone, axis: vec3, origin: optional(vec3), target: place, up: optional(up) },
  'look-at': {
    type,
    bone: either(Array.isArray, bones, bone),
    axis: vec3,
    origin: optional(vec3),
    target: place,
    up: optional(up),
    chain: list(object<{ bone: string | number; share: number }>({ bone, share: number })),
  },
  pole: { type, bone, middle: optional(bone), start: optional(bone), target: place },
  distance: { type, bone, point: optional(vec3), target: place, distance: number },
  plane: { type, bone, point: optional(vec3), target: plane },
  'half-space': { type, bone, point: optional(vec3), target: plane, clearance: optional(number) },
  'relative-pose': {
    type,
    bone,
    point: optional(vec3),
    offset: optional(quat),
    target: carriedPose,
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
    for (const key of OF_THE_TERM) {
      if (!Object.hasOwn(value, key)) continue;
      const remedy =
        key === 'weight'
          ? "Give the term a weight beside 'goal', or none for a constraint."
          : 'Leave it out.';
      refuse(
        'unsupported',
        `${path}.${key}`,
        'is not read here: a term holds exactly, or as its weight says.',
        remedy,
      );
    }
  }
  known(value, path);
};
