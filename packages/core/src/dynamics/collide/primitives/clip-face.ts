import { addContactPoint, type Manifold } from '../manifold/manifold.js';

/*
 * Clips the incident face of one box against the reference face of the other. Contact points: corners of the incident face over the reference face
 * (feature ids 0 to 3), crossings of their edges (4 to 19), corners of the reference face under the incident face (20 to 23).
 */

/** Incident face in the frame of the reference box: centre, half edges. */
const f = /* @__PURE__ */ new Float64Array(3);
const u = /* @__PURE__ */ new Float64Array(3);
const v = /* @__PURE__ */ new Float64Array(3);
const x = /* @__PURE__ */ new Float64Array(3);

/**
 * @param r - The reference box.
 * @param i - The incident box.
 * @param k - Axis of the reference face.
 * @param sign - Sign of its outward normal along the axis.
 * @param onA - Whether the reference box is A.
 */
export function clipFace(
  shapes: Float64Array,
  r: number,
  i: number,
  k: number,
  sign: number,
  onA: boolean,
  m: Manifold,
): void {
  writeIncidentFace(shapes, r, i, k, sign);
  const k1 = (k + 1) % 3;
  const k2 = (k + 2) % 3;
  const h1 = shapes[r + 12 + k1];
  const h2 = shapes[r + 12 + k2];
  for (let edge = 0; edge < 4; edge++) {
    // Edges of the incident face in order: start + t d, t in [0, 1].
    const su = edge === 0 || edge === 3 ? -1 : 1;
    const sv = edge < 2 ? -1 : 1;
    const d = edge & 1 ? v : u;
    const length = edge < 2 ? 2 : -2;
    const a1 = f[k1] + su * u[k1] + sv * v[k1];
    const a2 = f[k2] + su * u[k2] + sv * v[k2];
    const d1 = length * d[k1];
    const d2 = length * d[k2];
    let low = 0;
    let high = 1;
    let from = -1;
    let to = -1;
    for (let plane = 0; plane < 4; plane++) {
      // Distance outside the clipping plane at t = 0, and its rate along the edge.
      const outward = plane & 1 ? 1 : -1;
      const out = outward * (plane < 2 ? a1 : a2) - (plane < 2 ? h1 : h2);
      const rate = outward * (plane < 2 ? d1 : d2);
      if (rate === 0) {
        if (out > 0) low = 2;
        continue;
      }
      const t = -out / rate;
      if (rate < 0 && t > low) {
        low = t;
        from = plane;
      } else if (rate > 0 && t < high) {
        high = t;
        to = plane;
      }
    }
    if (low > high) continue;
    if (from >= 0) addEdgePoint(shapes, r, k, sign, su, sv, d, length * low, 4 + 4 * edge + from, onA, m);
    else addEdgePoint(shapes, r, k, sign, su, sv, d, 0, edge, onA, m);
    if (to >= 0) addEdgePoint(shapes, r, k, sign, su, sv, d, length * high, 4 + 4 * edge + to, onA, m);
  }
  addReferenceCorners(shapes, r, k, sign, onA, m);
}

/** Writes the incident face: the face of box i whose normal is most opposed to that of the reference face. */
function writeIncidentFace(shapes: Float64Array, r: number, i: number, k: number, sign: number): void {
  const px = shapes[i] - shapes[r];
  const py = shapes[i + 1] - shapes[r + 1];
  const pz = shapes[i + 2] - shapes[r + 2];
  const rx = shapes[r + 3 + k];
  const ry = shapes[r + 6 + k];
  const rz = shapes[r + 9 + k];
  let axis = 0;
  let max = 0;
  for (let q = 0; q < 3; q++) {
    const dot = rx * shapes[i + 3 + q] + ry * shapes[i + 6 + q] + rz * shapes[i + 9 + q];
    if (Math.abs(dot) <= Math.abs(max)) continue;
    max = dot;
    axis = q;
  }
  const j1 = (axis + 1) % 3;
  const j2 = (axis + 2) % 3;
  const out = (sign * max > 0 ? -1 : 1) * shapes[i + 12 + axis];
  for (let q = 0; q < 3; q++) {
    const ex = shapes[r + 3 + q];
    const ey = shapes[r + 6 + q];
    const ez = shapes[r + 9 + q];
    f[q] =
      ex * (px + out * shapes[i + 3 + axis]) +
      ey * (py + out * shapes[i + 6 + axis]) +
      ez * (pz + out * shapes[i + 9 + axis]);
    u[q] =
      shapes[i + 12 + j1] * (ex * shapes[i + 3 + j1] + ey * shapes[i + 6 + j1] + ez * shapes[i + 9 + j1]);
    v[q] =
      shapes[i + 12 + j2] * (ex * shapes[i + 3 + j2] + ey * shapes[i + 6 + j2] + ez * shapes[i + 9 + j2]);
  }
}

function addEdgePoint(
  shapes: Float64Array,
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
  addClippedContact(shapes, r, k, sign, feature, onA, m);
}

/** Adds the corners of the reference face under the incident face. */
function addReferenceCorners(
  shapes: Float64Array,
  r: number,
  k: number,
  sign: number,
  onA: boolean,
  m: Manifold,
): void {
  const k1 = (k + 1) % 3;
  const k2 = (k + 2) % 3;
  const determinant = u[k1] * v[k2] - u[k2] * v[k1];
  if (Math.abs(determinant) < 1e-12 * (u[k1] ** 2 + u[k2] ** 2 + v[k1] ** 2 + v[k2] ** 2)) return;
  for (let corner = 0; corner < 4; corner++) {
    const x1 = corner & 1 ? shapes[r + 12 + k1] : -shapes[r + 12 + k1];
    const x2 = corner & 2 ? shapes[r + 12 + k2] : -shapes[r + 12 + k2];
    const d1 = x1 - f[k1];
    const d2 = x2 - f[k2];
    const su = (d1 * v[k2] - d2 * v[k1]) / determinant;
    const sv = (d2 * u[k1] - d1 * u[k2]) / determinant;
    // A corner on the border is already an edge crossing.
    if (!(Math.abs(su) < 1 && Math.abs(sv) < 1)) continue;
    x[k] = f[k] + su * u[k] + sv * v[k];
    x[k1] = x1;
    x[k2] = x2;
    addClippedContact(shapes, r, k, sign, 20 + corner, onA, m);
  }
}

/** Adds the contact of the point x of the incident face with the reference face. */
function addClippedContact(
  shapes: Float64Array,
  r: number,
  k: number,
  sign: number,
  feature: number,
  onA: boolean,
  m: Manifold,
): void {
  const separation = sign * x[k] - shapes[r + 12 + k];
  if (separation > m.margin) return;
  // The point on B: x itself if the reference face is A's, else its projection on the reference face.
  const shift = onA ? 0 : separation * sign;
  const out = onA ? -sign : sign;
  const x0 = x[0] - (k === 0 ? shift : 0);
  const x1 = x[1] - (k === 1 ? shift : 0);
  const x2 = x[2] - (k === 2 ? shift : 0);
  const o = r + 3;
  addContactPoint(
    m,
    shapes[r] + shapes[o] * x0 + shapes[o + 1] * x1 + shapes[o + 2] * x2,
    shapes[r + 1] + shapes[o + 3] * x0 + shapes[o + 4] * x1 + shapes[o + 5] * x2,
    shapes[r + 2] + shapes[o + 6] * x0 + shapes[o + 7] * x1 + shapes[o + 8] * x2,
    out * shapes[o + k],
    out * shapes[o + 3 + k],
    out * shapes[o + 6 + k],
    separation,
    feature,
  );
}
