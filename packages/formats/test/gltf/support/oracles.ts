/** Two readers of glTF that nobody here wrote: world matrices of nodes and joint matrices as they see them. */
import { Logger, NodeIO } from '@gltf-transform/core';
import { type Matrix4, type Object3D, SkinnedMesh } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { glb, openGlb } from './build.js';

export interface Seen {
  /** World matrix of each node, column by column; undefined for a node that the reader does not show. */
  worlds: (number[] | undefined)[];
  /** World matrix times inverse bind matrix, by skin and joint. */
  joints: number[][][];
}

/** What `@gltf-transform/core` makes of a GLB. */
export async function seenByGltfTransform(bytes: Uint8Array): Promise<Seen> {
  const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT));
  const root = (await io.readBinary(bytes)).getRoot();
  return {
    worlds: root.listNodes().map((node) => [...node.getWorldMatrix()]),
    joints: root.listSkins().map((skin) =>
      skin.listJoints().map((joint, i) => {
        const inverseBind = skin.getInverseBindMatrices()?.getElement(i, []);
        const world = [...joint.getWorldMatrix()];
        return inverseBind ? multiply(world, inverseBind) : world;
      }),
    ),
  };
}

/** What three's GLTFLoader makes of a GLB, pictures and materials left out (Node has no image decoder). */
export async function seenByThree(bytes: Uint8Array): Promise<Seen> {
  const { json, binary } = openGlb(bytes);
  for (const key of ['materials', 'textures', 'images', 'samplers', 'animations']) delete json[key];
  for (const mesh of (json.meshes ?? []) as { primitives: { material?: number }[] }[]) {
    for (const primitive of mesh.primitives) delete primitive.material;
  }
  delete json.extensionsUsed;
  const plain = glb(json, binary);
  const gltf = await new GLTFLoader().parseAsync(plain.buffer as ArrayBuffer, '');
  gltf.scene.updateMatrixWorld(true);
  const worlds: (number[] | undefined)[] = ((json.nodes ?? []) as unknown[]).map(() => undefined);
  const joints: number[][][] = [];
  const skinOfNode = ((json.nodes ?? []) as { skin?: number }[]).map((node) => node.skin);
  const indexOf = (object: Object3D) => gltf.parser.associations.get(object)?.nodes;
  gltf.scene.traverse((object) => {
    const index = indexOf(object);
    if (index !== undefined) worlds[index] = object.matrixWorld.toArray();
    if (!(object instanceof SkinnedMesh)) return;
    const skin = skinOfNode[index ?? indexOf(object.parent as Object3D) ?? -1];
    if (skin === undefined) return;
    const inverses: Matrix4[] = object.skeleton.boneInverses;
    joints[skin] = object.skeleton.bones.map((bone, i) =>
      multiply(bone.matrixWorld.toArray(), inverses[i].toArray()),
    );
  });
  return { worlds, joints };
}

/** Product of two 4x4 matrices, column by column. */
export function multiply(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
  const out: number[] = [];
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      out.push(sum);
    }
  }
  return out;
}

/** Largest difference of two 4x4 matrices: the linear part against its own size, the position against `length`. */
export function matrixDifference(a: ArrayLike<number>, b: ArrayLike<number>, length: number): number {
  const linear = [0, 1, 2, 4, 5, 6, 8, 9, 10];
  const size = Math.hypot(...linear.map((k) => b[k])) / Math.sqrt(3);
  return Math.max(
    ...linear.map((k) => Math.abs(a[k] - b[k]) / size),
    ...[12, 13, 14].map((k) => Math.abs(a[k] - b[k]) / length),
  );
}

/** Largest coordinate of any position: the length against which positions are compared. */
export function sizeOf(worlds: readonly (ArrayLike<number> | undefined)[]): number {
  return Math.max(1e-9, ...worlds.flatMap((m) => (m ? [12, 13, 14].map((k) => Math.abs(m[k])) : [])));
}
