/** Checks of all keys of a scene. The compiler verifies that they match the types. */
import type { BoneShape, WorldShape } from 'poise/dynamics';
import type { MotionData } from 'poise/motion';
import type { FreeDuration } from 'poise/spacetime';
import {
  bone,
  type Check,
  either,
  type Fields,
  isObject,
  list,
  number,
  numberOrNull,
  numbers,
  object,
  oneOf,
  optional,
  record,
  refuse,
  tagged,
  text,
  vector,
} from './check.js';
import { goal } from './goal-checks.js';
import type { SceneData, SceneFigure, SceneRagdoll, SceneReference, SceneTerm } from './scene-data.js';

const discriminator: Check = () => {};
const vec3 = vector(3);
const isList = Array.isArray;
const isNumber = (value: unknown): boolean => typeof value === 'number';

const time = either(isNumber, number, oneOf('start', 'end'));
const when = either(isList, vector(2, time), time);
const over = optional(vector(2));
const weight = optional(number);
const lengthUnit = optional(number);
const name = optional(text);
const bones = optional(list(text, 'a list of names'));
const perBone = either(isNumber, number, record(number, 'a number, or numbers by bone'));
const byBone = optional(perBone);

const coordinatesByBone = record(numbers, 'an object of bones');
const coordinates = either(isList, numbers, object<{ bones: object }>({ bones: coordinatesByBone }));
const poseObject = object<{
  bones: object;
  format?: string;
  version?: number;
  figure?: string;
  height?: number;
  pins?: string[];
}>({
  bones: coordinatesByBone,
  format: optional(oneOf('poise-pose')),
  version: optional(oneOf(1)),
  figure: name,
  height: optional(number),
  pins: bones,
});
const poseFile = object<{ path: string }>({ path: text });
const pose = either(
  isList,
  numbers,
  either(
    isObject,
    either((value) => isObject(value) && Object.hasOwn(value, 'path'), poseFile, poseObject),
    oneOf('rest'),
  ),
);

const placement = optional(
  object<{ position?: unknown; rotation?: unknown }>({
    position: optional(vec3),
    rotation: optional(vector(4)),
  }),
);
const surface = {
  friction: optional(number),
  restitution: optional(number),
  group: optional(number),
  mask: optional(number),
};
type Shape<T> = Extract<WorldShape, { type: T }>;
const shapes: { readonly [T in WorldShape['type']]: Fields<Shape<T>> } = {
  sphere: { type: discriminator, radius: number, center: optional(vec3), ...surface },
  capsule: { type: discriminator, from: vec3, to: vec3, radius: number, ...surface },
  box: { type: discriminator, halfSizes: vec3, placement, ...surface },
  plane: { type: discriminator, normal: optional(vec3), offset: optional(number), ...surface },
  heightfield: {
    type: discriminator,
    columns: number,
    rows: number,
    spacing: vector(2),
    heights: numbers,
    placement,
    ...surface,
  },
};
const worldShape = tagged({
  sphere: object(shapes.sphere),
  capsule: object(shapes.capsule),
  box: object(shapes.box),
  plane: object(shapes.plane),
  heightfield: object(shapes.heightfield),
});
type OnBone = Pick<BoneShape, 'bone'>;
const boneShapes: { readonly [T in BoneShape['type']]: Check } = {
  sphere: object<Shape<'sphere'> & OnBone>({ ...shapes.sphere, bone }),
  capsule: object<Shape<'capsule'> & OnBone>({ ...shapes.capsule, bone }),
  box: object<Shape<'box'> & OnBone>({ ...shapes.box, bone }),
};

