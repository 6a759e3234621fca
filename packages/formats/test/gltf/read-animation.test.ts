import {
  animatedJoints,
  type GltfClip,
  type GltfRig,
  listGltfAnimations,
  parseGltf,
  readGltfAnimation,
  readGltfRig,
  rigFromDocument,
  writeGltfAnimation,
  writePosedGltf,
} from '@poise/formats';
import { readGltfFile, readGltfRigFile } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import fc from 'fast-check';
import { FormatError } from 'poise';
import { createState, forwardKinematics, type JointData } from 'poise/figure';
import { quat } from 'poise/math';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { describe, expect, test } from 'vitest';
import { angleBetween, playChannel, readAnimations } from './support/animations.js';
import { glb, openGlb, type TestFile } from './support/build.js';
import { animatedGlb, type TestAnimation, threeWorlds } from './support/clips.js';
import { matrixDifference, sizeOf } from './support/oracles.js';
import {
  centimetreArmature,
  chain,
  mirrored,
  nestedUniform,
  nonUniformSpine,
  rotationAbout,
} from './support/rigs.js';

const FREE = (): JointData => ({ type: 'free' });

/** Transforms of all bones over a motion: 12 numbers each, in the world and in the parent. */
function bonesAt(
  { figure }: GltfRig,
  motion: Motion,
): (t: number) => { world: Float64Array; parent: Float64Array } {
  const state = createState(figure);
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  return (t) => {
    forwardKinematics(state, samplePose(sampler, t, pose));
    return { world: state.worldFromBone, parent: state.parentFromBone };
  };
}

/** Sample times of a clip between keys, so that all players agree at steps. */
function moments({ motion: { start, end } }: GltfClip, count: number): number[] {
  return Array.from({ length: count }, (_, k) => start + ((end - start) * (k + 0.4139)) / count);
}

/** Largest difference from three's world matrices: linear parts against their size, origins against that of the rig. */
async function differenceFromThree(
  rig: GltfRig,
  clip: GltfClip,
  bytes: Uint8Array,
  count: number,
): Promise<{ linear: number; origin: number }> {
  const three = await threeWorlds(bytes, clip.index);
  const bones = bonesAt(rig, clip.motion);
  const worst = { linear: 0, origin: 0 };
  for (const t of moments(clip, count)) {
    const theirs = three(t);
    const ours = bones(t).world;
    const size = sizeOf(rig.binding.bones.map(({ node }) => theirs(node)));
    for (const [b, { node, outputMatrix, exact }] of rig.binding.bones.entries()) {
      const frame = ours.subarray(12 * b, 12 * b + 12);
      const world = theirs(node);
      const expected = [...world];
      for (let k = 0; k < 3; k++) expected[12 + k] = frame[9 + k];
      worst.origin = Math.max(worst.origin, matrixDifference(expected, world, size));
      if (!exact) continue;
      for (let column = 0; column < 3; column++) {
        for (let row = 0; row < 3; row++) {
          expected[4 * column + row] = [0, 1, 2].reduce(
            (sum, k) => sum + frame[3 * row + k] * outputMatrix[3 * k + column],
            0,
          );
        }
      }
      worst.linear = Math.max(worst.linear, matrixDifference(expected, world, size));
    }
  }
  return worst;
}

describeWithData('real files, all nodes free', 'gltf', (folder) => {
  test.each([
    ['CesiumMan.gltf', [0]],
    ['Fox.glb', [0, 1, 2]],
    ['RobotExpressive.glb', [0, 1, 3, 6, 13]],
    ['KayKit_Knight.glb', [0, 5, 23, 75]],
    ['greenman.glb', [0, 2]],
    ['InterpolationTest.gltf', [3, 4, 5, 6, 7, 8]],
  ])('%s agrees with the mixer of three', async (file, indices) => {
    const rig = await readGltfRigFile(`${folder}/${file}`, { joints: FREE });
    const bytes = writePosedGltf(rig, new Float64Array(rig.figure.dof), { kind: 'glb', externals: 'embed' });
    for (const index of indices) {
      const clip = readGltfAnimation(rig, index, { tolerance: { rotation: 1e-7, translation: 1e-8 } });
      expect(clip.residuals).toEqual([]);
      expect(clip.skipped).toEqual([]);
      expect(clip.deviation.rotation).toBeLessThan(1e-7);
      const { linear, origin } = await differenceFromThree(rig, clip, bytes, 40);
      // Quaternions and scales of the file are rounded to single precision, and three takes them as they stand.
      expect(linear).toBeLessThan(1e-5);
      expect(origin).toBeLessThan(2e-6);
    }
  });
});

