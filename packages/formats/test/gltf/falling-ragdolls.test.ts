import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  animatedJoints,
  boneVertices,
  parseGltf,
  readBvh,
  rigFromDocument,
  vrmHumanoid,
} from '@poise/formats';
import { readGltfRigFile } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import { createRagdoll, createSimulation, type RagdollOptions, stepSimulation } from 'poise/dynamics';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { expect, test } from 'vitest';

const SECONDS = 10;

/** Ten seconds of falling onto a floor: all numbers stay finite, and nothing goes through it. */
function fall(figure: Figure, options: RagdollOptions): void {
  const ragdoll = createRagdoll(figure, options);
  const { shapes, damping, exclude, height } = ragdoll;
  const depth = 1.2 * height;
  const simulation = createSimulation([{ figure: ragdoll.figure, shapes, damping }], {
    world: [{ type: 'plane', offset: -depth }],
    collide: { exclude },
  });
  for (let k = 0; k < 120 * SECONDS; k++) stepSimulation(simulation, 1 / 120);
  expect(simulation.actors[0].pose.every(Number.isFinite)).toBe(true);
}

describeWithData('a rig whose controls and sockets are free', 'gltf/KayKit_Knight.glb', (path) => {
  test('lies on the ground, and none of them falls on', () => {
    const document = parseGltf(readFileSync(path));
    const rig = rigFromDocument(document, { joints: animatedJoints(document) });
    const { figure, shapes, damping, exclude, height } = createRagdoll(rig.figure);
    const simulation = createSimulation([{ figure, shapes, damping }], {
      world: [{ type: 'plane', offset: -0.5 * height }],
      collide: { exclude },
    });
    for (let k = 0; k < 120 * SECONDS; k++) stepSimulation(simulation, 1 / 120);
    const state = createState(figure);
    forwardKinematics(state, simulation.actors[0].pose);
    // What nothing holds has fallen by half a kilometre.
    const heights = figure.bones.map(({ index }) => state.worldFromBone[12 * index + 10]);
    expect(Math.min(...heights)).toBeGreaterThan(-1.5 * height);
  });
});

function fallBothWays(figure: Figure, options: RagdollOptions): void {
  fall(figure, options);
  if (createRagdoll(figure, options).humanoid) fall(figure, { ...options, joints: 'anatomical' });
}

describeWithData('recorded clips', 'bvh', (folder) => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.bvh'));
  test.each(files)('the skeleton of %s falls', (file) => {
    fallBothWays(readBvh(readFileSync(join(folder, file), 'utf8'), { source: file }).figure, {});
  });
});

const RIGS = [
  'gltf/CesiumMan.gltf',
  'gltf/Fox.glb',
  'gltf/KayKit_Knight.glb',
  'gltf/RiggedSimple.gltf',
  'gltf/RobotExpressive.glb',
  'gltf/SimpleSkin.gltf',
  'gltf/greenman.glb',
  'gltf/webxr_hand_left.glb',
  'vrm/cryptovoxels.vrm',
];

for (const file of RIGS) {
  describeWithData(file, file, (path) => {
    test.each([
      ['with its mesh', true],
      ['without', false],
    ])('falls %s', async (_, mesh) => {
      const rig = await readGltfRigFile(path);
      const humanoid = vrmHumanoid(rig);
      fallBothWays(rig.figure, {
        ...(mesh && { vertices: boneVertices(rig) }),
        ...(humanoid && { humanoid }),
      });
    });
  });
}
