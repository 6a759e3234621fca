import { drawnBones, readGltfRig } from '@poise/formats';
import { readGltfRigFile } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import { build, buildGlb, glb, type TestFile } from './support/build.js';
import { moved, noSkin } from './support/rigs.js';

const drawnNames = (bytes: Uint8Array) => {
  const rig = readGltfRig(bytes);
  const drawn = drawnBones(rig);
  return rig.figure.bones.filter(({ index }) => drawn[index]).map(({ name }) => name);
};
/** Four joints in a chain; the mesh of build() has weights on the first three. */
const row: TestFile = {
  nodes: [
    { name: 'a', children: [1] },
    { name: 'b', translation: [0, 1, 0], children: [2] },
    { name: 'c', translation: [0, 1, 0], children: [3] },
    { name: 'control', translation: [0, 1, 0] },
  ],
  skins: [{ joints: [0, 1, 2, 3], inverseBinds: [0, 1, 2, 3].map((i) => moved(0, i, 0)) }],
};

describe('drawnBones', () => {
  test('are the joints on which a vertex has a weight', () => {
    expect(drawnNames(buildGlb(row))).toEqual(['a', 'b', 'c']);
  });

  test('a joint that is named with weight zero draws nothing', () => {
    const { json, binary } = build(row);
    const weights = (json.meshes as { primitives: { attributes: Record<string, number> }[] }[])[0]
      .primitives[0].attributes.WEIGHTS_0;
    const view = (json.accessors as { bufferView: number }[])[weights].bufferView;
    const { byteOffset } = (json.bufferViews as { byteOffset: number }[])[view];
    const bytes = binary.slice();
    // The third corner moves its weight from its first place (joint 'c') to its second (joint 0).
    new DataView(bytes.buffer).setFloat32(byteOffset + 32, 0, true);
    new DataView(bytes.buffer).setFloat32(byteOffset + 36, 1, true);
    expect(drawnNames(glb(json, bytes))).toEqual(['a', 'b']);
  });

  test('a mesh without a skin counts for the bone that carries it', () => {
    const { json, binary } = build({
      ...row,
      nodes: [
        ...row.nodes.slice(0, 3),
        { name: 'control', translation: [0, 1, 0], children: [4] },
        { name: 'prop', mesh: 0 },
      ],
    });
    expect(drawnNames(glb(json, binary))).toEqual(['a', 'b', 'c', 'control']);
  });

  test('all joints count where the weights cannot be read', () => {
    const { json, binary } = build(row);
    for (const accessor of json.accessors as { type: string; bufferView?: number }[]) {
      // As in a file that Draco has compressed.
      if (accessor.type === 'VEC4') delete accessor.bufferView;
    }
    expect(drawnNames(glb(json, binary))).toEqual(['a', 'b', 'c', 'control']);
  });

  test('all bones count where nothing is drawn at all', () => {
    const rig = readGltfRig(buildGlb(noSkin));
    expect(drawnBones(rig)).toEqual(rig.figure.bones.map(() => true));
  });

  test('attributes that name no accessor are refused with their place', () => {
    const { json, binary } = build(row);
    (
      json.meshes as { primitives: { attributes: Record<string, number> }[] }[]
    )[0].primitives[0].attributes.JOINTS_0 = 99;
    const rig = readGltfRig(glb(json, binary), { source: 'rig.glb' });
    expect(() => drawnBones(rig)).toThrow(
      expect.objectContaining({
        code: 'out-of-range',
        path: 'rig.glb#/meshes/0/primitives/0/attributes/JOINTS_0',
      }),
    );
  });
});

describeWithData('drawnBones of the knight', 'gltf/KayKit_Knight.glb', (path) => {
  test('are all but the controls and the root', async () => {
    const rig = await readGltfRigFile(path);
    const drawn = drawnBones(rig);
    const idle = rig.figure.bones.filter(({ index }) => !drawn[index]).map(({ name }) => name);
    expect(idle.filter((name) => !/IK|control/.test(name))).toEqual(['Rig', 'root']);
  });
});
