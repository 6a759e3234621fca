import { Logger, NodeIO } from '@gltf-transform/core';
import { boneVertices, readGltfRig, vrmHumanoid } from '@poise/formats';
import { readGltfRigFile } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import { findHumanoid } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import { build, buildGlb, glb, type TestFile } from './support/build.js';
import { multiply } from './support/oracles.js';
import { moved, rotationAbout } from './support/rigs.js';

/** Three joints in a row, a scale of 2 above them; the mesh of build() has a corner on each. */
const row: TestFile = {
  nodes: [
    { name: 'a', scale: [2, 2, 2], children: [1] },
    { name: 'b', translation: [0, 1, 0], rotation: rotationAbout([0, 0, 1], 90), children: [2] },
    { name: 'c', translation: [0, 1, 0] },
  ],
  skins: [{ joints: [0, 1, 2], inverseBinds: [moved(0, 0, 0), moved(0, 1, 0), moved(0, 2, 0)] }],
};

describe('boneVertices', () => {
  test('are metres in the frame of the bone of the greatest weight', () => {
    const vertices = boneVertices(readGltfRig(buildGlb(row)));
    // Corners at (0, 0, 0), (1, 0, 0) and (0, 1, 0); bound with b at (0, 1, 0) and c at (0, 2, 0), unturned; twice as large in the scene.
    expect(Object.keys(vertices)).toEqual(['a', 'b', 'c']);
    expect(Array.from(vertices.a)).toEqual([0, 0, 0]);
    expect(vertices.b[0]).toBeCloseTo(2, 12);
    expect(vertices.b[1]).toBeCloseTo(-2, 12);
    expect(vertices.c[0]).toBeCloseTo(0, 12);
    expect(vertices.c[1]).toBeCloseTo(-2, 12);
  });

  test('of a file without skins are those of the meshes on the bones', () => {
    const { json, binary } = build(row);
    const nodes = (json.nodes as Record<string, unknown>[]).slice(0, 3);
    nodes[1].mesh = 0;
    const plain = { ...json, nodes, scenes: [{ nodes: [0] }] } as Record<string, unknown>;
    delete plain.skins;
    const vertices = boneVertices(readGltfRig(glb(plain, binary)));
    expect(Object.keys(vertices)).toEqual(['b']);
    expect(Array.from(vertices.b, (x) => Math.round(1e9 * x) / 1e9 + 0)).toEqual([0, 0, 0, 2, 0, 0, 0, 2, 0]);
  });

  test('a fraction in place of the index of a joint names none', () => {
    const { json, binary } = build(row);
    const [{ primitives }] = json.meshes as [{ primitives: [{ attributes: Record<string, number> }] }];
    const { attributes } = primitives[0];
    const accessor = (json.accessors as { bufferView: number }[])[attributes.WEIGHTS_0];
    const { byteOffset } = (json.bufferViews as { byteOffset: number }[])[accessor.bufferView];
    new DataView(binary.buffer, binary.byteOffset).setFloat32(byteOffset, 0.5, true);
    attributes.JOINTS_0 = attributes.WEIGHTS_0;
    const vertices = boneVertices(readGltfRig(glb(json, binary)));
    expect(Object.entries(vertices).map(([name, numbers]) => [name, numbers.length])).toEqual([['b', 6]]);
  });

  test('an object in place of an accessor is refused', () => {
    const { json, binary } = build(row);
    const [{ primitives }] = json.meshes as [{ primitives: [{ attributes: Record<string, unknown> }] }];
    primitives[0].attributes.JOINTS_0 = JSON.parse('{"toString":1,"valueOf":1}');
    const path = 'gltf#/meshes/0/primitives/0/attributes/JOINTS_0';
    expect(() => boneVertices(readGltfRig(glb(json, binary)))).toThrow(
      expect.objectContaining({ code: 'invalid-file', path }),
    );
  });

  test('a hat without a skin is no part of a body that has one', () => {
    const file = { ...row, nodes: [...row.nodes.slice(0, 2), { ...row.nodes[2], mesh: 0 }] };
    expect(boneVertices(readGltfRig(buildGlb(file))).c.length).toBe(3);
  });
});

