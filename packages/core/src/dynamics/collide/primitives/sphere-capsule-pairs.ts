import { addContactPoint, type Manifold } from '../manifold/manifold.js';

/*
 * Capsules: a segment c + s h, s in [-1, 1], and a radius; a sphere has h = 0. The distance of the segments minus both radii is the exact separation
 * also for crossing segments: their Minkowski difference is a flat parallelogram, whose shortest exit is along its normal.
 */

/** sin^2 of the angle below which two capsules count as parallel: about 6 degrees. */
const PARALLEL_SIN_SQUARED = 0.01;
/** Distance of the axes, relative to the radii, below which they count as crossing: the normal is then h x k. */
const CROSSING_TOLERANCE = 1e-7;
/** Feature ids: the ends of the overlap of parallel capsules; 0 in between. */
const FIRST_END = 1;
const SECOND_END = 2;

/** A capsule or sphere against another. */
export function capsuleCapsule(shapes: Float64Array, a: number, b: number, m: Manifold): void {
  const hx = shapes[a + 3];
  const hy = shapes[a + 4];
  const hz = shapes[a + 5];
  const kx = shapes[b + 3];
  const ky = shapes[b + 4];
  const kz = shapes[b + 5];
  const x = shapes[a] - shapes[b];
  const y = shapes[a + 1] - shapes[b + 1];
  const z = shapes[a + 2] - shapes[b + 2];
  const hh = hx * hx + hy * hy + hz * hz;
  const kk = kx * kx + ky * ky + kz * kz;
  const hk = hx * kx + hy * ky + hz * kz;
  const hr = hx * x + hy * y + hz * z;
  const kr = kx * x + ky * y + kz * z;
  const nx = hy * kz - hz * ky;
  const ny = hz * kx - hx * kz;
  const nz = hx * ky - hy * kx;
  const nn = nx * nx + ny * ny + nz * nz;
  const parallel = nn <= PARALLEL_SIN_SQUARED * hh * kk;
  // Projections of the ends of B on A.
  let low = 0;
  let high = 0;
  if (parallel && hh > 0) {
    const width = Math.abs(hk);
    low = clamp((-hr - width) / hh);
    high = clamp((-hr + width) / hh);
  }
  let s: number;
  if (nn > 1e-20 * hh * kk) {
    // The closest point on the common normal n = h x k: s = -n . (r x k) / n^2, without the cancellation of h^2 k^2 - (h k)^2.
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
  const twoPoints = parallel && (high - low) * (high - low) * hh > 1e-4 * shapes[a + 6] * shapes[a + 6];
  if (twoPoints)
    feature = s - low < 0.01 * (high - low) ? FIRST_END : high - s < 0.01 * (high - low) ? SECOND_END : 0;
  addCapsuleContact(shapes, a, b, s, t, nx, ny, nz, nn, feature, m);
  if (!twoPoints) return;
  // The end further from the closest points.
  const other = s - low > high - s ? low : high;
  addCapsuleContact(
    shapes,
    a,
    b,
    other,
    clamp((kr + other * hk) / kk),
    nx,
    ny,
    nz,
    nn,
    other === low ? FIRST_END : SECOND_END,
    m,
  );
}

/** Adds the contact of the spheres at s and t. n = h x k, nn = n . n. */
function addCapsuleContact(
  shapes: Float64Array,
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
  const ra = shapes[a + 6];
  const rb = shapes[b + 6];
  const bx = shapes[b] + t * shapes[b + 3];
  const by = shapes[b + 1] + t * shapes[b + 4];
  const bz = shapes[b + 2] + t * shapes[b + 5];
  let x = shapes[a] + s * shapes[a + 3] - bx;
  let y = shapes[a + 1] + s * shapes[a + 4] - by;
  let z = shapes[a + 2] + s * shapes[a + 5] - bz;
  const distance = Math.sqrt(x * x + y * y + z * z);
  const separation = distance - ra - rb;
  if (separation > m.margin) return;
  if (distance > CROSSING_TOLERANCE * (ra + rb)) {
    x /= distance;
    y /= distance;
    z /= distance;
  } else if (nn > 0) {
    const scale = (x * nx + y * ny + z * nz < 0 ? -1 : 1) / Math.sqrt(nn);
    x = nx * scale;
    y = ny * scale;
    z = nz * scale;
  } else {
    const longer = shapes[a + 7] >= shapes[b + 7] ? a : b;
    writePerpendicular(shapes[longer + 3], shapes[longer + 4], shapes[longer + 5], m);
    x = m.direction[0];
    y = m.direction[1];
    z = m.direction[2];
  }
  addContactPoint(m, bx + rb * x, by + rb * y, bz + rb * z, x, y, z, separation, feature);
}

/** Writes the unit vector perpendicular to an axis and nearest to +Y (to +X for an axis along Y; +Y for a zero axis) to `m.direction`. */
function writePerpendicular(x: number, y: number, z: number, m: Manifold): void {
  const { direction } = m;
  const square = x * x + y * y + z * z;
  direction.fill(0);
  if (!(square > 0)) {
    direction[1] = 1;
    return;
  }
  const k = y * y > 0.9 * square ? 0 : 1;
  const ratio = (k === 0 ? x : y) / square;
  direction[0] = -ratio * x;
  direction[1] = -ratio * y;
  direction[2] = -ratio * z;
  direction[k] += 1;
  const length = Math.sqrt(direction[0] ** 2 + direction[1] ** 2 + direction[2] ** 2);
  for (let i = 0; i < 3; i++) direction[i] /= length;
}

/** A capsule or sphere against a plane: contacts at its ends. */
export function capsulePlane(shapes: Float64Array, a: number, b: number, m: Manifold): void {
  const nx = shapes[b];
  const ny = shapes[b + 1];
  const nz = shapes[b + 2];
  const halfHeight = nx * shapes[a + 3] + ny * shapes[a + 4] + nz * shapes[a + 5];
  const height = nx * shapes[a] + ny * shapes[a + 1] + nz * shapes[a + 2] - shapes[b + 3];
  const radius = shapes[a + 6];
  if (height - Math.abs(halfHeight) - radius > m.margin) return;
  for (let end = shapes[a + 7] > 0 ? -1 : 1; end <= 1; end += 2) {
    const h = height + end * halfHeight;
    const x = shapes[a] + end * shapes[a + 3] - h * nx;
    const y = shapes[a + 1] + end * shapes[a + 4] - h * ny;
    const z = shapes[a + 2] + end * shapes[a + 5] - h * nz;
    addContactPoint(m, x, y, z, nx, ny, nz, h - radius, end < 0 ? FIRST_END : SECOND_END);
  }
}

/** A box against a plane: contacts at its corners. */
export function boxPlane(shapes: Float64Array, a: number, b: number, m: Manifold): void {
  const nx = shapes[b];
  const ny = shapes[b + 1];
  const nz = shapes[b + 2];
  const i = shapes[a + 12];
  const j = shapes[a + 13];
  const k = shapes[a + 14];
  const height = nx * shapes[a] + ny * shapes[a + 1] + nz * shapes[a + 2] - shapes[b + 3];
  const halfHeight =
    i * Math.abs(nx * shapes[a + 3] + ny * shapes[a + 6] + nz * shapes[a + 9]) +
    j * Math.abs(nx * shapes[a + 4] + ny * shapes[a + 7] + nz * shapes[a + 10]) +
    k * Math.abs(nx * shapes[a + 5] + ny * shapes[a + 8] + nz * shapes[a + 11]);
  if (height - halfHeight > m.margin) return;
  for (let corner = 0; corner < 8; corner++) {
    const u = corner & 1 ? i : -i;
    const v = corner & 2 ? j : -j;
    const w = corner & 4 ? k : -k;
    const x = shapes[a] + shapes[a + 3] * u + shapes[a + 4] * v + shapes[a + 5] * w;
    const y = shapes[a + 1] + shapes[a + 6] * u + shapes[a + 7] * v + shapes[a + 8] * w;
    const z = shapes[a + 2] + shapes[a + 9] * u + shapes[a + 10] * v + shapes[a + 11] * w;
    const separation = nx * x + ny * y + nz * z - shapes[b + 3];
    addContactPoint(
      m,
      x - separation * nx,
      y - separation * ny,
      z - separation * nz,
      nx,
      ny,
      nz,
      separation,
      corner,
    );
  }
}

function clamp(t: number): number {
  return t < -1 ? -1 : t > 1 ? 1 : t;
}
