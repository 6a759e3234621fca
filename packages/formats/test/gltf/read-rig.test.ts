import { type GltfRig, jointMatrices, readGltfRig, summarizeGltf, writePosedGltf } from '@poise/formats';
import { describe, expect, test } from 'vitest';
import { buildGlb, openGlb, type TestNode } from './support/build.js';
import { compareWithOracles, randomPose } from './support/compare.js';
import * as rigs from './support/rigs.js';

const names = (rig: ReturnType<typeof readGltfRig>) => rig.figure.bones.map((bone) => bone.name);
const types = (rig: ReturnType<typeof readGltfRig>) =>
  Object.fromEntries(rig.figure.bones.map((bone) => [bone.name, bone.joint.type]));

describe('which nodes become bones', () => {
  test('joints of skins and their ancestors; the topmost joint is free, those below are balls, other nodes fixed', () => {
    const rig = readGltfRig(buildGlb(rigs.centimetreArmature));
    expect(types(rig)).toEqual({
      Armature: 'fixed',
      Hips: 'free',
      Spine: 'ball',
      Neck: 'ball',
      Head: 'ball',
      Leg: 'ball',
      Foot: 'ball',
    });
    expect(rig.figure.name).toBe('Body');
  });

  test('a node between two joints that is none itself is a fixed bone', () => {
    const nodes = rigs.chain([{ name: 'a' }, { name: 'between', translation: [0, 1, 0] }, { name: 'b' }]);
    expect(types(readGltfRig(buildGlb({ nodes, skins: [{ joints: [0, 2] }] })))).toEqual({
      a: 'free',
      between: 'fixed',
      b: 'ball',
    });
  });

  test('each tree of joints has a free root', () => {
    expect(types(readGltfRig(buildGlb(rigs.severalRootsAndSkins)))).toEqual({
      left: 'free',
      'left tip': 'ball',
      right: 'free',
      'right tip': 'ball',
    });
  });

  test("'all' takes the other nodes of the scene in, fixed; a file without skins gives all in any case", () => {
    const rig = readGltfRig(buildGlb(rigs.severalRootsAndSkins), { bones: 'all' });
    expect(types(rig)).toMatchObject({ prop: 'fixed', mesh0: 'fixed', mesh1: 'fixed', left: 'free' });
    expect(types(readGltfRig(buildGlb(rigs.noSkin)))).toEqual({
      body: 'free',
      arm: 'ball',
      node_2: 'ball',
      apart: 'free',
    });
  });

  test('nodes outside the default scene are left out, unless a skin needs them', () => {
    const json = { scenes: [{ nodes: [0] }, { nodes: [3] }], scene: 1 };
    expect(names(readGltfRig(buildGlb({ ...rigs.noSkin, json })))).toEqual(['apart']);
    const skinned = { ...rigs.noSkin, skins: [{ joints: [1] }], json };
    expect(names(readGltfRig(buildGlb(skinned)))).toEqual(['body', 'arm']);
  });

  test('a scene with an inner node includes its ancestors', () => {
    const json = { scenes: [{ nodes: [1] }] };
    expect(names(readGltfRig(buildGlb({ ...rigs.noSkin, json })))).toEqual(['body', 'arm']);
  });
});

test('names that are repeated or empty become unique, joints first, and lead back to their nodes', () => {
  const nodes: TestNode[] = [
    { name: 'Head' },
    { name: 'Head', children: [2, 3] },
    { name: 'Head', translation: [0, 1, 0] },
    { name: ' ', translation: [1, 0, 0], children: [4] },
    { name: 'Head_2', translation: [0, 0, 1] },
  ];
  const rig = readGltfRig(buildGlb({ nodes, skins: [{ joints: [1, 2, 3, 4] }] }), { bones: 'all' });
  const nodeOf = Object.fromEntries(
    rig.figure.bones.map(({ name, index }) => [name, rig.binding.bones[index].node]),
  );
  expect(nodeOf).toEqual({ Head: 1, Head_2: 2, node_3: 3, Head_2_2: 4, Head_3: 0, mesh0: 5 });
});

