import { addCandidate, type Manifold } from '../manifold/manifold.js';

/*
 * Spheres and capsules: a segment c + s h, s in [-1, 1], and a radius; a sphere has h = 0. The distance of the segments less both radii is exact
 * inside too: what two segments sweep against each other is flat, and a flat set is left fastest along its normal.
 */

/** sin^2 of the angle below which two capsules lie side by side: about 6 degrees. */
const SIDE_BY_SIDE = 0.01;
/** Axes that come nearer than this share of the radii have no line of their own between them. */
const CROSSING = 1e-7;
/** Which end of what lies side by side; 0 inside. */
const LOW = 1;
const HIGH = 2;

/** A round shape against a round shape. */
export function roundRound(placed: Float64Array, a: number, b: number, m: Manifold): void {
  const hx = placed[a + 3];
  const hy = placed[a + 4];
  const hz = placed[a + 5];
  const kx = placed[b + 3];
  const ky = placed[b + 4];
  const kz = placed[b + 5];
  const x = placed[a] - placed[b];
  const y = placed[a + 1] - placed[b + 1];
  const z = placed[a + 2] - placed[b + 2];
  const hh = hx * hx + hy * hy + hz * hz;
  const kk = kx * kx + ky * ky + kz * kz;
  const hk = hx * kx + hy * ky + hz * kz;
  const hr = hx * x + hy * y + hz * z;
  const kr = kx * x + ky * y + kz * z;
  const nx = hy * kz - hz * ky;
  const ny = hz * kx - hx * kz;
  const nz = hx * ky - hy * kx;
  const nn = nx * nx + ny * ny + nz * nz;
  const parallel = nn <= SIDE_BY_SIDE * hh * kk;
  // Where the ends of B stand beside A.
  let low = 0;
  let high = 0;
  if (parallel && hh > 0) {
    const width = Math.abs(hk);
    low = clamp((-hr - width) / hh);
    high = clamp((-hr + width) / hh);
  }
  let s: number;
  if (nn > 1e-20 * hh * kk) {
    // The foot on the common normal n = h x k: s = -n . (r x k) / n^2, without the cancellation of h^2 k^2 - (h k)^2.
    s = clamp(-(nx * (y * kz - z * ky) + ny * (z * kx - x * kz) + nz * (x * ky - y * kx)) / nn);
  } else {
    s = low;
  }
  let t = kk > 0 ? (kr + s * hk) / kk : 0;
  if (t < -1 || t > 1) {
    t = clamp(t);
    if (hh > 0) s = clamp((t * hk - hr) / hh);
  }
  let feature = 0;
  const apart = parallel && (high - low) * (high - low) * hh > 1e-4 * placed[a + 6] * placed[a + 6];
  if (apart) feature = s - low < 0.01 * (high - low) ? LOW : high - s < 0.01 * (high - low) ? HIGH : 0;
  addRoundPair(placed, a, b, s, t, nx, ny, nz, nn, feature, m);
  if (!apart) return;
  // The end further from the nearest points.
  const other = s - low > high - s ? low : high;
  addRoundPair(
    placed,
    a,
    b,
    other,
    clamp((kr + other * hk) / kk),
    nx,
    ny,
    nz,
    nn,
    other === low ? LOW : HIGH,
    m,
  );
}

/** The contact of the balls at s and t. n = h x k, its square nn. */
function addRoundPair(
  placed: Float64Array,
  a: number,
  b: number,
  s: number,
  t: number,
  nx: number,
  ny: number,
  nz: number,
  nn: number,
  feature: number,
  m: Manifold,
): void {
  const ra = placed[a + 6];
  const rb = placed[b + 6];
  const bx = placed[b] + t * placed[b + 3];
  const by = placed[b + 1] + t * placed[b + 4];
  const bz = placed[b + 2] + t * placed[b + 5];
  let x = placed[a] + s * placed[a + 3] - bx;
  let y = placed[a + 1] + s * placed[a + 4] - by;
  let z = placed[a + 2] + s * placed[a + 5] - bz;
  const distance = Math.sqrt(x * x + y * y + z * z);
  const gap = distance - ra - rb;
  if (gap > m.reach) return;
  if (distance > CROSSING * (ra + rb)) {
    x /= distance;
    y /= distance;
    z /= distance;
  } else if (nn > 0) {
    const scale = (x * nx + y * ny + z * nz < 0 ? -1 : 1) / Math.sqrt(nn);
    x = nx * scale;
    y = ny * scale;
    z = nz * scale;
  } else {
    const along = placed[a + 7] >= placed[b + 7] ? a : b;
    acrossAxis(placed[along + 3], placed[along + 4], placed[along + 5], m);
    x = m.direction[0];
    y = m.direction[1];
    z = m.direction[2];
  }
  addCandidate(m, bx + rb * x, by + rb * y, bz + rb * z, x, y, z, gap, feature);
}

