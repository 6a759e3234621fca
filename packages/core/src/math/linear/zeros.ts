/**
 * Arrays of numbers that are written later: an `out` that was not given, and scratch. Doubles from the start: V8 shares the numbers of a literal like `[0, 0, 0]`
 * until they are written, and a function that has once written to such an array and to a typed one stores slowly from then on, with each number on the heap.
 */
import type { MutableNumbers } from './types.js';

/** Three zeros. */
export function zeros3<T extends MutableNumbers = number[]>(): T {
  const out = [0.5, 0.5, 0.5];
  out[0] = out[1] = out[2] = 0;
  return out as MutableNumbers as T;
}

/** Four zeros. */
export function zeros4<T extends MutableNumbers = number[]>(): T {
  const out = [0.5, 0.5, 0.5, 0.5];
  out[0] = out[1] = out[2] = out[3] = 0;
  return out as MutableNumbers as T;
}

/** Nine zeros. */
export function zeros9<T extends MutableNumbers = number[]>(): T {
  const out = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5];
  for (let k = 0; k < 9; k++) out[k] = 0;
  return out as MutableNumbers as T;
}

/** Twelve zeros. */
export function zeros12<T extends MutableNumbers = number[]>(): T {
  const out = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5];
  for (let k = 0; k < 12; k++) out[k] = 0;
  return out as MutableNumbers as T;
}