describe('options', () => {
  test('joints and limits by name, written as turned', async () => {
    const rig = readGltfRig(buildGlb(rigs.centimetreArmature), {
      name: 'walker',
      joints: (name) => {
        if (name === 'Foot') return { type: 'hinge', axis: [1, 0, 0] };
        if (name === 'Neck') return { type: 'slider', axis: [0, 1, 0] };
        return name === 'Head' ? { type: 'fixed' } : undefined;
      },
      limits: (name) => (name === 'Foot' ? { type: 'interval', min: -0.5, max: 1 } : undefined),
    });
    expect(rig.figure.name).toBe('walker');
    expect(types(rig)).toMatchObject({ Foot: 'hinge', Neck: 'slider', Head: 'fixed', Leg: 'ball' });
    expect(rig.figure.limitComponents).toHaveLength(1);
    const seen = await compareWithOracles(rig, randomPose(rig, 3, 0.9));
    expect(Math.max(seen.gltfTransform, seen.origins, seen.linear)).toBeLessThan(1e-12);
    // The slider moves the neck by its coordinate in metres, a hundred times that in the file.
    const pose = new Float64Array(rig.figure.dof);
    pose[rig.figure.bones.find((bone) => bone.name === 'Neck')?.coordinate ?? -1] = 0.02;
    const [before, after] = [rig.document.json, openGlb(writePosedGltf(rig, pose)).json].map(
      (json) => (json.nodes as TestNode[])[3].translation as number[],
    );
    expect(Math.hypot(...after.map((value, i) => value - before[i]))).toBeCloseTo(2, 12);
  });

  test('parents hangs a bone elsewhere in the figure, and the file follows', async () => {
    const file = rigs.severalRootsAndSkins;
    const rig = readGltfRig(buildGlb(file), {
      parents: (name) => (name === 'right' ? 'left tip' : undefined),
    });
    expect(types(rig)).toMatchObject({
      left: 'free',
      'left tip': 'ball',
      right: 'ball',
      'right tip': 'ball',
    });
    for (const seed of [0, 1, 2]) {
      const pose = seed === 0 ? new Float64Array(rig.figure.dof) : randomPose(rig, seed);
      const seen = await compareWithOracles(rig, pose);
      expect(Math.max(seen.gltfTransform, seen.origins, seen.linear)).toBeLessThan(1e-12);
    }
    const rest = writePosedGltf(rig, new Float64Array(rig.figure.dof));
    expect(Buffer.compare(rest, rig.document.bytes)).toBe(0);
    expect(() => readGltfRig(buildGlb(file), { parents: () => 'nobody' })).toThrow(
      expect.objectContaining({ code: 'unknown-name' }),
    );
    const circle = (name: string) => (name === 'left' ? 'left tip' : undefined);
    expect(() => readGltfRig(buildGlb(file), { parents: circle })).toThrow(
      expect.objectContaining({ code: 'cycle' }),
    );
  });

  test('parents: null makes a root, which stays where it is when its node is carried along', async () => {
    const rig = readGltfRig(buildGlb(rigs.centimetreArmature), {
      parents: (name) => (name === 'Leg' ? null : undefined),
    });
    const bone = (name: string) => rig.figure.bones.find((entry) => entry.name === name);
    expect(bone('Leg')?.parent).toBe(-1);
    expect(bone('Leg')?.joint.type).toBe('free');
    const pose = new Float64Array(rig.figure.dof);
    pose.set([0.3, -0.2, 0.5, 1, 0.4, -0.7], bone('Hips')?.coordinate);
    const seen = await compareWithOracles(rig, pose);
    expect(Math.max(seen.gltfTransform, seen.origins, seen.linear)).toBeLessThan(1e-12);
  });
});

test('a tip is the mean of the children, in metres and bone axes; a leaf has none', () => {
  const rig = readGltfRig(buildGlb(rigs.centimetreArmature));
  const tip = (name: string) => rig.figure.bones.find((bone) => bone.name === name)?.tip;
  // Spine at (10, 20, 0) and leg at (-12, 0, 4) centimetres.
  tip('Hips')?.forEach((value, i) => {
    expect(value).toBeCloseTo([-0.01, 0.1, 0.02][i], 15);
  });
  tip('Spine')?.forEach((value, i) => {
    expect(value).toBeCloseTo([0, 0.45, 0][i], 15);
  });
  expect(tip('Head')).toBeUndefined();
});

