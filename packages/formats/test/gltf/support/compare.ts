/** Compares a rig with the oracles. */
import { type GltfRig, jointMatrices, worldMatrices, writePosedGltf } from '@poise/formats';
import { createState, forwardKinematics } from 'poise/figure';
import { matrixDifference, seenByGltfTransform, seenByThree, sizeOf } from './oracles.js';

export interface Differences {
  /** `worldMatrices` and `jointMatrices` against gltf-transform on the written file. */
  gltfTransform: number;
  /** The same against three. */
  three: number;
  /** Origins by forward kinematics against gltf-transform on the written file, relative to the size. */
  origins: number;
  /** R A against the linear parts, relative to their size. */
  linear: number;
}

/** Writes the pose as a GLB, opens it in both oracles and gives the largest differences, all relative. */
export async function compareWithOracles(rig: GltfRig, pose: Float64Array): Promise<Differences> {
  const bytes = writePosedGltf(rig, pose, { kind: 'glb' });
  const [transform, three] = [await seenByGltfTransform(bytes), await seenByThree(bytes)];
  const size = sizeOf(transform.worlds);
  const ours = worldMatrices(rig, pose);
  const skins = rig.binding.skins.map((skin) => jointMatrices(rig, pose, skin.index));
  const against = ({ worlds, joints }: Awaited<ReturnType<typeof seenByThree>>, jointSize: number) => {
    let largest = 0;
    worlds.forEach((world, i) => {
      if (world)
        largest = Math.max(largest, matrixDifference(ours.subarray(16 * i, 16 * i + 16), world, size));
    });
    joints.forEach((matrices, s) => {
      matrices.forEach((matrix, j) => {
        const own = skins[s].subarray(16 * j, 16 * j + 16);
        largest = Math.max(largest, matrixDifference(own, matrix, jointSize));
      });
    });
    return largest;
  };
  const jointSize = Math.max(size, sizeOf(transform.joints.flat()));

  const state = createState(rig.figure);
  forwardKinematics(state, pose);
  let origins = 0;
  let linear = 0;
  rig.binding.bones.forEach(({ node, outputMatrix }, b) => {
    const world = transform.worlds[node] as number[];
    const frame = state.worldFromBone.subarray(12 * b, 12 * b + 12);
    const expected = Array.from(world);
    for (let column = 0; column < 3; column++) {
      for (let row = 0; row < 3; row++) {
        let sum = 0;
        for (let k = 0; k < 3; k++) sum += frame[3 * row + k] * outputMatrix[3 * k + column];
        expected[4 * column + row] = sum;
      }
    }
    linear = Math.max(linear, matrixDifference(expected, world, 1));
    for (let k = 0; k < 3; k++) origins = Math.max(origins, Math.abs(frame[9 + k] - world[12 + k]) / size);
  });
  return { gltfTransform: against(transform, jointSize), three: against(three, jointSize), origins, linear };
}

/** A pose of coordinates up to `reach` either way, from a seed (Park and Miller's generator). */
export function randomPose(rig: GltfRig, seed: number, reach = 2): Float64Array {
  let state = (seed * 48271 + 11) % 2147483647;
  return new Float64Array(rig.figure.dof).map(() => {
    state = (state * 48271) % 2147483647;
    return reach * ((2 * state) / 2147483647 - 1);
  });
}
