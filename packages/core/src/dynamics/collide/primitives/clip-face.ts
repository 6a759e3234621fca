import { addCandidate, type Manifold } from '../manifold/manifold.js';

/*
 * The face of one box that lies against a face of another, clipped to it: corners of the first that are over the second, corners of the second
 * under the first, and where edges cross. Each has a number of its own: 0 to 3, 20 to 23, 4 to 19.
 */

/** In the frame of the box that clips: centre of the face, half its edges. */
const f = /* @__PURE__ */ new Float64Array(3);
const u = /* @__PURE__ */ new Float64Array(3);
const v = /* @__PURE__ */ new Float64Array(3);
const x = /* @__PURE__ */ new Float64Array(3);

/**
 * @param r - The box that clips.
 * @param i - The box that is clipped.
 * @param k - Axis of the clipping face.
 * @param sign - Its side.
 * @param onA - Whether the box that clips is A.
 */
export function clipFace(
  placed: Float64Array,
  r: number,
  i: number,
  k: number,
  sign: number,
  onA: boolean,
  m: Manifold,
): void {
  writeFace(placed, r, i, k, sign);
  const k1 = (k + 1) % 3;
  const k2 = (k + 2) % 3;
  const h1 = placed[r + 12 + k1];
  const h2 = placed[r + 12 + k2];
  for (let edge = 0; edge < 4; edge++) {
    // From corner to corner, round the face: start + t d, t in [0, 1].
    const su = edge === 0 || edge === 3 ? -1 : 1;
    const sv = edge < 2 ? -1 : 1;
    const d = edge & 1 ? v : u;
    const along = edge < 2 ? 2 : -2;
    const a1 = f[k1] + su * u[k1] + sv * v[k1];
    const a2 = f[k2] + su * u[k2] + sv * v[k2];
    const d1 = along * d[k1];
    const d2 = along * d[k2];
    let low = 0;
    let high = 1;
    let from = -1;
    let to = -1;
    for (let side = 0; side < 4; side++) {
      // Inside where out <= 0; it grows by rate along the edge.
      const towards = side & 1 ? 1 : -1;
      const out = towards * (side < 2 ? a1 : a2) - (side < 2 ? h1 : h2);
      const rate = towards * (side < 2 ? d1 : d2);
      if (rate === 0) {
        if (out > 0) low = 2;
        continue;
      }
      const t = -out / rate;
      if (rate < 0 && t > low) {
        low = t;
        from = side;
      } else if (rate > 0 && t < high) {
        high = t;
        to = side;
      }
    }
    if (low > high) continue;
    if (from >= 0) addOnEdge(placed, r, k, sign, su, sv, d, along * low, 4 + 4 * edge + from, onA, m);
    else addOnEdge(placed, r, k, sign, su, sv, d, 0, edge, onA, m);
    if (to >= 0) addOnEdge(placed, r, k, sign, su, sv, d, along * high, 4 + 4 * edge + to, onA, m);
  }
  addCorners(placed, r, k, sign, onA, m);
}

/** The face of box i that looks most against the face of box r. */
function writeFace(placed: Float64Array, r: number, i: number, k: number, sign: number): void {
  const px = placed[i] - placed[r];
  const py = placed[i + 1] - placed[r + 1];
  const pz = placed[i + 2] - placed[r + 2];
  const rx = placed[r + 3 + k];
  const ry = placed[r + 6 + k];
  const rz = placed[r + 9 + k];
  let axis = 0;
  let most = 0;
  for (let q = 0; q < 3; q++) {
    const dot = rx * placed[i + 3 + q] + ry * placed[i + 6 + q] + rz * placed[i + 9 + q];
    if (Math.abs(dot) <= Math.abs(most)) continue;
    most = dot;
    axis = q;
  }
  const j1 = (axis + 1) % 3;
  const j2 = (axis + 2) % 3;
  const out = (sign * most > 0 ? -1 : 1) * placed[i + 12 + axis];
  for (let q = 0; q < 3; q++) {
    const ex = placed[r + 3 + q];
    const ey = placed[r + 6 + q];
    const ez = placed[r + 9 + q];
    f[q] =
      ex * (px + out * placed[i + 3 + axis]) +
      ey * (py + out * placed[i + 6 + axis]) +
      ez * (pz + out * placed[i + 9 + axis]);
    u[q] =
      placed[i + 12 + j1] * (ex * placed[i + 3 + j1] + ey * placed[i + 6 + j1] + ez * placed[i + 9 + j1]);
    v[q] =
      placed[i + 12 + j2] * (ex * placed[i + 3 + j2] + ey * placed[i + 6 + j2] + ez * placed[i + 9 + j2]);
  }
}

function addOnEdge(
  placed: Float64Array,
  r: number,
  k: number,
  sign: number,
  su: number,
  sv: number,
  d: Float64Array,
  t: number,
  feature: number,
  onA: boolean,
  m: Manifold,
): void {
  for (let q = 0; q < 3; q++) x[q] = f[q] + su * u[q] + sv * v[q] + t * d[q];
  addClipped(placed, r, k, sign, feature, onA, m);
}

/** Corners of the clipping face that lie under the clipped one. */
function addCorners(
  placed: Float64Array,
  r: number,
  k: number,
  sign: number,
  onA: boolean,
  m: Manifold,
): void {
  const k1 = (k + 1) % 3;
  const k2 = (k + 2) % 3;
  const turn = u[k1] * v[k2] - u[k2] * v[k1];
  if (Math.abs(turn) < 1e-12 * (u[k1] ** 2 + u[k2] ** 2 + v[k1] ** 2 + v[k2] ** 2)) return;
  for (let corner = 0; corner < 4; corner++) {
    const x1 = corner & 1 ? placed[r + 12 + k1] : -placed[r + 12 + k1];
    const x2 = corner & 2 ? placed[r + 12 + k2] : -placed[r + 12 + k2];
    const d1 = x1 - f[k1];
    const d2 = x2 - f[k2];
    const su = (d1 * v[k2] - d2 * v[k1]) / turn;
    const sv = (d2 * u[k1] - d1 * u[k2]) / turn;
    // One on the border has been found where the edges cross.
    if (!(Math.abs(su) < 1 && Math.abs(sv) < 1)) continue;
    x[k] = f[k] + su * u[k] + sv * v[k];
    x[k1] = x1;
    x[k2] = x2;
    addClipped(placed, r, k, sign, 20 + corner, onA, m);
  }
}

/** Adds the point x of the clipped face, and the one under it on the clipping face. */
function addClipped(
  placed: Float64Array,
  r: number,
  k: number,
  sign: number,
  feature: number,
  onA: boolean,
  m: Manifold,
): void {
  const gap = sign * x[k] - placed[r + 12 + k];
  if (gap > m.reach) return;
  // On B: the point itself where A clips, the one under it where B does.
  const shift = onA ? 0 : gap * sign;
  const out = onA ? -sign : sign;
  const x0 = x[0] - (k === 0 ? shift : 0);
  const x1 = x[1] - (k === 1 ? shift : 0);
  const x2 = x[2] - (k === 2 ? shift : 0);
  const o = r + 3;
  addCandidate(
    m,
    placed[r] + placed[o] * x0 + placed[o + 1] * x1 + placed[o + 2] * x2,
    placed[r + 1] + placed[o + 3] * x0 + placed[o + 4] * x1 + placed[o + 5] * x2,
    placed[r + 2] + placed[o + 6] * x0 + placed[o + 7] * x1 + placed[o + 8] * x2,
    out * placed[o + k],
    out * placed[o + 3 + k],
    out * placed[o + 6 + k],
    gap,
    feature,
  );
}
