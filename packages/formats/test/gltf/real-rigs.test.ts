import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseGltf, readGltfRig, summarizeGltf, webxrHandParent, writePosedGltf } from '@poise/formats';
import { readGltfRigFile } from '@poise/formats/node';
import { describeWithData, sharedData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import { openGlb } from './support/build.js';
import { compareWithOracles, randomPose } from './support/compare.js';

/** Bones and skin joints of each supplied rig, counted from the JSON by hand (data/PROVENANCE.md lists the joints). */
const rigs: Record<string, { bones: number; joints: number[]; skin?: true }> = {
  'gltf/CesiumMan.gltf': { bones: 21, joints: [19] },
  'gltf/Fox.glb': { bones: 25, joints: [24] },
  'gltf/InterpolationTest.gltf': { bones: 12, joints: [] },
  'gltf/KayKit_Knight.glb': { bones: 42, joints: [41] },
  'gltf/RiggedSimple.gltf': { bones: 4, joints: [2] },
  'gltf/RobotExpressive.glb': { bones: 44, joints: [43] },
  'gltf/SimpleSkin.gltf': { bones: 3, joints: [2] },
  'gltf/greenman.glb': { bones: 13, joints: [12] },
  'gltf/webxr_hand_left.glb': { bones: 26, joints: [25] },
  'vrm/cryptovoxels.vrm': { bones: 58, joints: [57] },
  'vrm/test.vrma': { bones: 53, joints: [] },
};

test('every glTF and VRM of the shared data is in the list below', () => {
  for (const folder of ['gltf', 'vrm']) {
    const path = sharedData(folder);
    if (!path) continue;
    for (const file of readdirSync(path)) {
      if (/\.(gltf|glb|vrma?)$/.test(file)) expect(rigs).toHaveProperty([`${folder}/${file}`]);
    }
  }
});

for (const [name, wanted] of Object.entries(rigs)) {
  describeWithData(name, name, (path) => {
    test('has the bones, skins and joints that are in the file, and no warning', async () => {
      const rig = await readGltfRigFile(path);
      const summary = summarizeGltf(rig);
      expect(summary.bones).toBe(wanted.bones);
      expect(summary.skins.map((skin) => skin.joints)).toEqual(wanted.joints);
      expect(new Set(rig.figure.bones.map((bone) => bone.name)).size).toBe(wanted.bones);
      expect(summary.warnings).toEqual([]);
      rig.figure.bones.forEach(({ index }) => {
        expect(rig.binding.boneOfNode[rig.binding.bones[index].node]).toBe(index);
      });
    });

    test('the rest pose written back is the file, to the last byte', async () => {
      const rig = await readGltfRigFile(path);
      const written = writePosedGltf(rig, new Float64Array(rig.figure.dof));
      expect(Buffer.compare(written, readFileSync(path))).toBe(0);
    });

    test('at rest and at random poses both readers see the matrices that Poise states', async () => {
      const rig = await readGltfRigFile(path);
      for (const seed of [0, 1, 2, 3]) {
        const pose = seed === 0 ? new Float64Array(rig.figure.dof) : randomPose(rig, seed);
        const seen = await compareWithOracles(rig, pose);
        expect(seen.gltfTransform).toBeLessThan(1e-14);
        expect(seen.three).toBeLessThan(1e-6);
        // The exporters' single-precision quaternions and scales (spread up to 2.4e-6) cause the remaining error.
        expect(seen.origins).toBeLessThan(5e-7);
        expect(seen.linear).toBeLessThan(3e-6);
      }
    });

    test('a random pose leaves every byte alone but the transforms of bone nodes', async () => {
      const rig = await readGltfRigFile(path);
      const pose = randomPose(rig, 7);
      const before = rig.document;
      const after = parseGltf(writePosedGltf(rig, pose), {
        source: basename(path),
        ...(before.resource && { resource: before.resource }),
      });
      expect(after.kind).toBe(before.kind);
      expect(withoutTransforms(after.json)).toEqual(withoutTransforms(before.json));
      expect(scales(after.json)).toEqual(scales(before.json));
      after.buffers.forEach(({ bytes }, i) => {
        expect(Buffer.compare(bytes as Uint8Array, before.buffers[i].bytes as Uint8Array)).toBe(0);
      });
      // Text, not only value: up to the nodes and behind them nothing moved.
      expect(aroundNodes(after.text).map((text, i) => text === aroundNodes(before.text)[i])).toEqual([
        true,
        true,
      ]);
    });

    test('reading the posed file gives the pose as its rest', async () => {
      const rig = await readGltfRigFile(path);
      const bytes = writePosedGltf(rig, randomPose(rig, 5), { kind: 'glb' });
      const again = readGltfRig(bytes);
      const seen = await compareWithOracles(again, new Float64Array(again.figure.dof));
      expect(seen.origins).toBeLessThan(5e-7);
      expect(again.figure.bones.map((bone) => bone.name)).toEqual(rig.figure.bones.map((bone) => bone.name));
    });
  });
}

describeWithData('.gltf written as .glb', 'gltf', (folder) => {
  for (const file of ['CesiumMan.gltf', 'SimpleSkin.gltf', 'InterpolationTest.gltf', 'RiggedSimple.gltf']) {
    test(`${file}: one BIN chunk has the content of buffers and images`, async () => {
      const rig = await readGltfRigFile(join(folder, file));
      const { document } = rig;
      const { json, binary } = openGlb(
        writePosedGltf(rig, randomPose(rig, 3), { kind: 'glb' }),
      ) as unknown as { json: Json; binary: Buffer };
      const old = document.json as unknown as Json;
      expect(json.buffers).toHaveLength(1);
      expect(json.buffers[0].uri).toBeUndefined();
      old.bufferViews.forEach((view, i) => {
        const moved = json.bufferViews[i];
        const from = document.buffers[view.buffer].bytes as Uint8Array;
        const wantedBytes = from.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
        const at = moved.byteOffset ?? 0;
        expect(Buffer.compare(binary.subarray(at, at + moved.byteLength), wantedBytes)).toBe(0);
        expect(moved.byteStride).toBe(view.byteStride);
        expect(moved.target).toBe(view.target);
      });
      (old.images ?? []).forEach((image, i) => {
        const view = json.bufferViews[json.images?.[i].bufferView as number];
        const content = Buffer.from((image.uri as string).split(',')[1], 'base64');
        const at = view.byteOffset ?? 0;
        expect(Buffer.compare(binary.subarray(at, at + view.byteLength), content)).toBe(0);
        expect(json.images?.[i].mimeType).toBe('image/jpeg');
      });
      for (const key of ['accessors', 'animations', 'meshes', 'materials', 'skins', 'scenes'] as const) {
        expect(json[key]).toEqual(old[key]);
      }
    });
  }
});

describeWithData('a WebXR hand with the hierarchy of a hand', 'gltf/webxr_hand_left.glb', (path) => {
  test('has one free root and four or five joints per finger; the written pose is the solved one', async () => {
    const rig = readGltfRig(readFileSync(path), { parents: webxrHandParent });
    const { bones } = rig.figure;
    expect(bones.filter((bone) => bone.joint.type === 'free').map((bone) => bone.name)).toEqual(['wrist']);
    const chain = [];
    for (let b = bones.findIndex((bone) => bone.name === 'index-finger-tip'); b >= 0; b = bones[b].parent) {
      chain.push(bones[b].name);
    }
    expect(chain).toEqual([
      'index-finger-tip',
      'index-finger-phalanx-distal',
      'index-finger-phalanx-intermediate',
      'index-finger-phalanx-proximal',
      'index-finger-metacarpal',
      'wrist',
      'Armature',
    ]);
    expect(Buffer.compare(writePosedGltf(rig, new Float64Array(rig.figure.dof)), readFileSync(path))).toBe(0);
    for (const seed of [1, 2, 3]) {
      const seen = await compareWithOracles(rig, randomPose(rig, seed));
      expect(seen.gltfTransform).toBeLessThan(1e-14);
      expect(seen.origins).toBeLessThan(1e-12);
      expect(seen.linear).toBeLessThan(1e-6);
    }
  });
});

describe('names', () => {
  test('webxrHandParent knows nothing of other names', () => {
    expect(webxrHandParent('Hips')).toBeUndefined();
    expect(webxrHandParent('thumb-phalanx-intermediate')).toBeUndefined();
    expect(webxrHandParent('thumb-phalanx-distal')).toBe('thumb-phalanx-proximal');
  });
});

interface Json {
  buffers: { uri?: string }[];
  bufferViews: {
    buffer: number;
    byteOffset?: number;
    byteLength: number;
    byteStride?: number;
    target?: number;
  }[];
  images?: { uri?: string; bufferView?: number; mimeType?: string }[];
  accessors: unknown;
  animations: unknown;
  meshes: unknown;
  materials: unknown;
  skins: unknown;
  scenes: unknown;
}

function withoutTransforms(json: object): unknown {
  const { nodes, ...rest } = structuredClone(json) as { nodes: Record<string, unknown>[] };
  for (const node of nodes) for (const key of ['translation', 'rotation', 'matrix']) delete node[key];
  return { nodes, ...rest };
}

function scales(json: object): unknown[] {
  return (json as { nodes: { scale?: unknown }[] }).nodes.map((node) => node.scale);
}

/** Text before the list of nodes and behind it, without the spaces that fill up a chunk. */
function aroundNodes(text: string): [string, string] {
  const start = /"nodes"\s*:\s*\[\s*\{/.exec(text)?.index as number;
  let depth = 0;
  let end = text.indexOf('[', start);
  for (; ; end++) {
    if (text[end] === '[' || text[end] === '{') depth++;
    if (text[end] === ']' || text[end] === '}') depth--;
    if (depth === 0) break;
  }
  return [text.slice(0, start), text.slice(end).trimEnd()];
}
