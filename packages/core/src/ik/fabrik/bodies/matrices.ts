/** Allocation-free kernels on 3x3 blocks at an offset, row by row. */
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';
import { writeRotationMatrix } from '../../../rotation/rotation-vector/kernels.js';

const block = /* @__PURE__ */ new Float64Array(9);

/** out[0..8] = a[i..] b[j..]; `out` must be neither. */
export function multiplyAt(a: Numbers, i: number, b: Numbers, j: number, out: MutableNumbers): void {
  const b0 = b[j];
  const b1 = b[j + 1];
  const b2 = b[j + 2];
  const b3 = b[j + 3];
  const b4 = b[j + 4];
  const b5 = b[j + 5];
  const b6 = b[j + 6];
  const b7 = b[j + 7];
  const b8 = b[j + 8];
  for (let r = 0; r < 9; r += 3) {
    const x = a[i + r];
    const y = a[i + r + 1];
    const z = a[i + r + 2];
    out[r] = x * b0 + y * b3 + z * b6;
    out[r + 1] = x * b1 + y * b4 + z * b7;
    out[r + 2] = x * b2 + y * b5 + z * b8;
  }
}

/** out[0..8] = a[i..]^T b[j..]; `out` must be neither. */
export function multiplyTransposedAt(
  a: Numbers,
  i: number,
  b: Numbers,
  j: number,
  out: MutableNumbers,
): void {
  const b0 = b[j];
  const b1 = b[j + 1];
  const b2 = b[j + 2];
  const b3 = b[j + 3];
  const b4 = b[j + 4];
  const b5 = b[j + 5];
  const b6 = b[j + 6];
  const b7 = b[j + 7];
  const b8 = b[j + 8];
  for (let r = 0; r < 3; r++) {
    const x = a[i + r];
    const y = a[i + r + 3];
    const z = a[i + r + 6];
    out[3 * r] = x * b0 + y * b3 + z * b6;
    out[3 * r + 1] = x * b1 + y * b4 + z * b7;
    out[3 * r + 2] = x * b2 + y * b5 + z * b8;
  }
}

/** m = m exp(angle [axis]): rotates a frame about an axis in its own coordinates. */
export function rotateAbout(m: MutableNumbers, axis: Numbers, angle: number): void {
  writeRotationMatrix(angle * axis[0], angle * axis[1], angle * axis[2], block, 0);
  for (let r = 0; r < 9; r += 3) {
    const x = m[r];
    const y = m[r + 1];
    const z = m[r + 2];
    for (let c = 0; c < 3; c++) m[r + c] = x * block[c] + y * block[3 + c] + z * block[6 + c];
  }
}

/**
 * Twist of the rotation at m[o..] about a unit axis, in (-pi, pi]: 2 atan2(q_v . a, q_w), scaled by 4 q_w from the trace and the
 * antisymmetric part; near pi by the largest vector component as pivot.
 */
export function twistAbout(m: Numbers, o: number, axis: Numbers): number {
  const trace = m[o] + m[o + 4] + m[o + 8];
  const x = m[o + 7] - m[o + 5];
  const y = m[o + 2] - m[o + 6];
  const z = m[o + 3] - m[o + 1];
  if (trace > -0.5) {
    // 4 w^2 = 1 + trace, 4 w q_v = (x, y, z)
    return 2 * Math.atan2(axis[0] * x + axis[1] * y + axis[2] * z, 1 + trace);
  }
  // The largest of the vector part as pivot: 4 q_p^2 = 1 + 2 m_pp - trace.
  const p = m[o] >= m[o + 4] && m[o] >= m[o + 8] ? 0 : m[o + 4] >= m[o + 8] ? 1 : 2;
  let projection = axis[p] * (1 + 2 * m[o + 4 * p] - trace);
  for (let c = 0; c < 3; c++) if (c !== p) projection += axis[c] * (m[o + 3 * p + c] + m[o + 3 * c + p]);
  const w = p === 0 ? x : p === 1 ? y : z;
  const angle = 2 * Math.atan2(projection, w);
  return angle > Math.PI ? angle - 2 * Math.PI : angle <= -Math.PI ? angle + 2 * Math.PI : angle;
}

/**
 * m = m (3 I - m^T m) / 2 at m[o..]: one Newton step towards the nearest rotation. It squares the rounding error, which otherwise
 * doubles from joint to joint in products along a chain.
 */
export function orthonormalizeAt(m: MutableNumbers, o: number): void {
  const a = m[o];
  const b = m[o + 1];
  const c = m[o + 2];
  const d = m[o + 3];
  const e = m[o + 4];
  const f = m[o + 5];
  const g = m[o + 6];
  const h = m[o + 7];
  const i = m[o + 8];
  const xx = 1.5 - 0.5 * (a * a + d * d + g * g);
  const yy = 1.5 - 0.5 * (b * b + e * e + h * h);
  const zz = 1.5 - 0.5 * (c * c + f * f + i * i);
  const xy = -0.5 * (a * b + d * e + g * h);
  const xz = -0.5 * (a * c + d * f + g * i);
  const yz = -0.5 * (b * c + e * f + h * i);
  m[o] = a * xx + b * xy + c * xz;
  m[o + 1] = a * xy + b * yy + c * yz;
  m[o + 2] = a * xz + b * yz + c * zz;
  m[o + 3] = d * xx + e * xy + f * xz;
  m[o + 4] = d * xy + e * yy + f * yz;
  m[o + 5] = d * xz + e * yz + f * zz;
  m[o + 6] = g * xx + h * xy + i * xz;
  m[o + 7] = g * xy + h * yy + i * yz;
  m[o + 8] = g * xz + h * yz + i * zz;
}
