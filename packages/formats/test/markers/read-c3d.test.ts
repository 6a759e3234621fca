import { type C3dContent, c3dOf } from '@poise/test-support/c3d';
import { describe, expect, test } from 'vitest';
import { readC3d } from '../../src/index.js';

const content: C3dContent = {
  processor: 'intel',
  isFloat: true,
  labels: ['LASI', 'RASI', 'RASI'],
  frames: [
    [
      [100.5, -2000.25, 0.125],
      [1, 2, 3],
      [4, 5, 6],
    ],
    [[-0.5, 1024, 7.75], undefined, [4, 5, 6]],
  ],
  rate: 120,
  yScreen: '+Z',
};

describe('readC3d', () => {
  test.each(
    (['intel', 'dec', 'mips'] as const).flatMap((processor) =>
      [true, false].map((isFloat) => ({ processor, isFloat })),
    ),
  )('$processor, floats: $isFloat', (kind) => {
    for (const analog of [0, 5]) {
      const clip = readC3d(c3dOf({ ...content, ...kind, analog }));
      expect(clip).toMatchObject({
        names: ['LASI', 'RASI', 'RASI_2'],
        frames: 2,
        rate: 120,
        up: 'z',
        warnings: [],
      });
      expect(Array.from(clip.times)).toEqual([0, 1 / 120]);
      const metres = [100.5, -2000.25, 0.125, 1, 2, 3, 4, 5, 6, -0.5, 1024, 7.75, NaN, NaN, NaN, 4, 5, 6];
      clip.positions.forEach((x, k) => {
        if (Number.isNaN(metres[k])) expect(x).toBeNaN();
        else expect(x).toBeCloseTo(metres[k] / 1000, 12);
      });
    }
  });

  test('a float of a VAX by its bits: 1 is 80 40 00 00, -2.5 is 20 C1 00 00', () => {
    const bytes = c3dOf({
      ...content,
      processor: 'dec',
      frames: [
        [
          [1, -2.5, 0],
          [0, 0, 0],
          [0, 0, 0],
        ],
      ],
    });
    const at = bytes.length - 512;
    expect(Array.from(bytes.subarray(at, at + 12))).toEqual([0x80, 0x40, 0, 0, 0x20, 0xc1, 0, 0, 0, 0, 0, 0]);
    expect(Array.from(readC3d(bytes).positions.subarray(0, 3))).toEqual([0.001, -0.0025, 0]);
  });

  test('more frames than 16 bits count, which the group TRIAL says', () => {
    const frames = Array.from({ length: 70_000 }, (_, f) => [[f % 1000, 0, 0] as const]);
    for (const processor of ['intel', 'mips'] as const) {
      const clip = readC3d(
        c3dOf({ ...content, processor, isFloat: false, labels: ['A'], frames, trial: true }),
      );
      expect(clip.frames).toBe(70_000);
      expect(clip.positions[3 * 69_999]).toBeCloseTo(0.999, 12);
    }
  });

  test('other units, and none', () => {
    expect(readC3d(c3dOf({ ...content, units: 'm' })).positions[0]).toBeCloseTo(100.5, 12);
    const { positions, warnings } = readC3d(c3dOf({ ...content, units: '?' }));
    expect(positions[0]).toBeCloseTo(0.1005, 12);
    expect(warnings).toEqual([expect.stringContaining("POINT:UNITS is '?'")]);
  });

  const good = c3dOf(content);
  const changed = (at: number, value: number): Uint8Array => {
    const bytes = good.slice();
    bytes[at] = value;
    return bytes;
  };
  test.each([
    ['an empty file', new Uint8Array(), 'invalid-file'],
    ['another file', new Uint8Array(2048), 'invalid-file'],
    ['a parameter section beyond the end', changed(0, 200), 'unsupported'],
    ['another processor', changed(515, 99), 'unsupported'],
    ['frames that are not there', good.slice(0, 1024), 'invalid-file'],
    ['a parameter of another type', changed(512 + 4 + 2 + 5 + 2 + 1 + 2 + 4 + 2, 3), 'invalid-file'],
  ])('%s is refused', (_, bytes, code) => {
    expect(() => readC3d(bytes)).toThrow(expect.objectContaining({ code }));
  });
});
