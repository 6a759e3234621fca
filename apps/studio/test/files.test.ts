import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGltfRig } from '@poise/formats/gltf';
import { plainGlb } from '@poise/test-support/plain-glb';
import { describeWithData } from '@poise/test-support/shared-data';
import { PoiseError } from 'poise';
import { clampToLimits, createPose, createState, forwardKinematics } from 'poise/figure';
import { Mesh, PropertyBinding, Vector3 } from 'three';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openClips } from '../src/animate/import/open-clips.js';
import type { Character } from '../src/character/character.js';
import { chooseFile, fileNamed, seenFrom } from '../src/character/files.js';
import { openCharacter } from '../src/character/open-character.js';
import { problemOf } from '../src/session/store.js';

/** Of each, what is opened in Animate and elsewhere, wherever it lies among the files. */
const CASES: readonly [names: readonly string[], animate: string, elsewhere: string][] = [
  [['LICENSE.txt', 'walk.bvh'], 'walk.bvh', 'walk.bvh'],
  [['README.md', 'wave.vrma', 'mouse.VRM'], 'wave.vrma', 'wave.vrma'],
  [['package.xml', 'robot.urdf', 'base.stl'], 'robot.urdf', 'robot.urdf'],
  [['arm.xml', 'assets.txt', 'key.json'], 'arm.xml', 'arm.xml'],
  [['walk.bvh', 'knight.gltf', 'knight.bin', 'licence.json'], 'walk.bvh', 'knight.gltf'],
  [['b.glb', 'a.glb', 'a.png'], 'a.glb', 'a.glb'],
  [['a.glb', 'work.poise', 'walk.bvh'], 'work.poise', 'work.poise'],
  [['LICENSE.txt', 'README', 'wave.json'], 'wave.json', 'wave.json'],
];

describe('of many files', () => {
  it.each(CASES)('%j: it is chosen by its kind, whatever their order', (names, animate, elsewhere) => {
    for (let k = 0; k < names.length; k++) {
      const rotated = [...names.slice(k), ...names.slice(0, k)];
      for (const order of [rotated, [...rotated].reverse()]) {
        const files = order.map((name) => new File([], name));
        expect(chooseFile(files, true)?.name, order.join()).toBe(animate);
        expect(chooseFile(files, false)?.name, order.join()).toBe(elsewhere);
      }
    }
  });

  it('is the first where none can be opened, so that it can be said why', () => {
    expect(chooseFile([new File([], 'a.fbx'), new File([], 'b.txt')], false)?.name).toBe('a.fbx');
    expect(chooseFile([], false)).toBeUndefined();
  });
});

describe('files of a folder', () => {
  afterEach(() => void vi.unstubAllGlobals());

  const named = (...names: string[]) => names.map((name) => new File([name], name));

  it('are named as one of them names them', () => {
    const files = named('m/a/x.gltf', 'm/a/x.bin', 'm/b/body.png', 'x.png');
    const seen = seenFrom(files[0], files).map(({ name }) => name);
    expect(seen).toEqual(['x.gltf', 'x.bin', '../b/body.png', '../../x.png']);
    const apart = named('x.gltf', 'b/x.bin');
    expect(seenFrom(apart[0], apart)).toEqual(apart);
  });

  it('are found by their paths, or else by their names', () => {
    const files = named('head/skin.png', 'body/skin.png', '../eye 1.png');
    const found = (uri: string) => fileNamed(uri, files)?.name;
    expect(found('body/skin.png')).toBe('body/skin.png');
    expect(found('./head/../body/./skin.png')).toBe('body/skin.png');
    expect(found('head/skin.png')).toBe('head/skin.png');
    expect(found('../eye%201.png')).toBe('../eye 1.png');
    expect(found('C:/art/eye%201.png')).toBe('../eye 1.png');
    expect(fileNamed('100%.png', named('100%.png'))?.name).toBe('100%.png');
    expect(found('skin')).toBeUndefined();
  });

  it('are each where the glTF has them, of one name in two folders too, and are kept so', async () => {
    // Of browsers alone; three.js reads files with it.
    vi.stubGlobal('ProgressEvent', Event);
    const buffer = (x: number) => new Uint8Array(new Float32Array([0, 0, 0, x, 0, 0, 0, x, 0]).buffer);
    const gltf = {
      asset: { version: '2.0' },
      scenes: [{ nodes: [0, 1] }],
      nodes: [
        { name: 'body', mesh: 0 },
        { name: 'head', mesh: 1 },
      ],
      meshes: [0, 1].map((accessor) => ({ primitives: [{ attributes: { POSITION: accessor } }] })),
      accessors: [1, 2].map((x, bufferView) => ({
        bufferView,
        componentType: 5126,
        count: 3,
        type: 'VEC3',
        min: [0, 0, 0],
        max: [x, x, 0],
      })),
      bufferViews: [0, 1].map((buffer) => ({ buffer, byteLength: 36 })),
      buffers: ['body/data.bin', 'head/data.bin'].map((uri) => ({ uri, byteLength: 36 })),
    };
    const given = [
      new File([JSON.stringify(gltf)], 'model/x.gltf'),
      new File([buffer(1)], 'model/body/data.bin'),
      new File([buffer(2)], 'model/head/data.bin'),
      new File(['b'], 'model/readme.txt'),
    ];
    const [file, ...others] = seenFrom(given[0], given);
    for (const order of [others, [...others].reverse()]) {
      const { files, source, createModel } = await openCharacter(file, order);
      expect(source).toEqual({ type: 'file', name: 'x.gltf' });
      expect(files.map(({ name }) => name).sort()).toEqual(['body/data.bin', 'head/data.bin', 'x.gltf']);
      const widths: number[] = [];
      createModel().root.traverse((object) => {
        if (object instanceof Mesh) widths.push(object.geometry.getAttribute('position').getX(1));
      });
      expect(widths).toEqual([1, 2]);
    }
  });
});

