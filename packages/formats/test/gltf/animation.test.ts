import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type GltfRig,
  poseNodes,
  readGltfAnimation,
  readGltfRig,
  type SampleGltfAnimationOptions,
  sampleGltfAnimation,
  writeFigureGltf,
  writeGltfAnimation,
  writeVrmAnimation,
} from '@poise/formats';
import { writeFileSafely } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import fc from 'fast-check';
import { FormatError, MotionError } from 'poise';
import {
  createFigure,
  createPose,
  createState,
  figureToData,
  type JointData,
  type MimicPiece,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { mat3, quat } from 'poise/math';
import {
  type Curve,
  createMotion,
  createMotionSampler,
  cubicSpline,
  linearCurve,
  type Motion,
  type MotionData,
  minimumJerkCurve,
  quinticCurve,
  rotationVectorHermite,
  samplePose,
  stepCurve,
  type TrackData,
} from 'poise/motion';
import { describe, expect, test } from 'vitest';
import { movingNodes } from '../../src/gltf/animation/animation-nodes.js';
import {
  angleBetween,
  animationFaults,
  playChannel,
  readAnimations,
  threePlayer,
} from './support/animations.js';
import { buildGlb, buildGltf, openGlb, type TestFile } from './support/build.js';
import {
  centimetreArmature,
  chain,
  matrixNodes,
  mirrored,
  nestedUniform,
  nonUniformArmature,
  nonUniformSpine,
  noSkin,
  rotationAbout,
  roundedScales,
} from './support/rigs.js';

/** Park and Miller's generator, -1 to 1. */
function numbers(count: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  });
}

const times = [0, 0.4, 1.1, 1.7, 2.5];

/** A smooth motion of all joints, roots by decimetres. */
function smooth({ figure }: GltfRig, more: Partial<MotionData> = {}): Motion {
  const values = numbers(figure.dof * times.length, 17);
  return createMotion(figure, {
    name: 'smooth',
    tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }],
    ...more,
  });
}

/** Where the motion has a node, by poseNodes, which the posed files are tested with. */
function wantedAt(
  rig: GltfRig,
  motion: Motion,
): (t: number) => (node: number) => { rotation: number[]; translation: number[] } {
  const sampler = createMotionSampler(rig.figure, motion);
  const pose = new Float64Array(rig.figure.dof);
  const state = createState(rig.figure);
  return (t) => {
    const changes = poseNodes(rig, samplePose(sampler, t, pose), state);
    return (node) => {
      const { rotation, translation, matrix } = { ...rig.binding.nodes[node], ...changes.get(node) };
      if (!matrix) return { rotation: [...quat.normalize(rotation)], translation: [...translation] };
      const linear = mat3.transpose([...matrix.slice(0, 3), ...matrix.slice(4, 7), ...matrix.slice(8, 11)]);
      return {
        rotation: [...quat.fromMatrix(mat3.rotationFactor(linear))],
        translation: matrix.slice(12, 15),
      };
    };
  };
}

/** Metres of a difference in a node's translation. */
function metres(rig: GltfRig, node: number, a: readonly number[], b: readonly number[]): number {
  const { parent } = rig.binding.nodes[node];
  const bone = parent < 0 ? -1 : rig.binding.boneOfNode[parent];
  const output = bone < 0 ? mat3.identity() : rig.binding.bones[bone].outputMatrix;
  return Math.hypot(
    ...mat3.multiplyVector(
      output,
      a.map((x, k) => x - b[k]),
    ),
  );
}

interface Played {
  rotation: number;
  translation: number;
  keys: number;
  channels: number;
}

/** Largest errors of what two players show, at ten moments between any two keys. */
async function playedErrors(
  rig: GltfRig,
  motion: Motion,
  bytes: Uint8Array,
  begin = 0,
  sampleCount = 100,
): Promise<Played> {
  const name = motion.name;
  const animation = (await readAnimations(bytes)).find((each) => each.name === name);
  if (animation === undefined) throw new Error(`no animation '${name}'`);
  const three = await threePlayer(bytes, name);
  const wantedFor = wantedAt(rig, motion);
  const known = new Map<number, (node: number) => { rotation: number[]; translation: number[] }>();
  const wanted = (t: number) => {
    const kept = known.get(t) ?? wantedFor(t);
    known.set(t, kept);
    return kept;
  };
  const result = { rotation: 0, translation: 0, keys: 0, channels: animation.channels.length };
  const moments = new Set<number>();
  const note = (path: string, node: number, shown: readonly number[], right: readonly number[]): void => {
    if (path === 'rotation') result.rotation = Math.max(result.rotation, angleBetween(shown, right));
    else result.translation = Math.max(result.translation, metres(rig, node, shown, right));
  };
  for (const channel of animation.channels) {
    result.keys += channel.times.length;
    for (let i = 0; i + 1 < channel.times.length; i++) {
      const [a, b] = channel.times.slice(i, i + 2);
      for (let n = 0; n < 10; n++) {
        const t = a + ((b - a) * n) / 10;
        moments.add(t);
        const right = wanted(t - begin + motion.start)(channel.node);
        note(
          channel.path,
          channel.node,
          playChannel(channel, t),
          channel.path === 'rotation' ? right.rotation : right.translation,
        );
      }
    }
  }
  // three plays all channels at once: some of the moments, and all nodes, moved or not.
  const all = [...moments].sort((a, b) => a - b);
  const step = Math.max(1, Math.floor(all.length / sampleCount));
  for (let i = 0; i < all.length; i += step) {
    const shown = three(all[i]);
    const right = wanted(all[i] - begin + motion.start);
    for (const { node } of rig.binding.bones) {
      note('rotation', node, shown(node).rotation, right(node).rotation);
      note('translation', node, shown(node).translation, right(node).translation);
    }
  }
  return result;
}

