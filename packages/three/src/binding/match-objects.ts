/** Finds the object of each bone. */
import { FigureError } from 'poise';
import { nearestName } from 'poise/errors';
import { boneIndex, type Figure } from 'poise/figure';
import type { Object3D } from 'three';
import { candidates, type FigureRoot } from './hierarchy.js';

/** An object, the name of one, or null for a bone without an object. */
export type BoneObject = Object3D | string | null;

/** Objects by bone name; bones without an entry are looked up by their own name. */
export type BoneObjects =
  | ReadonlyMap<string, BoneObject>
  | Readonly<Record<string, BoneObject>>
  | ((bone: string) => BoneObject | undefined);

/** Source objects of figures, which may have no name or share one. */
const origins = /* @__PURE__ */ new WeakMap<Figure, ReadonlyMap<string, Object3D>>();

/** Remembers the source object of each bone of a figure, by bone name. */
export function rememberObjects(figure: Figure, objects: ReadonlyMap<string, Object3D>): void {
  origins.set(figure, objects);
}

/**
 * Object of each bone, by bone index; undefined for a bone without one.
 *
 * @throws FigureError `unknown-name` (with the nearest name), `duplicate-name`.
 */
export function matchObjects(
  figure: Figure,
  root: FigureRoot,
  given: BoneObjects | undefined,
  missing: 'error' | 'ignore',
): (Object3D | undefined)[] {
  const all = candidates(root);
  const byName = objectsByName(all);
  const origin = origins.get(figure);
  const wanted = entryLookup(figure, given);
  const boneOf = new Map<Object3D, string>();
  const claim = (object: Object3D, name: string): Object3D => {
    const other = boneOf.get(object);
    if (other !== undefined) {
      throw new FigureError('duplicate-name', `is the object of bone '${other}' already.`, {
        path: `objects['${name}']`,
        remedy: 'Give each bone an object of its own, or null.',
      });
    }
    boneOf.set(object, name);
    return object;
  };
  const found = figure.bones.map(({ name }) => {
    const entry = wanted(name);
    if (entry === null) return undefined;
    const own = entry === undefined ? origin?.get(name) : undefined;
    if (own !== undefined && all.has(own)) return claim(own, name);
    const object =
      typeof entry === 'object'
        ? entry
        : findObject(entry ?? name, byName, entry === undefined && missing === 'ignore', name);
    return object === undefined ? undefined : claim(object, name);
  });
  if (boneOf.size > 0) return found;
  throw new FigureError('unknown-name', `no bone of ${figure.name} has an object.`, {
    path: 'objects',
    remedy: 'Give at least one bone an object or the name of one.',
  });
}

function entryLookup(
  figure: Figure,
  given: BoneObjects | undefined,
): (bone: string) => BoneObject | undefined {
  if (given === undefined) return () => undefined;
  if (typeof given === 'function') return given;
  const map = isMap(given) ? given : new Map(Object.entries(given));
  for (const name of map.keys()) boneIndex(figure, name, `objects['${name}']`);
  return (bone) => map.get(bone);
}

function isMap(
  given: Exclude<BoneObjects, (bone: string) => unknown>,
): given is ReadonlyMap<string, BoneObject> {
  return given instanceof Map;
}

function objectsByName(all: ReadonlySet<Object3D>): Map<string, Object3D[]> {
  const byName = new Map<string, Object3D[]>();
  for (const object of all) {
    const same = byName.get(object.name);
    if (same === undefined) byName.set(object.name, [object]);
    else same.push(object);
  }
  byName.delete('');
  return byName;
}

/**
 * The one of `names` that is `name` or, failing that, spelled as three.js's loaders write it: 'mixamorig:Hips' is 'mixamorigHips', whichever of
 * the two is given.
 */
export function sameName(name: string, names: Iterable<string>): string | undefined {
  const spelled = sanitized(name);
  let found: string | undefined;
  for (const other of names) {
    if (other === name) return other;
    if (found === undefined && sanitized(other) === spelled) found = other;
  }
  return found;
}

/** Names as three.js's loaders write them (PropertyBinding.sanitizeNodeName). */
export function sanitized(name: string): string {
  return name.replace(/\s/g, '_').replace(/[[\].:/]/g, '');
}

function findObject(
  name: string,
  byName: ReadonlyMap<string, Object3D[]>,
  mayMiss: boolean,
  bone: string,
): Object3D | undefined {
  const path = `objects['${bone}']`;
  const all = byName.get(sameName(name, byName.keys()) ?? name);
  if (all === undefined) {
    if (mayMiss) return undefined;
    const near = nearestName(name, byName.keys());
    throw new FigureError('unknown-name', `no object is called '${name}'.`, {
      path,
      remedy: `${near === undefined ? '' : `Did you mean '${near}'? `}Give the bone's object, its name, or null for none.`,
    });
  }
  // A mesh often has the name of its bone.
  const bones = all.length > 1 ? all.filter((object) => 'isBone' in object) : all;
  if (bones.length === 1) return bones[0];
  throw new FigureError('duplicate-name', `${all.length} objects are called '${name}'.`, {
    path,
    remedy: 'Give the object itself.',
  });
}