describeWithData('a file that the studio has posed', 'gltf', (folder) => {
  const opened = (bytes: BlobPart, name: string) => openCharacter(new File([bytes], name));
  const originsOf = ({ figure }: Character, pose: ArrayLike<number>) => {
    const state = createState(figure);
    forwardKinematics(state, Float64Array.from(pose));
    return figure.bones.flatMap(({ index }) => [
      ...state.worldFromBone.subarray(12 * index + 9, 12 * index + 12),
    ]);
  };

  // The T-pose that the VRM shows is not its bind pose: ankles turn by 6 degrees, and its soles are elsewhere.
  it.each([
    ['KayKit_Knight.glb', 1e-3],
    ['RobotExpressive.glb', 1e-3],
    ['../vrm/cryptovoxels.vrm', 0.02],
  ])(
    '%s: is the same human in that pose, standing or lying, and the same file where nobody touched it',
    async (path, tolerance) => {
      const name = path.replace(/^.*\//, '');
      const given = await opened(plainGlb(readFileSync(join(folder, path))), name);
      const { figure, humanoid } = given;
      const bend = (pose: Float64Array, human: keyof Character['bones'], angle: number) => {
        const { coordinate, dof } = figure.bones[humanoid?.bones[human] ?? -1];
        for (let k = 0; k < dof; k++) pose[coordinate + k] += angle / (k + 1);
      };
      const raised = Float64Array.from(given.pose);
      for (const human of ['leftUpperArm', 'leftLowerArm', 'spine', 'rightLowerLeg'] as const)
        bend(raised, human, 0.7);
      const lies = raised.slice();
      const root = figure.bones.findIndex(({ joint }) => joint.type === 'free');
      lies[figure.bones[root].coordinate + 3] += 1.5;
      for (const pose of [raised, lies]) {
        clampToLimits(figure, pose);
        const model = given.createModel();
        model.update(pose);
        const { bytes } = await given.write(model);
        const again = await opened(bytes, name);
        expect(again.humanoid?.bones).toEqual(humanoid?.bones);
        expect(again.handles.map(({ id }) => id)).toEqual(given.handles.map(({ id }) => id));
        expect(again.pins).toEqual(given.pins);
        expect(again.figure.limitComponents.length).toBe(figure.limitComponents.length);
        expect(Math.abs(again.floor - given.floor) / given.size).toBeLessThan(tolerance);
        const [a, b] = [originsOf(given, pose), originsOf(again, again.pose)];
        expect(Math.max(...a.map((x, n) => Math.abs(x - b[n]))) / given.size).toBeLessThan(tolerance);
        const posed = again.createModel();
        posed.update(again.pose);
        expect(Buffer.from((await again.write(posed)).bytes).equals(Buffer.from(bytes))).toBe(true);
        // Once it is posed, the file has what is shown, limits and all.
        const bent = Float64Array.from(again.pose);
        bent[again.figure.bones[again.humanoid?.bones.leftHand ?? -1].coordinate] += 0.2;
        clampToLimits(again.figure, bent);
        posed.update(bent);
        const rig = readGltfRig(new Uint8Array((await again.write(posed)).bytes));
        const written = createState(rig.figure);
        forwardKinematics(written, createPose(rig.figure));
        posed.root.updateMatrixWorld(true);
        const off = rig.figure.bones.map(({ index, name: bone }) => {
          const object = posed.root.getObjectByName(PropertyBinding.sanitizeNodeName(bone));
          const at = new Vector3(...written.worldFromBone.subarray(12 * index + 9, 12 * index + 12));
          return object ? at.distanceTo(object.getWorldPosition(new Vector3())) : 0;
        });
        expect(Math.max(...off) / given.size).toBeLessThan(1e-4);
      }
    },
  );
});

describe('files of strangers', () => {
  afterEach(() => void vi.unstubAllGlobals());

  const gltf = (name: string, json: object) =>
    new File([JSON.stringify({ asset: { version: '2.0' }, scenes: [{ nodes: [0] }], ...json })], name);
  const chain = (count: number) =>
    Array.from({ length: count }, (_, k) => ({
      translation: [0, 0.1, 0],
      ...(k < count - 1 && { children: [k + 1] }),
    }));
  it('have the names of nodes that the library gives them', async () => {
    vi.stubGlobal('ProgressEvent', Event);
    const file = gltf('a.gltf', {
      nodes: [...chain(2), { name: 'tip' }].map((node, k) => (k === 1 ? { ...node, children: [2] } : node)),
    });
    // A bone that was chosen by another name, as of an older version, is none.
    const { figure } = await openCharacter(file, [], { leftHand: 'Bone_1' });
    const { figure: own } = readGltfRig(new Uint8Array(await file.arrayBuffer()));
    const names = own.bones.map(({ name }) => name);
    expect(names).toEqual(['node_0', 'node_1', 'tip']);
    expect(figure.bones.map(({ name }) => name)).toEqual(names);
  });

  const mesh = { primitives: [{ attributes: { POSITION: 0 } }] };
  const zeros = (count: number) => ({
    componentType: 5126,
    count,
    type: 'VEC3',
    min: [0, 0, 0],
    max: [0, 0, 0],
  });
  const bvh = (depth: number) => {
    const joint = (name: string, channels: string) => `${name}\n{\nOFFSET 0 1 0\nCHANNELS ${channels}\n`;
    const joints = Array.from({ length: depth - 1 }, (_, k) =>
      joint(`JOINT ${k}`, '3 Zrotation Xrotation Yrotation'),
    );
    const root = joint('ROOT hips', '6 Xposition Yposition Zposition Zrotation Xrotation Yrotation');
    const end = `End Site\n{\nOFFSET 0 1 0\n}\n${'}\n'.repeat(depth)}`;
    const frame = '0 '.repeat(3 + 3 * depth);
    return `HIERARCHY\n${root}${joints.join('')}${end}MOTION\nFrames: 1\nFrame Time: 0.1\n${frame}\n`;
  };
  const link = (k: number) => `<link name="a${k}"/>`;
  const joint = (k: number) =>
    `<joint name="j${k}" type="fixed"><parent link="a0"/><child link="a${k}"/></joint>`;
  const urdf = (links: number) =>
    `<robot name="r">${Array.from({ length: links }, (_, k) => link(k) + (k > 0 ? joint(k) : '')).join('')}</robot>`;

  const refused: readonly (readonly [File, code: string, says: RegExp])[] = [
    [
      gltf('buffer.gltf', { nodes: [{}], buffers: [{ uri: 'http://192.0.2.1/a.bin', byteLength: 4 }] }),
      'missing-resource',
      /http:/,
    ],
    [gltf('ring.gltf', { nodes: [{ children: [1] }, { children: [0] }] }), 'cycle', /ancestor/],
    [
      gltf('many.gltf', { nodes: [{ mesh: 0 }], meshes: [mesh], accessors: [zeros(1e9)] }),
      'over-budget',
      /#\/meshes/,
    ],
    [
      gltf('shared.gltf', {
        nodes: [{ children: Array.from({ length: 600 }, (_, k) => k + 1) }, ...Array(600).fill({ mesh: 0 })],
        meshes: [mesh],
        accessors: [zeros(10_000)],
      }),
      'over-budget',
      /6,000,000/,
    ],
    [
      gltf('keys.gltf', { nodes: [{}], accessors: [{ ...zeros(1e9), type: 'SCALAR' }] }),
      'over-budget',
      /#\/accessors/,
    ],
    [gltf('deep.gltf', { nodes: chain(257) }), 'over-budget', /257/],
    [new File([bvh(257)], 'deep.bvh'), 'over-budget', /257/],
    [new File([urdf(1025)], 'wide.urdf'), 'over-budget', /1,025/],
    [new File(['glTF'], 'short.glb'), 'invalid-file', /short\.glb/],
  ];

  it.each(refused)(
    '$name is refused by the library, before anything is made of it',
    async (file, code, says) => {
      const error = await openCharacter(file).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(PoiseError);
      expect(error).toMatchObject({ code });
      expect(problemOf(error, file.name)).toMatch(says);
      expect(problemOf(error, file.name)).not.toContain('option');
    },
  );

  it.each([
    ['man.fbx', /^man\.fbx is an FBX\. .*Blender.*glTF 2\.0/],
    ['man.blend', /^man\.blend is a file of Blender\. .*glTF 2\.0/],
    ['man.png', /^man\.png cannot be opened\. Open .*GLB.*VRM/],
  ])('%s: what can be opened is said', async (name, says) => {
    for (const open of [openCharacter, openClips]) {
      const file = new File(['Kaydara FBX Binary'], name);
      const error = await open(file).catch((reason: unknown) => reason);
      expect(problemOf(error, name)).toMatch(says);
    }
  });

  it('are read by what they hold, whatever their name', async () => {
    expect((await openCharacter(gltf('skeleton.model', { nodes: chain(11) }))).size).toBeCloseTo(1, 9);
  });

  it('of several are asked for together', async () => {
    const file = gltf('x.gltf', { nodes: [{}], buffers: [{ uri: 'x.bin', byteLength: 4 }] });
    for (const open of [openCharacter, openClips]) {
      const error = await open(file).catch((reason: unknown) => reason);
      expect(problemOf(error, 'x.gltf')).toMatch(
        /references the file 'x\.bin', which was not given\. .*both.*Open folder/,
      );
    }
  });

  it('are opened where they ask for no more than they may', async () => {
    for (const file of [
      gltf('deep.gltf', { nodes: chain(256) }),
      new File([bvh(256)], 'deep.bvh'),
      new File([urdf(1024)], 'wide.urdf'),
    ])
      expect((await openCharacter(file)).figure.bones.length).toBeGreaterThan(255);
  });

  it('have the height of their bones where nothing is drawn', async () => {
    const { floor, size } = await openCharacter(gltf('skeleton.gltf', { nodes: chain(11) }));
    expect(floor).toBeCloseTo(0.1, 9);
    expect(size).toBeCloseTo(1, 9);
  });

  it('are read as clips only where they end', async () => {
    vi.stubGlobal('ProgressEvent', Event);
    const numbers = new Float32Array([0, 1e7, 0, 0, 0, 0, 1, 0]);
    const uri = `data:application/octet-stream;base64,${Buffer.from(numbers.buffer).toString('base64')}`;
    const file = gltf('long.gltf', {
      nodes: chain(2),
      buffers: [{ byteLength: 32, uri }],
      bufferViews: [
        { buffer: 0, byteLength: 8 },
        { buffer: 0, byteOffset: 8, byteLength: 24 },
      ],
      accessors: [
        { bufferView: 0, componentType: 5126, count: 2, type: 'SCALAR', min: [0], max: [1e7] },
        { bufferView: 1, componentType: 5126, count: 2, type: 'VEC3' },
      ],
      animations: [
        {
          name: 'Long',
          channels: [{ sampler: 0, target: { node: 1, path: 'translation' } }],
          samplers: [{ input: 0, output: 1 }],
        },
      ],
    });
    const [clip] = await openClips(file);
    expect(() => clip.read()).toThrow('Long lasts 10000000 s: at most 600 s can be opened.');
  });

  it('name no file from elsewhere as clips either', async () => {
    const [[file]] = refused;
    await expect(openClips(file)).rejects.toMatchObject({ code: 'missing-resource' });
  });
});
