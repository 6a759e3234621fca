/** Where two shapes touch: candidates are gathered, and the few that hold a body are kept. */

/** Contacts kept of one pair of shapes. */
export const KEPT = 4;
const ROOM = 64;

/** Candidates of the pair at hand, in world axes. */
export interface Manifold {
  count: number;
  /** What is further apart is not gathered, m. */
  reach: number;
  /** Points nearer than this count as one, m. */
  merge: number;
  /** On the surface of B, 3 numbers; that on A is `point + gap normal`. */
  readonly point: Float64Array;
  /** From B to A, unit, 3 numbers. */
  readonly normal: Float64Array;
  readonly gap: Float64Array;
  readonly feature: Int32Array;
  /** Places of the candidates that are kept, the deepest first. */
  readonly kept: Int32Array;
  /** Scratch for one direction. */
  readonly direction: Float64Array;
}

export function createManifold(): Manifold {
  return {
    count: 0,
    reach: 0,
    merge: 0,
    point: new Float64Array(3 * ROOM),
    normal: new Float64Array(3 * ROOM),
    gap: new Float64Array(ROOM),
    feature: new Int32Array(ROOM),
    kept: new Int32Array(KEPT),
    direction: new Float64Array(3),
  };
}

/** Adds a candidate within reach; where there is no room, in place of the shallowest if it is deeper. */
export function addCandidate(
  m: Manifold,
  x: number,
  y: number,
  z: number,
  nx: number,
  ny: number,
  nz: number,
  gap: number,
  feature: number,
): void {
  if (gap > m.reach) return;
  let i = m.count;
  if (i === ROOM) {
    i = 0;
    for (let k = 1; k < ROOM; k++) if (m.gap[k] > m.gap[i]) i = k;
    if (gap >= m.gap[i]) return;
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
  m.gap[i] = gap;
  m.feature[i] = feature;
}

/** Adds again what stands at place i, at or behind the end. */
export function moveCandidate(m: Manifold, i: number): void {
  const to = m.count++;
  for (let k = 0; k < 3; k++) {
    m.point[3 * to + k] = m.point[3 * i + k];
    m.normal[3 * to + k] = m.normal[3 * i + k];
  }
  m.gap[to] = m.gap[i];
  m.feature[to] = m.feature[i];
}

/**
 * Chooses up to four candidates to `kept` and gives their number: the deepest; the one furthest from it along the surface; the one furthest from
 * the line through both; the one furthest outside the triangle. What a candidate is higher than the deepest counts against its distance. Then
 * sorted, the deepest first; of equals the one found first.
 */
export function chooseKept(m: Manifold): number {
  const { count, gap, kept } = m;
  if (count === 0) return 0;
  let first = 0;
  for (let i = 1; i < count; i++) if (gap[i] < gap[first]) first = i;
  kept[0] = first;
  let chosen = 1;
  while (chosen < KEPT) {
    let best = -1;
    let most = chosen === 1 || count <= KEPT ? Number.NEGATIVE_INFINITY : 0;
    for (let i = 0; i < count; i++) {
      if (isKept(m, i, chosen)) continue;
      const worth = spread(m, i, chosen) - (gap[i] - gap[first]);
      if (worth <= most) continue;
      most = worth;
      best = i;
    }
    if (best < 0) break;
    kept[chosen++] = best;
  }
  for (let i = 1; i < chosen; i++) {
    const k = kept[i];
    let j = i;
    for (; j > 0 && isDeeper(m, k, kept[j - 1]); j--) kept[j] = kept[j - 1];
    kept[j] = k;
  }
  return chosen;
}

function isDeeper({ gap }: Manifold, i: number, j: number): boolean {
  return gap[i] < gap[j] || (gap[i] === gap[j] && i < j);
}

/** Whether the candidate is kept, or as good as one that is. */
function isKept({ kept, point, normal, merge }: Manifold, i: number, chosen: number): boolean {
  for (let c = 0; c < chosen; c++) {
    const k = kept[c];
    if (k === i) return true;
    const o = 3 * i;
    const p = 3 * k;
    const x = point[o] - point[p];
    const y = point[o + 1] - point[p + 1];
    const z = point[o + 2] - point[p + 2];
    const along = normal[o] * normal[p] + normal[o + 1] * normal[p + 1] + normal[o + 2] * normal[p + 2];
    if (x * x + y * y + z * z <= merge * merge && along > 0.9) return true;
  }
  return false;
}

/** How far the candidate is from the point, line or triangle of those chosen, along the surface; negative inside the triangle. */
function spread({ kept, point, normal }: Manifold, i: number, chosen: number): number {
  const a = 3 * kept[0];
  const o = 3 * i;
  const nx = normal[a];
  const ny = normal[a + 1];
  const nz = normal[a + 2];
  const x = point[o] - point[a];
  const y = point[o + 1] - point[a + 1];
  const z = point[o + 2] - point[a + 2];
  const up = x * nx + y * ny + z * nz;
  if (chosen === 1) return Math.sqrt(Math.max(0, x * x + y * y + z * z - up * up));
  const b = 3 * kept[1];
  const ab = outward(point, normal, a, b, x, y, z, a);
  if (chosen === 2) return Math.abs(ab);
  const c = 3 * kept[2];
  // Signed so that the triangle is inside.
  const turn =
    outward(
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
  const bc = outward(
    point,
    normal,
    b,
    c,
    point[o] - point[b],
    point[o + 1] - point[b + 1],
    point[o + 2] - point[b + 2],
    a,
  );
  const ca = outward(
    point,
    normal,
    c,
    a,
    point[o] - point[c],
    point[o + 1] - point[c + 1],
    point[o + 2] - point[c + 2],
    a,
  );
  return Math.max(turn * ab, turn * bc, turn * ca);
}

/** Distance of (x, y, z), seen from p, from the line p to q along the surface with the normal at n, with a sign. */
function outward(
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
  // Across the line: d x n.
  const cx = dy * normal[n + 2] - dz * normal[n + 1];
  const cy = dz * normal[n] - dx * normal[n + 2];
  const cz = dx * normal[n + 1] - dy * normal[n];
  const length = Math.sqrt(cx * cx + cy * cy + cz * cz);
  return length > 0 ? (x * cx + y * cy + z * cz) / length : 0;
}
