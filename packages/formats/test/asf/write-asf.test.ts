/** Skeletons and motions written: files that are read again, and other figures where the format's specification puts them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AsfSkeleton, readAmc, readAsf, readBvh, writeAmc, writeAsf } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { createFigure, createPose, type Figure, figureToData } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createMotion, createMotionSampler, type Motion, motionFromPoses, samplePose } from 'poise/motion';
import { describe, expect, test } from 'vitest';
import { distance, positionsAt, specified } from './support.js';

const withoutLine = ({ bones }: AsfSkeleton) => bones.map(({ line: _, ...bone }) => bone);

describeWithData('motion capture of CMU', 'amc', (path) => {
  const files = [
    ['cmu_01.asf', 'cmu_01_01.amc'],
    ['cmu_07_walk.asf', 'cmu_07_05_walk.amc'],
    ['cmu_09_run.asf', 'cmu_09_06_run.amc'],
  ] as const;
  const read = (name: string) => readFileSync(join(path, name), 'utf8');

  describe.each(files)('%s, %s', (asf, amc) => {
    test.each(['ball', 'euler'] as const)(
      'with %s joints has all its numbers again, to the last bit',
      (joints) => {
        const skeleton = readAsf(read(asf), { joints });
        const clip = readAmc(read(amc), skeleton);
        const again = readAsf(writeAsf(skeleton.figure, { skeleton }), {
          joints,
          name: skeleton.figure.name,
        });
        expect(withoutLine(again)).toEqual(withoutLine(skeleton));
        expect(again.figure).toEqual(skeleton.figure);
        const text = writeAmc(skeleton.figure, clip.motion, { skeleton, clip });
        const back = readAmc(text, again);
        expect(back.frames).toBe(clip.frames);
        expect(back.values).toEqual(clip.values);
        expect(back.motion.tracks).toEqual(clip.motion.tracks);
      },
    );

    test('without the file has the same limits, and bones in the same places', () => {
      const skeleton = readAsf(read(asf), { joints: 'euler' });
      const { motion } = readAmc(read(amc), skeleton);
      const text = writeAsf(skeleton.figure, { digits: 9 });
      const again = readAsf(text, { joints: 'euler' });
      const named = new Map(again.figure.bones.map((bone) => [bone.name, bone]));
      for (const { name, joint, limit } of skeleton.figure.bones) {
        expect(named.get(name)?.joint).toEqual(joint);
        expect(JSON.stringify(named.get(name)?.limit, rounded)).toBe(JSON.stringify(limit, rounded));
      }
      expectPlaces(
        skeleton.figure,
        motion,
        text,
        writeAmc(skeleton.figure, motion, { digits: 9 }),
        again.scale,
        1e-9,
      );
    });
  });

  test('an edit of one joint changes its numbers alone', () => {
    const skeleton = readAsf(read(files[2][0]));
    const { figure } = skeleton;
    const clip = readAmc(read(files[2][1]), skeleton);
    const head = figure.bones.find(({ name }) => name === 'head') as Figure['bones'][number];
    const sampler = createMotionSampler(figure, clip.motion);
    const times = Array.from({ length: clip.frames }, (_, k) => k * clip.frameTime);
    const poses = times.map((time) => {
      const pose = samplePose(sampler, time, createPose(figure));
      pose[head.coordinate] += 0.2;
      return pose;
    });
    const edited = motionFromPoses(figure, times, poses, { name: 'edited' });
    const before = writeAmc(figure, clip.motion, { skeleton, clip }).split('\n');
    const after = writeAmc(figure, edited, { skeleton, clip }).split('\n');
    expect(after).toHaveLength(before.length);
    const changed = after.filter((line, k) => line !== before[k]);
    expect(changed).toHaveLength(clip.frames);
    expect(changed.every((line) => line.startsWith('head '))).toBe(true);
  });

  test('a rotation that the skeleton cannot show is refused', () => {
    const skeleton = readAsf(read(files[2][0]));
    const clip = readAmc(read(files[2][1]), skeleton);
    // Between the frames of a ball joint with two degrees of freedom.
    expect(() => writeAmc(skeleton.figure, clip.motion, { skeleton, clip, frameTime: 1 / 250 })).toThrow(
      expect.objectContaining({ code: 'unsupported', remedy: expect.stringContaining("'euler'") }),
    );
    const euler = readAsf(read(files[2][0]), { joints: 'euler' });
    const { motion } = readAmc(read(files[2][1]), euler);
    const text = writeAmc(euler.figure, motion, { skeleton: euler, frameTime: 1 / 250 });
    expect(readAmc(text, euler, { frameTime: 1 / 250 }).frames).toBe(Math.floor(motion.end * 250 + 1e-6) + 1);
  });
});

/** Numbers as far as single precision goes. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toFixed(6)) : value;
}

/** The starts of the bones of a figure are where the specification puts those of its files, m. */
function expectPlaces(
  figure: Figure,
  motion: Motion,
  asf: string,
  amc: string,
  scale: number,
  bound: number,
  names = (name: string) => name,
): void {
  const frames = amc.split(/^\d+\s*$/m).slice(1);
  expect(frames).toHaveLength(Math.floor((motion.end - motion.start) * 120 + 1e-6) + 1);
  for (const k of [0, Math.floor(frames.length / 3), frames.length - 1]) {
    const at = positionsAt(figure, motion, motion.start + k / 120);
    const expected = specified(asf, frames[k]);
    for (const { name, parent } of figure.bones) {
      const place = expected.get(parent < 0 ? 'root' : names(name)) as number[];
      expect(
        distance(
          at(name),
          place.map((x) => x * scale),
        ),
        `${name} in frame ${k}`,
      ).toBeLessThan(bound);
    }
  }
}

