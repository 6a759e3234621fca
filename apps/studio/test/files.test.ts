import { describe, expect, it } from 'vitest';
import { chooseFile } from '../src/character/files.js';

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
      const turned = [...names.slice(k), ...names.slice(0, k)];
      for (const order of [turned, [...turned].reverse()]) {
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
