import { FigureError } from 'poise';
import { nearestName } from 'poise/errors';
import { type BoneData, createFigure, type Figure, type JointData, type LimitData } from 'poise/figure';
import { type FieldsOf, requireFields, requireNumbers, requireOneOf } from 'poise/internal/checks';
import { type Vec3, vec3 } from 'poise/math';
import type { Object3D } from 'three';
import { boneObjectsOf, type FigureRoot, hasNonUniformScale, upInFrame, worldScale } from './hierarchy.js';
import { pathOf } from './local-transform.js';
import { rememberObjects, sameName } from './match-objects.js';
import { frameBelow, type ObjectFrame, topFrame } from './scale-split.js';

/** A value for some bones: by name, or by a function of name and object. */
export type BoneLookup<T> = Readonly<Record<string, T>> | ((name: string, object: Object3D) => T | undefined);

/** Options of {@link figureFromObject3D}. */
export interface FigureFromObject3DOptions {
  /** Name of the figure. Default: the root's, else `figure`. */
  readonly name?: string;
  /**
   * Which objects become bones. `skins`: the bones of all skinned meshes at and under the root, and the objects between
   * them and the frame; without skins, everything under the root. `all`: everything under the root. Default: `skins`.
   */
  readonly bones?: 'skins' | 'all';
  /** Joints. Default: `free` for the topmost bones of skins, `ball` below them, `fixed` for other objects. */
  readonly joints?: BoneLookup<JointData>;
  /** Limits; each must suit its joint. Default: none. */
  readonly limits?: BoneLookup<LimitData>;
  /** Up in the scene, world axes. Default: `Object3D.DEFAULT_UP`. */
  readonly up?: Vec3;
  /** Changes the figure, of the same bones: `withAnatomicalLimits` of poise/humanoid gives it the joints and limits of a human. */
  readonly modify?: (figure: Figure) => Figure;
}

const FIELDS: FieldsOf<FigureFromObject3DOptions> = {
  name: true,
  bones: true,
  joints: true,
  limits: true,
  up: true,
  modify: true,
};

