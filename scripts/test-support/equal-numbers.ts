import { expect } from 'vitest';

// Loaded into every unit test file: lists of numbers that are the same to the bit are equal. `toEqual` finds that by itself, by the
// names of their entries as text: most of the time of a test that compares motions. What differs it says as ever.
const loaded = globalThis as { hasEqualNumbers?: boolean };
if (!loaded.hasEqualNumbers) expect.addEqualityTesters([equalNumbers]);
loaded.hasEqualNumbers = true;

type Numbers = Float64Array | readonly unknown[];

function equalNumbers(a: unknown, b: unknown): true | undefined {
  if (!isList(a) || !isList(b) || a.constructor !== b.constructor || a.length !== b.length) return undefined;
  for (let k = 0; k < a.length; k++) {
    if (typeof a[k] !== 'number' || !Object.is(a[k], b[k])) return undefined;
  }
  return true;
}

function isList(value: unknown): value is Numbers {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}