const points = list(vec3, 'a list of points');
const terms: { readonly [T in SceneTerm['type']]: Fields<Extract<SceneTerm, { type: T }>> } = {
  pose: { type: discriminator, name, weight, at: when, pose: optional(pose), bones },
  velocity: { type: discriminator, name, weight, at: when, velocity: optional(coordinates), bones },
  acceleration: { type: discriminator, name, weight, at: when, acceleration: optional(coordinates), bones },
  goal: { type: discriminator, name, weight, at: when, goal },
  effort: { type: discriminator, name, weight, bones: byBone, over },
  'torque-limit': { type: discriminator, name, limit: optional(perBone), over },
  'speed-limit': { type: discriminator, name, limit: optional(perBone), over },
  smoothness: {
    type: discriminator,
    name,
    weight,
    order: optional(oneOf(1, 2, 3)),
    bones: byBone,
    lengthUnit,
    over,
  },
  tracking: { type: discriminator, name, weight, bones: byBone, lengthUnit, over },
  duration: { type: discriminator, name, weight },
  contact: {
    type: discriminator,
    name,
    bone: text,
    points: either(isList, points, oneOf('sole')),
    over: vector(2),
    normal: optional(vec3),
    height: optional(number),
    friction: optional(number),
    forceRegularization: optional(number),
    positions: optional(either(isList, points, oneOf('reference', 'free'))),
  },
  physics: { type: discriminator, name, undriven: bones, over },
  periodic: { type: discriminator, name, bones, travel: optional(vector(3, numberOrNull)) },
  clearance: {
    type: discriminator,
    name,
    shapes: list(tagged(boneShapes)),
    world: optional(list(worldShape)),
    distance: optional(number),
    over,
  },
};
const term = tagged(
  Object.fromEntries(Object.entries(terms).map(([type, fields]) => [type, object<object>(fields)])),
);

const figures: { readonly [T in SceneFigure['type']]: Check } = {
  human: object<Extract<SceneFigure, { type: 'human' }>>({
    type: discriminator,
    height: optional(number),
    mass: optional(number),
  }),
  // `createFigure` checks the bones.
  bones: object<Extract<SceneFigure, { type: 'bones' }>>({
    type: discriminator,
    name,
    up: optional(vec3),
    bones: discriminator,
  }),
  file: object<Extract<SceneFigure, { type: 'file' }>>({
    type: discriminator,
    path: text,
    limits: optional(oneOf('hard', 'soft', 'none')),
    joints: optional(oneOf('given', 'anatomical')),
    scale: optional(number),
    fileUpAxis: optional(oneOf('y', 'z')),
    restFrame: optional(number),
    // The command line checks the names.
    human: optional(
      record(
        either((value) => value === null, discriminator, text),
        'names of bones by human bone',
      ),
    ),
    ragdoll: optional(
      object<SceneRagdoll>({ mass: optional(number), joints: optional(oneOf('anatomical', 'given')) }),
    ),
  }),
};

const references: { readonly [T in SceneReference['type']]: Check } = {
  rest: object<{ type: 'rest' }>({ type: discriminator }),
  pose: object<Extract<SceneReference, { type: 'pose' }>>({ type: discriminator, pose }),
  keys: object<Extract<SceneReference, { type: 'keys' }>>({
    type: discriminator,
    times: numbers,
    poses: list(pose, 'a list of poses'),
  }),
  // `createMotion` checks the tracks.
  motion: object<MotionData & { type: 'motion' }>({
    type: discriminator,
    name,
    tracks: list(discriminator),
    base: optional(numbers),
    outside: optional(discriminator),
  }),
  file: object<Extract<SceneReference, { type: 'file' }>>({
    type: discriminator,
    path: text,
    animation: optional(either(isNumber, number, text)),
    from: optional(number),
  }),
};

const freeDuration = object<FreeDuration>({
  min: number,
  max: number,
  start: number,
  pieces: optional(number),
});

const scene = object<SceneData>({
  format: oneOf('poise-scene'),
  version: oneOf(1),
  name,
  figure: optional(tagged(figures)),
  reference: optional(tagged(references)),
  duration: optional(either(isNumber, number, freeDuration)),
  intervals: optional(number),
  degree: optional(number),
  unknowns: optional(oneOf('motion', 'displacement')),
  fixedEnds: optional(oneOf('none', 'start', 'end', 'both')),
  rotations: optional(oneOf('displacement', 'direct')),
  locked: bones,
  gravity: optional(vec3),
  armature: optional(either(isList, numbers, perBone)),
  terms: list(term, 'a list of terms'),
});

/** @throws FormatError with the location: `scene.json#terms[2].over`. */
export function checkScene(value: unknown, source: string): asserts value is SceneData {
  if (!isObject(value) || value.format !== 'poise-scene') {
    const remedy =
      'Give { "format": "poise-scene", "version": 1, "terms": [...] }; docs/scenes.md has all keys.';
    refuse('invalid-file', source, "is not a scene: format is not 'poise-scene'.", remedy);
  }
  scene(value, `${source}#`);
}