/** Of three's result buffers, which are single precision too. */
const SINGLE = 5e-7;

const files: [string, TestFile][] = [
  ['an armature in centimetres', centimetreArmature],
  ['nested uniform scale', nestedUniform],
  ['mirrors', mirrored],
  ['nodes with matrices', matrixNodes],
  ['no skin', noSkin],
  ['a non-uniform armature', nonUniformArmature],
  ['a non-uniform spine', nonUniformSpine],
  ['scales that are rounded', roundedScales],
];

describe.each(files)('%s', (_, file) => {
  test.each([
    ['LINEAR', 1e-2, 1e-3],
    ['LINEAR', 1e-3, 1e-4],
    ['CUBICSPLINE', 1e-2, 1e-3],
    ['CUBICSPLINE', 2e-5, 1e-6],
  ] as const)('%s keeps %s rad and %s m in both players', async (interpolation, rotation, translation) => {
    const rig = readGltfRig(buildGlb(file));
    const motion = smooth(rig);
    const bytes = writeGltfAnimation(rig, motion, { interpolation, tolerance: { rotation, translation } });
    expect(animationFaults(bytes)).toEqual([]);
    const errors = await playedErrors(rig, motion, bytes);
    expect(errors.rotation).toBeLessThan(rotation + SINGLE);
    expect(errors.translation).toBeLessThan(translation + SINGLE);
    // The bound is used: not every sample is a key.
    expect(errors.rotation).toBeGreaterThan(0.3 * rotation);
  });
});

test('scales that are rounded leave each node to its own joint, unless the bound is as small', () => {
  const rig = readGltfRig(buildGlb(roundedScales));
  const own = (tolerance: number) => {
    const nodes = movingNodes(rig, smooth(rig), { rotation: tolerance, translation: tolerance });
    return rig.figure.bones.filter(({ index }) => nodes.ownJointOnly(index)).length;
  };
  const { length } = rig.figure.bones;
  expect(own(1e-3)).toBe(length);
  expect(own(1e-6)).toBeLessThan(length);
});

