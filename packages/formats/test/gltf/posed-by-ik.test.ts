import { readFileSync } from 'node:fs';
import {
  type GltfRig,
  jointMatrices,
  readGltfRig,
  webxrHandParent,
  worldMatrices,
  writePosedGltf,
} from '@poise/formats';
import { readGltfRigFile } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { createIk, solveIk } from 'poise/ik';
import { expect, test } from 'vitest';
import { randomPose } from './support/compare.js';
import { matrixDifference, seenByGltfTransform, seenByThree, sizeOf } from './support/oracles.js';

/** The five rigs of the main job, and a bone at the end of a limb of each. */
const rigs: Record<string, string> = {
  'gltf/CesiumMan.gltf': 'node_14',
  'gltf/KayKit_Knight.glb': 'hand.l',
  'gltf/RobotExpressive.glb': 'Palm2.R',
  'gltf/webxr_hand_left.glb': 'index-finger-tip',
  'gltf/Fox.glb': 'b_RightHand_08',
};

function originOf(figure: Figure, pose: Float64Array, bone: string): number[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const b = figure.bones.findIndex(({ name }) => name === bone);
  return Array.from(state.worldFromBone.subarray(12 * b + 9, 12 * b + 12));
}

/** A random pose with unchanged roots, whose positions are reachable targets. */
function rotate(rig: GltfRig, seed: number): Float64Array {
  const pose = randomPose(rig, seed, 0.6);
  for (const { joint, coordinate } of rig.figure.bones)
    if (joint.type === 'free') pose.fill(0, coordinate, coordinate + 6);
  return pose;
}

for (const [name, bone] of Object.entries(rigs)) {
  describeWithData(`${name}, ${bone} to a reachable point`, name, (path) => {
    test('solved, written, and read back by both readers', async () => {
      const rig = name.includes('webxr')
        ? readGltfRig(readFileSync(path), { parents: webxrHandParent })
        : await readGltfRigFile(path);
      const { figure, binding } = rig;
      const roots = figure.bones.filter(({ joint }) => joint.type === 'free').map((root) => root.name);
      for (const seed of [1, 2, 3]) {
        const target = originOf(figure, rotate(rig, seed), bone);
        const pose = new Float64Array(figure.dof);
        const result = solveIk(
          createIk(figure, [{ type: 'position', bone, target }], { locked: roots }),
          pose,
        );
        expect(result.status).toBe('converged');

        const bytes = writePosedGltf(rig, pose, { kind: 'glb' });
        const [transform, three] = [await seenByGltfTransform(bytes), await seenByThree(bytes)];
        const node = binding.bones[figure.bones.findIndex((entry) => entry.name === bone)].node;
        const heights = transform.worlds.map((world) => world?.[13] ?? 0);
        const allowed = Math.max(1e-3, 1e-3 * (Math.max(...heights) - Math.min(...heights)));
        for (const { worlds } of [transform, three]) {
          const world = worlds[node] as number[];
          expect(Math.hypot(...target.map((value, k) => value - world[12 + k]))).toBeLessThan(allowed);
        }

        const solved = originOf(figure, pose, bone);
        const size = sizeOf(transform.worlds);
        const stated = worldMatrices(rig, pose);
        for (const { worlds, joints } of [transform, three]) {
          solved.forEach((value, k) => {
            expect(Math.abs(value - (worlds[node] as number[])[12 + k]) / size).toBeLessThan(1e-6);
          });
          worlds.forEach((world, i) => {
            if (world)
              expect(matrixDifference(stated.subarray(16 * i, 16 * i + 16), world, size)).toBeLessThan(1e-6);
          });
          const ours = jointMatrices(rig, pose);
          joints[0].forEach((matrix, j) => {
            const own = ours.subarray(16 * j, 16 * j + 16);
            expect(matrixDifference(own, matrix, Math.max(size, sizeOf(joints[0])))).toBeLessThan(1e-6);
          });
        }
      }
    });
  });
}
