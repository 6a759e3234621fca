import { rigid } from 'poise/math';
import { type Intersection, type Object3D, SkinnedMesh, Vector3 } from 'three';
import { moves } from '../character/handles.js';
import type { CharacterModel } from '../character/model.js';
import type { Grip } from '../session/drag.js';
import { session } from '../session/store.js';
import { pointerRay, toFigure, view } from './view.js';

/** Where a bone is gripped, and that point in the scene. */
export interface SkinHit {
  readonly grip: Grip;
  readonly at: number[];
}

/** What of the character lies under a point of the page; undefined beside it, and on what no joint moves. */
export function pickSkin(clientX: number, clientY: number): SkinHit | undefined {
  const { body } = view;
  const raycaster = pointerRay(clientX, clientY);
  if (body === undefined || raycaster === undefined) return undefined;
  body.root.traverse((object) => {
    if (!(object instanceof SkinnedMesh)) return;
    // Of the pose that is shown, not of that in which it was last asked for.
    object.computeBoundingSphere();
    object.computeBoundingBox();
  });
  for (const hit of raycaster.intersectObject(body.root, true)) {
    const bone = boneOf(body, hit);
    if (bone === undefined || !moves(session.figure.bones, bone)) continue;
    const inverse = rigid.inverse(session.frameOf(bone));
    const [x, y, z] = rigid.transformPoint(inverse, toFigure(hit.point));
    return { grip: { bone, point: [x, y, z] }, at: hit.point.toArray() };
  }
  return undefined;
}

/** The bone under a hit: of a skin that with the largest weight at the nearest corner, else the one that carries the object. */
export function boneOf(
  { binding }: CharacterModel,
  { object, face, point }: Intersection,
): number | undefined {
  const bones = new Map(binding.objects.flatMap((each, bone) => (each === undefined ? [] : [[each, bone]])));
  let from: Object3D | null = object;
  if (object instanceof SkinnedMesh && face) {
    const corner = new Vector3();
    const away = (index: number) =>
      object.getVertexPosition(index, corner).applyMatrix4(object.matrixWorld).distanceTo(point);
    const [nearest] = [face.a, face.b, face.c].sort((a, b) => away(a) - away(b));
    const { skinIndex, skinWeight } = object.geometry.attributes;
    let most = -1;
    for (let n = 0; n < 4; n++) {
      const weight = skinWeight.getComponent(nearest, n);
      if (weight <= most) continue;
      most = weight;
      from = object.skeleton.bones[skinIndex.getComponent(nearest, n)] ?? object;
    }
  }
  for (; from !== null; from = from.parent) {
    const bone = bones.get(from);
    if (bone !== undefined) return bone;
  }
  return undefined;
}