describe('the bound', () => {
  const rig = readGltfRig(buildGlb(centimetreArmature));

  test('is kept at corners, where a curve has two rates', async () => {
    const { figure } = rig;
    const values = numbers(figure.dof * times.length, 5);
    const motion = createMotion(figure, {
      name: 'corners',
      tracks: figure.bones
        .filter(({ dof }) => dof > 0)
        .map(({ name, dof, coordinate }) => ({
          bone: name,
          curve: linearCurve({
            times: times.map((t) => t + 0.01 * coordinate),
            values: times.flatMap((__, i) =>
              values.slice(i * figure.dof + coordinate, i * figure.dof + coordinate + dof),
            ),
          }),
        })),
    });
    for (const interpolation of ['LINEAR', 'CUBICSPLINE'] as const) {
      const bytes = writeGltfAnimation(rig, motion, { interpolation });
      expect(animationFaults(bytes)).toEqual([]);
      const errors = await playedErrors(rig, motion, bytes);
      expect(errors.rotation).toBeLessThan(1e-3 + SINGLE);
      expect(errors.translation).toBeLessThan(1e-4 + SINGLE);
    }
  });

  test('is kept by many rotations between two keys', async () => {
    const curve = linearCurve({ times: [0, 1], values: [0, 0, 0, 40 * Math.PI, 0, 0] });
    const motion = createMotion(rig.figure, { name: 'spin', tracks: [{ bone: 'Neck', curve }] });
    for (const interpolation of ['LINEAR', 'CUBICSPLINE'] as const) {
      const bytes = writeGltfAnimation(rig, motion, { interpolation });
      const errors = await playedErrors(rig, motion, bytes);
      expect(errors.rotation).toBeLessThan(1e-3 + SINGLE);
      expect(errors.channels).toBe(1);
      // 20 turns: slerp needs three keys a turn at least.
      expect(errors.keys).toBeGreaterThan(40);
    }
  });

  test('is kept over a curve that changes chart', async () => {
    const moments = [0, 0.5, 1, 1.5, 2, 2.5, 3];
    const axis = numbers(3, 3);
    const curve = rotationVectorHermite({
      times: moments,
      values: moments.flatMap((t) => axis.map((a) => 4 * a * t)),
      tangents: moments.flatMap((t) => axis.map((a, k) => 4 * a + 0.3 * Math.sin(t + k))),
    });
    const motion = createMotion(rig.figure, { name: 'turns', tracks: [{ bone: 'Spine', curve }] });
    const bytes = writeGltfAnimation(rig, motion, { interpolation: 'CUBICSPLINE' });
    expect((await playedErrors(rig, motion, bytes)).rotation).toBeLessThan(1e-3 + SINGLE);
  });

  test.each(['loop', 'mirror', 'offset', 'linear', 'clamp'] as const)(
    'is kept where a short track is extrapolated to the end of the clip: %s',
    async (outside) => {
      // A loop that does not end as it began would jump.
      const values = numbers(9, 8);
      if (outside === 'loop') values.splice(6, 3, ...values.slice(0, 3));
      const motion = createMotion(rig.figure, {
        name: 'short',
        tracks: [
          { bone: 'Neck', curve: cubicSpline({ times: [0.7, 1, 1.3], values }, { outside }) },
          { bone: 'Foot', curve: linearCurve({ times: [-0.5, 2.2], values: numbers(6, 9) }) },
        ],
      });
      const bytes = writeGltfAnimation(rig, motion);
      expect(animationFaults(bytes)).toEqual([]);
      // A clip before 0 s begins at 0 s in the file.
      expect((await playedErrors(rig, motion, bytes)).rotation).toBeLessThan(1e-3 + SINGLE);
    },
  );

  test('is reported: the largest sampled error', async () => {
    const motion = smooth(rig);
    const { channels } = sampleGltfAnimation(rig, motion);
    for (const { path, error } of channels) {
      expect(error).toBeLessThan(path === 'rotation' ? 1e-3 : 1e-4);
      expect(error).toBeGreaterThan(0);
    }
  });

  test('has the tangent of the other side where a key has none on one', () => {
    const { channels } = sampleGltfAnimation(rig, smooth(rig), { interpolation: 'CUBICSPLINE' });
    const cubic = channels.filter(({ interpolation }) => interpolation === 'CUBICSPLINE');
    expect(cubic.length).toBeGreaterThan(0);
    for (const { path, values } of cubic) {
      const width = path === 'rotation' ? 4 : 3;
      const parts = Array.from({ length: values.length / width }, (_, k) => [
        ...values.slice(width * k, width * (k + 1)),
      ]);
      expect(parts[0]).toEqual(parts[2]);
      expect(parts.at(-1)).toEqual(parts.at(-3));
    }
  });

  test('needs more keys when it is tighter, and CUBICSPLINE needs fewer than LINEAR', () => {
    const motion = smooth(rig);
    const keys = (options: SampleGltfAnimationOptions) =>
      sampleGltfAnimation(rig, motion, options).channels.reduce(
        (sum, channel) => sum + channel.times.length,
        0,
      );
    const linear = [1e-2, 1e-3, 1e-4].map((rotation) =>
      keys({ tolerance: { rotation, translation: rotation } }),
    );
    expect(linear[1]).toBeGreaterThan(2 * linear[0]);
    expect(linear[2]).toBeGreaterThan(2 * linear[1]);
    const cubic = keys({ interpolation: 'CUBICSPLINE', tolerance: { rotation: 1e-4, translation: 1e-4 } });
    expect(cubic).toBeLessThan(linear[2] / 4);
  });

  test('needs as many keys as docs/motion-clips.md says', () => {
    const page = readFileSync(new URL('../../../../docs/motion-clips.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (1e-\d) \| (\d+) \| (\d+) \|$/gm)].map((row) =>
      row.slice(1).map(Number),
    );
    expect(rows.map(([bound]) => bound)).toEqual([1e-2, 1e-3, 1e-4, 1e-5]);
    const motion = smooth(rig);
    const meanKeys = (interpolation: 'LINEAR' | 'CUBICSPLINE', rotation: number) => {
      const { channels } = sampleGltfAnimation(rig, motion, { interpolation, tolerance: { rotation } });
      const rotations = channels.filter(({ path }) => path === 'rotation');
      return Math.round(rotations.reduce((sum, channel) => sum + channel.times.length, 0) / rotations.length);
    };
    const found = rows.map(([bound]) => [bound, meanKeys('LINEAR', bound), meanKeys('CUBICSPLINE', bound)]);
    expect(found).toEqual(rows);
  });

  test('a straight track of a hundred keys needs two', () => {
    const moments = Array.from({ length: 100 }, (_, i) => 0.1 * i);
    const curve = linearCurve({ times: moments, values: moments.flatMap((t) => [0.1 * t, 0, 0]) });
    const motion = createMotion(rig.figure, { tracks: [{ bone: 'Neck', curve }] });
    for (const interpolation of ['LINEAR', 'CUBICSPLINE'] as const) {
      const [channel] = sampleGltfAnimation(rig, motion, { interpolation }).channels;
      expect(channel.times.length).toBe(2);
    }
  });
});

test('for any curves, bound and options each channel keeps the bound', () => {
  const rig = readGltfRig(buildGlb(nestedUniform));
  const { figure } = rig;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e6 }),
      fc.double({ min: -5, max: -1.5, noNaN: true }),
      fc.constantFrom('LINEAR' as const, 'CUBICSPLINE' as const),
      fc.constantFrom('linear', 'hermite', 'spline', 'quintic', 'jerk'),
      (seed, decades, interpolation, kind) => {
        const rotation = interpolation === 'LINEAR' ? Math.max(10 ** decades, 1e-4) : 10 ** decades;
        const moments = numbers(5, seed);
        for (let i = 1; i < 5; i++) moments[i] = moments[i - 1] + 0.6 + 0.5 * moments[i];
        const tracks = figure.bones.map(({ name, dof }): TrackData => {
          const keys = { times: moments, values: numbers(5 * dof, seed + dof).map((x) => 2 * x) };
          const tangents = numbers(10 * dof, seed + 1).map((x) => 5 * x);
          if (kind === 'linear') return { bone: name, curve: linearCurve(keys) };
          if (kind === 'spline') return { bone: name, curve: cubicSpline(keys) };
          if (kind === 'jerk') return { bone: name, curve: minimumJerkCurve(keys) };
          if (kind === 'quintic')
            return { bone: name, curve: quinticCurve({ ...keys, velocities: tangents.slice(0, 5 * dof) }) };
          return {
            bone: name,
            keys: { ...keys, tangents: tangents.slice(0, 5 * dof), arriving: tangents.slice(5 * dof) },
          };
        });
        const motion = createMotion(figure, { tracks });
        const tolerance = { rotation, translation: 2 * rotation };
        const wanted = wantedAt(rig, motion);
        for (const channel of sampleGltfAnimation(rig, motion, { interpolation, tolerance }).channels) {
          const { node, path } = channel;
          const read = { ...channel, times: [...channel.times], values: [...channel.values] };
          // Some of the keys, ten moments after each.
          const stride = Math.max(1, Math.floor(read.times.length / 12));
          for (let i = 0; i + 1 < read.times.length; i += stride) {
            for (let n = 0; n < 10; n++) {
              const t = read.times[i] + ((read.times[i + 1] - read.times[i]) * (n + 0.37)) / 10;
              const shown = playChannel(read, t);
              const right = wanted(t + motion.start)(node)[path];
              const error =
                path === 'rotation' ? angleBetween(shown, right) : metres(rig, node, shown, right);
              expect(error).toBeLessThan(tolerance[path]);
            }
          }
        }
      },
    ),
    { numRuns: 30 },
  );
});

