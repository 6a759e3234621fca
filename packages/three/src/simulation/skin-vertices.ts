import { affine } from 'poise/math';
import type { BufferGeometry, Matrix4, Mesh, Object3D, SkinnedMesh } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';
import { type FigureRoot, isSkeleton } from '../binding/hierarchy.js';

/** Most vertices used of a mesh; larger meshes are subsampled. */
const MAX_VERTICES = 20000;

/**
 * The vertices of each bone, by bone name: three numbers a vertex, m, in the frame of the bone. A vertex of a skin, in its
 * bind pose, belongs to the bone of its greatest weight. If there are skins, meshes without one (hats, swords) are ignored;
 * without skins, a mesh belongs to the bone of its nearest ancestor. Morph targets are ignored.
 */
export function skinVertices(root: FigureRoot, binding: FigureBinding): Record<string, Float64Array> {
  const found: number[][] = binding.figure.bones.map(() => []);
  if (!isSkeleton(root)) {
    const skins: SkinnedMesh[] = [];
    const meshes: Mesh[] = [];
    root.traverse((object) => {
      if (!('isMesh' in object && object.isMesh === true)) return;
      if ('isSkinnedMesh' in object && object.isSkinnedMesh === true) skins.push(object as SkinnedMesh);
      else meshes.push(object as Mesh);
    });
    for (const skin of skins) addSkin(binding, skin, found);
    if (skins.length === 0) for (const mesh of meshes) addMesh(binding, mesh, found);
  }
  const named = binding.figure.bones.filter(({ index }) => found[index].length > 0);
  return Object.fromEntries(named.map(({ index, name }) => [name, Float64Array.from(found[index])]));
}

function addSkin(binding: FigureBinding, mesh: SkinnedMesh, found: number[][]): void {
  const { geometry, skeleton, bindMatrix } = mesh;
  const { position, skinIndex, skinWeight } = geometry.attributes;
  if (!position || !skinIndex || !skinWeight || !skeleton) return;
  const joints = skeleton.bones.map((object, j) => {
    const bone = carrierOf(binding, object);
    if (bone < 0) return undefined;
    const inverse: Matrix4 = skeleton.boneInverses[j];
    const objectFromMesh = toAffine(inverse.clone().multiply(bindMatrix));
    return { bone, frame: affine.compose(binding.boneFromObject(bone, object, true), objectFromMesh) };
  });
  forEachVertex(geometry, (v, point) => {
    let joint = -1;
    let maxWeight = 0;
    for (let k = 0; k < skinIndex.itemSize; k++) {
      const weight = skinWeight.getComponent(v, k);
      if (!(weight > maxWeight)) continue;
      maxWeight = weight;
      joint = skinIndex.getComponent(v, k);
    }
    const carrier = joints[joint];
    if (carrier) found[carrier.bone].push(...affine.transformPoint(carrier.frame, point));
  });
}

function addMesh(binding: FigureBinding, mesh: Mesh, found: number[][]): void {
  const bone = carrierOf(binding, mesh);
  if (bone < 0 || !mesh.geometry.attributes.position) return;
  const frame = binding.boneFromObject(bone, mesh, true);
  forEachVertex(mesh.geometry, (_, point) => {
    found[bone].push(...affine.transformPoint(frame, point));
  });
}

/** Bone of an object, or of its nearest ancestor that has one; -1 for none. */
export function carrierOf(binding: FigureBinding, object: Object3D): number {
  for (let ancestor: Object3D | null = object; ancestor !== null; ancestor = ancestor.parent) {
    const bone = binding.boneOfObject(ancestor);
    if (bone >= 0) return bone;
  }
  return -1;
}

function forEachVertex(
  geometry: BufferGeometry,
  visit: (index: number, point: readonly number[]) => void,
): void {
  const { position } = geometry.attributes;
  const stride = Math.max(1, Math.ceil(position.count / MAX_VERTICES));
  for (let v = 0; v < position.count; v += stride) {
    const point = [position.getX(v), position.getY(v), position.getZ(v)];
    if (point.every(Number.isFinite)) visit(v, point);
  }
}

function toAffine({ elements: e }: Matrix4): number[] {
  return [e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10], e[12], e[13], e[14]];
}
