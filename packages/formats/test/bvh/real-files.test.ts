import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh } from '@poise/formats';
import { readBvhFile } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import { createMotionSampler, samplePose } from 'poise/motion';
import { Euler, type EulerOrder, MathUtils, Quaternion } from 'three';
import { BVHLoader } from 'three/examples/jsm/loaders/BVHLoader.js';
import { describe, expect, test } from 'vitest';
import kinematics from '../fixtures/bvh-kinematics.json' with { type: 'json' };
import { distance, positionOf, worldsOf } from './support.js';

const FILES = [
  'cmu_01_01_hop_turn.bvh',
  'cmu_12_01_walk.bvh',
  'cmu_jumping_jacks.bvh',
  'edge_full_precision_frame_time.bvh',
  'edge_rotation_first_root.bvh',
  'edge_sinusoidal.bvh',
  'fair_jumping.bvh',
  'fair_wave_hello.bvh',
  'makehuman_benchmark.bvh',
  'makehuman_tpose.bvh',
  'makehuman_walk1.bvh',
  'pymo_meredith_walk_high_valence.bvh',
  'walk01.bvh',
];

describeWithData('real BVH files', 'bvh', (folder) => {
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');

  test('all files of the folder are tested', () => {
    expect(readdirSync(folder).filter((file) => file.endsWith('.bvh'))).toEqual(FILES);
  });

  // three adds position channels to OFFSETs, always. Its numbers are double precision but for the tracks, which are single.
  test.each(FILES)('%s: every frame is as in the loader of three', (file) => {
    const text = textOf(file);
    const clip = readBvh(text, { source: file, positions: 'added' });
    const { skeleton, clip: theirs } = new BVHLoader().parse(text);
    const bones = skeleton.bones.filter(({ name }) => name !== 'ENDSITE');
    expect(clip.figure.bones.map(({ name }) => name)).toEqual(bones.map(({ name }) => name));
    expect(theirs.tracks).toHaveLength(2 * bones.length);
    const worlds = worldsOf(clip);
    const size = Math.max(...bones.map(({ position }) => position.length()));
    const step = Math.max(1, Math.floor(clip.frames / 40));
    let worst = 0;
    let farthest = size;
    for (let frame = 0; frame < clip.frames; frame += step) {
      for (const [b, bone] of bones.entries()) {
        bone.position.fromArray(theirs.tracks[2 * b].values, 3 * frame);
        bone.quaternion.fromArray(theirs.tracks[2 * b + 1].values, 4 * frame);
      }
      bones[0].updateMatrixWorld(true);
      const ours = worlds(frame * clip.frameTime);
      for (const [b, { matrixWorld, position }] of bones.entries()) {
        const m = matrixWorld.elements;
        farthest = Math.max(farthest, Math.hypot(m[12], m[13], m[14]), position.length());
        worst = Math.max(worst, distance(positionOf(ours, b), m.slice(12, 15)) / farthest);
        const tip = [0.3, 0.5, 0.7];
        const moved = [0, 1, 2].map((k) => m[k] * tip[0] + m[4 + k] * tip[1] + m[8 + k] * tip[2]);
        const rotated = positionOf(ours, b, tip).map((x, k) => x - positionOf(ours, b)[k]);
        worst = Math.max(worst, distance(rotated, moved));
      }
    }
    expect(worst).toBeLessThan(2e-6);
  });

  test.each(kinematics)(
    '$file: places of joints and End Sites are those of numpy',
    ({ file, positions, frames }) => {
      const clip = readBvh(textOf(file), { source: file });
      expect(clip.positions).toBe(positions);
      const worlds = worldsOf(clip);
      const leaves = clip.figure.bones.filter(({ index }) => !clip.figure.parents.includes(index));
      let compared = 0;
      for (const { frame, places: worldPositions } of frames) {
        const seen = worlds(frame * clip.frameTime);
        const wanted = worldPositions as unknown as Readonly<Record<string, number[]>>;
        for (const { name, index } of clip.figure.bones) {
          expect(distance(positionOf(seen, index), wanted[name])).toBeLessThan(2e-8);
          compared++;
        }
        for (const { name, index, tip } of leaves) {
          if (wanted[`${name} end`] === undefined || tip === undefined) continue;
          expect(distance(positionOf(seen, index, tip), wanted[`${name} end`])).toBeLessThan(2e-8);
          compared++;
        }
      }
      expect(compared).toBeGreaterThanOrEqual(frames.length * Object.keys(frames[0].places).length - 4);
    },
  );

  describe('walk01, written out by bvh-toolbox', () => {
    const table = (file: string): { columns: string[]; rows: number[][] } => {
      const [head, ...lines] = readFileSync(join(folder, file), 'utf8').trim().split(/\r?\n/);
      return { columns: head.split(','), rows: lines.map((line) => line.split(',').map(Number)) };
    };

    test('places of all joints and ends, all frames', () => {
      const clip = readBvh(textOf('walk01.bvh'));
      const { columns, rows } = table('walk01_pos.csv');
      expect(rows).toHaveLength(clip.frames);
      const worlds = worldsOf(clip);
      let worst = 0;
      for (const [frame, row] of rows.entries()) {
        expect(Math.abs(row[0] - frame * clip.frameTime)).toBeLessThan(6e-6);
        const seen = worlds(frame * clip.frameTime);
        for (let k = 1; k < columns.length; k += 3) {
          const name = columns[k].replace(/\.x$/, '');
          const end = name.endsWith('_End');
          const bone = clip.figure.bones.find((each) => each.name === name.replace(/_End$/, ''));
          if (bone === undefined) throw new Error(name);
          worst = Math.max(
            worst,
            distance(positionOf(seen, bone.index, end ? bone.tip : undefined), row.slice(k, k + 3)),
          );
        }
      }
      // Five decimals in the table.
      expect(worst).toBeLessThan(1.5e-5);
    });

    test('rotations of all joints, all frames', () => {
      const { figure, motion, frameTime } = readBvh(textOf('walk01.bvh'));
      const { columns, rows } = table('walk01_rot.csv');
      const sampler = createMotionSampler(figure, motion);
      const pose = new Float64Array(figure.dof);
      let worst = 0;
      for (const [frame, row] of rows.entries()) {
        samplePose(sampler, frame * frameTime, pose);
        for (let k = 1; k < columns.length; k += 3) {
          const [name] = columns[k].split('.');
          const order = columns.slice(k, k + 3).map((column) => column.at(-1)?.toUpperCase());
          const angles = { X: 0, Y: 0, Z: 0 };
          for (const [n, axis] of order.entries()) angles[axis as 'X'] = MathUtils.degToRad(row[k + n]);
          const wanted = new Quaternion().setFromEuler(
            new Euler(angles.X, angles.Y, angles.Z, order.join('') as EulerOrder),
          );
          const bone = figure.bones.find((each) => each.name === name);
          if (bone === undefined) throw new Error(name);
          const [x, y, z] = pose.subarray(bone.coordinate + bone.dof - 3, bone.coordinate + bone.dof);
          const angle = Math.hypot(x, y, z);
          const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
          const seen = new Quaternion(s * x, s * y, s * z, Math.cos(angle / 2));
          worst = Math.max(worst, seen.angleTo(wanted));
        }
      }
      expect(worst).toBeLessThan(2e-7);
    });
  });

  test.each(FILES)('%s: coordinates are continuous from frame to frame', (file) => {
    const { figure, motion, frames, frameTime, warnings } = readBvh(textOf(file), { source: file });
    const sampler = createMotionSampler(figure, motion);
    const changes = warnings.filter((warning) => /jump by a whole turn/.test(warning)).length;
    expect(motion.end).toBe(Math.max(1, frames - 1) * frameTime);
    const [a, b] = [new Float64Array(figure.dof), new Float64Array(figure.dof)];
    let jumps = 0;
    for (let frame = 0; frame + 1 < frames; frame++) {
      samplePose(sampler, frame * frameTime, a);
      samplePose(sampler, (frame + 1) * frameTime, b);
      for (const { joint, coordinate, dof } of figure.bones) {
        if (joint.type !== 'ball' && joint.type !== 'free') continue;
        const from = coordinate + dof - 3;
        const sign = distance(a.subarray(from, from + 3), b.subarray(from, from + 3));
        if (sign > Math.PI) jumps++;
      }
    }
    expect(jumps > 0).toBe(changes > 0);
  });

  test('the frame time is kept to the last digit, through the disk', async () => {
    const { frameTime, motion, frames } = await readBvhFile(
      join(folder, 'edge_full_precision_frame_time.bvh'),
    );
    expect(frameTime).toBe(0.0417083750417);
    expect(motion.end).toBe((frames - 1) * 0.0417083750417);
    expect(motion.name).toBe('edge_full_precision_frame_time');
  });

  test('position channels are read as the bones keep their lengths', () => {
    const positions = FILES.map((file) => [file, readBvh(textOf(file)).positions]);
    expect(positions.filter(([, how]) => how === 'added').map(([file]) => file)).toEqual([
      'makehuman_benchmark.bvh',
      'makehuman_tpose.bvh',
    ]);
  });
});

describeWithData('numbers of real files', 'bvh', (path) => {
  const names = readdirSync(path).filter((file) => file.endsWith('.bvh'));
  test.each(names)('%s: each is the double nearest to what is printed', (name) => {
    const text = readFileSync(join(path, name), 'utf8');
    const words = text
      .slice(text.search(/Frame Time:/i))
      .split(/\s+/)
      .slice(3)
      .filter(Boolean);
    const { values } = readBvh(text, { scale: 0.01 }).layout;
    expect(values.length).toBe(words.length);
    expect(words.findIndex((word, k) => !Object.is(Number(word), values[k]))).toBe(-1);
  });
});

test('numbers in any form, in one line with others', () => {
  const words = [
    '-.5',
    '+1.',
    '1e-7',
    '-0',
    '123456789012345678',
    '0.1234567890123456789',
    '9007199254740993',
    '-2.5E+3',
  ];
  const text = `HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 2 Xrotation Yrotation\n}\nMOTION\nFrames: 4\nFrame Time: 1\n`;
  const rows = [0, 2, 4, 6].map((k) => ` ${words[k]}\t${words[k + 1]} `).join('\r\n\n');
  expect(Array.from(readBvh(text + rows).layout.values)).toEqual(words.map(Number));
});
