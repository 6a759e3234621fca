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

/** a . b */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/** |x| */
export function norm(x: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k] * x[k];
  return Math.sqrt(sum);
}

/** max |x_k| */
export function maxNorm(x: Float64Array): number {
  let largest = 0;
  for (let k = 0; k < x.length; k++) largest = Math.max(largest, Math.abs(x[k]));
  return largest;
}

/** Largest absolute value on the diagonal of a square matrix, of its first `count` columns. */
export function largestDiagonal(m: Float64Array, width: number, count = width): number {
  let largest = 0;
  for (let k = 0; k < count; k++) largest = Math.max(largest, Math.abs(m[k * (width + 1)]));
  return largest;
}
