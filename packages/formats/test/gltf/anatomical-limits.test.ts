/** Real clips under the limits of a human: how many of the samples of limited joints are outside, and by how much. */
import { readFileSync } from 'node:fs';
import { describeWithData } from '@poise/test-support/shared-data';
import {
  createState,
  type Figure,
  forwardKinematics,
  limitShapes,
  poseFromLocalTransforms,
} from 'poise/figure';
import { withAnatomicalLimits } from 'poise/humanoid';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { expect, test } from 'vitest';
import {
  listGltfAnimations,
  parseGltf,
  readBvh,
  readGltfAnimation,
  rigFromDocument,
} from '../../src/index.js';

interface Shares {
  samples: number;
  outside: number;
  /** By more than 15 degrees. */
  far: number;
}

/** Adds the samples of a motion, ten a second, read into the figure with limits. */
function addShares(figure: Figure, limited: Figure, motion: Motion, shares: Shares): void {
  const [from, into] = [createState(figure), createState(limited)];
  const pose = new Float64Array(figure.dof);
  const read = new Float64Array(limited.dof);
  const sampler = createMotionSampler(figure, motion);
  for (let t = motion.start; t <= motion.end; t += 0.1) {
    samplePose(sampler, t, pose);
    forwardKinematics(from, pose);
    poseFromLocalTransforms(into, from.parentFromBone, read);
    const excess = new Map<number, number>();
    for (const { bone, kind, parameters, coordinate, size } of limited.limitComponents) {
      const nearest = read.slice();
      limitShapes[kind].project(parameters, nearest, coordinate, size);
      const gap = Math.hypot(...nearest.map((x, k) => x - read[k]));
      excess.set(bone, Math.max(excess.get(bone) ?? 0, gap));
    }
    for (const gap of excess.values()) {
      shares.samples++;
      if (gap > 1e-6) shares.outside++;
      if (gap > Math.PI / 12) shares.far++;
    }
  }
}

// As measured: of walks and a hop of people 3.0 to 6.1 % of the samples are outside, by more than 15 degrees at most 0.4 %.
describeWithData('recorded people', 'bvh', (folder) => {
  test.each([
    ['walk01.bvh', 0.031, 0],
    ['pymo_meredith_walk_high_valence.bvh', 0.042, 0.004],
    ['cmu_12_01_walk.bvh', 0.049, 0],
    ['cmu_01_01_hop_turn.bvh', 0.062, 0.005],
  ])('%s: at most %f outside the limits, %f far', (file, outside, far) => {
    const { figure, motion } = readBvh(readFileSync(`${folder}/${file}`), { source: file });
    const shares = { samples: 0, outside: 0, far: 0 };
    addShares(figure, withAnatomicalLimits(figure), motion, shares);
    expect(shares.samples).toBeGreaterThan(500);
    expect(shares.outside / shares.samples).toBeLessThanOrEqual(outside);
    expect(shares.far / shares.samples).toBeLessThanOrEqual(far);
  });
});

// A cartoon knight, who twists at the waist and the wrists: of all his clips 14.3 % outside, 5.0 % far; every fifth is read here.
describeWithData('a drawn character', 'gltf/KayKit_Knight.glb', (path) => {
  test('at most 15 % of its samples are outside the limits', () => {
    const document = parseGltf(readFileSync(path), { source: 'knight.glb' });
    const rig = rigFromDocument(document);
    const limited = withAnatomicalLimits(rig.figure);
    const shares = { samples: 0, outside: 0, far: 0 };
    for (const { index } of listGltfAnimations(document)) {
      if (index % 5 > 0) continue;
      addShares(rig.figure, limited, readGltfAnimation(rig, index).motion, shares);
    }
    expect(shares.samples).toBeGreaterThan(3000);
    expect(shares.outside / shares.samples).toBeLessThan(0.15);
    expect(shares.far / shares.samples).toBeLessThan(0.051);
  });

  test('a rig takes the figure with limits in place of its own', () => {
    const rig = rigFromDocument(parseGltf(readFileSync(path), { source: 'knight.glb' }));
    const limited = { ...rig, figure: withAnatomicalLimits(rig.figure) };
    const { motion } = readGltfAnimation(limited, 0);
    expect(motion.dof).toBe(limited.figure.dof);
    expect(limited.figure.bones.find(({ name }) => name === 'lowerarm.l')?.joint.type).toBe('hinge');
  });
});
