/** Vectors of the hot kernels: three numbers in a Float64Array. One kind of array alone is what engines compile well. */

export function dot(a: Float64Array, b: Float64Array): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function norm(a: Float64Array): number {
  return Math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/** out = a x b; another array. */
export function cross(a: Float64Array, b: Float64Array, out: Float64Array): void {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/** out = a / |a|, a not zero. */
export function normalize(a: Float64Array, out: Float64Array): void {
  const size = norm(a);
  for (let k = 0; k < 3; k++) out[k] = a[k] / size;
}
