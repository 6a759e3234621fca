import { createHumanFigure } from 'poise/humanoid';
import {
  Bone,
  CapsuleGeometry,
  Float32BufferAttribute,
  Group,
  Matrix4,
  type Object3D,
  Quaternion,
  Skeleton,
  SkinnedMesh,
  Uint16BufferAttribute,
  Vector3,
} from 'three';
import { expect } from 'vitest';
import type { FigureSimulation, RagdollBinding } from '../../src/index.js';
import { bonesOf, matrixOf } from '../support.js';

/** The built-in human as bones in a scene: its bones `inner` times as long as in metres, its root scaled by `outer`. */
export function humanScene(inner = 1, outer = 1): { root: Group; bones: Record<string, Bone>; scene: Group } {
  const { root, bones } = bonesOf(createHumanFigure());
  for (const bone of Object.values(bones)) bone.position.multiplyScalar(inner);
  root.scale.setScalar(outer);
  const scene = new Group();
  scene.add(root);
  scene.updateMatrixWorld(true);
  return { root, bones, scene };
}

/** A skin of all bones, of which one shows: a capsule about it from its origin `along` in its frame, a quarter of it its parent's. */
export function skinOn(root: Object3D, bone: Bone, along: Vector3, radius: number): SkinnedMesh {
  const bones: Bone[] = [];
  root.traverse((object) => {
    if (object instanceof Bone) bones.push(object);
  });
  root.updateWorldMatrix(true, true);
  const geometry = new CapsuleGeometry(radius, along.length(), 8, 24);
  const rotation = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), along.clone().normalize());
  const middle = along.clone().multiplyScalar(0.5);
  geometry.applyQuaternion(rotation).translate(middle.x, middle.y, middle.z).applyMatrix4(bone.matrixWorld);
  const { count } = geometry.attributes.position;
  const [own, above] = [bones.indexOf(bone), bones.indexOf(bone.parent as Bone)];
  geometry.setAttribute(
    'skinIndex',
    new Uint16BufferAttribute(new Array(count).fill([own, above, 0, 0]).flat(), 4),
  );
  geometry.setAttribute(
    'skinWeight',
    new Float32BufferAttribute(new Array(count).fill([0.75, 0.25, 0, 0]).flat(), 4),
  );
  const mesh = new SkinnedMesh(geometry);
  mesh.name = 'skin';
  root.add(mesh);
  // Vertices are in world axes.
  mesh.bind(new Skeleton(bones), new Matrix4());
  mesh.bindMode = 'detached';
  return mesh;
}

/** Largest departure of the objects' world matrices, scale taken out, from the bones of the state that is shown; m and radians. */
export function gapToState(
  { binding, state, figure }: RagdollBinding,
  { metersPerUnit }: FigureSimulation,
  scene: Object3D,
): number {
  scene.updateMatrixWorld(true);
  const [there, rotated, size] = [new Vector3(), new Quaternion(), new Vector3()];
  let largest = 0;
  for (const { index, dof } of figure.bones) {
    const object = binding.objects[index];
    if (object === undefined || dof === 0) continue;
    matrixOf(state.worldFromBone.subarray(12 * index)).decompose(there, rotated, size);
    const here = object.getWorldPosition(new Vector3()).multiplyScalar(metersPerUnit);
    const rotation = object.getWorldQuaternion(new Quaternion());
    largest = Math.max(largest, here.distanceTo(there), angleBetween(rotation, rotated));
    expect(Number.isFinite(largest)).toBe(true);
  }
  return largest;
}

/** Steps of 1/60 s. */
export function run(
  simulation: FigureSimulation,
  seconds: number,
  each: (frame: number) => void = () => {},
): void {
  for (let frame = 0; frame < Math.round(60 * seconds); frame++) {
    each(frame);
    simulation.update(1 / 60);
  }
}

/** Without the acos of `angleTo`, which loses half of the digits. */
function angleBetween(a: Quaternion, b: Quaternion): number {
  const { x, y, z, w } = a.clone().invert().multiply(b);
  return 2 * Math.atan2(Math.hypot(x, y, z), Math.abs(w));
}
