import { readFile } from 'node:fs/promises';
import { describeWithData } from '@poise/test-support/shared-data';
import { Matrix4, type Object3D, Vector3 } from 'three';
import { expect, it } from 'vitest';
import { bindFigure, figureFromObject3D } from '../src/index.js';
import { loadRig } from './load-rig.js';
import {
  createRandom,
  expectWritten,
  gap,
  matrixGap,
  outputScale,
  placeInScene,
  randomPose,
  solverMatrices,
} from './support.js';

const FILES = [
  'CesiumMan.gltf',
  'Fox.glb',
  'KayKit_Knight.glb',
  'RobotExpressive.glb',
  'webxr_hand_left.glb',
  'greenman.glb',
];

describeWithData('characters from files, loaded by three.js', 'gltf', (folder) => {
  it.each(FILES)('%s: rest stays, poses arrive and come back', async (file) => {
    const { scene } = await loadRig(await readFile(`${folder}/${file}`));
    // Files hold quaternions in single precision; three.js scales by their length, a binding writes unit ones.
    scene.traverse((object) => object.quaternion.normalize());
    const random = createRandom(61);
    const world = placeInScene(scene, random, 0.7);
    const { figure, objects, warnings } = figureFromObject3D(scene);
    expect(warnings).toEqual([]);
    const binding = bindFigure(figure, scene, { objects });
    const size = Math.max(1, ...figure.bones.map(({ rest }) => Math.hypot(...rest.position)));
    const before = binding.objects.map((object) => object?.matrixWorld.clone() ?? new Matrix4());
    binding.update();
    world.updateMatrixWorld(true);
    binding.objects.forEach((object, b) => {
      expect(matrixGap(object?.matrixWorld as Matrix4, before[b]), object?.name).toBeLessThan(1e-11 * size);
    });

    const pose = randomPose(figure, random);
    // Scales in these files are uniform to single precision only. What is left over shears what turns below it, and no
    // rotation of an object makes up for that.
    const uneven = Math.max(
      ...binding.objects.map((object) => {
        const sizes = outputScale(object as Object3D, binding)
          .toArray()
          .map(Math.abs);
        return Math.max(...sizes) / Math.min(...sizes) - 1;
      }),
    );
    expect(uneven).toBeLessThan(1e-5);
    expectWritten(binding, world, pose, 1e-11 * size + 2 * uneven);
    expect(gap(binding.readPose(new Float64Array(figure.dof)), pose)).toBeLessThan(1e-11 + 2 * uneven);
    binding.writePose(pose);
    world.updateMatrixWorld(true);
    const wanted = solverMatrices(figure, pose);
    binding.objects.forEach((object, b) => {
      const at = binding.pointFromWorld(object?.getWorldPosition(new Vector3()) as Vector3);
      const there = new Vector3().setFromMatrixPosition(wanted[b]).toArray();
      expect(gap(at, there), object?.name).toBeLessThan(1e-11 * size);
    });
  });

  it.each(['Fox.glb', 'KayKit_Knight.glb', 'webxr_hand_left.glb'])(
    '%s: bones find their objects by name',
    async (file) => {
      const { scene } = await loadRig(await readFile(`${folder}/${file}`));
      const { figure, objects } = figureFromObject3D(scene);
      expect(bindFigure(figure, scene).objects).toEqual(figure.bones.map(({ name }) => objects.get(name)));
    },
  );
});
