import { readBvh } from '@poise/formats';
import fc from 'fast-check';
import { quat } from 'poise/math';
import { catmullRomCurve, createMotionSampler, evaluateCurve, samplePose } from 'poise/motion';
import { angularVelocityFromRate, quatFromRotationVector } from 'poise/rotation';
import { Euler, type EulerOrder, Matrix4 } from 'three';
import { describe, expect, test } from 'vitest';
import { distance, positionOf, twoJoints, worldsOf } from './support.js';

const STILL = '0 1 0 0 0 0 0 0 0';

describe('the figure', () => {
  test('has a bone a joint, OFFSETs as rest, End Sites as tips', () => {
    const { figure, positions, warnings } = readBvh(twoJoints(STILL), { source: 'wave.bvh' });
    expect(figure.name).toBe('wave');
    const [hip, arm] = figure.bones;
    expect(hip).toMatchObject({ name: 'hip', parent: -1, joint: { type: 'free' }, tip: [0.5, 0, 0] });
    expect(hip.rest).toEqual({ position: [0, 1, 0], rotation: [0, 0, 0, 1] });
    expect(arm).toMatchObject({ name: 'arm', parent: 0, joint: { type: 'ball' }, tip: [0, 0, 0.25] });
    expect(arm.rest.position).toEqual([0.5, 0, 0]);
    expect(positions).toBe('absolute');
    expect(warnings).toEqual([
      "wave.bvh:2: the positions of 'hip' are read as absolute, without its OFFSET (the option positions chooses).",
    ]);
    expect(readBvh(twoJoints(STILL), { positions: 'absolute' }).warnings).toEqual([]);
  });

  test('has joints with as many coordinates as channels need', () => {
    const joint = (name: string, channels: string) =>
      `JOINT ${name} { OFFSET 0 0 1\n CHANNELS ${channels.split(' ').filter(Boolean).length} ${channels}\n }`;
    const { figure, motion } = readBvh(`HIERARCHY
      ROOT left foot {
        OFFSET 0 0 0
        CHANNELS 0
        ${joint('knee', 'Xrotation')}
        ${joint('slide', 'Zposition')}
        ${joint('two', 'Zrotation Yrotation')}
        ${joint('moves', 'Yposition Xrotation')}
        ${joint('flies', 'Xposition Yposition')}
        ${joint('none', '')}
      }
      ROOT apart { OFFSET 5 0 0 CHANNELS 1 Yrotation }
      MOTION
      Frames: 2
      Frame Time: 0.5
      170 0.25 90 0 2 0 3 4 10
      190 0.75 90 90 3 90 4 5 -350`);
    expect(Object.fromEntries(figure.bones.map(({ name, joint: { type } }) => [name, type]))).toEqual({
      'left foot': 'free',
      knee: 'hinge',
      slide: 'slider',
      two: 'ball',
      moves: 'free',
      flies: 'free',
      none: 'fixed',
      apart: 'free',
    });
    const pose = samplePose(createMotionSampler(figure, motion), 0.5, new Float64Array(figure.dof));
    const of = (name: string) => {
      const { coordinate, dof } = figure.bones.find(
        (bone) => bone.name === name,
      ) as (typeof figure.bones)[number];
      return [...pose.subarray(coordinate, coordinate + dof)];
    };
    expect(of('left foot')).toEqual([0, 0, 0, 0, 0, 0]);
    // Rest is the OFFSET: 0 in y, 1 in z.
    expect(of('slide')).toEqual([-0.25]);
    expect(of('knee')[0]).toBeCloseTo((190 * Math.PI) / 180, 14);
    expect(of('two')[2]).toBeCloseTo((120 / 180) * Math.PI * Math.sqrt(1 / 3), 14);
    expect(of('moves')[1]).toBe(3);
    expect(of('moves')[3]).toBeCloseTo(Math.PI / 2, 14);
    expect(of('flies')).toEqual([4, 5, 0, 0, 0, 0]);
    // 10 and -350 degrees are one rotation.
    expect(of('apart')[4]).toBeCloseTo(Math.PI / 18, 14);
  });

  test('is turned and scaled as the options say', () => {
    const text = twoJoints('10 20 30 0 0 90 0 0 0');
    const as = readBvh(text);
    const scaled = readBvh(text, { scale: 0.01, fileUpAxis: 'z', name: 'small' });
    expect(scaled.figure.name).toBe('small');
    expect(scaled.motion.name).toBe('small');
    for (const [bone, tip] of [
      [0, [0, 0, 0]],
      [1, [0, 0, 0]],
      [1, [1, 2, 3]],
    ] as const) {
      const [x, y, z] = positionOf(worldsOf(as)(0), bone, tip);
      const small = tip.map((value) => 0.01 * value);
      expect(
        distance(positionOf(worldsOf(scaled)(0), bone, small), [0.01 * x, 0.01 * z, -0.01 * y]),
      ).toBeLessThan(1e-15);
    }
    expect(distance(positionOf(worldsOf(as)(0), 1), [10, 20, 29.5])).toBeLessThan(1e-14);
    const added = readBvh(text, { positions: 'added' });
    expect(positionOf(worldsOf(added)(0), 0)).toEqual([10, 21, 30]);
  });

  test('comes from any white space, case, line end and from bytes', () => {
    const text = twoJoints(STILL, '1 1 0 10 20 30 40 50 60');
    const read = readBvh(text);
    for (const other of [
      text.replace(/\n/g, '\r\n'),
      text.replace(/\n/g, '\r'),
      `\uFEFF${text}`,
      text.replace(/ /g, '\t').replace('End\tSite', 'End Site'),
      text
        .replace(/rotation/g, 'ROTATION')
        .replace('HIERARCHY', 'Hierarchy')
        .replace('End Site', 'END SITE'),
      text.replace(/\s*\n\s*\{/g, ' {').replace('End Site', 'End Site tip'),
      text.replace('Frames:', 'Frames :').replace('Frame Time:', 'Frame time :'),
      text.replace('Frame Time: 0.04\n', 'Frame Time: 4e-2\n\n').replace(/$/, '\n\n  \n'),
    ]) {
      expect(readBvh(other)).toEqual(read);
      expect(readBvh(new TextEncoder().encode(other))).toEqual(read);
    }
    expect(read.frameTime).toBe(0.04);
  });
});

describe('the motion', () => {
  test('one frame stands still for one frame time', () => {
    const clip = readBvh(twoJoints('1 2 3 10 20 30 40 50 60'));
    expect([clip.frames, clip.motion.start, clip.motion.end]).toEqual([1, 0, 0.04]);
    expect([...worldsOf(clip)(0)]).toEqual([...worldsOf(clip)(0.03)]);
  });

  const angle = fc.double({ min: -400, max: 400, noNaN: true });
  const orders = ['XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX'] as const;

  test('angles of any order are rotations as three has them', () => {
    fc.assert(
      fc.property(fc.constantFrom(...orders), fc.tuple(angle, angle, angle), (order, angles) => {
        const written = [...order].map((axis) => angles['XYZ'.indexOf(axis)].toFixed(17));
        const text = twoJoints(`0 1 0 0 0 0 ${written.join(' ')}`).replace(
          'Yrotation Zrotation Xrotation',
          [...order].map((axis) => `${axis}rotation`).join(' '),
        );
        const [x, y, z] = angles.map((value) => (value * Math.PI) / 180);
        const m = new Matrix4().makeRotationFromEuler(new Euler(x, y, z, order as EulerOrder)).elements;
        const worlds = worldsOf(readBvh(text))(0);
        for (let row = 0; row < 3; row++) {
          for (let column = 0; column < 3; column++) {
            expect(Math.abs(worlds[12 + 3 * row + column] - m[4 * column + row])).toBeLessThan(2e-15 * 4);
          }
        }
      }),
    );
  });

  test('is the Catmull-Rom curve through the frames, and meets them to the last bit', () => {
    const rows = Array.from({ length: 9 }, (_, k) =>
      [k, 1 + k * k, Math.sin(k), 20 * Math.sin(k), 10 * k, 3, 30 * Math.cos(k), k, 2 * k].join(' '),
    );
    const { figure, motion, frameTime } = readBvh(twoJoints(...rows));
    const sampler = createMotionSampler(figure, motion);
    const times = rows.map((_, k) => k * frameTime);
    const poses = times.map((t) => [...samplePose(sampler, t, new Float64Array(figure.dof))]);
    const wanted = catmullRomCurve({ times, values: poses.flat() });
    for (const { coordinate, curve } of motion.tracks) {
      for (let t = 0; t <= times[8]; t += 0.0037) {
        const { value, first } = evaluateCurve(curve, t);
        const theirs = evaluateCurve(wanted, t);
        for (const [c, x] of value.entries()) {
          expect(x).toBeCloseTo(theirs.value[coordinate + c], 13);
          expect(first[c]).toBeCloseTo(theirs.first[coordinate + c], 10);
        }
      }
      for (const [k, t] of times.entries()) {
        expect([...evaluateCurve(curve, t).value]).toEqual(
          poses[k].slice(coordinate, coordinate + curve.size),
        );
      }
    }
  });

  // A body that keeps rotating about an oscillating axis: its rotation vector cannot be continued past 2 pi.
  test('keeps the rotation continuous where the rotation vector changes chart', () => {
    const count = 240;
    const [yaw, nod] = [(t: number) => 400 * t, (t: number) => 15 * Math.sin(5 * t)];
    const rows = Array.from({ length: count }, (_, k) => {
      const t = k * 0.0125;
      // Written as a recorder does, within half a turn.
      const heading = ((((yaw(t) + 180) % 360) + 360) % 360) - 180;
      return `0 1 0 0 ${nod(t)} ${heading} 0 0 0`;
    });
    const text = twoJoints(...rows)
      .replace('Zrotation Xrotation Yrotation', 'Zrotation Yrotation Xrotation')
      .replaceAll(/^0 1 0 0 (\S+) (\S+) /gm, '0 1 0 0 $2 $1 ')
      .replace('0.04', '0.0125');
    const { figure, motion, warnings } = readBvh(text, { source: 'round.bvh' });
    expect(warnings.at(-1)).toMatch(
      /^round\.bvh:2: 'hip' rotates by more than 270 degrees .* at frame 55 and 2 more/,
    );
    const sampler = createMotionSampler(figure, motion);
    const pose = new Float64Array(figure.dof);
    const rates = new Float64Array(figure.dof);
    const angular = (t: number): number[] => {
      samplePose(sampler, t, pose, rates);
      return angularVelocityFromRate(pose.subarray(3, 6), rates.subarray(3, 6), 'body');
    };
    let worst = 0;
    let fastest = 0;
    for (let t = 0.0125; t < 0.0125 * (count - 2); t += 0.0011) {
      const velocity = angular(t);
      const [x, y] = [nod(t), yaw(t)].map((degrees) => (degrees * Math.PI) / 360);
      const wanted = quat.multiply([0, Math.sin(y), 0, Math.cos(y)], [Math.sin(x), 0, 0, Math.cos(x)]);
      const seen = quatFromRotationVector(pose.subarray(3, 6));
      worst = Math.max(worst, 2 * Math.acos(Math.min(1, Math.abs(quat.dot(seen, wanted)))));
      fastest = Math.max(fastest, Math.hypot(...velocity));
    }
    // 7 rad/s of yaw and 1.3 of nodding, at most.
    expect(fastest).toBeLessThan(7.3);
    expect(worst).toBeLessThan(1e-4);
    for (const k of [55, 56, 100]) {
      const before = angular(k * 0.0125 - 1e-9);
      expect(distance(before, angular(k * 0.0125))).toBeLessThan(1e-6);
    }
  });
});
