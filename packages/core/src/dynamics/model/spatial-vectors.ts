/** Kernels on 3-vectors, spatial vectors (angular part, then linear: 6 numbers) and 3 x 3 matrices at offsets of packed arrays. */

/** Zeros a short array; faster than `fill`. */
export function clear(x: Float64Array): void {
  for (let k = 0; k < x.length; k++) x[k] = 0;
}

/** out += scale x. */
export function addScaled(x: Float64Array, i: number, scale: number, out: Float64Array, o: number): void {
  out[o] += scale * x[i];
  out[o + 1] += scale * x[i + 1];
  out[o + 2] += scale * x[i + 2];
}

/** Dot product of 3-vectors. */
export function dot3(x: Float64Array, i: number, y: Float64Array, j: number): number {
  return x[i] * y[j] + x[i + 1] * y[j + 1] + x[i + 2] * y[j + 2];
}

/** Dot product of spatial vectors: a motion with a force. */
export function dotSpatial(x: Float64Array, i: number, y: Float64Array, j: number): number {
  return (
    x[i] * y[j] +
    x[i + 1] * y[j + 1] +
    x[i + 2] * y[j + 2] +
    x[i + 3] * y[j + 3] +
    x[i + 4] * y[j + 4] +
    x[i + 5] * y[j + 5]
  );
}

/** out += M x, M 3 x 3, row by row at m. */
export function addProduct(
  matrix: Float64Array,
  m: number,
  x: Float64Array,
  i: number,
  out: Float64Array,
  o: number,
): void {
  for (let r = 0; r < 3; r++) out[o + r] += dot3(matrix, m + 3 * r, x, i);
}

/** out += scale M^T x. */
export function addTransposed(
  matrix: Float64Array,
  m: number,
  x: Float64Array,
  i: number,
  scale: number,
  out: Float64Array,
  o: number,
): void {
  for (let c = 0; c < 3; c++) {
    out[o + c] +=
      scale * (matrix[m + c] * x[i] + matrix[m + 3 + c] * x[i + 1] + matrix[m + 6 + c] * x[i + 2]);
  }
}

/** out += scale (x y^T). */
export function addOuter(
  x: Float64Array,
  i: number,
  y: Float64Array,
  j: number,
  scale: number,
  out: Float64Array,
  o: number,
): void {
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) out[o + 3 * r + c] += scale * x[i + r] * y[j + c];
  }
}

/** Velocity transport: shifts a velocity (angular w, linear v) at motions[p..] by r = offsets[k..] to motions[o..]: w, v + w x r. */
export function transportVelocity(
  motions: Float64Array,
  p: number,
  offsets: Float64Array,
  k: number,
  o: number,
): void {
  const x = offsets[k];
  const y = offsets[k + 1];
  const z = offsets[k + 2];
  const wx = motions[p];
  const wy = motions[p + 1];
  const wz = motions[p + 2];
  motions[o] = wx;
  motions[o + 1] = wy;
  motions[o + 2] = wz;
  motions[o + 3] = motions[p + 3] + wy * z - wz * y;
  motions[o + 4] = motions[p + 4] + wz * x - wx * z;
  motions[o + 5] = motions[p + 5] + wx * y - wy * x;
}
