/** Rows of the mass matrix from composite inertias: M_ij = S_j^T Ic_i S_i up the ancestors of bone i. */
import type { MutableNumbers } from '../../math/linear/types.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA_SIZE } from '../model/inertia.js';

/**
 * Row i and column i of each coordinate i of bone b, up to the coordinates of b and its ancestors: the momentum Ic S_i of the subtree, shifted
 * from origin to origin, against each S_j.
 */
export function writeMassMatrixRows(
  dynamics: Dynamics,
  b: number,
  stride: number,
  out: MutableNumbers,
): void {
  const { figure, state, offsets, compositeInertia } = dynamics;
  const { parents } = figure;
  const { worldFromBone: m, columnsV: columns, columnStart, columnEnd, bodyAngularVelocity } = state;
  const o = INERTIA_SIZE * b;
  const mass = compositeInertia[o];
  const hx = compositeInertia[o + 1];
  const hy = compositeInertia[o + 2];
  const hz = compositeInertia[o + 3];
  const xx = compositeInertia[o + 4];
  const yy = compositeInertia[o + 5];
  const zz = compositeInertia[o + 6];
  const xy = compositeInertia[o + 7];
  const xz = compositeInertia[o + 8];
  const yz = compositeInertia[o + 9];
  for (let i = columnStart[b]; i < columnEnd[b]; i++) {
    const s = 6 * i;
    const ax = columns[s];
    const ay = columns[s + 1];
    const az = columns[s + 2];
    const lx = columns[s + 3];
    const ly = columns[s + 4];
    const lz = columns[s + 5];
    const fx = mass * lx + ay * hz - az * hy;
    const fy = mass * ly + az * hx - ax * hz;
    const fz = mass * lz + ax * hy - ay * hx;
    let nx = xx * ax + xy * ay + xz * az + hy * lz - hz * ly;
    let ny = xy * ax + yy * ay + yz * az + hz * lx - hx * lz;
    let nz = xz * ax + yz * ay + zz * az + hx * ly - hy * lx;
    for (let a = b; a >= 0; a = parents[a]) {
      const first = columnStart[a];
      if (bodyAngularVelocity[a] === 1) {
        const e = 12 * a;
        const x = m[e] * nx + m[e + 3] * ny + m[e + 6] * nz;
        const y = m[e + 1] * nx + m[e + 4] * ny + m[e + 7] * nz;
        const z = m[e + 2] * nx + m[e + 5] * ny + m[e + 8] * nz;
        writeThreeEntries(x, y, z, i, first, stride, out);
      } else {
        for (let j = first; j < columnEnd[a]; j++) {
          const c = 6 * j;
          const angular = columns[c] * nx + columns[c + 1] * ny + columns[c + 2] * nz;
          const entry = angular + columns[c + 3] * fx + columns[c + 4] * fy + columns[c + 5] * fz;
          out[i * stride + j] = entry;
          out[j * stride + i] = entry;
        }
      }
      const r = 3 * a;
      nx += offsets[r + 1] * fz - offsets[r + 2] * fy;
      ny += offsets[r + 2] * fx - offsets[r] * fz;
      nz += offsets[r] * fy - offsets[r + 1] * fx;
    }
  }
}

/** Writes entries (i, j), (i, j + 1), (i, j + 2) and their transposes. */
function writeThreeEntries(
  x: number,
  y: number,
  z: number,
  i: number,
  j: number,
  stride: number,
  out: MutableNumbers,
): void {
  const row = i * stride + j;
  const column = j * stride + i;
  out[row] = x;
  out[row + 1] = y;
  out[row + 2] = z;
  out[column] = x;
  out[column + stride] = y;
  out[column + 2 * stride] = z;
}