/** To `m.direction`: the direction normal to an axis that is nearest to +Y, to +X where the axis stands along Y; +Y for no axis. */
function acrossAxis(x: number, y: number, z: number, m: Manifold): void {
  const { direction } = m;
  const square = x * x + y * y + z * z;
  direction.fill(0);
  if (!(square > 0)) {
    direction[1] = 1;
    return;
  }
  const k = y * y > 0.9 * square ? 0 : 1;
  const share = (k === 0 ? x : y) / square;
  direction[0] = -share * x;
  direction[1] = -share * y;
  direction[2] = -share * z;
  direction[k] += 1;
  const length = Math.sqrt(direction[0] ** 2 + direction[1] ** 2 + direction[2] ** 2);
  for (let i = 0; i < 3; i++) direction[i] /= length;
}

/** A round shape against a plane: its ends. */
export function roundPlane(placed: Float64Array, a: number, b: number, m: Manifold): void {
  const nx = placed[b];
  const ny = placed[b + 1];
  const nz = placed[b + 2];
  const rise = nx * placed[a + 3] + ny * placed[a + 4] + nz * placed[a + 5];
  const height = nx * placed[a] + ny * placed[a + 1] + nz * placed[a + 2] - placed[b + 3];
  const radius = placed[a + 6];
  if (height - Math.abs(rise) - radius > m.reach) return;
  for (let end = placed[a + 7] > 0 ? -1 : 1; end <= 1; end += 2) {
    const h = height + end * rise;
    const x = placed[a] + end * placed[a + 3] - h * nx;
    const y = placed[a + 1] + end * placed[a + 4] - h * ny;
    const z = placed[a + 2] + end * placed[a + 5] - h * nz;
    addCandidate(m, x, y, z, nx, ny, nz, h - radius, end < 0 ? LOW : HIGH);
  }
}

/** A box against a plane: its corners. */
export function boxPlane(placed: Float64Array, a: number, b: number, m: Manifold): void {
  const nx = placed[b];
  const ny = placed[b + 1];
  const nz = placed[b + 2];
  const i = placed[a + 12];
  const j = placed[a + 13];
  const k = placed[a + 14];
  const height = nx * placed[a] + ny * placed[a + 1] + nz * placed[a + 2] - placed[b + 3];
  const rises =
    i * Math.abs(nx * placed[a + 3] + ny * placed[a + 6] + nz * placed[a + 9]) +
    j * Math.abs(nx * placed[a + 4] + ny * placed[a + 7] + nz * placed[a + 10]) +
    k * Math.abs(nx * placed[a + 5] + ny * placed[a + 8] + nz * placed[a + 11]);
  if (height - rises > m.reach) return;
  for (let corner = 0; corner < 8; corner++) {
    const u = corner & 1 ? i : -i;
    const v = corner & 2 ? j : -j;
    const w = corner & 4 ? k : -k;
    const x = placed[a] + placed[a + 3] * u + placed[a + 4] * v + placed[a + 5] * w;
    const y = placed[a + 1] + placed[a + 6] * u + placed[a + 7] * v + placed[a + 8] * w;
    const z = placed[a + 2] + placed[a + 9] * u + placed[a + 10] * v + placed[a + 11] * w;
    const gap = nx * x + ny * y + nz * z - placed[b + 3];
    addCandidate(m, x - gap * nx, y - gap * ny, z - gap * nz, nx, ny, nz, gap, corner);
  }
}

function clamp(t: number): number {
  return t < -1 ? -1 : t > 1 ? 1 : t;
}
