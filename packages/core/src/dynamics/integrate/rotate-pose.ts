import type { Numbers } from '../../math/linear/types.js';
import { reparameterize } from '../../rotation/rotation-vector/charts.js';
import { writeQuaternion } from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';

const before = /* @__PURE__ */ new Float64Array(4);
const product: number[] = [0, 0, 0, 1];
const reference: number[] = [0, 0, 0];
const found: number[] = [0, 0, 0];

/** out[i..i+2] = log(exp(v) q) of the branch nearest to v = from[i..i+2], with q = (x, y, z, w) of any length but zero. */
export function turnBy(
  from: Numbers,
  i: number,
  x: number,
  y: number,
  z: number,
  w: number,
  out: Float64Array,
): void {
  writeQuaternion(from[i], from[i + 1], from[i + 2], before, 0);
  const a = before[0];
  const b = before[1];
  const c = before[2];
  const d = before[3];
  product[0] = d * x + a * w + b * z - c * y;
  product[1] = d * y - a * z + b * w + c * x;
  product[2] = d * z + a * y - b * x + c * w;
  product[3] = d * w - a * x - b * y - c * z;
  reference[0] = from[i];
  reference[1] = from[i + 1];
  reference[2] = from[i + 2];
  rotationVectorFromQuat(product, reference, found);
  out[i] = found[0];
  out[i + 1] = found[1];
  out[i + 2] = found[2];
}

const turn = /* @__PURE__ */ new Float64Array(4);

/** q moved on by h nu held constant: exp(v) exp(h w) at rotation vectors, q + h nu elsewhere, where N is the identity. */
export function moveConstantly(
  rotations: Int32Array,
  pose: Float64Array,
  nu: Float64Array,
  h: number,
  out: Float64Array,
): void {
  for (let i = 0; i < pose.length; i++) out[i] = pose[i] + h * nu[i];
  for (let k = 0; k < rotations.length; k++) {
    const i = rotations[k];
    writeQuaternion(h * nu[i], h * nu[i + 1], h * nu[i + 2], turn, 0);
    turnBy(pose, i, turn[0], turn[1], turn[2], turn[3], out);
  }
}

/** Brings rotation vectors back within pi, in place, as `regularizePose` does but without allocation; returns how many. */
export function changeCharts(charts: Int32Array, pose: Float64Array): number {
  let changed = 0;
  for (let k = 0; k < charts.length; k++) {
    const i = charts[k];
    const x = pose[i];
    const y = pose[i + 1];
    const z = pose[i + 2];
    const t = x * x + y * y + z * z;
    if (t <= Math.PI * Math.PI) continue;
    reference[0] = x;
    reference[1] = y;
    reference[2] = z;
    const turns = Math.round(Math.sqrt(t) / (2 * Math.PI));
    if (turns === 0) continue;
    reparameterize(reference, turns, found);
    pose[i] = found[0];
    pose[i + 1] = found[1];
    pose[i + 2] = found[2];
    changed++;
  }
  return changed;
}