/** {@link writeMassMatrixRows} for a ball joint: its three coordinates in one walk to the root. */
export function writeBallMassMatrixRows(
  dynamics: Dynamics,
  b: number,
  stride: number,
  out: MutableNumbers,
): void {
  const { figure, state, offsets, compositeInertia, rotationStart } = dynamics;
  const { parents } = figure;
  const { worldFromBone: m, columnsV: columns, columnStart, columnEnd, bodyAngularVelocity } = state;
  const o = INERTIA_SIZE * b;
  const hx = compositeInertia[o + 1];
  const hy = compositeInertia[o + 2];
  const hz = compositeInertia[o + 3];
  const xx = compositeInertia[o + 4];
  const yy = compositeInertia[o + 5];
  const zz = compositeInertia[o + 6];
  const xy = compositeInertia[o + 7];
  const xz = compositeInertia[o + 8];
  const yz = compositeInertia[o + 9];
  const e = 12 * b;
  // The axes u, v, w are the columns of R; momentum of each: f = axis x h, n = I axis.
  const ux = m[e];
  const uy = m[e + 3];
  const uz = m[e + 6];
  const vx = m[e + 1];
  const vy = m[e + 4];
  const vz = m[e + 7];
  const wx = m[e + 2];
  const wy = m[e + 5];
  const wz = m[e + 8];
  const fux = uy * hz - uz * hy;
  const fuy = uz * hx - ux * hz;
  const fuz = ux * hy - uy * hx;
  const fvx = vy * hz - vz * hy;
  const fvy = vz * hx - vx * hz;
  const fvz = vx * hy - vy * hx;
  const fwx = wy * hz - wz * hy;
  const fwy = wz * hx - wx * hz;
  const fwz = wx * hy - wy * hx;
  let nux = xx * ux + xy * uy + xz * uz;
  let nuy = xy * ux + yy * uy + yz * uz;
  let nuz = xz * ux + yz * uy + zz * uz;
  let nvx = xx * vx + xy * vy + xz * vz;
  let nvy = xy * vx + yy * vy + yz * vz;
  let nvz = xz * vx + yz * vy + zz * vz;
  let nwx = xx * wx + xy * wy + xz * wz;
  let nwy = xy * wx + yy * wy + yz * wz;
  let nwz = xz * wx + yz * wy + zz * wz;
  const i = columnStart[b];
  for (let a = b; a >= 0; a = parents[a]) {
    const first = columnStart[a];
    if (bodyAngularVelocity[a] === 1) {
      const c = 12 * a;
      const r0 = m[c];
      const r1 = m[c + 1];
      const r2 = m[c + 2];
      const r3 = m[c + 3];
      const r4 = m[c + 4];
      const r5 = m[c + 5];
      const r6 = m[c + 6];
      const r7 = m[c + 7];
      const r8 = m[c + 8];
      const u0 = r0 * nux + r3 * nuy + r6 * nuz;
      const v0 = r0 * nvx + r3 * nvy + r6 * nvz;
      const w0 = r0 * nwx + r3 * nwy + r6 * nwz;
      const u1 = r1 * nux + r4 * nuy + r7 * nuz;
      const v1 = r1 * nvx + r4 * nvy + r7 * nvz;
      const w1 = r1 * nwx + r4 * nwy + r7 * nwz;
      const u2 = r2 * nux + r5 * nuy + r8 * nuz;
      const v2 = r2 * nvx + r5 * nvy + r8 * nvz;
      const w2 = r2 * nwx + r5 * nwy + r8 * nwz;
      writeThreeEntries(u0, v0, w0, first, i, stride, out);
      writeThreeEntries(u1, v1, w1, first + 1, i, stride, out);
      writeThreeEntries(u2, v2, w2, first + 2, i, stride, out);
    } else {
      const rotations = rotationStart[a];
      for (let j = first; j < rotations; j++) {
        const c = 6 * j + 3;
        const x = columns[c];
        const y = columns[c + 1];
        const z = columns[c + 2];
        const tu = x * fux + y * fuy + z * fuz;
        const tv = x * fvx + y * fvy + z * fvz;
        const tw = x * fwx + y * fwy + z * fwz;
        writeThreeEntries(tu, tv, tw, j, i, stride, out);
      }
      for (let j = rotations; j < columnEnd[a]; j++) {
        const c = 6 * j;
        const x = columns[c];
        const y = columns[c + 1];
        const z = columns[c + 2];
        const tu = x * nux + y * nuy + z * nuz;
        const tv = x * nvx + y * nvy + z * nvz;
        const tw = x * nwx + y * nwy + z * nwz;
        writeThreeEntries(tu, tv, tw, j, i, stride, out);
      }
    }
    const r = 3 * a;
    const dx = offsets[r];
    const dy = offsets[r + 1];
    const dz = offsets[r + 2];
    nux += dy * fuz - dz * fuy;
    nuy += dz * fux - dx * fuz;
    nuz += dx * fuy - dy * fux;
    nvx += dy * fvz - dz * fvy;
    nvy += dz * fvx - dx * fvz;
    nvz += dx * fvy - dy * fvx;
    nwx += dy * fwz - dz * fwy;
    nwy += dz * fwx - dx * fwz;
    nwz += dx * fwy - dy * fwx;
  }
}
