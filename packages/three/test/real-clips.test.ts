import { readFile } from 'node:fs/promises';
import { describeWithData } from '@poise/test-support/shared-data';
import type { Figure } from 'poise/figure';
import { AnimationMixer, type Object3D, Vector3 } from 'three';
import { expect, it } from 'vitest';
import { bindFigure, FigureSolver, figureFromObject3D } from '../src/index.js';
import { loadRig } from './load-rig.js';
import { gap, placements } from './support.js';

const FILES = ['CesiumMan.gltf', 'Fox.glb', 'KayKit_Knight.glb', 'RobotExpressive.glb'];
const FRAME = 1 / 64;

/** The bone with the longest chain above it, and the bones of that chain from it up to the third. */
function limbOf(figure: Figure): { readonly end: number; readonly chain: ReadonlySet<number> } {
  const chainOf = (b: number): number[] => (b < 0 ? [] : [b, ...chainOf(figure.parents[b])]);
  const [longest] = figure.bones.map(({ index }) => chainOf(index)).sort((a, b) => b.length - a.length);
  return { end: longest[0], chain: new Set(longest.slice(0, 4)) };
}

describeWithData('clips of characters from files', 'gltf', (folder) => {
  it.each(FILES)(
    '%s: a limb reaches over its clip, and all other bones keep the clip to the bit',
    async (file) => {
      const bytes = await readFile(`${folder}/${file}`);
      const make = async () => {
        const { scene, animations } = await loadRig(bytes);
        scene.updateMatrixWorld(true);
        const made = figureFromObject3D(scene);
        const mixer = new AnimationMixer(scene);
        mixer.clipAction(animations[animations.length - 1]).play();
        return { ...made, scene, mixer };
      };
      const [plain, solved] = [await make(), await make()];
      const { figure, objects, scene } = solved;
      const { end, chain } = limbOf(figure);
      const binding = bindFigure(figure, scene, { objects });
      const locked = figure.bones.filter(({ index }) => !chain.has(index)).map(({ name }) => name);
      const target = new Vector3();
      const size = Math.max(...figure.bones.map(({ rest }) => Math.hypot(...rest.position)));
      const solver = new FigureSolver(
        binding,
        [{ type: 'position', bone: end, target, tolerance: 1e-5 * size }],
        { locked },
      );
      const objectOf = (character: typeof solved, bone: number) =>
        character.objects.get(figure.bones[bone].name) as Object3D;
      const others = figure.bones
        .filter(({ index }) => !isAbove(figure, index, end))
        .map(({ index }) => index);
      expect(others.length).toBeGreaterThan(5);
      for (let n = 0; n < 150; n++) {
        plain.mixer.update(FRAME);
        solved.mixer.update(FRAME);
        plain.scene.updateMatrixWorld(true);
        // A little nearer to where the limb begins than the clip has it: always within reach.
        const [, , , start] = [...chain];
        const from = objectOf(plain, start).getWorldPosition(new Vector3());
        target.copy(objectOf(plain, end).getWorldPosition(new Vector3())).lerp(from, 0.15);
        solver.weight = n % 50 === 49 ? 0 : 1;
        expect(solver.update(FRAME).status).toBe('converged');
        scene.updateMatrixWorld(true);
        expect(placements(others.map((bone) => objectOf(solved, bone)))).toEqual(
          placements(others.map((bone) => objectOf(plain, bone))),
        );
        const all = figure.bones.map(({ index }) => index);
        const [a, b] = [solved, plain].map((one) => placements(all.map((bone) => objectOf(one, bone))));
        if (solver.weight === 0) expect(a).toEqual(b);
        else {
          expect(gap(a, b)).toBeGreaterThan(1e-3);
          const miss = objectOf(solved, end).getWorldPosition(new Vector3()).distanceTo(target);
          expect(miss).toBeLessThan(1e-4 * size);
        }
      }
    },
  );
});

/** Whether a bone is `end` or above it. */
function isAbove(figure: Figure, bone: number, end: number): boolean {
  for (let b = end; b >= 0; b = figure.parents[b]) if (b === bone) return true;
  return false;
}
