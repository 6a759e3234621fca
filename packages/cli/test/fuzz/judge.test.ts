import { describe, expect, test } from 'vitest';
import { judge } from './judge.js';
import { isRefusal, type Reader } from './readers.js';

/** A file of 100 bytes, whose first say 300 MB. */
const count = 300e6;
const bytes = new Uint8Array(100);
new DataView(bytes.buffer).setUint32(0, count);
const countOf = (file: Uint8Array): number => new DataView(file.buffer).getUint32(0);
const refusal = { code: 'unreadable', path: 'count', what: 'is too large', remedy: 'Give less.' };

/** What a read leaves behind. */
const kept: { by?: unknown } = {};

function judged(read: (file: Uint8Array) => void): string | undefined {
  const reader: Reader = {
    name: 'made',
    ending: 'bin',
    samples: [{ name: 'made.bin', bytes }],
    damage: (_, sample) => sample.bytes,
    read,
  };
  kept.by = undefined;
  return judge(reader, 'tests', 0, false).fault;
}

/** Objects that are dropped at once, over many collections. */
function makeGarbage(): void {
  for (let k = 0; k < 10_000; k++) kept.by = Array.from({ length: 1000 }, (_, i) => ({ i }));
  kept.by = undefined;
}

describe('memory that a count in a header asks for is a fault', () => {
  const read = {
    'one array, held when the read returns': (file) => {
      kept.by = new Float64Array(countOf(file) / 8);
    },
    'after collections': (file) => {
      makeGarbage();
      kept.by = new Float64Array(countOf(file) / 8);
    },
    'dropped before collections': (file) => {
      kept.by = new Float64Array(countOf(file) / 8);
      makeGarbage();
    },
    'and the file is refused': (file) => {
      const values = new Float64Array(countOf(file) / 8);
      if (values.length > 0) throw Object.assign(new Error(), refusal);
    },
    'a list within the heap': (file) => {
      kept.by = new Array(countOf(file) / 16).fill(0);
    },
    'objects, each small': (file) => {
      kept.by = Array.from({ length: countOf(file) / 100 }, (_, i) => ({ i, x: 0.5 * i, of: [i] }));
    },
  } satisfies Record<string, (file: Uint8Array) => void>;

  test.each(Object.entries(read))('%s', (_, reads) => {
    expect(judged(reads)).toMatch(/^needs \d+ MB of memory for 100 bytes$/);
    kept.by = undefined;
  });

  test('the least array over the bound is found, the largest under it is none', () => {
    const arrayOf = (size: number) => () => {
      kept.by = new Float64Array(size / 8);
    };
    expect(judged(arrayOf(33e6))).toBe('needs 33 MB of memory for 100 bytes');
    expect(judged(arrayOf(30e6))).toBeUndefined();
  });
});

test('garbage is no fault', () => {
  expect(isRefusal(refusal)).toBe(true);
  expect(judged(() => makeGarbage())).toBeUndefined();
});