describe('jumps', () => {
  const rig = readGltfRig(buildGlb(centimetreArmature));
  const { figure } = rig;
  const headTrack = (curve: Curve): Motion => createMotion(figure, { tracks: [{ bone: 'Neck', curve }] });
  const stepped = stepCurve({
    times: [0, 0.3, 1.1, 2],
    values: [0, 0, 0, 0.7, 0, 0, 0.7, 0.2, 0, -1, 0, 0],
  });
  /** Channels of the file, played, against the motion at many times: no nearer to a jump than single precision has times. */
  const largestError = async (motion: Motion, options: SampleGltfAnimationOptions): Promise<number> => {
    const bytes = writeGltfAnimation(rig, motion, options);
    expect(animationFaults(bytes)).toEqual([]);
    const [{ channels }] = await readAnimations(bytes);
    const sampler = createMotionSampler(figure, motion);
    const pose = createPose(figure);
    let worst = 0;
    for (let n = 0; n <= 2000; n++) {
      const t = motion.start + ((motion.end - motion.start) * n) / 2000;
      if (
        motion.tracks.some(({ curve }) => Array.from(curve.knots).some((knot) => Math.abs(knot - t) < 1e-6))
      )
        continue;
      const nodes = poseNodes(rig, samplePose(sampler, t, pose));
      for (const channel of channels.filter(({ path }) => path === 'rotation')) {
        // A node that is not in the list is as in the file.
        const { rotation } = nodes.get(channel.node) ?? rig.binding.nodes[channel.node];
        worst = Math.max(worst, angleBetween(playChannel(channel, t), [...(rotation ?? [])]));
      }
    }
    return worst;
  };

  test.each(['LINEAR', 'CUBICSPLINE'] as const)(
    'a stepped track is STEP, with its keys (%s)',
    async (interpolation) => {
      const motion = headTrack(stepped);
      const [channel] = sampleGltfAnimation(rig, motion, { interpolation }).channels;
      expect([channel.interpolation, Array.from(channel.times)]).toEqual([
        'STEP',
        [0, 0.3, 1.1, 2].map(Math.fround),
      ]);
      expect(await largestError(motion, { interpolation })).toBeLessThan(1e-6);
      // Read again it is a stepped track, and that one written again the same file.
      const joints = (name: string) => figure.bones.find((bone) => bone.name === name)?.joint;
      const again = readGltfRig(writeGltfAnimation(rig, motion, { interpolation }), { joints });
      const [written] = sampleGltfAnimation(rig, readGltfAnimation(again).motion, { interpolation }).channels;
      expect([written.times, written.values]).toEqual([channel.times, channel.values]);
    },
  );

  test.each(['LINEAR', 'CUBICSPLINE'] as const)(
    'between smooth pieces are at neighbouring times (%s)',
    async (interpolation) => {
      const smoothPieces = cubicSpline({ times: [0, 0.5, 1, 1.5], values: numbers(12, 5) });
      const controls = Float64Array.from(smoothPieces.controls, (x, i) => (i < 12 ? x : x + 1));
      const motion = headTrack({ ...smoothPieces, controls });
      const options = { interpolation, tolerance: { rotation: 1e-4 } };
      expect(sampleGltfAnimation(rig, motion, options).channels[0].interpolation).toBe(interpolation);
      expect(await largestError(motion, options)).toBeLessThan(1e-4);
    },
  );

  test('of a VRM animation are kept too', async () => {
    const human = createHumanFigure();
    const keys = { times: [0, 0.5, 1], values: [0, 0, 0, 0.3, 0, 0, 0, 0.3, 0] };
    const motion = createMotion(human, { tracks: [{ bone: 'head', curve: stepCurve(keys) }] });
    const [{ channels }] = await readAnimations(writeVrmAnimation(human, motion));
    expect(channels.map(({ path, interpolation, times: at }) => [path, interpolation, at])).toEqual([
      ['translation', 'LINEAR', [0, 1]],
      ['rotation', 'STEP', [0, 0.5, 1]],
    ]);
  });
});

