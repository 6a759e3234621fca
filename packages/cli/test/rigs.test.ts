/**
 * The main job on real rigs: a goal that the rig can reach, the CLI, a file; then the file in two readers that nobody
 * here wrote. Goals are made from random poses of the same rig, so each is reachable.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { poseFromData } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { affine, mat3 } from 'poise/math';
import { describe, expect, test } from 'vitest';
import { wholeBodyBones } from '../src/goals/locked-bones.js';
import type { PoseReport } from '../src/goals/pose-report.js';
import { loadSource, type Source } from '../src/io/source.js';
import { poise, posed, temporaryFolder } from './support/command.js';
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

describeWithData('poise pose with the limits of a human', 'gltf/KayKit_Knight.glb', (path) => {
  /** Bend of the left knee, rad: positive for a foot behind the thigh's line, of a character that faces +Z. */
  const kneeBend = async (...options: string[]) => {
    const { status, report } = await posed(path, ...options, '--goal', 'foot.l=+0,0.3,0.35');
    const joints = options.includes('anatomical') ? 'anatomical' : 'given';
    const { figure } = await loadSource(path, { joints });
    const positions = positionsOf(figure, poseFromData(figure, report.pose));
    const [hip, knee, foot] = ['upperleg.l', 'lowerleg.l', 'foot.l'].map(
      (bone) => positions.get(bone) as number[],
    );
    const [thigh, shank] = [
      [knee, hip],
      [foot, knee],
    ].map(([a, b]) => a.map((x, k) => x - b[k]));
    const sine = thigh[1] * shank[2] - thigh[2] * shank[1];
    return { status, bend: Math.atan2(sine, thigh[1] * shank[1] + thigh[2] * shank[2]) };
  };

  test('bends a knee forwards only, where the file alone lets it bend backwards', async () => {
    const [free, limited] = [await kneeBend(), await kneeBend('--joints', 'anatomical')];
    expect([free.status, limited.status]).toEqual([0, 0]);
    expect(free.bend).toBeLessThan(-0.5);
    expect(limited.bend).toBeGreaterThan(0.3);
  });

  test('inspect shows them, and its JSON is a figure file that has them', async () => {
    const { out } = await poise('inspect', path, '--joints', 'anatomical');
    expect(out).toMatch(/lowerleg\.l +hinge about/);
    const figure = join(folder, 'knight.json');
    writeFileSync(figure, (await poise('inspect', path, '--joints', 'anatomical', '--json')).out);
    expect((await poise('inspect', figure)).out).toMatch(/lowerleg\.l +hinge about/);
  });

  test('the posed file shows what the report says', async () => {
    const source = await loadSource(path, { joints: 'anatomical' });
    const output = join(folder, 'knight-limited.glb');
    const { report } = await posed(
      path,
      '--joints',
      'anatomical',
      '--goal',
      'foot.r=+0,0.2,0.2',
      '-o',
      output,
    );
    const { figure, rig } = source;
    const expected = positionsOf(figure, poseFromData(figure, report.pose));
    for (const seen of [await seenByGltfTransform(output), await seenByThree(output)]) {
      for (const { index, name } of figure.bones) {
        const world = seen.worlds.get(rig?.binding.bones[index].node as number) as readonly number[];
        const gap = (expected.get(name) as number[]).map((x, k) => x - world[12 + k]);
        expect(Math.hypot(...gap), name).toBeLessThan(1e-6);
      }
    }
  });
});

test('a figure that is not a humanoid is refused with the cure', async () => {
  const box = join(folder, 'box.json');
  writeFileSync(box, JSON.stringify({ name: 'box', bones: [{ name: 'lid', joint: { type: 'ball' } }] }));
  const { status, err } = await poise('pose', box, '--joints', 'anatomical', '--goal', 'lid=0,1,0');
  expect(status).toBe(2);
  expect(err).toMatch(/box\.json: is not a humanoid: hips.*--human hips=NAME/s);
});
