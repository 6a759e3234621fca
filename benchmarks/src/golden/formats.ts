import { readBvh } from '@poise/formats/bvh';
import {
  boneVertices,
  listGltfAnimations,
  readGltfAnimation,
  readGltfRig,
  vrmHumanoid,
  worldMatrices,
  writeFigureGltf,
  writeGltfAnimation,
  writePosedGltf,
} from '@poise/formats/gltf';
import { readUrdf } from '@poise/formats/urdf';
import { createHumanFigure, createMotionSampler, figureToData, findHumanoid, samplePose } from 'poise';
import { createDraw, times } from './draw.js';
import type { Section } from './section.js';
import { sharedFile } from './shared-data.js';

/** Files of the shared data. */
const RIGS = [
  'gltf/CesiumMan.gltf',
  'gltf/Fox.glb',
  'gltf/InterpolationTest.gltf',
  'gltf/KayKit_Knight.glb',
  'gltf/RiggedSimple.gltf',
  'gltf/RobotExpressive.glb',
  'gltf/SimpleSkin.gltf',
  'gltf/greenman.glb',
  'gltf/webxr_hand_left.glb',
  'vrm/cryptovoxels.vrm',
];
const ROBOTS = [
  'urdf/T12.urdf',
  'urdf/allegro_hand_right.urdf',
  'urdf/anymal_b.urdf',
  'urdf/atlas_minimal_contact.urdf',
  'urdf/baxter.urdf',
  'urdf/double_pendulum.urdf',
  'urdf/iiwa14_no_collision.urdf',
  'urdf/panda.urdf',
  'urdf/pr2_simplified.urdf',
  'urdf/simple_humanoid.urdf',
  'urdf/ur5.urdf',
];
const CLIPS = [
  'bvh/cmu_01_01_hop_turn.bvh',
  'bvh/cmu_12_01_walk.bvh',
  'bvh/cmu_jumping_jacks.bvh',
  'bvh/edge_full_precision_frame_time.bvh',
  'bvh/edge_rotation_first_root.bvh',
  'bvh/edge_sinusoidal.bvh',
  'bvh/fair_jumping.bvh',
  'bvh/fair_wave_hello.bvh',
  'bvh/makehuman_benchmark.bvh',
  'bvh/makehuman_tpose.bvh',
  'bvh/makehuman_walk1.bvh',
  'bvh/pymo_meredith_walk_high_valence.bvh',
  'bvh/walk01.bvh',
];

export const formats: Section = {
  name: 'formats',
  run(entry) {
    entry('human as glTF', (take) => {
      const figure = createHumanFigure();
      take(writeFigureGltf(figure, createDraw(1100).pose(figure)));
    });
    for (const path of RIGS) {
      entry(path, (take) => {
        const rig = readGltfRig(sharedFile(path), {
          source: path,
          resource: (uri) => sharedFile(`gltf/${uri}`),
        });
        const { figure } = rig;
        take(
          figureToData(figure),
          rig.warnings,
          findHumanoid(figure)?.bones,
          vrmHumanoid(rig),
          boneVertices(rig),
        );
        const pose = createDraw(1100).pose(figure, 0.2);
        take(worldMatrices(rig, pose), writePosedGltf(rig, pose));
        const [first] = listGltfAnimations(rig.document);
        if (first === undefined) return;
        const { motion } = readGltfAnimation(rig, 0);
        const sampler = createMotionSampler(figure, motion);
        times(20, (k) => {
          take(samplePose(sampler, motion.start + ((motion.end - motion.start) * k) / 19, pose));
        });
        take(writeGltfAnimation(rig, motion));
      });
    }
    for (const path of ROBOTS) {
      entry(path, (take) => {
        const robot = readUrdf(sharedFile(path), { source: path.slice(path.indexOf('/') + 1) });
        take(figureToData(robot.figure), robot.warnings);
      });
    }
    for (const path of CLIPS) {
      entry(path, (take) => {
        const { figure, motion } = readBvh(sharedFile(path), { source: path.slice(path.indexOf('/') + 1) });
        take(figureToData(figure));
        const sampler = createMotionSampler(figure, motion);
        const pose = new Float64Array(figure.dof);
        times(30, (k) => {
          take(samplePose(sampler, motion.start + ((motion.end - motion.start) * k) / 29, pose));
        });
      });
    }
  },
};
