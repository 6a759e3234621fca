import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { threadTime } from '@poise/test-support/thread-time';
import { describe, expect, test } from 'vitest';
import { posesFromStorage, readOsim, readStorage, storageFromPoses, writeStorage } from '../../src/index.js';

const table = `Coordinates
version=1
inDegrees=yes
endheader
time  /jointset/k/knee/value   other
0\t90\t1
0.5 -45\tnan

`;

describe('readStorage', () => {
  test('reads columns, rows and the unit of angles', () => {
    const read = readStorage(table);
    expect(read).toMatchObject({
      name: 'Coordinates',
      columns: ['time', '/jointset/k/knee/value', 'other'],
      rows: 2,
      inDegrees: true,
    });
    expect(Array.from(read.values)).toEqual([0, 90, 1, 0.5, -45, Number.NaN]);
    expect(readStorage(table.replace('inDegrees=yes\n', '')).inDegrees).toBe(false);
    expect(readStorage(table.replace('inDegrees=yes', 'datacolumns 3')).inDegrees).toBe(true);
    // Without a column of times, rows need no order.
    expect(readStorage('endheader\na b\n1 2\n0 2\n').rows).toBe(2);
  });

  test('what is written reads back to the bit', () => {
    const read = readStorage(table);
    expect(readStorage(writeStorage({ ...read, values: read.values.map((x) => x / 3) })).values).toEqual(
      read.values.map((x) => x / 3),
    );
  });

  test('a header of 300,000 blank lines takes less than a second', () => {
    const begun = threadTime();
    expect(readStorage(`walk\n${' \n'.repeat(300_000)}${table}`).rows).toBe(2);
    expect(threadTime() - begun).toBeLessThan(1000);
  });

  test.each([
    ['time\n0\n', 'invalid-file'],
    ['endheader\n', 'invalid-file'],
    ['endheader\ntime a\n0\n', 'wrong-size'],
    ['endheader\ntime a\n0 x\n', 'invalid-file'],
    ['endheader\ntime a\n0 1e999\n', 'not-finite'],
    ['endheader\ntime a\nnan 1\n', 'not-finite'],
    ['endheader\ntime a\n0 1\n1 1\n0.5 1\n', 'not-increasing'],
    ['endheader\na Time\n0 1\n0 1\n', 'not-increasing'],
    ['endheader\ntime a b a\n0 1 2 3\n', 'duplicate-name'],
  ])('%j is refused', (text, code) => {
    expect(() => readStorage(text)).toThrow(expect.objectContaining({ code }));
  });
});

describeWithData('tables of the data', 'opensim', (folder) => {
  const read = (file: string) => readFileSync(join(folder, file));
  test.each([
    ['dyn_single_pin/SinglePin_InitialStates.sto', 1, 3],
    ['dyn_single_pin/SinglePin_states.sto', 302, 3],
    ['dyn_single_pin/std_SinglePin_JointReaction_ReactionLoads.sto', 301, 28],
    ['id_arm26/arm26_InverseKinematics.mot', 121, 12],
    ['id_arm26/std_arm26_InverseDynamics.sto', 121, 3],
    ['ik_gait2354/std_subject01_walk1_ik.mot', 73, 24],
    ['motions/normal_gait.mot', 51, 18],
    ['opencap/walking1_videoAndMocap.mot', 158, 36],
  ])('%s has %i rows and %i columns', (file, rows, columns) => {
    const { rows: r, columns: c } = readStorage(read(file), { source: file });
    expect([r, c.length]).toEqual([rows, columns]);
  });

  test('a motion of a model becomes poses and the same motion again, coupled coordinates included', () => {
    const model = readOsim(read('opencap/LaiUhlrich2022.osim'));
    const motion = readStorage(read('opencap/walking1_videoAndMocap.mot'));
    const { times, poses, missing } = posesFromStorage(model, motion);
    expect(missing).toEqual([]);
    const again = storageFromPoses(model, times, poses);
    let compared = 0;
    for (const name of motion.columns) {
      const [a, b] = [motion.columns.indexOf(name), again.columns.indexOf(name)];
      if (b < 0) continue;
      for (let row = 0; row < motion.rows; row++) {
        const difference =
          motion.values[row * motion.columns.length + a] - again.values[row * again.columns.length + b];
        // The file has eight digits of the coupled ones.
        expect(Math.abs(difference), `${name} ${row}`).toBeLessThan(1e-6);
        compared++;
      }
    }
    expect(compared).toBe(158 * 36);
  });

  test.each([
    ['', 'invalid-file'],
    ['0 1\n0 2\n', 'not-increasing'],
    ['nan 1\n', 'not-finite'],
    ['0 nan\n', 'not-finite'],
  ])('a motion with the rows %j is refused', (rows, code) => {
    const model = readOsim(read('dyn_single_pin/SinglePin.osim'));
    expect(() => posesFromStorage(model, readStorage(`x\nendheader\ntime r1_z\n${rows}`))).toThrow(
      expect.objectContaining({ code }),
    );
  });

  test('a motion of another model is refused', () => {
    const model = readOsim(read('dyn_single_pin/SinglePin.osim'));
    expect(() => posesFromStorage(model, readStorage(read('motions/normal_gait.mot')))).toThrow(
      expect.objectContaining({ code: 'unknown-name' }),
    );
  });
});
