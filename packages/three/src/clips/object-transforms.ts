/** Local transforms of the objects that a clip may move, saved and restored to the bit. */
import type { Object3D } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';

export interface SavedTransform {
  readonly object: Object3D;
  readonly numbers: Float64Array;
}

export function saveTransforms(root: Object3D): SavedTransform[] {
  const objects: Object3D[] = [];
  root.traverse((object) => objects.push(object));
  return saveTransformsOf(objects);
}

export function saveTransformsOf(objects: readonly Object3D[]): SavedTransform[] {
  return objects.map((object) => {
    const { position: p, quaternion: q, scale: s } = object;
    return { object, numbers: Float64Array.of(p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z) };
  });
}

export function restoreTransforms(saved: readonly SavedTransform[]): void {
  for (const { object, numbers: n } of saved) {
    object.position.set(n[0], n[1], n[2]);
    object.quaternion.set(n[3], n[4], n[5], n[6]);
    object.scale.set(n[7], n[8], n[9]);
    object.updateMatrix();
  }
}

/** The figure's frame, or the topmost object above its bones: the one that a loader returns. */
export function rootOf({ frame, objects }: FigureBinding): Object3D {
  let root = frame ?? (objects.find((object) => object !== undefined) as Object3D);
  while (frame === null && root.parent !== null) root = root.parent;
  return root;
}
