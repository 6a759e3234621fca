/** Contact manifold of two shapes: all contact points found, then reduced to the few that determine the contact. */

/** Contact points of a reduced manifold. */
export const MAX_CONTACT_POINTS = 4;
const MANIFOLD_CAPACITY = 64;

/** Contact points of the current pair of shapes, world axes. */
export interface Manifold {
  count: number;
  /** Speculative margin: points of larger separation are dropped, m. */
  margin: number;
  /** Points nearer than this are merged, m. */
  mergeDistance: number;
  /** On the surface of B, 3 numbers; the point on A is `point + separation normal`. */
  readonly point: Float64Array;
  /** From B to A, unit, 3 numbers. */
  readonly normal: Float64Array;
  /** Distance of the surfaces, negative for penetration, m. */
  readonly separation: Float64Array;
  /** Which features of the shapes touch. */
  readonly featureId: Int32Array;
  /** Indices of the points of the reduced manifold, the deepest first. */
  readonly selected: Int32Array;
  /** Scratch. */
  readonly direction: Float64Array;
}

export function createManifold(): Manifold {
  return {
    count: 0,
    margin: 0,
    mergeDistance: 0,
    point: new Float64Array(3 * MANIFOLD_CAPACITY),
    normal: new Float64Array(3 * MANIFOLD_CAPACITY),
    separation: new Float64Array(MANIFOLD_CAPACITY),
    featureId: new Int32Array(MANIFOLD_CAPACITY),
    selected: new Int32Array(MAX_CONTACT_POINTS),
    direction: new Float64Array(3),
  };
}

/** Adds a contact point within the margin; at full capacity it replaces the shallowest if it is deeper. */
export function addContactPoint(
  m: Manifold,
  x: number,
  y: number,
  z: number,
  nx: number,
  ny: number,
  nz: number,
  separation: number,
  feature: number,
): void {
  if (separation > m.margin) return;
  let i = m.count;
  if (i === MANIFOLD_CAPACITY) {
    i = 0;
    for (let k = 1; k < MANIFOLD_CAPACITY; k++) if (m.separation[k] > m.separation[i]) i = k;
    if (separation >= m.separation[i]) return;
  } else {
    m.count++;
  }
  const o = 3 * i;
  m.point[o] = x;
  m.point[o + 1] = y;
  m.point[o + 2] = z;
  m.normal[o] = nx;
  m.normal[o + 1] = ny;
  m.normal[o + 2] = nz;
  m.separation[i] = separation;
  m.featureId[i] = feature;
}

/** Appends the point at index i, which is at or beyond the end. */
export function appendContactPoint(m: Manifold, i: number): void {
  const to = m.count++;
  for (let k = 0; k < 3; k++) {
    m.point[3 * to + k] = m.point[3 * i + k];
    m.normal[3 * to + k] = m.normal[3 * i + k];
  }
  m.separation[to] = m.separation[i];
  m.featureId[to] = m.featureId[i];
}

/**
 * Reduces the manifold to up to four points: the deepest; the point furthest from it tangentially; the point furthest from the line through
 * both; the point furthest outside the triangle. Excess separation over the deepest is subtracted from each distance. Writes them to `selected`,
 * the deepest first, ties in order of detection. @returns their number.
 */
export function reduceManifold(m: Manifold): number {
  const { count, separation, selected } = m;
  if (count === 0) return 0;
  let first = 0;
  for (let i = 1; i < count; i++) if (separation[i] < separation[first]) first = i;
  selected[0] = first;
  let chosen = 1;
  while (chosen < MAX_CONTACT_POINTS) {
    let best = -1;
    let max = chosen === 1 || count <= MAX_CONTACT_POINTS ? Number.NEGATIVE_INFINITY : 0;
    for (let i = 0; i < count; i++) {
      if (isSelected(m, i, chosen)) continue;
      const score = distanceFromSelected(m, i, chosen) - (separation[i] - separation[first]);
      if (score <= max) continue;
      max = score;
      best = i;
    }
    if (best < 0) break;
    selected[chosen++] = best;
  }
  for (let i = 1; i < chosen; i++) {
    const k = selected[i];
    let j = i;
    for (; j > 0 && isDeeper(m, k, selected[j - 1]); j--) selected[j] = selected[j - 1];
    selected[j] = k;
  }
  return chosen;
}

function isDeeper({ separation }: Manifold, i: number, j: number): boolean {
  return separation[i] < separation[j] || (separation[i] === separation[j] && i < j);
}

/** Whether the point is selected or merges with a selected one. */
function isSelected(
  { selected, point, normal, mergeDistance }: Manifold,
  i: number,
  chosen: number,
): boolean {
  for (let c = 0; c < chosen; c++) {
    const k = selected[c];
    if (k === i) return true;
    const o = 3 * i;
    const p = 3 * k;
    const x = point[o] - point[p];
    const y = point[o + 1] - point[p + 1];
    const z = point[o + 2] - point[p + 2];
    const cosine = normal[o] * normal[p] + normal[o + 1] * normal[p + 1] + normal[o + 2] * normal[p + 2];
    if (x * x + y * y + z * z <= mergeDistance * mergeDistance && cosine > 0.9) return true;
  }
  return false;
}

/** Tangential distance of a point from the selected point, line or triangle; negative inside the triangle. */
function distanceFromSelected({ selected, point, normal }: Manifold, i: number, chosen: number): number {
  const a = 3 * selected[0];
  const o = 3 * i;
  const nx = normal[a];
  const ny = normal[a + 1];
  const nz = normal[a + 2];
  const x = point[o] - point[a];
  const y = point[o + 1] - point[a + 1];
  const z = point[o + 2] - point[a + 2];
  const height = x * nx + y * ny + z * nz;
  if (chosen === 1) return Math.sqrt(Math.max(0, x * x + y * y + z * z - height * height));
  const b = 3 * selected[1];
  const ab = signedLineDistance(point, normal, a, b, x, y, z, a);
  if (chosen === 2) return Math.abs(ab);
  const c = 3 * selected[2];
  // The orientation of the triangle: distances are positive outside.
  const orientation =
    signedLineDistance(
      point,
      normal,
      a,
      b,
      point[c] - point[a],
      point[c + 1] - point[a + 1],
      point[c + 2] - point[a + 2],
      a,
    ) < 0
      ? 1
      : -1;
  const bc = signedLineDistance(
    point,
    normal,
    b,
    c,
    point[o] - point[b],
    point[o + 1] - point[b + 1],
    point[o + 2] - point[b + 2],
    a,
  );
  const ca = signedLineDistance(
    point,
    normal,
    c,
    a,
    point[o] - point[c],
    point[o + 1] - point[c + 1],
    point[o + 2] - point[c + 2],
    a,
  );
  return Math.max(orientation * ab, orientation * bc, orientation * ca);
}

/** Signed tangential distance of p + (x, y, z) from the line from p to q; the normal is at n. */
function signedLineDistance(
  point: Float64Array,
  normal: Float64Array,
  p: number,
  q: number,
  x: number,
  y: number,
  z: number,
  n: number,
): number {
  const dx = point[q] - point[p];
  const dy = point[q + 1] - point[p + 1];
  const dz = point[q + 2] - point[p + 2];
  // Perpendicular to the line: d x n.
  const cx = dy * normal[n + 2] - dz * normal[n + 1];
  const cy = dz * normal[n] - dx * normal[n + 2];
  const cz = dx * normal[n + 1] - dy * normal[n];
  const length = Math.sqrt(cx * cx + cy * cy + cz * cz);
  return length > 0 ? (x * cx + y * cy + z * cz) / length : 0;
}
