/**
 * Copies `count` numbers. For the dozens of numbers that a step handles a loop beats TypedArray.prototype.set, whose
 * call alone costs as much as copying thirty.
 */
export function copyNumbers(from: Float64Array, to: Float64Array, count: number): void {
  for (let k = 0; k < count; k++) to[k] = from[k];
}

/** Zeroes `count` numbers. */
export function zeroNumbers(out: Float64Array | Uint8Array, count: number): void {
  for (let k = 0; k < count; k++) out[k] = 0;
}
