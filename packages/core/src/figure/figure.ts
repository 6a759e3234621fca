import { FigureError, nearestName } from '../errors.js';
import { jointTypes } from './joints/joint-types.js';
import type { LimitPart } from './limits/limit.js';
import { limitPartsOf } from './limits/limit-parts.js';
import { normalizeInertia, normalizeRest, requireTriple } from './normalize.js';
import { parentsFirst } from './parents-first.js';
import type { BoneData, FigureData, JointData, LimitData, RigidData, Triple } from './types.js';

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
  /** Index in the pose of the joint's first coordinate. */
  readonly coordinate: number;
  /** Number of coordinates of the joint. */
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
  /** Length of a pose: the sum of the joints' degrees of freedom. */
  readonly dof: number;
  /** Parent index of each bone. */
  readonly parents: Int32Array;
  /** First coordinate of each bone, and `dof` at the end: bone b owns [start[b], start[b + 1]). */
  readonly coordinateStart: Int32Array;
  /** Bone that owns each coordinate. */
  readonly boneOfCoordinate: Int32Array;
  /** The limits as convex sets over coordinates, in coordinate order; no two share a coordinate. */
  readonly limitParts: readonly LimitPart[];
}

/**
 * Builds a figure from plain data: checks every number, fills defaults, sorts parents before children (stable) and
 * lays the coordinates out in bone order.
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
  const order = parentsFirst(data.bones);
  const bones: Bone[] = [];
  const limitParts: LimitPart[] = [];
  const newIndex = new Map<number, number>();
  let coordinate = 0;
  for (const { source, parent } of order) {
    const index = bones.length;
    newIndex.set(source, index);
    const bone = createBone(
      data.bones[source],
      index,
      parent < 0 ? -1 : (newIndex.get(parent) as number),
      coordinate,
      `bones[${source}]`,
    );
    bones.push(bone);
    if (bone.limit !== undefined) {
      const parts = limitPartsOf(bone.limit, bone.joint, coordinate, bone.dof, `bones[${source}].limit`);
      for (const part of parts) limitParts.push({ bone: index, ...part });
    }
    coordinate += bone.dof;
  }
  const coordinateStart = Int32Array.from([...bones.map((bone) => bone.coordinate), coordinate]);
  return {
    name: data.name ?? 'figure',
    bones,
    dof: coordinate,
    parents: Int32Array.from(bones, (bone) => bone.parent),
    coordinateStart,
    boneOfCoordinate: Int32Array.from(bones.flatMap((bone) => Array<number>(bone.dof).fill(bone.index))),
    limitParts,
  };
}

function createBone(data: BoneData, index: number, parent: number, coordinate: number, path: string): Bone {
  const joint = normalizeJoint(data.joint ?? { type: 'fixed' }, `${path}.joint`);
  if (data.mass !== undefined && !(data.mass >= 0 && Number.isFinite(data.mass))) {
    throw new FigureError('out-of-range', `is ${data.mass}.`, {
      path: `${path}.mass`,
      remedy: 'Give a mass of zero or more, kg.',
    });
  }
  return {
    index,
    name: data.name,
    parent,
    rest: normalizeRest(data.rest, `${path}.rest`),
    joint,
    ...(data.limit === undefined ? {} : { limit: data.limit }),
    coordinate,
    dof: jointTypes[joint.type].dof,
    ...(data.tip === undefined ? {} : { tip: requireTriple(data.tip, `${path}.tip`) }),
    ...(data.mass === undefined ? {} : { mass: data.mass }),
    ...(data.centerOfMass === undefined
      ? {}
      : { centerOfMass: requireTriple(data.centerOfMass, `${path}.centerOfMass`) }),
    ...(data.inertia === undefined ? {} : { inertia: normalizeInertia(data.inertia, `${path}.inertia`) }),
  };
}

function normalizeJoint(joint: JointData, path: string): JointData {
  const type = Object.hasOwn(jointTypes, joint.type) ? jointTypes[joint.type] : undefined;
  if (type === undefined) {
    const near = nearestName(String(joint.type), Object.keys(jointTypes));
    throw new FigureError('unsupported', `is '${joint.type}'.`, {
      path: `${path}.type`,
      remedy: `Use one of ${Object.keys(jointTypes).join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
    });
  }
  return type.normalize(joint, path);
}

/**
 * Index of the bone called `name` (an index in range is returned as it is).
 *
 * @throws FigureError `unknown-name` that suggests the nearest name.
 */
export function boneIndex(figure: Figure, name: string | number, path = 'bone'): number {
  const index = typeof name === 'number' ? name : figure.bones.findIndex((bone) => bone.name === name);
  if (Number.isInteger(index) && index >= 0 && index < figure.bones.length) return index;
  const near =
    typeof name === 'string'
      ? nearestName(
          name,
          figure.bones.map((bone) => bone.name),
        )
      : undefined;
  throw new FigureError('unknown-name', `no bone is called '${name}' in ${figure.name}.`, {
    path,
    remedy: near === undefined ? 'List the names with figure.bones.' : `Did you mean '${near}'?`,
  });
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