for (const file of [
  'gltf/CesiumMan.gltf',
  'gltf/KayKit_Knight.glb',
  'gltf/RobotExpressive.glb',
  'vrm/cryptovoxels.vrm',
]) {
  describeWithData(file, file, (path) => {
    test('has the vertices where another reader skins them', async () => {
      const rig = await readGltfRigFile(path);
      const wanted = await skinnedByGltfTransform(path);
      const { boneOfNode } = rig.binding;
      const seen = boneVertices(rig);
      const count = Object.values(seen).reduce((sum, points) => sum + points.length / 3, 0);
      expect(count).toBe(wanted.reduce((sum, { points }) => sum + points.length / 3, 0));
      for (const { joint, points, frame } of wanted) {
        const name = rig.figure.bones[boneOfNode[joint]].name;
        // Distances to the joint do not depend on how scale is taken out of its frame.
        const is = Array.from({ length: seen[name].length / 3 }, (_, i) =>
          Math.hypot(...seen[name].subarray(3 * i, 3 * i + 3)),
        );
        const was = Array.from({ length: points.length / 3 }, (_, i) =>
          Math.hypot(...[0, 1, 2].map((k) => points[3 * i + k] - frame[12 + k])),
        );
        expect(is.length).toBe(was.length);
        is.sort((a, b) => a - b);
        was.sort((a, b) => a - b);
        is.forEach((x, i) => {
          expect(Math.abs(x - was[i])).toBeLessThan(1e-5);
        });
      }
    });
  });
}

/** World points by the joint (node index) of their greatest weight, and the joint's world matrix. */
async function skinnedByGltfTransform(
  path: string,
): Promise<{ joint: number; points: number[]; frame: number[] }[]> {
  const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT));
  const { readFileSync } = await import('node:fs');
  const bytes = readFileSync(path);
  const document = path.endsWith('.gltf') ? await io.read(path) : await io.readBinary(new Uint8Array(bytes));
  const root = document.getRoot();
  const nodes = root.listNodes();
  const found = new Map<number, { joint: number; points: number[]; frame: number[] }>();
  for (const node of nodes) {
    const [mesh, skin] = [node.getMesh(), node.getSkin()];
    if (!mesh || !skin) continue;
    const joints = skin.listJoints();
    const matrices = joints.map((joint, j) => {
      const inverseBind = skin.getInverseBindMatrices()?.getElement(j, [] as number[]) ?? [];
      return multiply([...joint.getWorldMatrix()], inverseBind);
    });
    for (const primitive of mesh.listPrimitives()) {
      const [positions, indices, weights] = ['POSITION', 'JOINTS_0', 'WEIGHTS_0'].map((name) =>
        primitive.getAttribute(name),
      );
      if (!positions || !indices || !weights) continue;
      for (let i = 0; i < positions.getCount(); i++) {
        const [p, j, w]: number[][] = [positions, indices, weights].map((accessor) =>
          accessor.getElement(i, []),
        );
        const total = w.reduce((sum, x) => sum + x, 0);
        const point = [0, 1, 2].map((r) =>
          j.reduce((sum, joint, k) => {
            const m = matrices[joint];
            return sum + (w[k] / total) * (m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
          }, 0),
        );
        const joint = nodes.indexOf(joints[j[w.indexOf(Math.max(...w))]]);
        const entry = found.get(joint) ?? { joint, points: [], frame: [...nodes[joint].getWorldMatrix()] };
        entry.points.push(...point);
        found.set(joint, entry);
      }
    }
  }
  return [...found.values()];
}

describe('vrmHumanoid', () => {
  const vrm0 = {
    extensions: {
      VRM: {
        humanoid: {
          humanBones: [
            { bone: 'hips', node: 0 },
            { bone: 'leftEye', node: 2 },
            { bone: 'leftThumbProximal', node: 1 },
            { bone: 'tail', node: 1 },
          ],
        },
      },
    },
  };
  const vrm1 = {
    extensions: { VRMC_vrm: { humanoid: { humanBones: { hips: { node: 0 }, spine: { node: 1 } } } } },
  };

  test('reads both versions of the extension, eyes and fingers too, and skips other bones', () => {
    expect(vrmHumanoid(readGltfRig(buildGlb({ ...row, json: vrm0 })))).toEqual({
      hips: 'a',
      leftEye: 'c',
      leftThumbMetacarpal: 'b',
    });
    expect(vrmHumanoid(readGltfRig(buildGlb({ ...row, json: vrm1 })))).toEqual({ hips: 'a', spine: 'b' });
    expect(vrmHumanoid(readGltfRig(buildGlb(row)))).toBeUndefined();
  });

  test('refuses nodes that are none', () => {
    const json = { extensions: { VRMC_vrm: { humanoid: { humanBones: { hips: { node: 99 } } } } } };
    expect(() => vrmHumanoid(readGltfRig(buildGlb({ ...row, json })))).toThrow(
      expect.objectContaining({ code: 'out-of-range' }),
    );
  });
});

for (const file of ['vrm/cryptovoxels.vrm', 'vrm/test.vrma']) {
  describeWithData(file, file, (path) => {
    test('is recognised by its names as its VRM extension says', async () => {
      const rig = await readGltfRigFile(path);
      const named = findHumanoid(rig.figure);
      const said = findHumanoid(rig.figure, { bones: vrmHumanoid(rig) ?? {} });
      expect([named?.bones, named?.joints, named?.forward]).toEqual([
        said?.bones,
        said?.joints,
        said?.forward,
      ]);
    });
  });
}
