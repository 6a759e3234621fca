import { Mesh } from 'three';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chooseFile, fileNamed, seenFrom } from '../src/character/files.js';
import { openCharacter } from '../src/character/open-character.js';

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