describe('a node that depends on other joints', () => {
  // At rest at the start, the middle and the end of its only stretch: u (1 - u) (1 - 2 u).
  const sway = (bone: string): TrackData => ({
    bone,
    keys: { times: [0, 1], values: [0, 0, 0, 0, 0, 0], tangents: [0, 0, 0.4, 0, 0, 0.4] },
  });
  const stretched: TestFile = {
    nodes: chain([
      { name: 'root' },
      { name: 'a', translation: [0, 1, 0], scale: [1, 3, 1] },
      { name: 'b', translation: [0, 1, 0] },
      { name: 'c', translation: [0.4, 1, 0] },
    ]),
    skins: [{ joints: [0, 1, 2, 3] }],
  };

  test.each(['LINEAR', 'CUBICSPLINE'] as const)(
    'below non-uniform scale has channels though it is at rest at both ends and in the middle: %s',
    async (interpolation) => {
      const rig = readGltfRig(buildGlb(stretched));
      const motion = createMotion(rig.figure, { name: 'sway', tracks: [sway('b')] });
      // It does move, by more than the bound.
      const wanted = wantedAt(rig, motion);
      const away = (t: number) => metres(rig, 3, wanted(t)(3).translation, rig.binding.nodes[3].translation);
      expect(away(0.5)).toBeLessThan(1e-9);
      expect(away(0.2)).toBeGreaterThan(1e-2);
      const bytes = writeGltfAnimation(rig, motion, { interpolation });
      const [{ channels }] = await readAnimations(bytes);
      expect(channels.map(({ node, path }) => `${node} ${path}`)).toContain('3 translation');
      const errors = await playedErrors(rig, motion, bytes);
      expect(errors.rotation).toBeLessThan(1e-3 + SINGLE);
      expect(errors.translation).toBeLessThan(1e-4 + SINGLE);
    },
  );

  /** The rig with hinges, the foot following the neck. */
  const geared = (polynomial: readonly number[], pieces?: readonly MimicPiece[]): GltfRig => {
    const rig = readGltfRig(buildGlb(centimetreArmature), {
      joints: (name) => (name === 'Neck' || name === 'Foot' ? { type: 'hinge', axis: [1, 0, 0] } : undefined),
    });
    const data = figureToData(rig.figure);
    const bones = data.bones.map((bone) =>
      bone.name === 'Foot'
        ? { ...bone, mimic: { bone: 'Neck', polynomial, ...(pieces && { pieces }) } }
        : bone,
    );
    return { ...rig, figure: createFigure({ ...data, bones }) };
  };

  test('a mimic joint has a channel though it is at rest at both ends and in the middle', async () => {
    const rig = geared([0, 0.5]);
    const keys = { times: [0, 1], values: [0, 0], tangents: [0.4, 0.4] };
    const motion = createMotion(rig.figure, { name: 'follows', tracks: [{ bone: 'Neck', keys }] });
    const bytes = writeGltfAnimation(rig, motion);
    const [{ channels }] = await readAnimations(bytes);
    expect(channels.map(({ node, path }) => `${rig.binding.nodes[node].name} ${path}`).sort()).toEqual([
      'Foot rotation',
      'Neck rotation',
    ]);
    expect((await playedErrors(rig, motion, bytes)).rotation).toBeLessThan(1e-3 + SINGLE);
  });

  test.each([
    // Multiples of 2 pi at every eighth of the interval from 0 to 1 rad, where a single interval is sampled.
    ['of a gear', [0, 16 * Math.PI]],
    ['of a cam', [0, 0, 128 * Math.PI]],
    ['of a spline', [0], [{ from: 0.25, polynomial: [0, 16 * Math.PI] }]],
  ] as const)(
    'a mimic joint %s: no rotation is missed between the samples',
    async (...[, polynomial, pieces]) => {
      const rig = geared(polynomial, pieces);
      const curve = linearCurve({ times: [0, 1], values: [0, 1] });
      const motion = createMotion(rig.figure, { name: 'gear', tracks: [{ bone: 'Neck', curve }] });
      const bytes = writeGltfAnimation(rig, motion);
      const [{ channels }] = await readAnimations(bytes);
      expect(channels.map(({ node }) => rig.binding.nodes[node].name).sort()).toEqual(['Foot', 'Neck']);
      expect((await playedErrors(rig, motion, bytes)).rotation).toBeLessThan(1e-3 + SINGLE);
    },
  );

  test('at rest has none', () => {
    const rig = readGltfRig(buildGlb(stretched));
    const motion = createMotion(rig.figure, { tracks: [sway('c')] });
    expect(sampleGltfAnimation(rig, motion).channels.map(({ node, path }) => `${node} ${path}`)).toEqual([
      '3 rotation',
    ]);
  });
});

