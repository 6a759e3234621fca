import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BvhClip, readBvh, readUrdf, writeBvh } from '@poise/formats';
import { describeWithData, sharedData } from '@poise/test-support/shared-data';
import { createFigure, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createMotion, createMotionSampler, type Motion, motionFromPoses, samplePose } from 'poise/motion';
import { describe, expect, test } from 'vitest';

/** Frames of all bones at a time. */
function framesAt(figure: Figure, motion: Motion, time: number): Map<string, Float64Array> {
  const state = createState(figure);
  forwardKinematics(
    state,
    samplePose(createMotionSampler(figure, motion), time, new Float64Array(figure.dof)),
  );
  return new Map(
    figure.bones.map(({ name, index }) => [name, state.worldFromBone.slice(12 * index, 12 * index + 12)]),
  );
}

/** Largest distance of bone origins in two clips of the same bones. */
function gapAt(a: readonly [Figure, Motion], b: readonly [Figure, Motion], time: number): number {
  const [ours, theirs] = [framesAt(...a, time), framesAt(...b, time)];
  return Math.max(
    ...[...ours].map(([name, frame]) => {
      const other = theirs.get(name) as Float64Array;
      return Math.hypot(...[9, 10, 11].map((k) => frame[k] - other[k]));
    }),
  );
}

/** A machine with every type of joint, bones with axes of their own, and two roots. */
function machine(): [Figure, Motion] {
  const half = Math.SQRT1_2;
  const figure = createFigure({
    name: 'machine',
    bones: [
      {
        name: 'base',
        rest: { position: [0.2, 1, 0], rotation: [half, 0, 0, half] },
        joint: { type: 'free' },
      },
      {
        name: 'hinge',
        parent: 'base',
        rest: { position: [0, 0.3, 0.1], rotation: [0, half, 0, half] },
        joint: { type: 'hinge', axis: [1, 1, 0] },
      },
      {
        name: 'swing',
        parent: 'hinge',
        rest: { position: [0, 0.3, 0] },
        joint: { type: 'swing', axis: [0, 1, 0] },
      },
      {
        name: 'socket',
        parent: 'swing',
        rest: { position: [0, 0.2, 0] },
        joint: { type: 'ball-and-socket', axis: [0, 0, 1] },
        tip: [0, 0.1, 0.2],
      },
      {
        name: 'slider',
        parent: 'hinge',
        rest: { position: [0.1, 0, 0], rotation: [0, 0, half, half] },
        joint: { type: 'slider', axis: [0, 1, 0] },
      },
      {
        name: 'euler',
        parent: 'slider',
        rest: { position: [0, 0.1, 0.1] },
        joint: { type: 'euler', order: 'XZY' },
      },
      { name: 'plate', parent: 'euler', rest: { position: [0, 0.1, 0] } },
      { name: 'other', rest: { position: [2, 0, 0] }, joint: { type: 'ball' } },
    ],
  });
  const count = 40;
  const times = Array.from({ length: count }, (_, k) => k / 30);
  const tracks = figure.bones
    .filter(({ dof }) => dof > 0)
    .map(({ index, dof }) => ({
      bone: index,
      // Up to 2.6 rad: through the poles of the Euler angles.
      keys: {
        times,
        values: times.flatMap((t) =>
          Array.from({ length: dof }, (_, k) => 1.5 * Math.sin(2 * t + k + index)),
        ),
      },
    }));
  return [figure, createMotion(figure, { name: 'wave', tracks })];
}

