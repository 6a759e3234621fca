import {
  type FieldsOf,
  requireFields,
  requireList,
  requirePositive,
  requireString,
  shown,
} from '../../checks.js';
import { FigureError } from '../../errors.js';
import { type MimicJoint, mimicJointsOf, normalizeMimic } from '../data/mimic.js';
import {
  normalizeInertia,
  normalizeRest,
  requireMass,
  requireTriple,
  unknownBone,
} from '../data/normalize.js';
import { topologicalOrder } from '../data/topological-order.js';
import type {
  BoneData,
  FigureData,
  JointData,
  LimitData,
  MimicData,
  RigidData,
  Triple,
} from '../data/types.js';
import { unitAxis } from '../joints/axes.js';
import { jointTypes } from '../joints/joint-types.js';
import { normalizeJoint } from '../joints/normalize-joint.js';
import type { LimitComponent } from '../limits/limit.js';
import { limitComponentsOf } from '../limits/limit-components.js';
import { withMimicLimits } from '../limits/mimic-limits.js';
import { normalizeLimit } from '../limits/normalize-limit.js';

/** A bone of a figure: checked data, and its coordinates in the pose. */
export interface Bone {
  readonly index: number;
  readonly name: string;
  /** Index of the parent bone, always smaller than this one's; -1 for a root. */
  readonly parent: number;
  /** Parent frame from bone frame at q = 0. */
  readonly rest: RigidData;
  readonly joint: JointData;
  readonly limit?: LimitData;
  /** Largest speed of its motor, rad/s or m/s. */
  readonly speedLimit?: number;
  /** Largest torque or force of its motor, N m or N. */
  readonly torqueLimit?: number;
  /** Source and polynomial of a mimic joint. */
  readonly mimic?: MimicData;
  /** Index in the pose of the joint's first coordinate. */
  readonly coordinate: number;
  /** Number of coordinates of the joint in the pose: 0 for a mimic joint. */
  readonly dof: number;
  readonly tip?: Triple;
  readonly mass?: number;
  readonly centerOfMass?: Triple;
  readonly inertia?: readonly [number, number, number, number, number, number];
}

/**
 * An articulated figure: a forest of bones in topological order (parents before children). Immutable plain data:
 * `structuredClone` and `postMessage` copy it, and {@link figureToData} gives it as JSON.
 */
export interface Figure {
  readonly name: string;
  /** Up in the world at rest, a unit vector: gravity pulls against it, grounds are perpendicular to it. */
  readonly up: Triple;
  readonly bones: readonly Bone[];
  /** Length of a pose: the number of degrees of freedom; mimic joints have none. */
  readonly dof: number;
  /** Parent index of each bone. */
  readonly parents: Int32Array;
  /** First coordinate of each bone, and `dof` at the end: bone b has [start[b], start[b + 1]). */
  readonly coordinateStart: Int32Array;
  /** Bone of each coordinate. */
  readonly boneOfCoordinate: Int32Array;
  /**
   * The limits as convex sets over coordinates, in coordinate order; no two have a coordinate in common. The limit of a mimic
   * joint is included in that of its source.
   */
  readonly limitComponents: readonly LimitComponent[];
  /** The mimic joints, in bone order. */
  readonly mimicJoints: readonly MimicJoint[];
}

const FIELDS: FieldsOf<FigureData> = { name: true, up: true, bones: true };

const BONE_FIELDS: FieldsOf<BoneData> = {
  name: true,
  parent: true,
  rest: true,
  joint: true,
  limit: true,
  speedLimit: true,
  torqueLimit: true,
  mimic: true,
  tip: true,
  mass: true,
  centerOfMass: true,
  inertia: true,
};

/**
 * Builds a figure from plain data: checks all fields, fills in defaults, sorts the bones in stable topological order and assigns
 * coordinates in bone order. The result is a frozen copy. Fields that are null count as absent.
 *
 * @throws FigureError with path (`bones[3].limit.max`) and remedy: unknown or repeated names, unknown fields, a cycle, numbers that are not
 * finite, a rotation that is not of unit length, an axis of zero length, an invalid limit.
 */
