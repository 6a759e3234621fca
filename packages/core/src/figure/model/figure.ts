import { FigureError, nearestName } from '../../errors.js';
import { type MimicJoint, mimicJointsOf, normalizeMimic } from '../data/mimic.js';
import {
  normalizeInertia,
  normalizeRest,
  requireMass,
  requireTriple,
  shown,
  unknownBone,
} from '../data/normalize.js';
import { parentsFirst } from '../data/topological-order.js';
import type {
  BoneData,
  FigureData,
  JointData,
  LimitData,
  MimicData,
  RigidData,
  Triple,
} from '../data/types.js';
import { jointTypes } from '../joints/joint-types.js';
import type { LimitPart } from '../limits/limit.js';
import { limitPartsOf } from '../limits/limit-parts.js';
import { withMimicLimits } from '../limits/mimic-limits.js';
import { normalizeLimit } from '../limits/normalize-limit.js';

/** A bone of a figure: checked data and its place in the pose. */
export interface Bone {
  readonly index: number;
  readonly name: string;
  /** Index of the parent bone, always smaller than this one's; -1 for a root. */
  readonly parent: number;
  /** Parent frame from bone frame at q = 0. */
  readonly rest: RigidData;
  readonly joint: JointData;
  readonly limit?: LimitData;
  /** Whom the joint follows, where it follows another. */
  readonly mimic?: MimicData;
  /** Index in the pose of the joint's first coordinate. */
  readonly coordinate: number;
  /** Number of coordinates that the joint owns in the pose: 0 where it follows another. */
  readonly dof: number;
  readonly tip?: Triple;
  readonly mass?: number;
  readonly centerOfMass?: Triple;
  readonly inertia?: readonly [number, number, number, number, number, number];
}

/**
 * An articulated figure: a forest of bones, parents before children. Immutable plain data: it survives
 * `structuredClone` and `postMessage` whole, and {@link figureToData} gives it as JSON.
 */
export interface Figure {
  readonly name: string;
  readonly bones: readonly Bone[];
  /** Length of a pose: the sum of the degrees of freedom of the joints that follow no other. */
  readonly dof: number;
  /** Parent index of each bone. */
  readonly parents: Int32Array;
  /** First coordinate of each bone, and `dof` at the end: bone b owns [start[b], start[b + 1]). */
  readonly coordinateStart: Int32Array;
  /** Bone that owns each coordinate. */
  readonly boneOfCoordinate: Int32Array;
  /**
   * The limits as convex sets over coordinates, in coordinate order; no two share a coordinate. The limit of a joint that
   * follows another is part of the leader's.
   */
  readonly limitParts: readonly LimitPart[];
  /** The joints that follow others, in bone order. */
  readonly mimicJoints: readonly MimicJoint[];
}

/**
 * Builds a figure from plain data: checks every number, fills defaults, sorts parents before children (stable) and
 * lays the coordinates out in bone order. What it gives is a frozen copy; the data may change afterwards. Fields that are
 * null count as left out.
 *
 * @throws FigureError naming the place (`bones[3].limit.max`) and the remedy: unknown or repeated names, a cycle,
 * numbers that are not finite, a rotation that is not of unit length, an axis of zero length, an impossible limit.
 */
export function createFigure(data: FigureData): Figure {
  if (!Array.isArray(data?.bones)) {
    throw new FigureError('wrong-size', 'is not a list of bones.', {
      path: 'bones',
      remedy: 'Give an array of bones.',
    });
  }
  const name = data.name ?? 'figure';
  if (typeof name !== 'string') {
    throw new FigureError('unsupported', `is ${shown(name)}.`, { path: 'name', remedy: 'Give a string.' });
  }
  // A copy without holes: a hole would slip through forEach and map.
  const given = Array.from(data.bones);
  const order = parentsFirst(given);
  const bones: Bone[] = [];
  const limitParts: LimitPart[] = [];
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
      for (const part of limitPartsOf(bone.limit, bone.joint, coordinate)) {
        limitParts.push({ bone: index, ...part });
      }
    }
    coordinate += bone.dof;
  }
  const mimicJoints = mimicJointsOf(bones, pathOf);
  const coordinateStart = Int32Array.from([...bones.map((bone) => bone.coordinate), coordinate]);
  return frozen({
    name,
    bones,
    dof: coordinate,
    parents: Int32Array.from(bones, (bone) => bone.parent),
    coordinateStart,
    boneOfCoordinate: Int32Array.from(bones.flatMap((bone) => Array<number>(bone.dof).fill(bone.index))),
    limitParts: withMimicLimits(bones, limitParts, mimicJoints, pathOf),
    mimicJoints,
  });
}

/**
 * The figure with its data frozen, so that a stray write fails instead of doing nothing. Typed arrays cannot be frozen;
 * the parameters of the limits are left out, because reading a frozen array costs the clamp 30 %.
 */
function frozen(figure: Figure): Figure {
  for (const bone of figure.bones) deepFreeze(bone);
  for (const part of figure.limitParts) Object.freeze(part);
  for (const coupling of figure.mimicJoints) Object.freeze(coupling);
  Object.freeze(figure.bones);
  Object.freeze(figure.limitParts);
  Object.freeze(figure.mimicJoints);
  return Object.freeze(figure);
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.values(value).forEach(deepFreeze);
  Object.freeze(value);
}

/** A checked copy. Other languages write fields that are left out as null. */
function createBone(data: BoneData, index: number, parent: number, coordinate: number, path: string): Bone {
  const joint = normalizeJoint(data.joint ?? { type: 'fixed' }, `${path}.joint`);
  const { limit, mimic, tip, mass, centerOfMass, inertia } = data;
  return {
    index,
    name: data.name,
    parent,
    rest: normalizeRest(data.rest, `${path}.rest`),
    joint,
    ...(isAbsent(limit) ? {} : { limit: normalizeLimit(limit, joint, `${path}.limit`) }),
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

function normalizeJoint(joint: JointData, path: string): JointData {
  const name: unknown = joint.type;
  if (typeof name === 'string' && Object.hasOwn(jointTypes, name)) {
    return jointTypes[joint.type].normalize(joint, path);
  }
  const near = typeof name === 'string' ? nearestName(name, Object.keys(jointTypes)) : undefined;
  throw new FigureError('unsupported', `is ${shown(name)}.`, {
    path: `${path}.type`,
    remedy: `Use one of ${Object.keys(jointTypes).join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
  });
}

/**
 * Index of the bone called `name` (an index in range is returned as it is).
 *
 * @throws FigureError `unknown-name` that suggests the nearest name.
 */
export function boneIndex(figure: Figure, name: string | number, path = 'bone'): number {
  const index = typeof name === 'number' ? name : figure.bones.findIndex((bone) => bone.name === name);
  if (Number.isInteger(index) && index >= 0 && index < figure.bones.length) return index;
  const names = figure.bones.map((bone) => bone.name);
  const what = `no bone is called ${shown(name)} in ${figure.name}.`;
  throw unknownBone(name, names, path, 'List the names with figure.bones.', what);
}

/** The figure as plain JSON data: `createFigure(figureToData(figure))` gives the same figure. */
export function figureToData(figure: Figure): FigureData {
  return {
    name: figure.name,
    bones: figure.bones.map(({ index: _index, coordinate: _coordinate, dof: _dof, parent, ...rest }) => ({
      ...rest,
      parent: parent < 0 ? null : figure.bones[parent].name,
    })),
  };
}
