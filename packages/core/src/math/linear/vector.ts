/**
 * Copies `count` numbers. A loop is faster than TypedArray.prototype.set for a few dozen numbers: the call of `set` alone
 * costs as much as copying thirty.
 */
export function copyNumbers(from: Float64Array, to: Float64Array, count: number): void {
  for (let k = 0; k < count; k++) to[k] = from[k];
}

/** Zeroes `count` numbers. */
export function zeroNumbers(out: Float64Array | Uint8Array, count: number): void {
  for (let k = 0; k < count; k++) out[k] = 0;
}
