/** The objects that become bones of a figure, and the frame of the figure. */
import { FigureError } from 'poise';
import type { Triple } from 'poise/figure';
import { shown } from 'poise/internal/checks';
import type { Vec3 } from 'poise/math';
import type { Object3D, Skeleton, SkinnedMesh } from 'three';
import { pathOf } from './local-transform.js';

/** Root of a character: any object above its bones, a skinned mesh, or a skeleton. */
export type FigureRoot = Object3D | Skeleton;

export function isSkeleton(root: FigureRoot): root is Skeleton {
  return 'bones' in root && Array.isArray(root.bones);
}

/** @throws FigureError `unsupported` for what is neither an object nor a skeleton, as the result of a loader. */
export function requireRoot(root: unknown, path: string = 'root'): void {
  const isGiven = typeof root === 'object' && root !== null;
  if (isGiven && (isObject3D(root) || isSkeleton(root as FigureRoot))) return;
  const isLoaded = isGiven && 'scene' in root && isObject3D(root.scene);
  throw new FigureError('unsupported', isGiven ? 'is not a three.js object.' : `is ${shown(root)}.`, {
    path,
    remedy: isLoaded
      ? 'Of a loaded glTF give `gltf.scene`.'
      : 'Give an object above the bones, a skinned mesh or a skeleton.',
  });
}

/** Whether it is an object of three.js, of whichever copy of it. */
function isObject3D(value: unknown): boolean {
  return typeof (value as Partial<Object3D> | null | undefined)?.traverse === 'function';
}

function isSkinnedMesh(object: Object3D): object is SkinnedMesh {
  return 'isSkinnedMesh' in object && object.isSkinnedMesh === true && 'skeleton' in object;
}

function isBone(object: Object3D): boolean {
  return 'isBone' in object && object.isBone === true;
}

/** The bones of the skeleton, or of all skinned meshes at and under the root. */
export function skinBones(root: FigureRoot): Set<Object3D> {
  if (isSkeleton(root)) return new Set(root.bones);
  const bones = new Set<Object3D>();
  root.traverse((object) => {
    if (isSkinnedMesh(object)) for (const bone of object.skeleton?.bones ?? []) bones.add(bone);
  });
  return bones;
}

/** All objects that a name can match: everything at and under the root, and the bones of its skins. */
export function candidates(root: FigureRoot): Set<Object3D> {
  const found = skinBones(root);
  if (!isSkeleton(root)) root.traverse((object) => found.add(object));
  return found;
}

/**
 * The object in whose frame a figure of the `chosen` objects lives: the root, if it is an ancestor of them all and neither
 * bone nor skinned mesh itself; else their nearest common ancestor; null for the world.
 */
export function frameOf(root: FigureRoot, chosen: ReadonlySet<Object3D>): Object3D | null {
  if (!isSkeleton(root) && !isSkinnedMesh(root) && !isBone(root) && !chosen.has(root)) {
    if ([...chosen].every((object) => isUnder(object, root))) return root;
  }
  // All bones of the skins, so that a figure of only some of them has the same frame.
  const own = new Set([...chosen, ...skinBones(root)]);
  if (!isSkeleton(root) && isBone(root)) own.add(root);
  let common: Object3D[] | undefined;
  for (const object of own) {
    const above = ancestors(object).filter((one) => !own.has(one));
    common = common === undefined ? above : common.filter((one) => above.includes(one));
  }
  return common?.[0] ?? null;
}

/** Ancestors of an object, nearest first. */
export function ancestors(object: Object3D): Object3D[] {
  const found: Object3D[] = [];
  for (let above = object.parent; above !== null; above = above.parent) found.push(above);
  return found;
}

function isUnder(object: Object3D, root: Object3D): boolean {
  return ancestors(object).includes(root);
}

/** The objects that become bones, parents first, and which of them are bones of skins (all, if there is no skin). */
export interface FigureHierarchy {
  readonly objects: readonly Object3D[];
  readonly skinBones: ReadonlySet<Object3D>;
  readonly frame: Object3D | null;
}

/** @throws FigureError for a root without bones and without objects under it. */
export function boneObjectsOf(root: FigureRoot, which: 'skins' | 'all'): FigureHierarchy {
  requireRoot(root);
  const moving = skinBones(root);
  const chosen = new Set(moving);
  if (!isSkeleton(root) && (which === 'all' || moving.size === 0)) {
    root.traverse((object) => {
      if (object !== root || isBone(root)) chosen.add(object);
    });
  }
  if (chosen.size === 0) {
    throw new FigureError('unsupported', 'has no bones and no objects under it.', {
      path: 'root',
      remedy: 'Give an object above the bones, a skinned mesh or a skeleton.',
    });
  }
  const frame = frameOf(root, chosen);
  // Objects between a chosen object and the frame are bones too.
  for (const object of [...chosen]) {
    for (const above of ancestors(object)) {
      if (above === frame) break;
      chosen.add(above);
    }
  }
  const objects = [...chosen].sort((a, b) => ancestors(a).length - ancestors(b).length);
  return { objects: depthFirst(objects), skinBones: moving.size > 0 ? moving : chosen, frame };
}

/** Depth-first order: parents first, siblings in the order of `children`. */
function depthFirst(objects: readonly Object3D[]): Object3D[] {
  const chosen = new Set(objects);
  const ordered = new Set<Object3D>();
  for (const object of objects) {
    if (ordered.has(object)) continue;
    object.traverse((below) => {
      if (chosen.has(below)) ordered.add(below);
    });
  }
  return [...ordered];
}

/** The signed coordinate axis of the frame nearest to up in the world: a character may lean in its scene. */
export function upInFrame(frame: Object3D | null, up: Vec3): Triple {
  const direction = Array.from(up);
  if (frame !== null) {
    frame.updateWorldMatrix(true, false);
    const e = frame.matrixWorld.elements;
    for (let k = 0; k < 3; k++) direction[k] = e[4 * k] * up[0] + e[4 * k + 1] * up[1] + e[4 * k + 2] * up[2];
  }
  return nearestAxis(direction);
}

/** The signed coordinate axis nearest to a direction. */
export function nearestAxis(direction: Vec3): Triple {
  const sizes = [0, 1, 2].map((k) => Math.abs(direction[k]));
  const largest = sizes.indexOf(Math.max(...sizes));
  const [x, y, z] = sizes.map((_, k) => (k === largest ? Math.sign(direction[k]) : 0));
  return [x, y, z];
}

/** Metres per unit of an object's frame: the cube root of |det| of its world matrix. */
export function worldScale(frame: Object3D | null): number {
  if (frame === null) return 1;
  frame.updateWorldMatrix(true, false);
  const scale = Math.cbrt(Math.abs(frame.matrixWorld.determinant()));
  if (scale > 0 && Number.isFinite(scale)) return scale;
  throw new FigureError('singular', `${pathOf(frame)} is scaled by ${scale}.`, {
    path: 'root',
    remedy: 'Give it and the objects above it a finite scale that is not zero.',
  });
}

/** Whether the world matrix of the frame has non-uniform scale or shear. */
export function hasNonUniformScale(frame: Object3D | null): boolean {
  if (frame === null) return false;
  const e = frame.matrixWorld.elements;
  const square = Math.cbrt(frame.matrixWorld.determinant() ** 2);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j <= i; j++) {
      let product = 0;
      for (let k = 0; k < 3; k++) product += e[4 * i + k] * e[4 * j + k];
      if (Math.abs(product / square - (i === j ? 1 : 0)) > 1e-4) return true;
    }
  }
  return false;
}