describeWithData('real files, default joints', 'gltf', (folder) => {
  test.each([
    ['Fox.glb', 2, ['b_Hip_01']],
    ['RobotExpressive.glb', 6, ['Foot.R', 'Body']],
    ['CesiumMan.gltf', 0, ['node_16']],
  ])('%s: residuals of ball joints agree with three', async (file, index, names) => {
    const rig = await readGltfRigFile(`${folder}/${file}`);
    const clip = readGltfAnimation(rig, index);
    expect(clip.warnings).toHaveLength(1);
    expect(clip.warnings[0]).toMatch(/joints cannot reproduce the animation, off by up to [\d.]+ m: /);
    expect(clip.residuals.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    const bytes = writePosedGltf(rig, new Float64Array(rig.figure.dof), { kind: 'glb', externals: 'embed' });
    const three = await threeWorlds(bytes, index);
    const [animation] = (await readAnimations(bytes)).slice(index);
    const times = animation.channels.flatMap((channel) => channel.times);
    const seen = new Map<number, { distance: number; angle: number }>();
    const bones = bonesAt(rig, clip.motion);
    for (const t of new Set(times)) {
      const theirs = three(t);
      const ours = bones(t).parent;
      for (const { index: b, parent } of rig.figure.bones) {
        if (!rig.binding.bones[b].exact || parent < 0) continue;
        const [above, own] = [parent, b].map((each) => theirs(rig.binding.bones[each].node));
        // In the parent's frame: R^T (p - p_parent), with R A the linear part of the parent.
        const { outputMatrix } = rig.binding.bones[parent];
        const scale = Math.cbrt(Math.abs(determinant(outputMatrix)));
        const columns = [0, 1, 2].map((k) => [0, 1, 2].map((r) => above[4 * k + r]));
        const offset = [0, 1, 2].map((k) => own[12 + k] - above[12 + k]);
        const local = columns.map((column) => column.reduce((sum, x, k) => sum + x * offset[k], 0) / scale);
        const distance = Math.hypot(...local.map((x, k) => x - ours[12 * b + 9 + k]));
        const before = seen.get(b) ?? { distance: 0, angle: 0 };
        seen.set(b, { ...before, distance: Math.max(before.distance, distance) });
      }
    }
    for (const { index: b } of rig.figure.bones) {
      if (!seen.has(b)) continue;
      const reported = clip.residuals.find(({ bone }) => bone === b)?.distance ?? 0;
      expect(Math.abs(reported - (seen.get(b)?.distance ?? 0))).toBeLessThan(2e-5 * Math.max(1, reported));
    }
  });

  test.each(['Fox.glb', 'RobotExpressive.glb', 'CesiumMan.gltf', 'KayKit_Knight.glb'])(
    '%s: animatedJoints leave nothing out, and no more joints than that are free',
    async (file) => {
      const document = await readGltfFile(`${folder}/${file}`);
      const few = [0, 1].slice(0, listGltfAnimations(document).length);
      const rig = rigFromDocument(document, { joints: animatedJoints(document, few) });
      for (const index of few)
        expect(readGltfAnimation(rig, index).residuals.filter(({ distance }) => distance > 1e-4)).toEqual([]);
      const plain = rigFromDocument(document);
      const reported = new Set(
        few.flatMap((index) => readGltfAnimation(plain, index).residuals.map(({ name }) => name)),
      );
      for (const { name, joint } of rig.figure.bones) {
        const before = plain.figure.bones.find((bone) => bone.name === name);
        if (before?.joint.type !== joint.type) expect(reported).toContain(name);
      }
    },
  );

  test('animations are listed as they are in the file', async () => {
    const fox = await readGltfFile(`${folder}/Fox.glb`);
    expect(listGltfAnimations(fox)).toEqual([
      { index: 0, name: 'Survey', start: 0, end: 3.4166667461395264, channels: 21, keys: 83, rate: 24 },
      { index: 1, name: 'Walk', start: 0, end: 0.7083333134651184, channels: 21, keys: 18, rate: 24 },
      { index: 2, name: 'Run', start: 0, end: 1.1583333015441895, channels: 21, keys: 25 },
    ]);
    const rig = rigFromDocument(fox);
    expect(readGltfAnimation(rig, 'Walk').motion).toMatchObject({
      name: 'Walk',
      start: 0,
      end: 0.7083333134651184,
    });
    expect(readGltfAnimation(rig, 'Walk', { name: 'go' }).motion.name).toBe('go');
    expect(() => readGltfAnimation(rig, 'Wlak')).toThrow(/Did you mean 'Walk'\?/);
    expect(() => readGltfAnimation(rig, 3)).toThrow(/no animation 3\. The file has 3\./);
    const man = await readGltfRigFile(`${folder}/CesiumMan.gltf`);
    expect(readGltfAnimation(man).motion.name).toBe('animation_0');
  });

  test.each([
    ['Fox.glb', 0, 'LINEAR'],
    ['Fox.glb', 2, 'CUBICSPLINE'],
    ['CesiumMan.gltf', 0, 'LINEAR'],
    ['RobotExpressive.glb', 1, 'CUBICSPLINE'],
  ] as const)(
    '%s %i read, written as %s and read again keeps the bound of the writer',
    async (file, index, interpolation) => {
      const document = await readGltfFile(`${folder}/${file}`);
      const options = { joints: animatedJoints(document) };
      const rig = rigFromDocument(document, options);
      const { motion } = readGltfAnimation(rig, index);
      const tolerance = { rotation: 5e-4, translation: 1e-4 };
      const bytes = writeGltfAnimation(rig, motion, {
        interpolation,
        tolerance,
        kind: 'glb',
        begin: motion.start,
      });
      const again = readGltfRig(bytes, options);
      const last = listGltfAnimations(again.document).length - 1;
      const clip = readGltfAnimation(again, last);
      expect(clip.motion.end).toBeCloseTo(motion.end, 6);
      const [before, after] = [bonesAt(rig, motion), bonesAt(again, clip.motion)];
      const worst = { rotation: 0, translation: 0 };
      for (let n = 0; n <= 300; n++) {
        const t = motion.start + ((motion.end - motion.start) * n) / 300;
        const [a, b] = [before(t).parent, after(t).parent];
        for (const { index: bone, name } of rig.figure.bones) {
          const other = again.figure.bones.findIndex((each) => each.name === name);
          const [p, q] = [a.subarray(12 * bone, 12 * bone + 12), b.subarray(12 * other, 12 * other + 12)];
          if (!rig.binding.bones[bone].exact) continue;
          worst.rotation = Math.max(
            worst.rotation,
            angleBetween(quat.fromMatrix(p), quat.normalize(quat.fromMatrix(q))),
          );
          worst.translation = Math.max(worst.translation, Math.hypot(...[9, 10, 11].map((k) => p[k] - q[k])));
        }
      }
      // What the reader adds is a fiftieth of it.
      expect(worst.rotation).toBeLessThan(tolerance.rotation + 2e-5);
      expect(worst.translation).toBeLessThan(tolerance.translation + 3e-6);
      expect(worst.rotation).toBeGreaterThan(0.2 * tolerance.rotation);
    },
  );
});

function determinant(m: ArrayLike<number>): number {
  return (
    m[0] * (m[4] * m[8] - m[5] * m[7]) -
    m[1] * (m[3] * m[8] - m[5] * m[6]) +
    m[2] * (m[3] * m[7] - m[4] * m[6])
  );
}

/** Four keys of rotation, uneven; splines get tangents. */
const TIMES = [0.25, 0.5, 1.25, 1.5];
const TURNS = [
  rotationAbout([1, 2, 0], 10),
  rotationAbout([0, 1, 1], 100),
  rotationAbout([1, 0, 1], -150),
  rotationAbout([0, 0, 1], 60),
];
const PLACES = [
  [0, 1, 2],
  [3, -1, 0],
  [0.5, 0, 0],
  [1, 1, 1],
];
const spline = (values: number[][]): number[] =>
  values.flatMap((value, i) => [
    ...value.map((_, k) => Math.sin(i + k)),
    ...value,
    ...value.map((_, k) => Math.cos(2 * i + k)),
  ]);

const kinds = (node: number): TestAnimation[] =>
  ['LINEAR', 'STEP', 'CUBICSPLINE'].map((interpolation) => {
    const write = (values: number[][]) => (interpolation === 'CUBICSPLINE' ? spline(values) : values.flat());
    return {
      name: interpolation,
      channels: [
        { node, path: 'rotation', interpolation, times: TIMES, values: write(TURNS) },
        { node, path: 'translation', interpolation, times: TIMES.slice(1), values: write(PLACES.slice(1)) },
      ],
    };
  });

describe('interpolations', () => {
  const files: [string, TestFile, number][] = [
    ['an armature in centimetres', centimetreArmature, 1],
    ['nested uniform scale', nestedUniform, 2],
    ['mirrors', mirrored, 3],
    ['a non-uniform spine', nonUniformSpine, 3],
  ];

  test.each(files)('%s: as in three, whatever the interpolation', async (_, file, node) => {
    const bytes = animatedGlb(file, kinds(node));
    const rig = readGltfRig(bytes, { joints: FREE });
    for (const name of ['LINEAR', 'STEP', 'CUBICSPLINE']) {
      const clip = readGltfAnimation(rig, name);
      expect(clip.residuals).toEqual([]);
      expect([clip.motion.start, clip.motion.end]).toEqual([0.25, 1.5]);
      const { linear, origin } = await differenceFromThree(rig, clip, bytes, 60);
      // The tolerance, and six joints.
      expect(linear).toBeLessThan(3e-5);
      expect(origin).toBeLessThan(1e-5);
    }
  });

  // Apart from three: the standard's formulas, on the numbers that gltf-transform reads.
  test.each(['LINEAR', 'STEP', 'CUBICSPLINE'])('%s within the tolerance asked for', async (name) => {
    const bytes = animatedGlb({ nodes: [{ name: 'a' }] }, kinds(0));
    const rig = readGltfRig(bytes);
    const animation = (await readAnimations(bytes)).find((each) => each.name === name);
    for (const tolerance of [
      { rotation: 1e-2, translation: 1e-2 },
      { rotation: 1e-4, translation: 1e-5 },
      { rotation: 1e-7, translation: 1e-7 },
    ]) {
      const clip = readGltfAnimation(rig, name, { tolerance });
      const bones = bonesAt(rig, clip.motion);
      let [angle, distance] = [0, 0];
      for (const t of moments(clip, 500)) {
        const frame = bones(t).parent;
        for (const channel of animation?.channels ?? []) {
          const k = channel.times.filter((time) => time <= t).length - 1;
          const stepped = channel.values.slice(
            ...(channel.path === 'rotation'
              ? [4 * k, 4 * k + 4]
              : [3 * Math.max(k, 0), 3 * Math.max(k, 0) + 3]),
          );
          const expected = name === 'STEP' ? stepped : playChannel(channel, t);
          if (channel.path === 'rotation')
            angle = Math.max(angle, angleBetween(expected, quat.normalize(quat.fromMatrix(frame))));
          else distance = Math.max(distance, Math.hypot(...expected.map((x, c) => x - frame[9 + c])));
        }
      }
      expect(angle).toBeLessThan(tolerance.rotation);
      expect(distance).toBeLessThan(tolerance.translation);
      expect(clip.deviation.rotation).toBeLessThan(tolerance.rotation);
    }
  });

  test('a step is a jump at its key, the last one too', () => {
    const bytes = animatedGlb({ nodes: [{ name: 'a' }] }, [
      {
        channels: [
          {
            node: 0,
            path: 'translation',
            interpolation: 'STEP',
            times: [0, 1, 2],
            values: [0, 0, 0, 1, 0, 0, 5, 0, 0],
          },
        ],
      },
    ]);
    const rig = readGltfRig(bytes);
    const { motion } = readGltfAnimation(rig);
    const at = (t: number) => samplePose(createMotionSampler(rig.figure, motion), t, new Float64Array(6))[0];
    expect([0, 0.5, 1 - 1e-12, 1, 1.5, 2 - 1e-12, 2, 3].map(at)).toEqual([0, 0, 0, 1, 1, 1, 5, 5]);
  });

  test('rotations in 16 bits', () => {
    const values = TURNS.flat().map((x) => Math.round(32767 * x));
    const times = TIMES;
    const bytes = animatedGlb({ nodes: [{ name: 'a' }] }, [
      { channels: [{ node: 0, path: 'rotation', times, values, componentType: 5122 }] },
    ]);
    const rig = readGltfRig(bytes);
    const bones = bonesAt(rig, readGltfAnimation(rig).motion);
    for (const [k, t] of times.entries()) {
      expect(angleBetween(TURNS[k], quat.normalize(quat.fromMatrix(bones(t).parent)))).toBeLessThan(6e-5);
    }
  });
});

describe('what joints can reproduce', () => {
  const file: TestFile = {
    nodes: chain([
      { name: 'body', translation: [0, 1, 0] },
      { name: 'arm', translation: [1, 0, 0], rotation: rotationAbout([0, 1, 0], 30) },
      { name: 'hand', translation: [0.5, 0, 0] },
    ]),
    skins: [{ joints: [0, 1, 2] }],
  };

  test('a hinge takes the rotation about its axis, and reports the residual', () => {
    const angles = [0, 40, 80, 200, 320, 440];
    const about = (axis: number[]) =>
      angles.flatMap((angle) => quat.multiply(rotationAbout([0, 1, 0], 30), rotationAbout(axis, angle)));
    const times = angles.map((_, i) => i);
    const bytes = animatedGlb(file, [
      { name: 'x', channels: [{ node: 1, path: 'rotation', times, values: about([1, 0, 0]) }] },
      {
        name: 'z',
        channels: [{ node: 1, path: 'rotation', times: [0, 1, 2], values: about([0, 0, 1]).slice(0, 12) }],
      },
    ]);
    const rig = readGltfRig(bytes, {
      joints: (name) => (name === 'arm' ? { type: 'hinge', axis: [1, 0, 0] } : undefined),
    });
    const good = readGltfAnimation(rig, 'x');
    expect(good.residuals).toEqual([]);
    const { coordinate } = rig.figure.bones[1];
    const sampler = createMotionSampler(rig.figure, good.motion);
    // Slerp takes the short arc, and the angle continues: 200 to 440 degrees is 120, twice.
    for (const [t, degrees] of [
      [1.5, 60],
      [2.5, 140],
      [5, 440],
    ]) {
      expect(samplePose(sampler, t, new Float64Array(rig.figure.dof))[coordinate]).toBeCloseTo(
        (degrees * Math.PI) / 180,
        5,
      );
    }
    const bad = readGltfAnimation(rig, 'z');
    expect(bad.residuals).toHaveLength(1);
    expect(bad.residuals[0]).toMatchObject({ bone: 1, name: 'arm', distance: 0 });
    expect(bad.residuals[0].angle).toBeCloseTo((80 * Math.PI) / 180, 5);
    expect(bad.warnings).toEqual([
      'gltf#/animations/1: joints cannot reproduce the animation, off by up to 1.4 rad: arm (the option joints of the rig gives others: animatedJoints).',
    ]);
  });

  test('an animated scale is skipped but moves descendants, as in three', async () => {
    const channels = [
      { node: 0, path: 'scale', times: [0, 1, 2], values: [1, 1, 1, 2, 2, 2, 0.5, 0.5, 0.5] },
      {
        node: 0,
        path: 'rotation',
        times: [0, 2],
        values: [...rotationAbout([0, 0, 1], 0), ...rotationAbout([0, 0, 1], 90)],
      },
      {
        node: 1,
        path: 'rotation',
        times: [0, 2],
        values: [...rotationAbout([0, 1, 0], 30), ...rotationAbout([1, 1, 1], 70)],
      },
    ];
    const bytes = animatedGlb(file, [{ channels }]);
    const rig = readGltfRig(bytes, { joints: FREE });
    const clip = readGltfAnimation(rig);
    expect(clip.skipped).toEqual([
      { node: 0, path: 'scale', reason: 'The scale changes by up to 100 %; bones are rigid.' },
    ]);
    const three = await threeWorlds(bytes, 0);
    const bones = bonesAt(rig, clip.motion);
    for (const t of moments(clip, 30)) {
      for (const { index } of rig.figure.bones) {
        const m = three(t)(rig.binding.bones[index].node);
        const frame = bones(t).world.subarray(12 * index, 12 * index + 12);
        const size = Math.hypot(m[0], m[1], m[2]);
        for (let k = 0; k < 3; k++) {
          expect(Math.abs(frame[9 + k] - m[12 + k])).toBeLessThan(3e-6);
          for (let r = 0; r < 3; r++)
            expect(Math.abs(frame[3 * r + k] - m[4 * k + r] / size)).toBeLessThan(3e-5);
        }
      }
    }
    const stiff = readGltfAnimation(readGltfRig(bytes));
    expect(stiff.residuals.map(({ name, distance }) => [name, Math.round(1e4 * distance) / 1e4])).toEqual([
      ['arm', 1],
      ['hand', 0.5],
    ]);
  });

  test('weights, pointers, nodes that are not bones and channels without a node are listed as skipped', () => {
    const bytes = animatedGlb({ ...file, nodes: [...file.nodes, { name: 'hat' }, { name: 'still' }] }, [
      {
        channels: [
          {
            node: 1,
            path: 'rotation',
            times: [0, 1],
            values: [...rotationAbout([0, 1, 0], 30), ...rotationAbout([0, 1, 0], 31)],
          },
          { node: 3, path: 'translation', times: [0, 1], values: [0, 0, 0, 1, 0, 0] },
          { node: 4, path: 'translation', times: [0, 1], values: [0, 0, 0, 0, 0, 0] },
          { node: 0, path: 'weights', times: [0, 3], values: [0, 1] },
          { path: 'rotation', times: [0, 1], values: [0, 0, 0, 1, 0, 0, 0, 1] },
        ],
      },
    ]);
    const clip = readGltfAnimation(readGltfRig(bytes));
    expect(clip.skipped.map(({ node, path }) => [node, path])).toEqual([
      [0, 'weights'],
      [-1, 'rotation'],
      [3, 'translation'],
    ]);
    expect(clip.motion.end).toBe(3);
    expect(clip.motion.tracks).toHaveLength(1);
    expect(readGltfAnimation(readGltfRig(bytes, { bones: 'all', joints: FREE })).skipped).toHaveLength(2);
  });

  test('an animation of a single key time, and a constant one', () => {
    const bytes = animatedGlb(file, [
      {
        name: 'pose',
        channels: [{ node: 1, path: 'rotation', times: [0.5], values: rotationAbout([0, 1, 0], 90) }],
      },
      {
        name: 'still',
        channels: [
          {
            node: 1,
            path: 'rotation',
            times: [0, 2],
            values: [...rotationAbout([0, 1, 0], 30), ...rotationAbout([0, 1, 0], 30)],
          },
        ],
      },
    ]);
    const rig = readGltfRig(bytes);
    const pose = readGltfAnimation(rig, 'pose');
    expect([pose.motion.start, pose.motion.end]).toEqual([0.5, 1.5]);
    expect(pose.warnings).toEqual([
      'gltf#/animations/0: has a single key time; the motion is static for 1 s.',
    ]);
    const { coordinate } = rig.figure.bones[1];
    expect(
      samplePose(createMotionSampler(rig.figure, pose.motion), 1, new Float64Array(rig.figure.dof))[
        coordinate + 1
      ],
    ).toBeCloseTo(Math.PI / 3, 6);
    const still = readGltfAnimation(rig, 'still');
    expect([still.motion.start, still.motion.end, still.motion.tracks.length]).toEqual([0, 2, 1]);
    expect(Math.max(...Array.from(still.motion.base, Math.abs))).toBeLessThan(1e-7);
  });

  test('a body that rotates many times stays within its charts', async () => {
    const steps = 40;
    const times = Array.from({ length: steps }, (_, i) => 0.25 * i);
    const values = times.flatMap((_, i) =>
      quat.multiply(rotationAbout([0, 1, 0], 100 * i), rotationAbout([1, 0, 0], 20 * Math.sin(i))),
    );
    const bytes = animatedGlb(file, [{ channels: [{ node: 0, path: 'rotation', times, values }] }]);
    const rig = readGltfRig(bytes);
    const clip = readGltfAnimation(rig);
    const [{ curve }] = clip.motion.tracks;
    for (let o = 0; o < curve.controls.length; o += 6) {
      expect(Math.hypot(...Array.from(curve.controls).slice(o + 3, o + 6))).toBeLessThan(1.6 * Math.PI);
    }
    const { linear } = await differenceFromThree(rig, clip, bytes, 400);
    expect(linear).toBeLessThan(2e-5);
    expect(clip.deviation.rotation).toBeLessThan(1e-5);
    // A slerp of 100 degrees is not a cubic, but no chart singularity is near: a few pieces each.
    expect(curve.knots.length).toBeLessThan(6 * steps);
  });

  test('random keys of random joints: within the bound and finite', () => {
    const angle = fc.integer({ min: -179, max: 179 });
    const axis = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }), fc.constant(1));
    const key = fc.tuple(axis, angle);
    const joint = fc.constantFrom<JointData>(
      { type: 'ball' },
      { type: 'free' },
      { type: 'euler', order: 'XYZ' },
      { type: 'ball-and-socket', axis: [0, 1, 0] },
    );
    fc.assert(
      fc.property(fc.array(key, { minLength: 2, maxLength: 5 }), joint, (keys, type) => {
        const values = keys.map(([a, degrees]) => rotationAbout(a, degrees));
        const times = keys.map((_, i) => i);
        const bytes = animatedGlb(file, [
          { channels: [{ node: 1, path: 'rotation', times, values: values.flat() }] },
        ]);
        const rig = readGltfRig(bytes, { joints: (name) => (name === 'arm' ? type : undefined) });
        const clip = readGltfAnimation(rig, 0, { tolerance: { rotation: 1e-4 } });
        const bones = bonesAt(rig, clip.motion);
        for (const [i, t] of times.entries()) {
          // Just after the key, where a knot may change charts.
          const frame = bones(t).parent.slice(12, 24);
          expect(angleBetween(values[i], quat.normalize(quat.fromMatrix(frame)))).toBeLessThan(2e-6);
        }
        for (const { curve } of clip.motion.tracks)
          expect(Array.from(curve.controls).every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('bad animations are refused', () => {
  const still = {
    nodes: [{ name: 'a' }, { name: 'm', matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }],
  };
  const good = { node: 0, path: 'rotation', times: [0, 1], values: [0, 0, 0, 1, 0, 0, 1, 0] };
  type Channel = typeof good & { interpolation?: string; componentType?: number };
  const cases: [string, Partial<Channel>, string, string][] = [
    ['times that do not increase', { times: [1, 1] }, 'not-increasing', '/samplers/0/input'],
    ['times before 0', { times: [-1, 1] }, 'out-of-range', '/samplers/0/input'],
    ['a time that is NaN', { times: [0, Number.NaN] }, 'not-finite', '/samplers/0/input'],
    ['no key', { times: [], values: [] }, 'wrong-size', '/samplers/0/input'],
    ['a value too few', { values: [0, 0, 0, 1] }, 'wrong-size', '/samplers/0/output'],
    ['a spline without tangents', { interpolation: 'CUBICSPLINE' }, 'wrong-size', '/samplers/0/output'],
    [
      'a value that is infinite',
      { values: [0, 0, 0, 1, 0, 0, Number.POSITIVE_INFINITY, 0] },
      'not-finite',
      '/samplers/0/output',
    ],
    ['a zero quaternion', { values: [0, 0, 0, 1, 0, 0, 0, 0] }, 'not-unit', '/samplers/0/output'],
    ['another interpolation', { interpolation: 'SLERP' }, 'invalid-file', '/samplers/0/interpolation'],
    ['a node with a matrix', { node: 1 }, 'invalid-file', '/channels/0'],
    ['a node that does not exist', { node: 7 }, 'out-of-range', '/channels/0/target/node'],
  ];

  test.each(cases)('%s', (_, change, code, filePath) => {
    const rig = readGltfRig(animatedGlb(still, [{ channels: [{ ...good, ...change }] }]), {
      source: 'bad.glb',
    });
    const path = `bad.glb#/animations/0${filePath}`;
    expect(() => readGltfAnimation(rig)).toThrow(expect.objectContaining({ code, path }));
    expect(() => listGltfAnimations(rig.document)).toThrow(expect.objectContaining({ code, path }));
  });

  test('a duplicate path, an accessor of another type, no channel, no animation, no joint, an invalid tolerance', () => {
    const twice = readGltfRig(animatedGlb(still, [{ channels: [good, good] }]), { source: 'bad.glb' });
    expect(() => readGltfAnimation(twice)).toThrow(
      expect.objectContaining({ code: 'invalid-file', path: 'bad.glb#/animations/0/channels/1' }),
    );
    const swapped = parseGltf(animatedGlb(still, [{ channels: [good] }]), { source: 'bad.glb' });
    const [animation] = swapped.json.animations as { samplers: { output: number; input: number }[] }[];
    animation.samplers[0].output = animation.samplers[0].input;
    expect(() => listGltfAnimations(swapped)).toThrow(/holds SCALAR instead of VEC4/);
    const empty = readGltfRig(animatedGlb(still, [{ channels: [] }]), { source: 'bad.glb' });
    expect(() => readGltfAnimation(empty)).toThrow(/has no channel/);
    const none = readGltfRig(animatedGlb(still, []), { source: 'bad.glb' });
    expect(listGltfAnimations(none.document)).toEqual([]);
    expect(() => readGltfAnimation(none)).toThrow(/there are no animations\. Give a file with animations\./);
    const stiff = readGltfRig(animatedGlb(still, [{ channels: [good] }]), {
      joints: () => ({ type: 'fixed' }),
    });
    expect(() => readGltfAnimation(stiff)).toThrow(expect.objectContaining({ code: 'unsupported' }));
    const rig = readGltfRig(animatedGlb(still, [{ channels: [good] }]));
    for (const rotation of [0, -1, Number.NaN]) {
      expect(() => readGltfAnimation(rig, 0, { tolerance: { rotation } })).toThrow(
        expect.objectContaining({ code: 'out-of-range' }),
      );
    }
  });

  test('any value in the JSON is read or refused', () => {
    const bytes = animatedGlb({ nodes: [{ name: 'a' }] }, kinds(0));
    const { json, binary } = openGlb(bytes);
    const paths: (string | number)[][] = [];
    const collect = (value: unknown, path: (string | number)[]): void => {
      paths.push(path);
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key]);
    };
    for (const key of ['animations', 'accessors', 'bufferViews']) collect(json[key], [key]);
    const values = [null, -1, 0, 2, 1e9, 2.5, 'x', [], {}, true, 5121];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.constantFrom(...values), (path, value) => {
        const copy = structuredClone(json);
        let at: Record<string | number, unknown> = copy;
        for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
        at[path[path.length - 1]] = value;
        try {
          const rig = readGltfRig(glb(copy, binary));
          for (const { index } of listGltfAnimations(rig.document)) {
            const { motion } = readGltfAnimation(rig, index, {
              tolerance: { rotation: 1e-2, translation: 1e-2 },
            });
            expect(motion.end).toBeGreaterThan(motion.start);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('a spline through a zero quaternion', () => {
    const values = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0];
    const rig = readGltfRig(
      animatedGlb(still, [{ channels: [{ ...good, interpolation: 'CUBICSPLINE', values }] }]),
    );
    expect(() => readGltfAnimation(rig)).toThrow(
      expect.objectContaining({ code: 'not-unit', path: 'gltf#/animations/0/channels/0' }),
    );
  });
});