/** A motion of all joints. */
function swayed(figure: Figure): Motion {
  const times = [0, 0.5, 1];
  const poses = times.map((time) =>
    Float64Array.from({ length: figure.dof }, (_, i) => 0.6 * Math.sin(3 * time + 1.7 * i)),
  );
  return motionFromPoses(figure, times, poses, { name: 'sway' });
}

describe('a figure of another kind', () => {
  test('the built-in human is where it should be', () => {
    const figure = createHumanFigure();
    const motion = swayed(figure);
    const asf = writeAsf(figure);
    expectPlaces(figure, motion, asf, writeAmc(figure, motion), 0.0254 / 0.45, 5e-7);
    // With the bones that lead to shoulders and hips.
    expect(readAsf(asf).bones.filter(({ name }) => name.startsWith('to_')).length).toBeGreaterThan(2);
  });

  test('every joint type, axes of bones, names, limits and units', () => {
    const figure = createFigure({
      name: 'machine # 1',
      bones: [
        {
          name: 'base',
          parent: null,
          rest: { position: [0.1, 0.9, 0], rotation: [0.6, 0, 0, 0.8] },
          joint: { type: 'free' },
        },
        {
          name: 'lower arm',
          parent: 'base',
          rest: { position: [0, 0.4, 0.1], rotation: [0, 0.6, 0, 0.8] },
          joint: { type: 'hinge', axis: [0, -1, 0] },
          limit: { type: 'interval', min: -0.5, max: null },
        },
        {
          name: 'lower#arm',
          parent: 'base',
          rest: { position: [0, -0.2, 0.1] },
          joint: { type: 'hinge', axis: [0.6, 0.8, 0] },
        },
        {
          name: 'slide',
          parent: 'lower arm',
          rest: { position: [0.3, 0, 0], rotation: [0, 0, 0.6, 0.8] },
          joint: { type: 'slider', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -0.2, max: 0.2 },
        },
        { name: 'ball', parent: 'slide', rest: { position: [0, 0.2, 0] }, joint: { type: 'ball' } },
        {
          name: 'swing',
          parent: 'ball',
          rest: { position: [0, 0.2, 0] },
          joint: { type: 'swing', axis: [0, 1, 0] },
        },
        {
          name: 'socket',
          parent: 'swing',
          rest: { position: [0.2, 0.2, 0] },
          joint: { type: 'ball-and-socket', axis: [0, 1, 0] },
        },
        {
          name: 'euler',
          parent: 'socket',
          rest: { position: [0.2, 0.2, 0] },
          joint: { type: 'euler', order: 'YXZ' },
          limit: { type: 'box', min: [-1, -0.5, 0], max: [1, null, 0] },
        },
        {
          name: 'root',
          parent: 'euler',
          rest: { position: [0, 0.2, 0] },
          joint: { type: 'fixed' },
          tip: [0, 0, 0.3],
        },
      ],
    }); // prettier-ignore
    const motion = swayed(figure);
    const pose = samplePose(createMotionSampler(figure, motion), 0, createPose(figure));
    pose[figure.bones[7].coordinate + 2] = 0; // held by its limit
    const still = createMotion(figure, {
      base: pose,
      tracks: [{ bone: 'ball', keys: { times: [0, 0.5], values: [0, 0, 0, 0.4, 0.5, 0.6] } }],
    });
    const names: Record<string, string> = {
      'lower arm': 'lower_arm',
      'lower#arm': 'lower_arm_2',
      root: 'root_2',
    };
    const scale = 0.01;
    const asf = writeAsf(figure, { scale, digits: 9 });
    const amc = writeAmc(figure, still, { scale, digits: 9 });
    const { bones } = readAsf(asf);
    const limitsOf = (name: string) => {
      const found = bones.find((bone) => bone.name === name);
      return [found?.dof, found?.limits.map((range) => range.map((x) => Number(x.toFixed(6))))];
    };
    expect(limitsOf('lower_arm')).toEqual([['ry'], [[-Infinity, 28.64789]]]);
    expect(limitsOf('slide')).toEqual([['tz'], [[-20, 20]]]);
    expect(limitsOf('euler')).toEqual([
      ['rx', 'ry'],
      [
        [-28.64789, Infinity],
        [-57.29578, 57.29578],
      ],
    ]); // prettier-ignore
    expect(limitsOf('lower_arm_2')[0]).toEqual(['rx', 'ry', 'rz']);
    const skeleton = readAsf(asf, { scale });
    const back = readAmc(amc, skeleton);
    // The specification of the test has no translations of bones: this reader has.
    for (const time of [0, 0.25, 0.5]) {
      const [ours, theirs] = [
        positionsAt(figure, still, time),
        positionsAt(skeleton.figure, back.motion, time),
      ];
      for (const { name, parent } of figure.bones) {
        const other = parent < 0 ? 'root' : (names[name] ?? name);
        expect(distance(ours(name), theirs(other)), `${name} at ${time} s`).toBeLessThan(1e-9);
      }
    }
  });

  test('+Z up becomes +Y up', () => {
    const figure = createFigure({
      up: [0, 0, 1],
      bones: [
        { name: 'base', parent: null, rest: { position: [1, 2, 3] }, joint: { type: 'free' } },
        { name: 'arm', parent: 'base', rest: { position: [0.1, 0.2, 0.3] }, joint: { type: 'ball' } },
        { name: 'hand', parent: 'arm', rest: { position: [0, 0.2, 0.5] }, joint: { type: 'ball' } },
      ],
    });
    const motion = swayed(figure);
    const skeleton = readAsf(writeAsf(figure));
    const { motion: back } = readAmc(writeAmc(figure, motion), skeleton);
    for (const time of [0, 0.5, 1]) {
      const [x, y, z] = positionsAt(figure, motion, time)('hand');
      expect(distance(positionsAt(skeleton.figure, back, time)('hand'), [x, z, -y])).toBeLessThan(1e-6);
    }
  });

  test('mimic joints are written as they move', () => {
    const figure = createFigure({
      bones: [
        { name: 'base', parent: null, joint: { type: 'free' } },
        {
          name: 'a',
          parent: 'base',
          rest: { position: [0, 1, 0] },
          joint: { type: 'hinge', axis: [0, 0, 1] },
        },
        {
          name: 'b',
          parent: 'a',
          rest: { position: [0, 1, 0] },
          joint: { type: 'hinge', axis: [0, 0, 1] },
          mimic: { bone: 'a', polynomial: [0.1, -2] },
          tip: [0, 1, 0],
        },
        { name: 'c', parent: 'b', rest: { position: [0, 1, 0] }, joint: { type: 'fixed' } },
      ],
    }); // prettier-ignore
    const motion = swayed(figure);
    const skeleton = readAsf(writeAsf(figure));
    const { motion: back } = readAmc(writeAmc(figure, motion), skeleton);
    const at = positionsAt(figure, motion, 0.5)('c');
    expect(distance(positionsAt(skeleton.figure, back, 0.5)('c'), at)).toBeLessThan(1e-6);
  });
});

