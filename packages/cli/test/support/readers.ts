/** Two independent glTF readers, as oracles for posed files. */
import { readFileSync } from 'node:fs';
import { Logger, NodeIO } from '@gltf-transform/core';
import { AnimationMixer, Box3, LoopOnce, type Object3D, SkinnedMesh } from 'three';
import { type GLTF, GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

export interface Seen {
  /** World matrix of each node that the reader shows, column by column, by node index. */
  worlds: Map<number, readonly number[]>;
  /** World matrix times inverse bind matrix by skin and joint, column by column. */
  joints: Map<number, readonly (readonly number[])[]>;
}

/** What `@gltf-transform/core` makes of a GLB. */
export async function seenByGltfTransform(path: string): Promise<Seen> {
  const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT));
  const root = (await io.readBinary(readFileSync(path))).getRoot();
  const worlds = new Map(root.listNodes().map((node, i) => [i, [...node.getWorldMatrix()]]));
  const joints = root.listSkins().map((skin) =>
    skin.listJoints().map((joint, j) => {
      const inverseBind = skin.getInverseBindMatrices()?.getElement(j, []) ?? identity;
      return multiply(joint.getWorldMatrix(), inverseBind);
    }),
  );
  return { worlds, joints: new Map(joints.entries()) };
}

/** The animations of a GLB as `@gltf-transform/core` reads them: names, nodes and keys. */
export async function seenAnimations(path: string): Promise<object[]> {
  const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT));
  const root = (await io.readBinary(readFileSync(path))).getRoot();
  return root.listAnimations().map((animation) => ({
    name: animation.getName(),
    channels: animation.listChannels().map((channel) => ({
      node: channel.getTargetNode()?.getName(),
      path: channel.getTargetPath(),
      times: [...(channel.getSampler()?.getInput()?.getArray() ?? [])],
      values: [...(channel.getSampler()?.getOutput()?.getArray() ?? [])],
    })),
  }));
}

/** A GLB as three loads it, without pictures, which Node cannot decode. */
async function loadedByThree(
  path: string,
  without: readonly string[],
): Promise<{ gltf: GLTF; json: GltfJson }> {
  const { json, binary } = openGlb(readFileSync(path));
  for (const key of [...PICTURES, ...without]) delete json[key];
  for (const { primitives } of json.meshes ?? [])
    for (const primitive of primitives) delete primitive.material;
  return { gltf: await new GLTFLoader().parseAsync(makeGlb(json, binary), ''), json };
}

const PICTURES = ['materials', 'textures', 'images', 'samplers'];

/** The height of what three draws of a GLB at rest. */
export async function heightByThree(path: string): Promise<number> {
  const { gltf } = await loadedByThree(path, ['animations']);
  gltf.scene.updateMatrixWorld(true);
  const { min, max } = new Box3().setFromObject(gltf.scene, true);
  return max.y - min.y;
}

/** three's player of one animation of a GLB: world positions of nodes at a time, s. */
export async function playedByThree(
  path: string,
  name: string,
): Promise<{ duration: number; at: (t: number) => Map<number, readonly number[]> }> {
  const { gltf } = await loadedByThree(path, []);
  const clip = gltf.animations.find((each) => each.name === name);
  if (clip === undefined) throw new Error(`three sees no animation '${name}'`);
  const mixer = new AnimationMixer(gltf.scene);
  const action = mixer.clipAction(clip);
  action.setLoop(LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  return {
    duration: clip.duration,
    at(t) {
      action.reset();
      mixer.setTime(t);
      gltf.scene.updateMatrixWorld(true);
      const positions = new Map<number, readonly number[]>();
      gltf.scene.traverse((object) => {
        const index = gltf.parser.associations.get(object)?.nodes;
        if (index !== undefined && !positions.has(index))
          positions.set(index, object.matrixWorld.toArray().slice(12, 15));
      });
      return positions;
    },
  };
}

/** What three's GLTFLoader makes of a GLB. */
export async function seenByThree(path: string): Promise<Seen> {
  const { gltf, json } = await loadedByThree(path, ['animations']);
  gltf.scene.updateMatrixWorld(true);
  const indexOf = (object: Object3D) => gltf.parser.associations.get(object)?.nodes;
  const seen: Seen = { worlds: new Map(), joints: new Map() };
  gltf.scene.traverse((object) => {
    const index = indexOf(object);
    if (index !== undefined) seen.worlds.set(index, object.matrixWorld.toArray());
    if (!(object instanceof SkinnedMesh)) return;
    // A mesh of several primitives becomes a group that stands for the node.
    const node = index ?? indexOf(object.parent as Object3D);
    const skin = node === undefined ? undefined : json.nodes?.[node].skin;
    if (skin === undefined) return;
    const { bones, boneInverses } = object.skeleton;
    seen.joints.set(
      skin,
      bones.map((bone, j) => multiply(bone.matrixWorld.toArray(), boneInverses[j].toArray())),
    );
  });
  return seen;
}

const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Product of two 4x4 matrices, column by column. */
export function multiply(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
  return Array.from({ length: 16 }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < 4; k++) sum += a[4 * k + (i % 4)] * b[4 * Math.floor(i / 4) + k];
    return sum;
  });
}

/** The members of a GLB's JSON that tests use. */
export interface GltfJson {
  [key: string]: unknown;
  nodes?: {
    name?: string;
    skin?: number;
    mesh?: number;
    matrix?: number[];
    translation?: number[];
    rotation?: number[];
    scale?: number[];
  }[];
  animations?: { name?: string }[];
  meshes?: { primitives: { material?: number }[] }[];
}

/** JSON and BIN of a GLB by the specification's table, apart from the code under test. */
export function openGlb(bytes: Buffer): { json: GltfJson; binary: Buffer } {
  const length = bytes.readUInt32LE(12);
  const at = 20 + length;
  const binary =
    at < bytes.length ? bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at)) : Buffer.alloc(0);
  return { json: JSON.parse(bytes.toString('utf8', 20, at)), binary };
}

function makeGlb(json: unknown, binary: Buffer): ArrayBuffer {
  const text = Buffer.from(JSON.stringify(json));
  const first = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const second = Buffer.concat([binary, Buffer.alloc((4 - (binary.length % 4)) % 4)]);
  const header = Buffer.alloc(20);
  header.write('glTF', 0, 'latin1');
  header.writeUInt32LE(2, 4);
  header.writeUInt32LE(28 + first.length + second.length, 8);
  header.writeUInt32LE(first.length, 12);
  header.write('JSON', 16, 'latin1');
  const middle = Buffer.alloc(8);
  middle.writeUInt32LE(second.length, 0);
  middle.write('BIN\0', 4, 'latin1');
  return new Uint8Array(Buffer.concat([header, first, middle, second])).buffer;
}
