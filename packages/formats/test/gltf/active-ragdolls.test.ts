import { boneVertices } from '@poise/formats';
import { readGltfRigFile } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import {
  type ActiveRagdoll,
  createActiveRagdoll,
  createRagdoll,
  createSimulation,
  hitActiveRagdoll,
  stepActiveRagdoll,
  stepSimulation,
} from 'poise/dynamics';
import { createPose } from 'poise/figure';
import { expect, test } from 'vitest';

const DT = 1 / 120;

for (const file of ['gltf/CesiumMan.gltf', 'gltf/KayKit_Knight.glb', 'vrm/cryptovoxels.vrm']) {
  describeWithData(file, file, (path) => {
    /** Stands as at rest and is hit at the chest after half a second; m/s of the whole. */
    const play = async (
      speed: number,
      seconds: number,
      joints: 'given' | 'anatomical',
    ): Promise<{ doll: ActiveRagdoll; states: string[]; worst: number }> => {
      const rig = await readGltfRigFile(path);
      const { figure, shapes, exclude, damping, humanoid, mass } = createRagdoll(rig.figure, {
        vertices: boneVertices(rig),
        joints,
      });
      const world = [{ type: 'plane', friction: 0.8 }] as const;
      const simulation = createSimulation([{ figure, shapes, exclude, damping }], { world });
      const doll = createActiveRagdoll(simulation, 0);
      const chest = humanoid?.bones.chest ?? humanoid?.bones.spine ?? 0;
      const states: string[] = [];
      let worst = 0;
      for (let n = 0; n < seconds / DT; n++) {
        stepActiveRagdoll(doll, createPose(figure), DT);
        if (n === 60) hitActiveRagdoll(doll, chest, [0, 0, -speed * mass]);
        stepSimulation(simulation, DT);
        if (states.at(-1) !== doll.state) states.push(doll.state);
        worst = Math.max(worst, doll.error);
      }
      return { doll, states, worst };
    };

    for (const joints of ['given', 'anatomical'] as const) {
      test(`with ${joints} joints, stands, gives way to a blow and comes back within a degree in 2 s`, async () => {
        const { doll, states, worst } = await play(0.68, 2.5, joints);
        expect(states).toEqual(['tracking', 'hit', 'tracking']);
        expect(worst).toBeGreaterThan((2 * Math.PI) / 180);
        expect(doll.error).toBeLessThan(Math.PI / 180);
      });
    }

    test('is knocked out, lies still, gets up and stands', async () => {
      const { doll, states } = await play(4, 8, 'anatomical');
      expect(states).toEqual(['tracking', 'fallen', 'recovering', 'tracking']);
      // Where a leg lies over the other it may stay there: 8 degrees measured.
      expect(doll.error).toBeLessThan((20 * Math.PI) / 180);
      expect(doll.tilt).toBeLessThan((20 * Math.PI) / 180);
    });
  });
}
