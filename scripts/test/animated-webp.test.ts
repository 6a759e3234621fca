import { expect, test } from 'vitest';
import { animatedWebp } from '../lib/animated-webp.mjs';

/** A file with a picture, of any bytes, between chunks that are left out. */
function webp(...picture: number[]): Buffer {
  const chunk = (type: string, data: number[]) => [
    ...Buffer.from(type),
    data.length,
    0,
    0,
    0,
    ...data,
    ...(data.length % 2 ? [0] : []),
  ];
  const body = [...Buffer.from('WEBP'), ...chunk('ICCP', [1, 2, 3]), ...chunk('VP8 ', picture)];
  return Buffer.from([...Buffer.from('RIFF'), body.length, 0, 0, 0, ...body]);
}

/** Types and contents of the chunks from a place on. */
function chunksOf(bytes: Buffer, start: number): [string, Buffer][] {
  const chunks: [string, Buffer][] = [];
  for (let at = start; at < bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    chunks.push([bytes.toString('latin1', at, at + 4), bytes.subarray(at + 8, at + 8 + size)]);
    at += 8 + size + (size % 2);
  }
  return chunks;
}

test('an animated WebP holds its frames in their rectangles, as its format says', () => {
  const file = animatedWebp(640, 400, [
    { webp: webp(9, 8, 7), x: 0, y: 0, width: 640, height: 400, milliseconds: 80 },
    { webp: webp(6, 5), x: 20, y: 30, width: 11, height: 300, milliseconds: 300.4 },
  ]);
  expect(file.toString('latin1', 0, 4)).toBe('RIFF');
  expect(file.readUInt32LE(4)).toBe(file.length - 8);
  expect(file.toString('latin1', 8, 12)).toBe('WEBP');
  const chunks = chunksOf(file, 12);
  expect(chunks.map(([type]) => type)).toEqual(['VP8X', 'ANIM', 'ANMF', 'ANMF']);
  const [[, head], , [, first], [, second]] = chunks;
  expect([head[0], head.readUIntLE(4, 3), head.readUIntLE(7, 3)]).toEqual([2, 639, 399]);
  expect(chunksOf(first, 16)).toEqual([['VP8 ', Buffer.from([9, 8, 7])]]);
  const numbers = [0, 3, 6, 9, 12].map((at) => second.readUIntLE(at, 3));
  expect(numbers).toEqual([10, 15, 10, 299, 300]);
  expect(chunksOf(second, 16)).toEqual([['VP8 ', Buffer.from([6, 5])]]);
});
