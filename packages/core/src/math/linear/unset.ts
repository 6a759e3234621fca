/**
 * Arrays of numbers that are written later: an `out` that was not given, and scratch. V8 stores integer literals like `[0, 0, 0]` in another way than doubles; a
 * function that writes to both is deoptimized and allocates each number. So the short ones, which are written most, begin as fractions.
 */
import type { MutableNumbers } from './types.js';

/** Three numbers. */
export function unset3<T extends MutableNumbers = number[]>(): T {
  return [0.5, 0.5, 0.5] as MutableNumbers as T;
}

/** Four numbers. */
export function unset4<T extends MutableNumbers = number[]>(): T {
  return [0.5, 0.5, 0.5, 0.5] as MutableNumbers as T;
}

/** Nine numbers. */
export function unset9<T extends MutableNumbers = number[]>(): T {
  return [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5] as MutableNumbers as T;
}

/** Twelve numbers. */
export function unset12<T extends MutableNumbers = number[]>(): T {
  return [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5] as MutableNumbers as T;
}

/** `n` zeros, for outputs of other lengths. */
export function zeros<T extends MutableNumbers>(n: number): T {
  return new Array<number>(n).fill(0) as MutableNumbers as T;
}
