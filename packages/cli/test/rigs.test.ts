/**
 * The main job on real rigs: a goal that the rig can reach, the CLI, a file; then the file in two readers that nobody
 * here wrote. Goals are made from random poses of the same rig, so each is reachable.
 */
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { affine, mat3 } from 'poise/math';
import { describe, expect, test } from 'vitest';
import { wholeBodyBones } from '../src/goals/locked-bones.js';
import type { PoseReport } from '../src/goals/pose-report.js';
import { loadSource, type Source } from '../src/io/source.js';
import { posed, temporaryFolder } from './support/command.js';
import { testRandom } from './support/random.js';
import { multiply, type Seen, seenByGltfTransform, seenByThree } from './support/readers.js';

const rigs: [file: string, bones: string[]][] = [
  ['CesiumMan.gltf', ['node_15', 'node_18', 'node_6', 'node_20']],
  ['KayKit_Knight.glb', ['hand.r', 'handslot.l', 'toes.r', 'head']],
  ['RobotExpressive.glb', ['Palm2.L', 'Index2.R', 'Head', 'LowerLeg.R']],
  ['webxr_hand_left.glb', ['index-finger-tip', 'thumb-tip', 'pinky-finger-phalanx-distal']],
  ['Fox.glb', ['b_Head_05', 'b_LeftHand_011', 'b_Tail03_014', 'b_RightFoot02_022']],
];
const folder = temporaryFolder();

for (const [file, bones] of rigs) {
  describeWithData(`poise pose ${file}`, `gltf/${file}`, (path) => {
    test.each(bones)('moves %s to a reachable target, and the file shows it', async (bone) => {
      const source = await loadSource(path);
      for (const seed of [1, 2, 3]) {
        const target = positionsOf(source.figure, randomPose(source, seed)).get(bone) as number[];
        const output = join(folder, `${file}-${bone}-${seed}.glb`);
        const { status, report } = await posed(path, '--goal', `${bone}=${target}`, '-o', output);
        expect([status, report.status]).toEqual([0, 'converged']);
        await expectShown(source, report, output, new Map([[bone, target]]));
      }
    });

    test('meets goals on all those bones at once, and an orientation', async () => {
      const source = await loadSource(path);
      const positions = positionsOf(source.figure, randomPose(source, 4));
      const targets = new Map(bones.map((bone) => [bone, positions.get(bone) as number[]]));
      const output = join(folder, `${file}-all.glb`);
      const goals = [...targets].flatMap(([bone, target]) => ['--goal', `${bone}=${target}`]);
      const rotation = ['--orient', `${bones[0]}=+0,20,0deg`];
      const { status, report } = await posed(path, ...goals, ...rotation, '-o', output);
      expect([status, report.status]).toEqual([0, 'converged']);
      await expectShown(source, report, output, targets);
    });

    test('keeps the locked whole-body joints to the bit', async () => {
      const source = await loadSource(path);
      const [bone] = bones;
      const target = positionsOf(source.figure, randomPose(source, 5)).get(bone) as number[];
      const { report } = await posed(path, '--goal', `${bone}=${target}`);
      const whole = [...wholeBodyBones(source.figure, source.drawn)];
      expect(report.locked).toEqual(whole.map((b) => source.figure.bones[b].name));
      expect(whole.length).toBeGreaterThan(0);
      for (const name of report.locked)
        expect(report.pose.bones[name].every((value) => value === 0)).toBe(true);
    });
  });
}

/** Coordinates up to 0.7 rad either way, none for the joints that are locked. */
function randomPose({ figure, drawn }: Source, seed: number): Float64Array {
  const random = testRandom(seed);
  const whole = wholeBodyBones(figure, drawn);
  return Float64Array.from(figure.boneOfCoordinate, (bone) => {
    const value = 1.4 * random() - 0.7;
    return whole.has(bone) ? 0 : value;
  });
}

function positionsOf(figure: Figure, pose: Float64Array): Map<string, number[]> {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return new Map(
    figure.bones.map(({ name, index }) => [
      name,
      Array.from(state.worldFromBone.subarray(12 * index + 9, 12 * index + 12)),
    ]),
  );
}

/** Both readers show the goal bones at their targets to 1 mm (and 0.1 % of the height), and the solved joint matrices. */
async function expectShown(
  source: Source,
  report: PoseReport,
  output: string,
  targets: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  const { figure, rig } = source;
  if (!rig) throw new Error('no rig');
  const pose = new Float64Array(figure.dof);
  for (const { name, coordinate, dof } of figure.bones)
    if (dof > 0) pose.set(report.pose.bones[name], coordinate);
  const state = createState(figure);
  forwardKinematics(state, pose);
  const rest = [...positionsOf(figure, new Float64Array(figure.dof)).values()];
  const heights = rest.map((p) => p[1]);
  const height = Math.max(...heights) - Math.min(...heights);
  const size = Math.max(...rest.flat().map(Math.abs));

  for (const seen of [await seenByGltfTransform(output), await seenByThree(output)]) {
    for (const [name, target] of targets) {
      const { node } = rig.binding.bones[figure.bones.findIndex((bone) => bone.name === name)];
      const world = seen.worlds.get(node) as readonly number[];
      const off = Math.hypot(...target.map((value, k) => world[12 + k] - value));
      expect(off).toBeLessThan(Math.min(1e-3, 1e-3 * height));
    }
    expect(seen.joints.size).toBe(rig.binding.skins.length);
    expect(largestJointError(source, state.worldFromBone, seen, size)).toBeLessThan(1e-6);
  }
}

/** Joint matrices [R A | p] B of the solver's own frames against those seen; linear and position parts, relative. */
function largestJointError({ rig }: Source, worldFromBone: Float64Array, seen: Seen, size: number): number {
  if (!rig) throw new Error('no rig');
  let largest = 0;
  for (const { index, joints, inverseBinds } of rig.binding.skins) {
    joints.forEach((node, j) => {
      const b = rig.binding.boneOfNode[node];
      const frame = worldFromBone.subarray(12 * b, 12 * b + 12);
      const linear = mat3.multiply(frame, rig.binding.bones[b].outputMatrix);
      const world = affine.toColumnMajor4([...linear, ...frame.subarray(9)]);
      const inverseBind = (inverseBinds as Float64Array).subarray(16 * j, 16 * j + 16);
      const own = multiply(world, inverseBind);
      const theirs = seen.joints.get(index)?.[j] as readonly number[];
      const scale = Math.hypot(...own.filter((_, k) => k % 4 < 3 && k < 12)) / Math.sqrt(3);
      own.forEach((value, k) => {
        largest = Math.max(largest, Math.abs(value - theirs[k]) / (k < 12 ? scale : Math.max(size, 1e-9)));
      });
    });
  }
  return largest;
}

describe('the error measure of these tests', () => {
  test('multiplies column by column', () => {
    const turnZ = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const move = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1];
    expect(multiply(turnZ, move).slice(12)).toEqual([-6, 5, 7, 1]);
  });
});