describe('writeBvh', () => {
  test.each(['ZXY', 'XYZ', 'YZX'] as const)('a figure of every joint type, order %s', (order) => {
    const [figure, motion] = machine();
    const text = writeBvh(figure, motion, { frameTime: 1 / 30, order, digits: 9 });
    const read = readBvh(text, { scale: 0.01, positions: 'absolute' });
    expect([read.frames, read.warnings]).toEqual([40, []]);
    expect(text).toContain(`CHANNELS 3 ${[...order].map((letter) => `${letter}rotation`).join(' ')}`);
    for (let k = 0; k < read.frames; k++) {
      expect(gapAt([figure, motion], [read.figure, read.motion], k / 30)).toBeLessThan(1e-9);
    }
    // The tip is where it was.
    expect(read.figure.bones.find(({ name }) => name === 'socket')?.tip).toBeDefined();
  });

  test('the numbers of a frame are in the order of the joints of the file, not of the bones', () => {
    const ball = { type: 'ball' } as const;
    // Two limbs joint by joint: the file has one limb after the other.
    const figure = createFigure({
      name: 'limbs',
      bones: [
        { name: 'hips', joint: { type: 'free' } },
        { name: 'left', parent: 'hips', rest: { position: [0.1, 0, 0] }, joint: ball },
        { name: 'right', parent: 'hips', rest: { position: [-0.1, 0, 0] }, joint: ball },
        { name: 'leftEnd', parent: 'left', rest: { position: [0, 0.4, 0] }, joint: ball, tip: [0, 0.4, 0] },
        { name: 'rightEnd', parent: 'right', rest: { position: [0, 0.4, 0] }, joint: ball, tip: [0, 0.4, 0] },
      ],
    });
    const pose = Float64Array.from({ length: figure.dof }, (_, k) => 0.1 * (k % 5) - 0.15);
    const motion = motionFromPoses(figure, [0, 1], [new Float64Array(figure.dof), pose], { name: 'limbs' });
    const back = readBvh(writeBvh(figure, motion, { frameTime: 0.5, scale: 1 }));
    expect(gapAt([figure, motion], [back.figure, back.motion], 1)).toBeLessThan(1e-6);
  });

  test('angles have no jumps but where they pass a pole', () => {
    const figure = createFigure({ bones: [{ name: 'a', joint: { type: 'free' }, tip: [0, 1, 0] }] });
    const count = 60;
    const times = Array.from({ length: count }, (_, k) => k / 30);
    // Turns about the vertical three times.
    const values = times.flatMap((t) => [0, 0, 0, 0, (6 * Math.PI * t) / 2, 0]);
    const turning = createMotion(figure, { tracks: [{ bone: 0, keys: { times, values } }] });
    const lines = writeBvh(figure, turning, { frameTime: 1 / 30 })
      .trim()
      .split('\n')
      .slice(-count);
    const headings = lines.map((line) => Number(line.split(' ')[5]));
    headings.forEach((angle, k) => {
      if (k > 0) expect(angle - headings[k - 1]).toBeCloseTo(18, 4);
    });
  });

  test('what was edited is written, the rest as it stood', () => {
    const text = `HIERARCHY
ROOT a
{
	OFFSET 0 0 0
	CHANNELS 6 Zrotation Yrotation Xrotation Xposition Yposition Zposition
	JOINT b
	{
		OFFSET 0 10.000000001 0
		CHANNELS 2 Xrotation Yrotation
		End Site
		{
			OFFSET 0 1 0
		}
	}
}
MOTION
Frames: 2
Frame Time: 0.023456789123
10 200.123456789 -30 1 2 3 370.5 90
11 201 -31 1 2 3 380 90.25
`;
    const clip = readBvh(text, { scale: 0.01 });
    expect(writeBvh(clip.figure, clip.motion, { like: clip })).toBe(text);
    // A rotation about z, which b has no channel for.
    const { figure } = clip;
    const values = [0, 0, 0, 0, 0, 0.5];
    const edited = createMotion(figure, {
      tracks: [{ bone: 1, keys: { times: [0, clip.frameTime], values } }],
    });
    const again = readBvh(writeBvh(figure, edited, { like: clip }), { scale: 0.01 });
    expect(gapAt([figure, edited], [again.figure, again.motion], clip.frameTime)).toBeLessThan(1e-8);
    expect(again.layout.joints[1].channels.length).toBe(3);
  });

  test('refuses what does not fit', () => {
    const [figure, motion] = machine();
    const text =
      'HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n';
    const like = readBvh(text);
    expect(() => writeBvh(figure, motion, { like })).toThrow(/options\.like: has 1 joints for 8 bones/);
    expect(() => writeBvh(figure, motion, { digits: 20 })).toThrow(/options\.digits/);
    expect(() => writeBvh(figure, motion, { frameTime: 0 })).toThrow(/options\.frameTime/);
  });

  test('a robot with +Z up keeps its links in their places', () => {
    const robot = readUrdf(
      '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1" rpy="0.5 0 1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>',
      { upAxis: 'y' },
    ).figure;
    const bend = createMotion(robot, { tracks: [{ bone: 1, keys: { times: [0, 1], values: [0, 0.7] } }] });
    const read = readBvh(writeBvh(robot, bend, { frameTime: 0.5 }), { scale: 0.01 });
    expect(gapAt([robot, bend], [read.figure, read.motion], 1)).toBeLessThan(1e-7);
  });
});

const folder = sharedData('bvh');
const files = folder === undefined ? ['none'] : readdirSync(folder).filter((file) => file.endsWith('.bvh'));

describeWithData('real files, read, written and read again', 'bvh', (path) => {
  test.each(files)('%s: the same joints, channels and numbers', (file) => {
    const bytes = readFileSync(join(path, file));
    for (const fileUpAxis of ['y', 'z'] as const) {
      const first: BvhClip = readBvh(bytes, { source: file, scale: 0.01, fileUpAxis });
      const text = writeBvh(first.figure, first.motion, { like: first });
      const second = readBvh(text, { source: file, scale: 0.01, fileUpAxis, positions: first.positions });
      expect(second.frames).toBe(first.frames);
      expect(second.frameTime).toBe(first.frameTime);
      const shape = ({ layout }: BvhClip) =>
        layout.joints.map(({ name, parent, offset, channels, ends }) => ({
          name,
          parent,
          offset,
          channels,
          ends,
        }));
      // As text: -0 is 0.
      expect(JSON.stringify(shape(second))).toBe(JSON.stringify(shape(first)));
      // toEqual of long arrays is slow.
      expect(second.layout.values.length).toBe(first.layout.values.length);
      expect(second.layout.values.findIndex((x, k) => x !== first.layout.values[k])).toBe(-1);
    }
  });

  test('without the layout of the file the joints are in the same places', () => {
    const clip = readBvh(readFileSync(join(path, 'walk01.bvh')), { scale: 0.01 });
    const { figure, motion, frameTime } = clip;
    const again = readBvh(writeBvh(figure, motion, { frameTime }), { scale: 0.01 });
    for (let k = 0; k < clip.frames; k += 10) {
      expect(gapAt([figure, motion], [again.figure, again.motion], k * frameTime)).toBeLessThan(1e-7);
    }
  });
});
