/** Impulses and K of contacts and connections at given velocities: the equations stand in `contact-potentials.ts`. */
import { CONTACT, type ContactPotentials } from '../state/contact-potentials.js';

/** Step length alpha, and the sum of change . impulse. An array: engines allocate numbers passed to functions that they do not inline. */
const evaluation = /* @__PURE__ */ new Float64Array(2);

/**
 * Writes impulses and K at u + alpha change.
 *
 * @param indices - Potentials to evaluate, the first `count` of the array.
 * @returns sum of change . impulse
 */
export function evaluateContactPotentials(
  potentials: ContactPotentials,
  indices: Int32Array,
  count: number,
  alpha: number,
): number {
  evaluation[0] = alpha;
  evaluation[1] = 0;
  for (let k = 0; k < count; k++) {
    if (potentials.kind[indices[k]] === CONTACT) evaluateContact(potentials, indices[k]);
    else evaluateConnection(potentials, indices[k]);
  }
  return evaluation[1];
}

function evaluateContact(potentials: ContactPotentials, t: number): void {
  const {
    relativeVelocity,
    velocityChange,
    normal,
    targetVelocity,
    stiffness,
    tangentStiffness,
    maxImpulse,
    multiplier,
    normalMultiplier,
    impulse,
    normalImpulse,
    hessian,
    isActive,
  } = potentials;
  const o = 3 * t;
  const alpha = evaluation[0];
  const cx = velocityChange[o];
  const cy = velocityChange[o + 1];
  const cz = velocityChange[o + 2];
  const nx = normal[o];
  const ny = normal[o + 1];
  const nz = normal[o + 2];
  const ux = relativeVelocity[o] + alpha * cx;
  const uy = relativeVelocity[o + 1] + alpha * cy;
  const uz = relativeVelocity[o + 2] + alpha * cz;
  const normalVelocity = nx * ux + ny * uy + nz * uz;
  const k = stiffness[t];
  const unclamped = normalMultiplier[t] - k * (normalVelocity - targetVelocity[o]);
  const bound = maxImpulse[t];
  if (unclamped <= 0 && bound === 0) {
    impulse[o] = 0;
    impulse[o + 1] = 0;
    impulse[o + 2] = 0;
    normalImpulse[t] = 0;
    isActive[t] = 0;
    return;
  }
  isActive[t] = 1;
  let px = 0;
  let py = 0;
  let pz = 0;
  let kt = 0;
  // Tangential K: kt (1 - n n^T) - slip t t^T
  let slip = 0;
  let tx = 0;
  let ty = 0;
  let tz = 0;
  if (bound > 0) {
    kt = tangentStiffness[t];
    px = multiplier[o] - kt * (ux - normalVelocity * nx);
    py = multiplier[o + 1] - kt * (uy - normalVelocity * ny);
    pz = multiplier[o + 2] - kt * (uz - normalVelocity * nz);
    const size = Math.sqrt(px * px + py * py + pz * pz);
    if (size > bound) {
      tx = px / size;
      ty = py / size;
      tz = pz / size;
      px = bound * tx;
      py = bound * ty;
      pz = bound * tz;
      kt *= bound / size;
      slip = kt;
    }
  }
  const isPressing = unclamped > 0;
  const n = isPressing ? unclamped : 0;
  normalImpulse[t] = n;
  px += n * nx;
  py += n * ny;
  pz += n * nz;
  impulse[o] = px;
  impulse[o + 1] = py;
  impulse[o + 2] = pz;
  const h = 6 * t;
  const d = (isPressing ? k : 0) - kt;
  hessian[h] = kt + d * nx * nx - slip * tx * tx;
  hessian[h + 1] = kt + d * ny * ny - slip * ty * ty;
  hessian[h + 2] = kt + d * nz * nz - slip * tz * tz;
  hessian[h + 3] = d * nx * ny - slip * tx * ty;
  hessian[h + 4] = d * nx * nz - slip * tx * tz;
  hessian[h + 5] = d * ny * nz - slip * ty * tz;
  evaluation[1] += cx * px + cy * py + cz * pz;
}

function evaluateConnection(potentials: ContactPotentials, t: number): void {
  const {
    relativeVelocity,
    velocityChange,
    targetVelocity,
    stiffness,
    maxImpulse,
    multiplier,
    impulse,
    hessian,
  } = potentials;
  const o = 3 * t;
  const k = stiffness[t];
  const alpha = evaluation[0];
  let x = multiplier[o] - k * (relativeVelocity[o] + alpha * velocityChange[o] - targetVelocity[o]);
  let y =
    multiplier[o + 1] - k * (relativeVelocity[o + 1] + alpha * velocityChange[o + 1] - targetVelocity[o + 1]);
  let z =
    multiplier[o + 2] - k * (relativeVelocity[o + 2] + alpha * velocityChange[o + 2] - targetVelocity[o + 2]);
  const bound = maxImpulse[t];
  const size = Math.sqrt(x * x + y * y + z * z);
  let kt = k;
  let slip = 0;
  if (size > bound) {
    const shrink = bound / size;
    kt = k * shrink;
    x *= shrink;
    y *= shrink;
    z *= shrink;
    // kt t t^T with t = x / bound
    slip = bound > 0 ? kt / (bound * bound) : 0;
  }
  impulse[o] = x;
  impulse[o + 1] = y;
  impulse[o + 2] = z;
  const h = 6 * t;
  hessian[h] = kt - slip * x * x;
  hessian[h + 1] = kt - slip * y * y;
  hessian[h + 2] = kt - slip * z * z;
  hessian[h + 3] = -slip * x * y;
  hessian[h + 4] = -slip * x * z;
  hessian[h + 5] = -slip * y * z;
  evaluation[1] += velocityChange[o] * x + velocityChange[o + 1] * y + velocityChange[o + 2] * z;
}