/** A figure and its objects. */
export interface Object3DFigure {
  readonly figure: Figure;
  /** Object of each bone, by bone name: what `bindFigure` takes as `objects`. */
  readonly objects: ReadonlyMap<string, Object3D>;
  /** Inaccuracies of the figure, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Creates a figure from a three.js hierarchy **in its current pose**: the current local transforms become rest, so put the
 * character in its rest pose first (`skeleton.pose()`). Lengths are metres of the world: uniform scale, that of the root
 * included, is folded into them. Bones keep their object's axes.
 *
 * The figure lives in the frame of `root`, so that moving `root` moves the figure; for a bone, skinned mesh or
 * skeleton, in the frame of the object above the bones. `figure.up` is the axis of that frame that is nearest to up.
 *
 * @throws FigureError for a hierarchy without objects, a scale of zero, numbers that are not finite, an invalid joint or
 * limit, or one for a bone that does not exist.
 */
export function figureFromObject3D(
  root: FigureRoot,
  options: FigureFromObject3DOptions = {},
): Object3DFigure {
  requireFields(options, FIELDS, 'options', FigureError);
  requireOneOf(options.bones ?? 'skins', ['skins', 'all'], 'options.bones', FigureError);
  if (options.modify !== undefined && typeof options.modify !== 'function') {
    throw new FigureError('unsupported', 'is not a function.', {
      path: 'options.modify',
      remedy: 'Pass the function itself, withAnatomicalLimits without parentheses.',
    });
  }
  const { objects: chosen, skinBones, frame } = boneObjectsOf(root, options.bones ?? 'skins');
  const warnings: string[] = [];
  const top = topFrame(worldScale(frame));
  if (hasNonUniformScale(frame)) {
    warnings.push(
      'root: its world matrix has non-uniform scale, so lengths are in metres only on average over the three axes.',
    );
  }
  const names = uniqueNames(chosen);
  const frames = new Map<Object3D, ObjectFrame>();
  for (const object of chosen) {
    const parent = object.parent === null ? undefined : frames.get(object.parent);
    frames.set(object, frameBelow(parent ?? top, object));
  }
  for (const object of chosen) warnNonUniformScale(object, frames, warnings);
  const joints = valueLookup(options.joints, names, 'joints');
  const limits = valueLookup(options.limits, names, 'limits');
  const bones = chosen.map((object): BoneData => {
    const name = names.get(object) as string;
    const parent = object.parent === null ? undefined : names.get(object.parent);
    const { position, rotation } = frames.get(object) as ObjectFrame;
    const joint = joints(name, object) ?? defaultJoint(object, skinBones);
    const limit = limits(name, object);
    const tip = tipOf(object, frames);
    return {
      name,
      parent: parent ?? null,
      rest: {
        position: [position[0], position[1], position[2]],
        rotation: [rotation[0], rotation[1], rotation[2], rotation[3]],
      },
      joint,
      ...(limit && { limit }),
      ...(tip && { tip }),
    };
  });
  const figureName = options.name ?? ('name' in root && root.name !== '' ? root.name : 'figure');
  const made = createFigure({ name: figureName, up: upInFrame(frame, sceneUp(chosen[0], options)), bones });
  const figure = options.modify?.(made) ?? made;
  requireSameBones(figure, made);
  const objects = new Map(chosen.map((object) => [names.get(object) as string, object]));
  rememberObjects(figure, objects);
  return { figure, objects, warnings };
}

/** @throws FigureError `wrong-size` */
function requireSameBones(figure: Figure, made: Figure): void {
  const { bones } = made;
  if (figure.bones.length === bones.length && figure.bones.every(({ name }, b) => name === bones[b].name))
    return;
  throw new FigureError('wrong-size', 'returns a figure with other bones.', {
    path: 'options.modify',
    remedy: 'Change joints, limits and masses; keep the bones and their names.',
  });
}

/** Without a run-time import of three.js: the static member of the object's own class. */
function sceneUp(object: Object3D, { up }: FigureFromObject3DOptions): Vec3 {
  if (up !== undefined) {
    requireNumbers(up, 3, 'options.up', FigureError);
    if (vec3.norm(up) > 0) return up;
    throw new FigureError('out-of-range', 'has length 0.', {
      path: 'options.up',
      remedy: 'Give a direction.',
    });
  }
  const { DEFAULT_UP } = object.constructor as typeof Object3D;
  return [DEFAULT_UP.x, DEFAULT_UP.y, DEFAULT_UP.z];
}

/** The object's name, with `_2`, `_3` appended to repeated ones; `Bone_7` for the seventh object if it has none. */
function uniqueNames(objects: readonly Object3D[]): Map<Object3D, string> {
  const names = new Map<Object3D, string>();
  const taken = new Set<string>();
  objects.forEach((object, i) => {
    const wanted = object.name.trim() === '' ? `${object.type}_${i + 1}` : object.name;
    let free = wanted;
    for (let k = 2; taken.has(free); k++) free = `${wanted}_${k}`;
    taken.add(free);
    names.set(object, free);
  });
  return names;
}

function defaultJoint(object: Object3D, skinBones: ReadonlySet<Object3D>): JointData {
  if (!skinBones.has(object)) return { type: 'fixed' };
  for (let above = object.parent; above !== null; above = above.parent) {
    if (skinBones.has(above)) return { type: 'ball' };
  }
  return { type: 'free' };
}

/** Lookup by name or function. @throws FigureError `unknown-name` for a name that is no bone. */
function valueLookup<T>(
  values: BoneLookup<T> | undefined,
  names: ReadonlyMap<Object3D, string>,
  option: string,
): (name: string, object: Object3D) => T | undefined {
  if (values === undefined) return () => undefined;
  if (typeof values === 'function') return values;
  const known = new Set(names.values());
  const byBone = new Map<string, T>();
  for (const [name, value] of Object.entries(values)) {
    const bone = sameName(name, known);
    if (bone !== undefined) {
      byBone.set(bone, value);
      continue;
    }
    const near = nearestName(name, known);
    throw new FigureError('unknown-name', 'names no bone.', {
      path: `options.${option}['${name}']`,
      remedy: near === undefined ? 'Use the names of the objects.' : `Did you mean '${near}'?`,
    });
  }
  return (name) => byBone.get(name);
}

/** End of a bone: the mean of its children's origins in its own frame; none for a leaf. */
function tipOf(
  object: Object3D,
  frames: ReadonlyMap<Object3D, ObjectFrame>,
): [number, number, number] | undefined {
  const children = object.children.filter((child) => frames.has(child));
  const sum = [0, 0, 0];
  for (const child of children) {
    vec3.addScaled(sum, (frames.get(child) as ObjectFrame).position, 1 / children.length, sum);
  }
  return vec3.norm(sum) > 0 ? [sum[0], sum[1], sum[2]] : undefined;
}

/** Warns about non-uniform scale above bones, once, for the topmost object that has it. */
function warnNonUniformScale(
  object: Object3D,
  frames: ReadonlyMap<Object3D, ObjectFrame>,
  warnings: string[],
): void {
  const isNonUniform = (one: Object3D | null) => one !== null && (frames.get(one)?.nonUniform ?? false);
  if (!isNonUniform(object) || isNonUniform(object.parent)) return;
  if (!object.children.some((child) => frames.has(child))) return;
  warnings.push(
    `${pathOf(object)}: has non-uniform scale; below it a written pose keeps bone positions exact, but rotation and shear ` +
      'are only approximate.',
  );
}