describe('inverse bind matrices', () => {
  const matrices = [rigs.moved(1, 2, 3), rigs.moved(4, 5, 6), rigs.moved(7, 8, 9)];
  const nodes = rigs.chain([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  const wanted = matrices.flat();
  const rest = (skin: object) =>
    readGltfRig(buildGlb({ nodes, skins: [{ joints: [0, 1, 2], inverseBinds: matrices, ...skin }] }));

  test('dense, spaced by a stride, and sparse give the same', () => {
    for (const skin of [{}, { stride: 80 }, { sparse: [0, 2] }]) {
      const rig = rest(skin);
      expect(Array.from(rig.binding.skins[0].inverseBinds ?? [])).toEqual(wanted);
      expect(Array.from(jointMatrices(rig, new Float64Array(rig.figure.dof)))).toEqual(wanted);
    }
  });

  test('none in the file are identities', () => {
    const rig = readGltfRig(buildGlb({ nodes, skins: [{ joints: [0, 1, 2] }] }));
    const one = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    expect(Array.from(rig.binding.skins[0].inverseBinds ?? [])).toEqual([...one, ...one, ...one]);
  });

  test('a skin that is not there is refused', () => {
    const rig = rest({});
    expect(() => jointMatrices(rig, new Float64Array(rig.figure.dof), 1)).toThrow(
      expect.objectContaining({ code: 'out-of-range', path: 'gltf#/skins/1' }),
    );
  });
});

describe('rotations that are not unit quaternions', () => {
  test('are normalized with a warning, and written normalized with any pose', async () => {
    const nodes = rigs.chain([
      { name: 'a', rotation: [0, 0, 0.9, 0.9] },
      { name: 'b', translation: [1, 0, 0] },
    ]);
    const rig = readGltfRig(buildGlb({ nodes }));
    expect(rig.warnings).toEqual(['gltf#/nodes/0/rotation: has length 1.273, not 1; it is normalized.']);
    const seen = await compareWithOracles(rig, new Float64Array(rig.figure.dof));
    expect(Math.max(seen.gltfTransform, seen.origins)).toBeLessThan(1e-14);
  });

  test('rounded to single precision they stay as they are', () => {
    const half = Math.fround(Math.SQRT1_2);
    const nodes = rigs.chain([
      { name: 'a', rotation: [0, 0, half, half] },
      { name: 'b', translation: [1, 0, 0] },
    ]);
    const rig = readGltfRig(buildGlb({ nodes }));
    expect(rig.warnings).toEqual([]);
    expect(Buffer.compare(writePosedGltf(rig, new Float64Array(rig.figure.dof)), rig.document.bytes)).toBe(0);
  });
});

test('a node with both a matrix and TRS has the matrix, with a warning', () => {
  const matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1];
  const rig = readGltfRig(buildGlb({ nodes: [{ matrix, translation: [1, 1, 1] }] }));
  expect(rig.figure.bones[0].rest.position).toEqual([5, 6, 7]);
  expect(rig.warnings).toHaveLength(1);
});

test('the figure is plain data: it survives structuredClone', () => {
  const rig = readGltfRig(buildGlb(rigs.centimetreArmature));
  expect(structuredClone(rig.figure)).toEqual(rig.figure);
});

test('a pose of the wrong length or with NaN is refused before anything is written', () => {
  const rig = readGltfRig(buildGlb(rigs.centimetreArmature));
  expect(() => writePosedGltf(rig, new Float64Array(3))).toThrow(
    expect.objectContaining({ code: 'wrong-size' }),
  );
  const pose = new Float64Array(rig.figure.dof).fill(Number.NaN);
  expect(() => writePosedGltf(rig, pose)).toThrow(expect.objectContaining({ code: 'not-finite' }));
});

test('the summary counts the content of the file', () => {
  const rig = readGltfRig(buildGlb(rigs.severalRootsAndSkins), { source: 'two.glb' });
  expect(summarizeGltf(rig)).toEqual({
    source: 'two.glb',
    kind: 'glb',
    generator: 'poise tests',
    bytes: rig.document.bytes.length,
    nodes: 7,
    bones: 4,
    dof: 18,
    meshes: 2,
    materials: 0,
    images: 0,
    skins: [
      { name: 'one', joints: 3 },
      { name: 'two', joints: 2 },
    ],
    animations: [],
    extensions: [],
    warnings: [],
  });
});

test.each([[{}], [undefined], [null], ['rig.glb'], [{ document: {} }]])(
  'the summary of %j is refused',
  (rig) => {
    expect(() => summarizeGltf(rig as unknown as GltfRig)).toThrow(
      expect.objectContaining({ name: 'FormatError', code: 'unsupported', path: 'rig' }),
    );
  },
);
