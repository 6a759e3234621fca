import { HUMAN_BONES } from 'poise/humanoid';
import { type AnimationClip, Bone, type Object3D, Quaternion, Skeleton } from 'three';
import { GLTFExporter } from 'three/examples/jsm/exporters/GLTFExporter.js';
import { type Character, createCharacter } from './shared/character.js';

/** The part of a browser's FileReader that the exporter uses, for Node. */
class BlobReader {
  result: ArrayBuffer | undefined;
  onloadend: (() => void) | undefined;

  readAsArrayBuffer(blob: Blob): void {
    void blob.arrayBuffer().then((bytes) => {
      this.result = bytes;
      this.onloadend?.();
    });
  }
}

/**
 * The mannequin as the GLB of a character, in place of a file of yours.
 *
 * @param change - Changes it, and returns its clips.
 */
export function makeCharacter(
  change: (character: Character) => AnimationClip[] = () => [],
): Promise<Uint8Array> {
  const character = createCharacter();
  return glbOf(character.root, change(character));
}

/** Puts a bone of the skin above the hips, as rigs for games have. */
export function addRootBone({ root, bones, mesh }: Character): AnimationClip[] {
  const top = new Bone();
  top.name = 'root';
  root.add(top);
  top.attach(bones.hips);
  root.updateMatrixWorld(true);
  mesh.bind(new Skeleton([top, ...mesh.skeleton.bones]));
  const { skinIndex } = mesh.geometry.attributes;
  for (let k = 0; k < skinIndex.array.length; k++) skinIndex.array[k] += 1;
  return [];
}

/**
 * The mannequin as a VRM 1.0 whose bones have axes of their own at rest, as many files have, and a bone between the upper and the lower arm that is
 * none of a human's.
 */
export async function makeVrm(): Promise<Uint8Array> {
  const { root, bones, mesh } = createCharacter();
  root.updateMatrixWorld(true);
  Object.values(bones).forEach((bone, k) => {
    const children = [...bone.children];
    for (const child of children) root.attach(child);
    bone.quaternion.multiply(
      new Quaternion(Math.sin(2 * k), Math.sin(3 * k + 1), Math.sin(5 * k + 2), 1.2).normalize(),
    );
    for (const child of children) bone.attach(child);
  });
  const twist = new Bone();
  twist.name = 'twist';
  bones.rightUpperArm.add(twist);
  twist.position.copy(bones.rightLowerArm.position).multiplyScalar(0.5);
  twist.attach(bones.rightLowerArm);
  root.updateMatrixWorld(true);
  mesh.bind(new Skeleton([...mesh.skeleton.bones, twist]));
  const glb = await glbOf(root, []);
  return withJson(glb, (json) => {
    const named = json.nodes.flatMap(({ name }, node) =>
      HUMAN_BONES.some((bone) => bone === name) ? [[name, { node }]] : [],
    );
    const meta = { name: 'mannequin', authors: ['Poise'], licenseUrl: 'https://vrm.dev/licenses/1.0/' };
    json.extensionsUsed = [...(json.extensionsUsed ?? []), 'VRMC_vrm'];
    json.extensions = {
      VRMC_vrm: { specVersion: '1.0', meta, humanoid: { humanBones: Object.fromEntries(named) } },
    };
  });
}

async function glbOf(root: Object3D, animations: AnimationClip[]): Promise<Uint8Array> {
  Object.assign(globalThis, { FileReader: globalThis.FileReader ?? BlobReader });
  const glb = await new GLTFExporter().parseAsync(root, { binary: true, animations });
  return new Uint8Array(glb as ArrayBuffer);
}

interface GltfJson {
  nodes: { name: string }[];
  extensionsUsed?: string[];
  extensions?: object;
}

/** A GLB with another JSON chunk, the first after the header of 12 bytes. */
function withJson(glb: Uint8Array, edit: (json: GltfJson) => void): Uint8Array {
  const view = new DataView(glb.buffer, glb.byteOffset);
  const end = 20 + view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, end))) as GltfJson;
  edit(json);
  const text = JSON.stringify(json);
  const bytes = new TextEncoder().encode(text.padEnd(4 * Math.ceil(text.length / 4)));
  const out = new Uint8Array(20 + bytes.length + glb.length - end);
  out.set(glb.subarray(0, 20));
  out.set(bytes, 20);
  out.set(glb.subarray(end), 20 + bytes.length);
  new DataView(out.buffer).setUint32(8, out.length, true);
  new DataView(out.buffer).setUint32(12, bytes.length, true);
  return out;
}
