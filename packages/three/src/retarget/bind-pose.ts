import { type Bone, Matrix4, type Object3D, Quaternion, type SkinnedMesh, Vector3 } from 'three';
import { ancestors, type FigureRoot, isSkeleton, requireRoot } from '../binding/hierarchy.js';
import { restoreTransforms, saveTransformsOf } from '../clips/object-transforms.js';

/** Differences from the bind pose that are rounding: files hold it in single precision. Lengths relative to the bone's. */
const ROUNDING = 1e-4;

/**
 * Writes the pose in which the skins under an object were bound to their bones: that in which bones carry the vertices to where the mesh has them,
 * bone = mesh B^-1 (inverse of the bone's bind matrix)^-1. Bones that are there already are left as they are.
 *
 * @returns puts the bones back as they were; undefined without skins.
 * @throws FigureError `unsupported` for what is no object of three.js.
 */
export function writeBindPose(root: FigureRoot): (() => void) | undefined {
  requireRoot(root);
  const worlds = bindMatrices(root);
  if (worlds.size === 0) return undefined;
  const bones = [...worlds.keys()].sort((a, b) => ancestors(a).length - ancestors(b).length);
  const saved = saveTransformsOf(bones);
  for (const bone of bones) {
    const local = worldOf(bone.parent, worlds)
      .invert()
      .multiply(worlds.get(bone) as Matrix4);
    const [position, rotation, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    local.decompose(position, rotation, scale);
    if (position.distanceTo(bone.position) > ROUNDING * Math.max(position.length(), bone.position.length()))
      bone.position.copy(position);
    if (rotation.angleTo(bone.quaternion) > ROUNDING) bone.quaternion.copy(rotation);
    if (scale.distanceTo(bone.scale) > ROUNDING * scale.length()) bone.scale.copy(scale);
    bone.updateMatrix();
  }
  return () => restoreTransforms(saved);
}

/** World matrix of each bone of a skin in the bind pose; of several skins by the first. */
function bindMatrices(root: FigureRoot): Map<Object3D, Matrix4> {
  const worlds = new Map<Object3D, Matrix4>();
  if (isSkeleton(root)) return worlds;
  root.traverse((object) => {
    if (!('isSkinnedMesh' in object)) return;
    const { skeleton, bindMatrix } = object as SkinnedMesh;
    object.updateWorldMatrix(true, false);
    skeleton?.bones.forEach((bone: Bone | undefined, b) => {
      if (bone === undefined || worlds.has(bone)) return;
      const meshFromBone = skeleton.boneInverses[b].clone().multiply(bindMatrix).invert();
      worlds.set(bone, object.matrixWorld.clone().multiply(meshFromBone));
    });
  });
  return worlds;
}

/** World matrix of an object while bones are in the bind pose. */
function worldOf(object: Object3D | null, worlds: ReadonlyMap<Object3D, Matrix4>): Matrix4 {
  if (object === null) return new Matrix4();
  const bound = worlds.get(object);
  if (bound !== undefined) return bound.clone();
  if (object.matrixAutoUpdate) object.updateMatrix();
  return worldOf(object.parent, worlds).multiply(object.matrix);
}
