import type { MutableNumbers, Numbers } from '../math/types.js';
import { requireVector } from './checks.js';
import type { Dynamics } from './dynamics.js';
import { INERTIA } from './inertia.js';
import { placeBones } from './place.js';
import { rotateInertia } from './rotate-inertia.js';

/**
 * The mass matrix M(q) against nu by composite rigid bodies (Featherstone, table 6.2): kinetic energy is nu . M nu / 2. Symmetric, row by row,
 * dof x dof; `armature` on the diagonal. Positive definite where each joint's chart is regular and every leaf has mass.
 *
 * @throws DomainError `wrong-size`, `not-finite` for the pose.
 */
export function massMatrix<T extends MutableNumbers = Float64Array>(
  dynamics: Dynamics,
  pose: Numbers,
  out: T = new Float64Array(dynamics.figure.dof ** 2) as MutableNumbers as T,
): T {
  requireVector(pose, dynamics.figure.dof, 'pose');
  placeBones(dynamics, pose);
  return writeMassMatrix(dynamics, out);
}

/** The mass matrix at the pose last placed. */
export function writeMassMatrix<T extends MutableNumbers>(dynamics: Dynamics, out: T): T {
  const { figure, state, armature, matrix } = dynamics;
  const { dof, couplings } = figure;
  composeInertias(dynamics);
  const size = dof + couplings.length;
  const all = state.coupled ? matrix : out;
  const { columnStart, columnEnd } = state;
  for (let k = 0; k < size * size; k++) all[k] = 0;
  for (let b = figure.parents.length - 1; b >= 0; b--) {
    for (let i = columnStart[b]; i < columnEnd[b]; i++) writeRow(dynamics, b, i, size, all);
  }
  if (state.coupled) {
    // A follower may stand before its leader: both triangles first.
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < i; j++) {
        const entry = all[i * size + j] + all[j * size + i];
        all[i * size + j] = entry;
        all[j * size + i] = entry;
      }
    }
    gatherMatrix(dynamics, size, out);
  }
  for (let i = 0; i < dof; i++) for (let j = 0; j < i; j++) out[j * dof + i] = out[i * dof + j];
  for (let i = 0; i < dof; i++) out[i * dof + i] += armature[i];
  return out;
}

/** G^T M G, G from the figure's rates to those of all joints. */
function gatherMatrix({ figure, state, matrix }: Dynamics, size: number, out: MutableNumbers): void {
  const { couplings, dof } = figure;
  for (let i = 0; i < dof; i++) for (let j = 0; j < dof; j++) out[i * dof + j] = matrix[i * size + j];
  for (let k = 0; k < couplings.length; k++) {
    const leader = couplings[k].coordinate;
    const slope = state.slopes[k];
    for (let j = 0; j < dof; j++) {
      const entry = slope * matrix[(dof + k) * size + j];
      out[leader * dof + j] += entry;
      out[j * dof + leader] += entry;
    }
    for (let l = 0; l < couplings.length; l++) {
      out[leader * dof + couplings[l].coordinate] +=
        slope * state.slopes[l] * matrix[(dof + k) * size + dof + l];
    }
  }
}

/**
 * Inertia of each bone and all that it carries, about the bone's origin, world axes, 10 numbers as in `inertias`: leaves to root.
 */