describe('channels', () => {
  const joints = (name: string): JointData | undefined =>
    (
      ({ Spine: { type: 'slider', axis: [0, 1, 0] }, Neck: { type: 'hinge', axis: [1, 0, 0] } }) as Record<
        string,
        JointData
      >
    )[name];
  const rig = readGltfRig(buildGlb(centimetreArmature), { joints });
  const indexOf = (name: string) => rig.binding.nodes.findIndex((node) => node.name === name);

  test('are rotation and translation by joint type, in units of the node', async () => {
    const motion = createMotion(rig.figure, {
      name: 'parts',
      tracks: [
        { bone: 'Spine', curve: linearCurve({ times: [0, 1], values: [0, 0.2] }) },
        { bone: 'Neck', curve: linearCurve({ times: [0, 1], values: [0, 1] }) },
        { bone: 'Hips', curve: linearCurve({ times: [0, 1], values: [0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0] }) },
      ],
    });
    const bytes = writeGltfAnimation(rig, motion);
    const [{ channels }] = await readAnimations(bytes);
    expect(channels.map(({ node, path }) => `${rig.binding.nodes[node].name} ${path}`).sort()).toEqual([
      'Hips rotation',
      'Hips translation',
      'Neck rotation',
      'Spine translation',
    ]);
    const slide = channels.find(({ node }) => node === indexOf('Spine'));
    const [from, to] = [slide?.values.slice(0, 3) ?? [], slide?.values.slice(-3) ?? []];
    // 0.2 m are 20 of the armature's centimetres.
    expect(Math.hypot(...to.map((x, k) => x - from[k]))).toBeCloseTo(20, 4);
    expect((await playedErrors(rig, motion, bytes)).translation).toBeLessThan(1e-4 + SINGLE);
  });

  test('exist for a constant pose that differs from the file', () => {
    const base = new Float64Array(rig.figure.dof);
    const { coordinate } = rig.figure.bones.find(({ name }) => name === 'Foot') as { coordinate: number };
    base[coordinate] = 0.5;
    const curve = linearCurve({ times: [0, 2], values: [0, 1] });
    const { channels } = sampleGltfAnimation(
      rig,
      createMotion(rig.figure, { base, tracks: [{ bone: 'Neck', curve }] }),
    );
    expect(channels.map(({ node, times: { length } }) => [node, length])).toEqual([
      [indexOf('Neck'), 2],
      [indexOf('Foot'), 2],
    ]);
  });

  test('share equal times', () => {
    const curve = linearCurve({ times: [0, 2], values: [0, 0.01, 0, 0.02, 0, 0.01] });
    const motion = createMotion(rig.figure, {
      tracks: ['Leg', 'Foot', 'Head'].map((bone) => ({ bone, curve })),
    });
    const { json } = openGlb(writeGltfAnimation(rig, motion));
    const [{ samplers }] = json.animations as { samplers: { input: number; output: number }[] }[];
    expect(samplers).toHaveLength(3);
    expect(new Set(samplers.map(({ input }) => input)).size).toBe(1);
  });

  test('the same motion gives the same bytes', () => {
    const motion = smooth(rig);
    expect(writeGltfAnimation(rig, structuredClone(motion))).toEqual(writeGltfAnimation(rig, motion));
  });
});

describe('a figure written by writeFigureGltf', () => {
  const own = createFigure({
    bones: [
      { name: 'stand', parent: null, joint: { type: 'fixed' } },
      { name: 'head', parent: 'stand', joint: { type: 'ball' }, rest: { position: [0, 1, 0] } },
    ],
  });
  const bytes = writeFigureGltf(own, createPose(own));
  const curve = cubicSpline({ times: [0, 0.4, 1], values: [0, 0, 0, 0.3, 0, 0.1, 0, 0, 0] });

  test('is read back with the default joints, a free one at the root', async () => {
    const rig = readGltfRig(bytes);
    expect(rig.figure.bones.map(({ joint }) => joint.type)).toEqual(['free', 'ball']);
    const motion = createMotion(rig.figure, {
      name: 'nod',
      tracks: [{ bone: 'stand', component: 3, curve }],
    });
    expect((await playedErrors(rig, motion, writeGltfAnimation(rig, motion))).rotation).toBeLessThan(
      1e-3 + SINGLE,
    );
    expect(() => createMotion(rig.figure, { tracks: [{ bone: 'stand', curve }] })).toThrow(
      "the free joint of 'stand' has 6",
    );
  });

  test('is read back with its own joints through the option, and accepts its motions', async () => {
    const joints = (name: string) => own.bones.find((bone) => bone.name === name)?.joint;
    const rig = readGltfRig(bytes, { joints });
    expect(rig.figure.bones.map(({ joint }) => joint)).toEqual(own.bones.map(({ joint }) => joint));
    const motion = createMotion(own, { name: 'nod', tracks: [{ bone: 'head', curve }] });
    const errors = await playedErrors(rig, motion, writeGltfAnimation(rig, motion));
    expect(errors.rotation).toBeLessThan(1e-3 + SINGLE);
    expect(errors.channels).toBe(1);
  });
});

