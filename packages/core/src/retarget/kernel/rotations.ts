/** Products of rotation matrices and vectors in flat arrays: nine numbers row by row at an offset. */

/** out[o..] = A B. The output may be either operand's array at another place, not the same. */
export function multiplyAt(
  a: ArrayLike<number>,
  i: number,
  b: ArrayLike<number>,
  j: number,
  out: Float64Array,
  o: number,
): void {
  for (let r = 0; r < 9; r += 3) {
    const x = a[i + r];
    const y = a[i + r + 1];
    const z = a[i + r + 2];
    out[o + r] = x * b[j] + y * b[j + 3] + z * b[j + 6];
    out[o + r + 1] = x * b[j + 1] + y * b[j + 4] + z * b[j + 7];
    out[o + r + 2] = x * b[j + 2] + y * b[j + 5] + z * b[j + 8];
  }
}

/** out[o..] = A B^T. */
export function multiplyTransposedAt(
  a: ArrayLike<number>,
  i: number,
  b: ArrayLike<number>,
  j: number,
  out: Float64Array,
  o: number,
): void {
  for (let r = 0; r < 9; r += 3) {
    const x = a[i + r];
    const y = a[i + r + 1];
    const z = a[i + r + 2];
    out[o + r] = x * b[j] + y * b[j + 1] + z * b[j + 2];
    out[o + r + 1] = x * b[j + 3] + y * b[j + 4] + z * b[j + 5];
    out[o + r + 2] = x * b[j + 6] + y * b[j + 7] + z * b[j + 8];
  }
}

/** out[o..] = A^T B. */
export function transposedMultiplyAt(
  a: ArrayLike<number>,
  i: number,
  b: ArrayLike<number>,
  j: number,
  out: Float64Array,
  o: number,
): void {
  for (let r = 0; r < 3; r++) {
    const x = a[i + r];
    const y = a[i + r + 3];
    const z = a[i + r + 6];
    out[o + 3 * r] = x * b[j] + y * b[j + 3] + z * b[j + 6];
    out[o + 3 * r + 1] = x * b[j + 1] + y * b[j + 4] + z * b[j + 7];
    out[o + 3 * r + 2] = x * b[j + 2] + y * b[j + 5] + z * b[j + 8];
  }
}

/** out[o..] = A v + p, p at at[q..]. */
export function transformAt(
  a: ArrayLike<number>,
  i: number,
  v: ArrayLike<number>,
  j: number,
  p: ArrayLike<number>,
  q: number,
  out: Float64Array | number[],
  o: number,
): void {
  const x = v[j];
  const y = v[j + 1];
  const z = v[j + 2];
  const px = p[q];
  const py = p[q + 1];
  const pz = p[q + 2];
  out[o] = a[i] * x + a[i + 1] * y + a[i + 2] * z + px;
  out[o + 1] = a[i + 3] * x + a[i + 4] * y + a[i + 5] * z + py;
  out[o + 2] = a[i + 6] * x + a[i + 7] * y + a[i + 8] * z + pz;
}

/** out[o..] = A v. */
export function rotateAt(
  a: ArrayLike<number>,
  i: number,
  v: ArrayLike<number>,
  j: number,
  out: Float64Array | number[],
  o: number,
): void {
  const x = v[j];
  const y = v[j + 1];
  const z = v[j + 2];
  out[o] = a[i] * x + a[i + 1] * y + a[i + 2] * z;
  out[o + 1] = a[i + 3] * x + a[i + 4] * y + a[i + 5] * z;
  out[o + 2] = a[i + 6] * x + a[i + 7] * y + a[i + 8] * z;
}

export function copyAt(a: ArrayLike<number>, i: number, out: Float64Array, o: number, count: number): void {
  for (let k = 0; k < count; k++) out[o + k] = a[i + k];
}

/** Frame with the columns u, w and u x w from a unit vector u and a vector w, which is made perpendicular to it. Nine numbers row by row. */
export function writeFrame(u: Float64Array, w: Float64Array, out: Float64Array, o: number): void {
  const along = u[0] * w[0] + u[1] * w[1] + u[2] * w[2];
  let x = w[0] - along * u[0];
  let y = w[1] - along * u[1];
  let z = w[2] - along * u[2];
  const size = Math.sqrt(x * x + y * y + z * z);
  if (size > 1e-9) {
    x /= size;
    y /= size;
    z /= size;
  } else {
    // Any perpendicular: the axis that u is furthest from.
    const k = Math.abs(u[0]) < 0.6 ? 0 : Math.abs(u[1]) < 0.6 ? 1 : 2;
    const e = u[k];
    x = (k === 0 ? 1 : 0) - e * u[0];
    y = (k === 1 ? 1 : 0) - e * u[1];
    z = (k === 2 ? 1 : 0) - e * u[2];
    const n = Math.sqrt(x * x + y * y + z * z);
    x /= n;
    y /= n;
    z /= n;
  }
  out[o] = u[0];
  out[o + 3] = u[1];
  out[o + 6] = u[2];
  out[o + 1] = x;
  out[o + 4] = y;
  out[o + 7] = z;
  out[o + 2] = u[1] * z - u[2] * y;
  out[o + 5] = u[2] * x - u[0] * z;
  out[o + 8] = u[0] * y - u[1] * x;
}

/** Angle of the rotation between two orientations, rad, accurate for small ones. */
export function angleBetweenAt(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number): number {
  // |A - B|_F^2 = 8 sin^2(angle / 2).
  let sum = 0;
  for (let k = 0; k < 9; k++) sum += (a[i + k] - b[j + k]) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(sum / 8)));
}
