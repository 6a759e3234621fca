import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import { readTrc } from '../../src/index.js';

const HEAD = `PathFileType\t4\t(X/Y/Z)\tmade.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate
100.0\t100.0\t2\t2\tcm\t100
Frame#\tTime\tLeft knee\t\t\tRASI
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

`;

describe('readTrc', () => {
  test('reads names with spaces, units, and missing markers in each form', () => {
    const clip = readTrc(
      `${HEAD}1\t0\t1\t2\t3\t4\t5\t6\n2\t0.01\t\t\t\t4\t5\tNaN\t\n3\t0.02\t7\t8\t9\n4\t0.03\n`,
    );
    expect(clip).toMatchObject({ names: ['Left knee', 'RASI'], frames: 4, rate: 100, warnings: [] });
    const missing = [NaN, NaN, NaN];
    const expected = [
      0.01,
      0.02,
      0.03,
      0.04,
      0.05,
      0.06,
      ...missing,
      ...missing,
      0.07,
      0.08,
      0.09,
      ...missing,
      ...missing,
      ...missing,
    ];
    clip.positions.forEach((x, k) => {
      if (Number.isNaN(expected[k])) expect(x).toBeNaN();
      else expect(x).toBeCloseTo(expected[k], 14);
    });
  });

  test('a count that is wrong is a warning', () => {
    const { warnings } = readTrc(`${HEAD.replace('\t2\t2\tcm', '\t2\t3\tcm')}1\t0\t1\t2\t3\t4\t5\t6\n`);
    expect(warnings).toEqual(['markers.trc:3: NumMarkers is 3, but line 4 names 2.']);
  });

  test.each([
    ['', 'invalid-file', 'markers.trc:1'],
    [HEAD, 'invalid-file', 'markers.trc'],
    [HEAD.replace('\tcm', '\tparsec'), 'unsupported', 'markers.trc:3'],
    [HEAD.replace('Units', 'Unit'), 'invalid-file', 'markers.trc:2'],
    [HEAD.replace('100.0', '0'), 'out-of-range', 'markers.trc:3'],
    [HEAD.replace('RASI', 'Left knee'), 'duplicate-name', 'markers.trc:4'],
    [HEAD.replace('Frame#', 'Picture'), 'invalid-file', 'markers.trc:4'],
    [`${HEAD}1\t0\t1\t2\t3\t4\t5\t6\t7\n`, 'wrong-size', 'markers.trc:7'],
    [`${HEAD}1 0 1 2 3 4 5\n`, 'wrong-size', 'markers.trc:7'],
    [`${HEAD}1\t0\t1\tx\t3\n`, 'invalid-file', 'markers.trc:7'],
    [`${HEAD}1\t0\t1\t2\t3\n2\t0\t1\t2\t3\n`, 'out-of-range', 'markers.trc:8'],
  ])('%j is refused', (text, code, path) => {
    expect(() => readTrc(text)).toThrow(expect.objectContaining({ code, path }));
  });
});

describeWithData('TRC files of the data', 'opensim', (folder) => {
  test.each([
    ['ik_gait2354/subject01_synthetic_marker_data.trc', 73, 31],
    ['ik_gait2354_real/subject01_walk1.trc', 151, 41],
  ])('%s: %i frames, %i markers, 60 a second', (file, frames, markers) => {
    const clip = readTrc(readFileSync(join(folder, file)));
    expect([clip.frames, clip.names.length, clip.rate, clip.warnings]).toEqual([frames, markers, 60, []]);
  });
});