describeWithData('a BVH', 'bvh/walk01.bvh', (path) => {
  test('becomes ASF and AMC with its joints in their places', () => {
    const { figure, motion } = readBvh(readFileSync(path), { scale: 0.01 });
    expectPlaces(figure, motion, writeAsf(figure), writeAmc(figure, motion), 0.0254 / 0.45, 1e-6);
  });
});

test('what cannot be written is refused', () => {
  const roots = createFigure({
    bones: ['a', 'b'].map((name) => ({ name, parent: null, joint: { type: 'free' as const } })),
  });
  expect(() => writeAsf(roots)).toThrow(expect.objectContaining({ code: 'unsupported' }));
  const human = createHumanFigure();
  const skeleton = readAsf(
    ':root\n order TX TY TZ RX RY RZ\n:bonedata\n begin\n name a\n end\n:hierarchy\n begin\n root a\n end\n',
  );
  expect(() => writeAsf(human, { skeleton })).toThrow(
    expect.objectContaining({ code: 'wrong-size', path: 'options.skeleton' }),
  );
  expect(() => writeAsf(human, { digits: 16 })).toThrow(
    expect.objectContaining({ code: 'out-of-range', path: 'options.digits' }),
  );
  expect(() => writeAsf(human, { scale: 0 })).toThrow(expect.objectContaining({ code: 'out-of-range' }));
  const clip = readAmc('1\nroot 0 0 0 0 0 0\n', skeleton);
  expect(() => writeAmc(human, swayed(human), { clip })).toThrow(
    expect.objectContaining({ code: 'wrong-size', path: 'options.clip' }),
  );
  expect(() => writeAmc(human, swayed(human), { frameTime: 0 })).toThrow(
    expect.objectContaining({ path: 'options.frameTime' }),
  );
  // One frame stays one.
  expect(
    writeAmc(skeleton.figure, clip.motion, { skeleton, clip })
      .split('\n')
      .filter((line) => /^\d+$/.test(line)),
  ).toEqual(['1']);
  expect(figureToData(skeleton.figure).bones).toHaveLength(2);
});