export function composeInertias(dynamics: Dynamics): void {
  const { figure, inertias, moments, offsets, composite, state } = dynamics;
  const { worldFromBone: m } = state;
  const { parents } = figure;
  for (let b = 0; b < parents.length; b++) {
    const i = INERTIA * b;
    composite[i] = inertias[i];
    for (let k = 0; k < 3; k++) composite[i + 1 + k] = moments[3 * b + k];
    rotateInertia(m, 12 * b, inertias, i + 4, composite, i + 4);
  }
  for (let b = parents.length - 1; b >= 0; b--) {
    if (parents[b] < 0) continue;
    const i = INERTIA * b;
    const p = INERTIA * parents[b];
    const mass = composite[i];
    const x = offsets[3 * b];
    const y = offsets[3 * b + 1];
    const z = offsets[3 * b + 2];
    const hx = composite[i + 1];
    const hy = composite[i + 2];
    const hz = composite[i + 3];
    composite[p] += mass;
    composite[p + 1] += hx + mass * x;
    composite[p + 2] += hy + mass * y;
    composite[p + 3] += hz + mass * z;
    // I + m (|r|^2 - r r^T) + 2 r.h - r h^T - h r^T
    const xx = x * (mass * x + 2 * hx);
    const yy = y * (mass * y + 2 * hy);
    const zz = z * (mass * z + 2 * hz);
    composite[p + 4] += composite[i + 4] + yy + zz;
    composite[p + 5] += composite[i + 5] + xx + zz;
    composite[p + 6] += composite[i + 6] + xx + yy;
    composite[p + 7] += composite[i + 7] - mass * x * y - x * hy - y * hx;
    composite[p + 8] += composite[i + 8] - mass * x * z - x * hz - z * hx;
    composite[p + 9] += composite[i + 9] - mass * y * z - y * hz - z * hy;
  }
}

/**
 * The momentum of unit velocity of coordinate i, which moves bone b and all that it carries, against the coordinates of b up to i and of all
 * that carry b: one entry for each pair of coordinates, in row i.
 */
function writeRow(dynamics: Dynamics, b: number, i: number, stride: number, out: MutableNumbers): void {
  const { figure, state, offsets, composite } = dynamics;
  const { parents } = figure;
  const { worldFromBone: m, columnsNu: columns, columnStart, columnEnd, bodyTurn } = state;
  let ax: number;
  let ay: number;
  let az: number;
  let lx = 0;
  let ly = 0;
  let lz = 0;
  if (bodyTurn[b] === 1) {
    const e = 12 * b + (i - columnStart[b]);
    ax = m[e];
    ay = m[e + 3];
    az = m[e + 6];
  } else {
    const c = 6 * i;
    ax = columns[c];
    ay = columns[c + 1];
    az = columns[c + 2];
    lx = columns[c + 3];
    ly = columns[c + 4];
    lz = columns[c + 5];
  }
  const o = INERTIA * b;
  const mass = composite[o];
  const hx = composite[o + 1];
  const hy = composite[o + 2];
  const hz = composite[o + 3];
  const xy = composite[o + 7];
  const xz = composite[o + 8];
  const yz = composite[o + 9];
  const fx = mass * lx + ay * hz - az * hy;
  const fy = mass * ly + az * hx - ax * hz;
  const fz = mass * lz + ax * hy - ay * hx;
  let nx = composite[o + 4] * ax + xy * ay + xz * az + hy * lz - hz * ly;
  let ny = xy * ax + composite[o + 5] * ay + yz * az + hz * lx - hx * lz;
  let nz = xz * ax + yz * ay + composite[o + 6] * az + hx * ly - hy * lx;
  const row = i * stride;
  for (let a = b; a >= 0; a = parents[a]) {
    const first = columnStart[a];
    const end = a === b ? i + 1 : columnEnd[a];
    if (bodyTurn[a] === 1) {
      const e = 12 * a;
      for (let j = first; j < end; j++) {
        const k = e + j - first;
        out[row + j] = m[k] * nx + m[k + 3] * ny + m[k + 6] * nz;
      }
    } else {
      for (let j = first; j < end; j++) {
        const c = 6 * j;
        out[row + j] =
          columns[c] * nx +
          columns[c + 1] * ny +
          columns[c + 2] * nz +
          columns[c + 3] * fx +
          columns[c + 4] * fy +
          columns[c + 5] * fz;
      }
    }
    const r = 3 * a;
    nx += offsets[r + 1] * fz - offsets[r + 2] * fy;
    ny += offsets[r + 2] * fx - offsets[r] * fz;
    nz += offsets[r] * fy - offsets[r + 1] * fx;
  }
}
