import { describe, expect, it } from 'vitest';
import { writeWebm } from '../src/home/export/webm.js';

/** Elements of Matroska (RFC 8794): their numbers, and where their contents are. */
interface Element {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** Elements that hold others. */
const MASTERS = new Set([
  0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0x1f43b675, 0x1c53bb6b, 0xbb, 0xb7,
]);

function elements(bytes: Uint8Array, start = 0, end = bytes.length): Element[] {
  const found: Element[] = [];
  for (let at = start; at < end; ) {
    const idLength = Math.clz32(bytes[at]) - 23;
    let id = 0;
    for (let k = 0; k < idLength; k++) id = id * 256 + bytes[at + k];
    at += idLength;
    const sizeLength = Math.clz32(bytes[at]) - 23;
    let size = bytes[at] & ((1 << (8 - sizeLength)) - 1);
    for (let k = 1; k < sizeLength; k++) size = size * 256 + bytes[at + k];
    at += sizeLength;
    expect(at + size).toBeLessThanOrEqual(end);
    found.push({ id, start: at, end: at + size });
    if (MASTERS.has(id)) found.push(...elements(bytes, at, at + size));
    at += size;
  }
  return found;
}

describe('a WebM file', () => {
  it('has every frame at its time, in clusters that begin with key frames and an index that finds them', async () => {
    const frames = Array.from({ length: 100 }, (_, k) => ({
      time: k / 30,
      isKey: k % 40 === 0,
      bytes: Uint8Array.of(k, 1, 2, 3),
    }));
    const file = writeWebm({ codec: 'V_VP9', width: 640, height: 360, rate: 30 }, frames);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const all = elements(bytes);
    const view = new DataView(bytes.buffer);
    const unsigned = ({ start, end }: Element) =>
      bytes.subarray(start, end).reduce((sum, byte) => 256 * sum + byte, 0);
    const of = (id: number) => all.filter((each) => each.id === id);
    expect(view.getFloat64(of(0x4489)[0].start)).toBeCloseTo(1e5 / 30, 9);
    expect([unsigned(of(0xb0)[0]), unsigned(of(0xba)[0])]).toEqual([640, 360]);
    let clusterTime = 0;
    const blocks: { time: number; isKey: boolean; first: number; isStart: boolean }[] = [];
    let isStart = false;
    for (const each of all) {
      if (each.id === 0xe7) {
        clusterTime = unsigned(each);
        isStart = true;
      }
      if (each.id !== 0xa3) continue;
      const time = clusterTime + view.getInt16(each.start + 1);
      blocks.push({ time, isKey: bytes[each.start + 3] === 0x80, first: bytes[each.start + 4], isStart });
      isStart = false;
    }
    expect(blocks).toEqual(
      frames.map(({ time, isKey }, k) => ({
        time: Math.round(1000 * time),
        isKey,
        first: k,
        isStart: isKey,
      })),
    );
    const [segment] = of(0x18538067);
    const clusters = of(0x1f43b675);
    const places = of(0xf1).map((each) => segment.start + unsigned(each));
    expect(places.length).toBe(clusters.length);
    for (const place of places) expect(view.getUint32(place)).toBe(0x1f43b675);
    expect(of(0xb3).map(unsigned)).toEqual([0, 1333, 2667]);
  });
});
