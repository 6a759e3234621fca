/** R I R^T for a symmetric I of six numbers [xx, yy, zz, xy, xz, yz]. */
export function rotateInertia(
  m: Float64Array,
  w: number,
  from: Float64Array,
  i: number,
  out: Float64Array,
  o: number,
): void {
  const xx = from[i];
  const yy = from[i + 1];
  const zz = from[i + 2];
  const xy = from[i + 3];
  const xz = from[i + 4];
  const yz = from[i + 5];
  const r0 = m[w];
  const r1 = m[w + 1];
  const r2 = m[w + 2];
  const r3 = m[w + 3];
  const r4 = m[w + 4];
  const r5 = m[w + 5];
  const r6 = m[w + 6];
  const r7 = m[w + 7];
  const r8 = m[w + 8];
  // Rows of R I.
  const a0 = r0 * xx + r1 * xy + r2 * xz;
  const a1 = r0 * xy + r1 * yy + r2 * yz;
  const a2 = r0 * xz + r1 * yz + r2 * zz;
  const b0 = r3 * xx + r4 * xy + r5 * xz;
  const b1 = r3 * xy + r4 * yy + r5 * yz;
  const b2 = r3 * xz + r4 * yz + r5 * zz;
  const c0 = r6 * xx + r7 * xy + r8 * xz;
  const c1 = r6 * xy + r7 * yy + r8 * yz;
  const c2 = r6 * xz + r7 * yz + r8 * zz;
  out[o] = a0 * r0 + a1 * r1 + a2 * r2;
  out[o + 1] = b0 * r3 + b1 * r4 + b2 * r5;
  out[o + 2] = c0 * r6 + c1 * r7 + c2 * r8;
  out[o + 3] = a0 * r3 + a1 * r4 + a2 * r5;
  out[o + 4] = a0 * r6 + a1 * r7 + a2 * r8;
  out[o + 5] = b0 * r6 + b1 * r7 + b2 * r8;
}