describe('the file', () => {
  const odd: TestFile = {
    ...centimetreArmature,
    json: {
      extras: { big: 1 },
      animations: [],
      extensionsUsed: ['X_unknown'],
      extensions: { X_unknown: { a: [1] } },
    },
  };

  test('keeps all content: text, bytes, and numbers that JavaScript cannot represent', () => {
    const before = openGlb(buildGlb(odd));
    const text = before.text.replace('"big":1', '"big":12345678901234567890,"zero":-0.0,"one":1.0');
    const source = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
    const chunk = (type: string, payload: Buffer) => {
      const head = Buffer.alloc(8);
      head.writeUInt32LE(payload.length, 0);
      head.write(type, 4, 'latin1');
      return Buffer.concat([head, payload]);
    };
    const body = Buffer.concat([
      chunk('JSON', source),
      chunk('BIN\0', before.binary as Buffer),
      chunk('XTRA', Buffer.from('kept')),
    ]);
    const header = Buffer.from([0x67, 0x6c, 0x54, 0x46, 2, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32LE(12 + body.length, 8);
    const rig = readGltfRig(new Uint8Array(Buffer.concat([header, body])));
    const bytes = writeGltfAnimation(rig, smooth(rig));
    const after = openGlb(bytes);
    expect(after.text).toContain('"big":12345678901234567890,"zero":-0.0,"one":1.0');
    expect(after.text).toContain('"extensions":{"X_unknown":{"a":[1]}}');
    const length = (before.binary as Buffer).length;
    expect(after.binary?.subarray(0, length).equals(before.binary as Buffer)).toBe(true);
    expect(Buffer.from(bytes).subarray(-4).toString()).toBe('kept');
    // What was added apart, the two are one.
    const [old, now] = [JSON.parse(text), after.json] as Record<string, unknown[]>[];
    for (const key of Object.keys(old)) {
      if (key === 'buffers') continue;
      if (Array.isArray(old[key])) expect(now[key].slice(0, old[key].length)).toEqual(old[key]);
      else expect(now[key]).toEqual(old[key]);
    }
    expect(now.animations).toHaveLength(1);
    expect(now.buffers).toEqual([{ byteLength: after.binary?.length }]);
  });

  test('differs only in new elements of arrays and the length of its buffer', () => {
    const rig = readGltfRig(buildGlb(odd));
    const before = openGlb(buildGlb(odd));
    const after = openGlb(writeGltfAnimation(rig, smooth(rig)));
    let text = after.text;
    const lists = (json: Record<string, unknown>, key: string) => json[key] as unknown[];
    for (const key of ['animations', 'accessors', 'bufferViews']) {
      const old = lists(before.json, key).length;
      const added = lists(after.json, key).slice(old);
      expect(added.length).toBeGreaterThan(0);
      const shown = added.map((element) => JSON.stringify(element)).join(',');
      expect(text.split(shown)).toHaveLength(2);
      text = text.replace(`${old > 0 ? ',' : ''}${shown}`, '');
    }
    const length = (json: Record<string, unknown>) => `"buffers":${JSON.stringify(json.buffers)}`;
    expect(text).toContain(length(after.json));
    expect(text.replace(length(after.json), length(before.json)).trimEnd()).toBe(before.text.trimEnd());
  });

  test('without any buffer gets one', async () => {
    const rig = readGltfRig(buildGlb(noSkin));
    const bytes = writeGltfAnimation(rig, smooth(rig));
    expect(animationFaults(bytes)).toEqual([]);
    expect((await playedErrors(rig, smooth(rig), bytes)).rotation).toBeLessThan(1e-3 + SINGLE);
  });

  test('as .gltf gets a new buffer, and as GLB one BIN chunk', async () => {
    const rig = readGltfRig(buildGltf(centimetreArmature));
    const motion = smooth(rig);
    const text = JSON.parse(Buffer.from(writeGltfAnimation(rig, motion)).toString()) as {
      buffers: { uri?: string; byteLength: number }[];
    };
    expect(text.buffers).toHaveLength(2);
    expect(text.buffers[0]).toEqual((rig.document.json.buffers as unknown[])[0]);
    const data = Buffer.from((text.buffers[1].uri ?? '').split(',')[1], 'base64');
    expect(data.length).toBe(text.buffers[1].byteLength);

    const bytes = writeGltfAnimation(rig, motion, { kind: 'glb' });
    expect(openGlb(bytes).json.buffers).toHaveLength(1);
    expect(animationFaults(bytes)).toEqual([]);
    expect((await playedErrors(rig, motion, bytes)).rotation).toBeLessThan(1e-3 + SINGLE);
    // And from GLB to .gltf.
    const back = writeGltfAnimation(readGltfRig(buildGlb(centimetreArmature)), motion, { kind: 'gltf' });
    expect(readGltfRig(back).figure.bones.length).toBe(rig.figure.bones.length);
    expect(JSON.parse(Buffer.from(back).toString()).animations).toHaveLength(1);
  });

  test('takes several motions, and duplicate names get a number', async () => {
    const rig = readGltfRig(buildGlb(centimetreArmature));
    const [a, b] = [smooth(rig), smooth(rig, { name: 'other' })];
    const once = readGltfRig(writeGltfAnimation(rig, [a, b, a]));
    const twice = writeGltfAnimation(once, smooth(once), { name: 'smooth' });
    expect((await readAnimations(twice)).map(({ name }) => name)).toEqual([
      'smooth',
      'other',
      'smooth_2',
      'smooth_3',
    ]);
    expect(animationFaults(twice)).toEqual([]);
  });

  test('starts at the option begin', async () => {
    const rig = readGltfRig(buildGlb(centimetreArmature));
    const motion = smooth(rig);
    const bytes = writeGltfAnimation(rig, motion, { begin: 100.1 });
    const [{ channels }] = await readAnimations(bytes);
    for (const { times: keys } of channels) expect(keys[0]).toBe(Math.fround(100.1));
    expect((await playedErrors(rig, motion, bytes, 100.1)).rotation).toBeLessThan(1e-3 + SINGLE);
  });

  test('an animated matrix node becomes TRS, one at rest keeps its matrix', () => {
    const bytes = buildGlb(matrixNodes);
    const rig = readGltfRig(bytes);
    const curve = linearCurve({ times: [0, 1], values: [0, 0, 0, 1, 0.5, 0] });
    const after = openGlb(
      writeGltfAnimation(rig, createMotion(rig.figure, { tracks: [{ bone: 'mirror', curve }] })),
    );
    const nodes = after.json.nodes as { matrix?: number[]; scale?: number[]; children?: number[] }[];
    expect(nodes[3].matrix).toBeUndefined();
    expect(nodes[3].children).toEqual([4]);
    expect(nodes[1].matrix).toEqual(matrixNodes.nodes[1].matrix);
    expect(nodes[3].scale?.map(Math.abs)).toEqual([2, 2, 2].map((x) => expect.closeTo(x, 12)));
  });
});

describe('bad input', () => {
  const rig = readGltfRig(buildGlb(centimetreArmature), { source: 'rig.glb' });
  const motion = smooth(rig);
  const cases: [string, SampleGltfAnimationOptions, string][] = [
    ['a tolerance of zero', { tolerance: { rotation: 0 } }, 'tolerance.rotation'],
    ['a tolerance below single precision', { tolerance: { rotation: 1e-8 } }, 'tolerance.rotation'],
    ['a tolerance that is none', { tolerance: { translation: Number.NaN } }, 'tolerance.translation'],
    ['a negative tolerance', { tolerance: { translation: -1 } }, 'tolerance.translation'],
    ['an unknown interpolation', { interpolation: 'STEP' as 'LINEAR' }, 'interpolation'],
    ['a time before 0 s', { begin: -1 }, 'begin'],
    ['a time that is none', { begin: Number.NaN }, 'begin'],
    [
      'more than single precision holds',
      { tolerance: { translation: 1e-12 } },
      'rig.glb#/nodes/1/translation',
    ],
    ['times so late that single precision is coarse', { begin: 1e7 }, 'rig.glb#/nodes/1/rotation'],
  ];
  test.each(cases)('%s is refused', (_, options, path) => {
    let error: unknown;
    try {
      writeGltfAnimation(rig, motion, options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(FormatError);
    expect(error).toMatchObject({ code: 'out-of-range', path });
  });

  test('no motion, and one of another figure', () => {
    expect(() => writeGltfAnimation(rig, [])).toThrow(FormatError);
    expect(() => writeGltfAnimation(readGltfRig(buildGlb(noSkin)), motion)).toThrow(MotionError);
  });

  test('an animated sheared matrix is refused, and one at rest is kept', () => {
    const sheared: TestFile = {
      nodes: chain([
        { name: 'root' },
        { name: 'bone', matrix: [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1] },
        { name: 'leaf', translation: [0, 1, 0], rotation: rotationAbout([1, 0, 0], 30) },
      ]),
      skins: [{ joints: [0, 1, 2] }],
    };
    const skewed = readGltfRig(buildGlb(sheared), { source: 'rig.glb' });
    const curve = linearCurve({ times: [0, 1], values: [0, 0, 0, 1, 0, 0] });
    const moving = (bone: string) => createMotion(skewed.figure, { tracks: [{ bone, curve }] });
    let error: unknown;
    try {
      writeGltfAnimation(skewed, moving('bone'));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'unsupported', path: 'rig.glb#/nodes/1/matrix' });
    expect(animationFaults(writeGltfAnimation(skewed, moving('leaf')))).toEqual([]);
  });

  test('leaves the file on disk unchanged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'poise-animation-'));
    try {
      const path = join(folder, 'rig.glb');
      const bytes = buildGlb(centimetreArmature);
      await writeFileSafely(path, bytes);
      const attempt = async () => writeFileSafely(path, writeGltfAnimation(rig, motion, { begin: -1 }));
      await expect(attempt()).rejects.toThrow(FormatError);
      expect(new Uint8Array(readFileSync(path))).toEqual(bytes);
      expect(readdirSync(folder)).toEqual(['rig.glb']);
      await writeFileSafely(path, writeGltfAnimation(rig, motion));
      expect(animationFaults(new Uint8Array(readFileSync(path)))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

for (const name of ['gltf/Fox.glb', 'gltf/RobotExpressive.glb', 'gltf/KayKit_Knight.glb']) {
  describeWithData(`${name} with a motion added`, name, (path) => {
    test('keeps its own animations and plays the new one within the bound', async () => {
      const old = new Uint8Array(readFileSync(path));
      const rig = readGltfRig(old);
      const motion = smooth(rig, { name: 'added' });
      const bytes = writeGltfAnimation(rig, motion, {
        interpolation: 'CUBICSPLINE',
        tolerance: { rotation: 5e-3, translation: 1e-3 },
      });
      const [before, after] = [await readAnimations(old), await readAnimations(bytes)];
      expect(after.slice(0, -1)).toEqual(before);
      const { binary } = openGlb(old);
      expect(
        openGlb(bytes)
          .binary?.subarray(0, binary?.length)
          .equals(binary as Buffer),
      ).toBe(true);
      const errors = await playedErrors(rig, motion, bytes, 0, 20);
      expect(errors.rotation).toBeLessThan(5e-3 + SINGLE);
      expect(errors.translation).toBeLessThan(1e-3 + 1e-5);
    });
  });
}