export function createFigure(data: FigureData): Figure {
  requireFields(data ?? {}, FIELDS, 'figure', FigureError);
  requireList(data?.bones, 'bones', FigureError, 'Give an array of bones.');
  const name = data.name ?? 'figure';
  requireString(name, 'name', FigureError);
  const up = unitAxis(data.up ?? [0, 1, 0], 'up');
  // A copy without holes, which forEach and map would skip.
  const given = Array.from(data.bones);
  const order = topologicalOrder(given);
  const bones: Bone[] = [];
  const limitComponents: LimitComponent[] = [];
  const newIndex = new Map<number, number>();
  const pathOf = (index: number) => `bones[${order[index].source}]`;
  let coordinate = 0;
  for (const { source, parent } of order) {
    const index = bones.length;
    newIndex.set(source, index);
    const bone = createBone(
      given[source],
      index,
      parent < 0 ? -1 : (newIndex.get(parent) as number),
      coordinate,
      pathOf(index),
    );
    bones.push(bone);
    if (bone.limit !== undefined && bone.mimic === undefined) {
      for (const component of limitComponentsOf(bone.limit, bone.joint, coordinate)) {
        limitComponents.push({ bone: index, ...component });
      }
    }
    coordinate += bone.dof;
  }
  const mimicJoints = mimicJointsOf(bones, pathOf);
  const coordinateStart = Int32Array.from([...bones.map((bone) => bone.coordinate), coordinate]);
  return frozen({
    name,
    up,
    bones,
    dof: coordinate,
    parents: Int32Array.from(bones, (bone) => bone.parent),
    coordinateStart,
    boneOfCoordinate: Int32Array.from(bones.flatMap((bone) => Array<number>(bone.dof).fill(bone.index))),
    limitComponents: withMimicLimits(bones, limitComponents, mimicJoints, pathOf),
    mimicJoints,
  });
}

/**
 * Freezes the data of a figure, so that a write to it throws. Typed arrays cannot be frozen; the parameters of the limits are
 * not, because clamping is 30 % slower on frozen arrays.
 */
function frozen(figure: Figure): Figure {
  for (const bone of figure.bones) deepFreeze(bone);
  for (const component of figure.limitComponents) Object.freeze(component);
  for (const mimicJoint of figure.mimicJoints) Object.freeze(mimicJoint);
  Object.freeze(figure.up);
  Object.freeze(figure.bones);
  Object.freeze(figure.limitComponents);
  Object.freeze(figure.mimicJoints);
  return Object.freeze(figure);
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.values(value).forEach(deepFreeze);
  Object.freeze(value);
}

/** A checked copy of the data of one bone. Null counts as absent, for JSON from other languages. */
function createBone(data: BoneData, index: number, parent: number, coordinate: number, path: string): Bone {
  requireFields(data, BONE_FIELDS, path, FigureError);
  const joint = normalizeJoint(data.joint ?? { type: 'fixed' }, `${path}.joint`);
  const { limit, mimic, tip, mass, centerOfMass, inertia } = data;
  for (const field of ['speedLimit', 'torqueLimit'] as const) {
    if (!isAbsent(data[field])) requirePositive(data[field], `${path}.${field}`, FigureError);
  }
  return {
    index,
    name: data.name,
    parent,
    rest: normalizeRest(data.rest, `${path}.rest`),
    joint,
    ...(isAbsent(limit) ? {} : { limit: normalizeLimit(limit, joint, `${path}.limit`) }),
    ...(isAbsent(data.speedLimit) ? {} : { speedLimit: data.speedLimit }),
    ...(isAbsent(data.torqueLimit) ? {} : { torqueLimit: data.torqueLimit }),
    ...(isAbsent(mimic) ? {} : { mimic: normalizeMimic(mimic, joint, `${path}.mimic`) }),
    coordinate,
    dof: isAbsent(mimic) ? jointTypes[joint.type].dof : 0,
    ...(isAbsent(tip) ? {} : { tip: requireTriple(tip, `${path}.tip`) }),
    ...(isAbsent(mass) ? {} : { mass: requireMass(mass, `${path}.mass`) }),
    ...(isAbsent(centerOfMass) ? {} : { centerOfMass: requireTriple(centerOfMass, `${path}.centerOfMass`) }),
    ...(isAbsent(inertia) ? {} : { inertia: normalizeInertia(inertia, `${path}.inertia`) }),
  };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/**
 * Index of the bone `name`; a valid index is returned unchanged.
 *
 * @throws FigureError `unknown-name`, suggesting the nearest name.
 */
export function boneIndex(figure: Figure, name: string | number, path = 'bone'): number {
  const index = typeof name === 'number' ? name : figure.bones.findIndex((bone) => bone.name === name);
  if (Number.isInteger(index) && index >= 0 && index < figure.bones.length) return index;
  const names = figure.bones.map((bone) => bone.name);
  const what = `no bone is called ${shown(name)} in ${figure.name}.`;
  throw unknownBone(name, names, path, 'List the names with figure.bones.', what);
}

/** The figure as plain JSON data; `createFigure(figureToData(figure))` gives the same figure. */
export function figureToData(figure: Figure): FigureData {
  const [x, y, z] = figure.up;
  return {
    name: figure.name,
    // +Y is left out: so figures written before there was `up` are the same text.
    ...(x === 0 && y === 1 && z === 0 ? {} : { up: figure.up }),
    bones: figure.bones.map(({ index: _index, coordinate: _coordinate, dof: _dof, parent, ...rest }) => ({
      ...rest,
      parent: parent < 0 ? null : figure.bones[parent].name,
    })),
  };
}
