import type { Intersection, SkinnedMesh } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';
import { carrierOf } from './skin-vertices.js';

/**
 * Index of the bone that a ray has hit, -1 for none: on a skin the bone with the greatest total weight at the triangle's
 * corners, elsewhere the bone of the nearest ancestor object.
 */
export function boneOfIntersection(binding: FigureBinding, { object, face }: Intersection): number {
  if (!('isSkinnedMesh' in object && object.isSkinnedMesh === true)) return carrierOf(binding, object);
  const { geometry, skeleton } = object as SkinnedMesh;
  const { skinIndex, skinWeight } = geometry.attributes;
  if (!face || !skinIndex || !skinWeight) return -1;
  const weights = new Map<number, number>();
  for (const corner of [face.a, face.b, face.c]) {
    for (let k = 0; k < skinIndex.itemSize; k++) {
      const joint = skinIndex.getComponent(corner, k);
      weights.set(joint, (weights.get(joint) ?? 0) + skinWeight.getComponent(corner, k));
    }
  }
  let maxWeight = 0;
  let bone = -1;
  for (const [joint, weight] of weights) {
    if (!(weight > maxWeight)) continue;
    maxWeight = weight;
    const jointObject = skeleton.bones[joint];
    bone = jointObject === undefined ? -1 : carrierOf(binding, jointObject);
  }
  return bone;
}
