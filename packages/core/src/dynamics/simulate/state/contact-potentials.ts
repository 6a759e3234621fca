import { B, C } from '../../model/articulated-inertia.js';

/**
 * What two bones, or a bone and the world, do to each other: contacts and connections, as convex potentials of the velocity between them.
 *
 * With u = v_A + w_A x r_A - (v_B + w_B x r_B) the velocity of A's point against B's and n the normal from B to A, a contact pushes with
 *
 *   along n    max(0, held_n - k_n (n . u - target))
 *   across     held_t - k_t u_t, held to the disk of radius `bound`
 *
 * and a connection with held - k (u - target), held to the ball of radius `bound`; one that keeps directions has w_A - w_B for u, and turns. The
 * impulses are minus the gradient of a convex function of u, and their derivative by u is minus a symmetric K >= 0. `held` and `bound` are
 * constants of one solve and are raised between solves to the impulses found (augmented Lagrangian, Rockafellar 1976; for the disk of
 * friction the lagged model of Castro, Han, Masterjohn 2023), so that what holds gives way by nothing in the end.
 */
export const CONTACT = 0;
/** A connection of points, and one of directions. */
export const POINT = 1;
export const ROTATION = 2;

/**
 * Depth of one shape in another, m, beyond which a step no longer holds them apart but lets them part slowly: with a warning, in few parts, without work
 * between figures, and with no push remembered, since pushes from two sides would grow without end. So too connections farther apart than that.
 */
export const OVERLAP = 0.01;

/** Room for terms: made once, filled anew each step, never grown. World axes. */
export interface ContactPotentials {
  readonly capacity: number;
  count: number;
  readonly kind: Uint8Array;
  /** Bone of A and of B among all bones; B is -1 for the world. */
  readonly bodyA: Int32Array;
  readonly bodyB: Int32Array;
  /** From the bone's origin to the point, 3 numbers. */
  readonly armA: Float64Array;
  readonly armB: Float64Array;
  /** Of contacts, 3 numbers. */
  readonly normal: Float64Array;
  /** Velocity to have: of contacts the least along the normal, first of 3 numbers, m/s (rad/s of directions). */
  readonly targetVelocity: Float64Array;
  /**
   * Half a step times the acceleration along the normal that the points of contact have as their bones go on turning, m/s, or 0 where it parts them: what the
   * gap changes by besides velocity times step. Taken at the centres of round shapes, whose surface turns into itself: how far these are from the point, along the normal or against it.
   */
  readonly gapCurvature: Float64Array;
  /** Likewise by the velocities last found. */
  readonly nextGapCurvature: Float64Array;
  /** Likewise of connections, 3 numbers. */
  readonly connectionCurvature: Float64Array;
  readonly centerOffsetA: Float64Array;
  readonly centerOffsetB: Float64Array;
  /** Of contacts: whether the target is what they bounce with. */
  readonly isBouncing: Uint8Array;
  /** Impulse by velocity: of contacts along the normal and across, kg; of connections the first counts (kg m^2 of directions). */
  readonly stiffness: Float64Array;
  readonly tangentStiffness: Float64Array;
  /** Of contacts. */
  readonly friction: Float64Array;
  /** Greatest impulse across, or of a connection, N s (N m s). */
  readonly maxImpulse: Float64Array;
  /** Impulses held, 3 numbers; those of contacts along the normal apart. */
  readonly multiplier: Float64Array;
  readonly normalMultiplier: Float64Array;
  /** Velocity u, its change along the direction tried, and the impulse on A at u: 3 numbers each. */
  readonly relativeVelocity: Float64Array;
  readonly velocityChange: Float64Array;
  readonly impulse: Float64Array;
  readonly normalImpulse: Float64Array;
  /** Scratch, 3 numbers. */
  readonly scratch: Float64Array;
  /** Whether there is any impulse, or K, at u. */
  readonly isActive: Uint8Array;
  /** K at u, 6 numbers: xx, yy, zz, xy, xz, yz. */
  readonly hessian: Float64Array;
  /** Which contact or connection it stands for. */
  readonly source: Int32Array;
}

export function createContactPotentials(capacity: number): ContactPotentials {
  const numbers = (each: number): Float64Array => new Float64Array(each * capacity);
  return {
    capacity,
    count: 0,
    kind: new Uint8Array(capacity),
    bodyA: new Int32Array(capacity),
    bodyB: new Int32Array(capacity),
    armA: numbers(3),
    armB: numbers(3),
    normal: numbers(3),
    targetVelocity: numbers(3),
    isBouncing: new Uint8Array(capacity),
    gapCurvature: numbers(1),
    nextGapCurvature: numbers(1),
    connectionCurvature: numbers(3),
    centerOffsetA: numbers(1),
    centerOffsetB: numbers(1),
    stiffness: numbers(1),
    tangentStiffness: numbers(1),
    friction: numbers(1),
    maxImpulse: numbers(1),
    multiplier: numbers(3),
    normalMultiplier: numbers(1),
    relativeVelocity: numbers(3),
    velocityChange: numbers(3),
    impulse: numbers(3),
    normalImpulse: numbers(1),
    scratch: numbers(3),
    isActive: new Uint8Array(capacity).fill(1),
    hessian: numbers(6),
    source: new Int32Array(capacity),
  };
}

/** u of term t from motions of bones (angular velocity, velocity of the origin; 6 numbers a bone), to out[3t..]. */
export function measureRelativeVelocity(
  terms: ContactPotentials,
  t: number,
  motion: Float64Array,
  out: Float64Array,
): void {
  const { bodyA, bodyB, armA, armB, kind } = terms;
  const o = 3 * t;
  const a = 6 * bodyA[t];
  const b = 6 * bodyB[t];
  if (kind[t] === ROTATION) {
    for (let k = 0; k < 3; k++) out[o + k] = motion[a + k] - (b < 0 ? 0 : motion[b + k]);
    return;
  }
  let wx = motion[a];
  let wy = motion[a + 1];
  let wz = motion[a + 2];
  let x = armA[o];
  let y = armA[o + 1];
  let z = armA[o + 2];
  let ux = motion[a + 3] + wy * z - wz * y;
  let uy = motion[a + 4] + wz * x - wx * z;
  let uz = motion[a + 5] + wx * y - wy * x;
  if (b >= 0) {
    wx = motion[b];
    wy = motion[b + 1];
    wz = motion[b + 2];
    x = armB[o];
    y = armB[o + 1];
    z = armB[o + 2];
    ux -= motion[b + 3] + wy * z - wz * y;
    uy -= motion[b + 4] + wz * x - wx * z;
    uz -= motion[b + 5] + wx * y - wy * x;
  }
  out[o] = ux;
  out[o + 1] = uy;
  out[o + 2] = uz;
}

/** Part of the change to look at, and the sum of change . impulse: in an array, for engines allocate numbers that are handed to functions they do not inline. */
const evaluation = /* @__PURE__ */ new Float64Array(2);

/**
 * Impulses of terms at u + part change, to `impulse` and `normalImpulse`, and K there.
 *
 * @param pairs - The first `count` of these.
 * @returns sum of change . impulse
 */
export function evaluateContactPotentials(
  terms: ContactPotentials,
  pairs: Int32Array,
  count: number,
  part: number,
): number {
  evaluation[0] = part;
  evaluation[1] = 0;
  for (let k = 0; k < count; k++) {
    if (terms.kind[pairs[k]] === CONTACT) evaluateContact(terms, pairs[k]);
    else evaluateConnection(terms, pairs[k]);
  }
  return evaluation[1];
}

function evaluateContact(terms: ContactPotentials, t: number): void {
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
  } = terms;
  const o = 3 * t;
  const part = evaluation[0];
  const cx = velocityChange[o];
  const cy = velocityChange[o + 1];
  const cz = velocityChange[o + 2];
  const nx = normal[o];
  const ny = normal[o + 1];
  const nz = normal[o + 2];
  const ux = relativeVelocity[o] + part * cx;
  const uy = relativeVelocity[o + 1] + part * cy;
  const uz = relativeVelocity[o + 2] + part * cz;
  const along = nx * ux + ny * uy + nz * uz;
  const k = stiffness[t];
  const push = normalMultiplier[t] - k * (along - targetVelocity[o]);
  const most = maxImpulse[t];
  if (push <= 0 && most === 0) {
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
  let across = 0;
  // K across: across (1 - n n^T) - slip t t^T
  let slip = 0;
  let tx = 0;
  let ty = 0;
  let tz = 0;
  if (most > 0) {
    across = tangentStiffness[t];
    px = multiplier[o] - across * (ux - along * nx);
    py = multiplier[o + 1] - across * (uy - along * ny);
    pz = multiplier[o + 2] - across * (uz - along * nz);
    const size = Math.sqrt(px * px + py * py + pz * pz);
    if (size > most) {
      tx = px / size;
      ty = py / size;
      tz = pz / size;
      px = most * tx;
      py = most * ty;
      pz = most * tz;
      across *= most / size;
      slip = across;
    }
  }
  const presses = push > 0;
  const n = presses ? push : 0;
  normalImpulse[t] = n;
  px += n * nx;
  py += n * ny;
  pz += n * nz;
  impulse[o] = px;
  impulse[o + 1] = py;
  impulse[o + 2] = pz;
  const h = 6 * t;
  const d = (presses ? k : 0) - across;
  hessian[h] = across + d * nx * nx - slip * tx * tx;
  hessian[h + 1] = across + d * ny * ny - slip * ty * ty;
  hessian[h + 2] = across + d * nz * nz - slip * tz * tz;
  hessian[h + 3] = d * nx * ny - slip * tx * ty;
  hessian[h + 4] = d * nx * nz - slip * tx * tz;
  hessian[h + 5] = d * ny * nz - slip * ty * tz;
  evaluation[1] += cx * px + cy * py + cz * pz;
}

function evaluateConnection(terms: ContactPotentials, t: number): void {
  const {
    relativeVelocity,
    velocityChange,
    targetVelocity,
    stiffness,
    maxImpulse,
    multiplier,
    impulse,
    hessian,
  } = terms;
  const o = 3 * t;
  const k = stiffness[t];
  const part = evaluation[0];
  let x = multiplier[o] - k * (relativeVelocity[o] + part * velocityChange[o] - targetVelocity[o]);
  let y =
    multiplier[o + 1] - k * (relativeVelocity[o + 1] + part * velocityChange[o + 1] - targetVelocity[o + 1]);
  let z =
    multiplier[o + 2] - k * (relativeVelocity[o + 2] + part * velocityChange[o + 2] - targetVelocity[o + 2]);
  const most = maxImpulse[t];
  const size = Math.sqrt(x * x + y * y + z * z);
  let slope = k;
  let slip = 0;
  if (size > most) {
    const shorter = most / size;
    slope = k * shorter;
    x *= shorter;
    y *= shorter;
    z *= shorter;
    // slope t t^T by t = x / most
    slip = most > 0 ? slope / (most * most) : 0;
  }
  impulse[o] = x;
  impulse[o + 1] = y;
  impulse[o + 2] = z;
  const h = 6 * t;
  hessian[h] = slope - slip * x * x;
  hessian[h + 1] = slope - slip * y * y;
  hessian[h + 2] = slope - slip * z * z;
  hessian[h + 3] = -slip * x * y;
  hessian[h + 4] = -slip * x * z;
  hessian[h + 5] = -slip * y * z;
  evaluation[1] += velocityChange[o] * x + velocityChange[o + 1] * y + velocityChange[o + 2] * z;
}

/** Adds scale times a vector (3 numbers at `from[3t..]`) that acts on A, and its opposite on B, to wrenches on bones: couple, then force, 6 numbers a bone. */
export function addWrenches(
  terms: ContactPotentials,
  t: number,
  from: Float64Array,
  wrench: Float64Array,
): void {
  const { bodyA, bodyB, armA, armB, kind } = terms;
  const turns = kind[t] === ROTATION;
  addWrench(wrench, 6 * bodyA[t], armA, from, 3 * t, 1, turns);
  if (bodyB[t] >= 0) addWrench(wrench, 6 * bodyB[t], armB, from, 3 * t, -1, turns);
}

function addWrench(
  wrench: Float64Array,
  w: number,
  arm: Float64Array,
  from: Float64Array,
  o: number,
  sign: 1 | -1,
  turns: boolean,
): void {
  const x = sign * from[o];
  const y = sign * from[o + 1];
  const z = sign * from[o + 2];
  if (turns) {
    wrench[w] += x;
    wrench[w + 1] += y;
    wrench[w + 2] += z;
    return;
  }
  wrench[w] += arm[o + 1] * z - arm[o + 2] * y;
  wrench[w + 1] += arm[o + 2] * x - arm[o] * z;
  wrench[w + 2] += arm[o] * y - arm[o + 1] * x;
  wrench[w + 3] += x;
  wrench[w + 4] += y;
  wrench[w + 5] += z;
}

const image = /* @__PURE__ */ new Float64Array(3);

/** K times 3 numbers of `from`, to 3 numbers of `out`, which may be `from`. */
export function applyHessian(
  { hessian }: ContactPotentials,
  t: number,
  from: Float64Array,
  out: Float64Array,
): void {
  const o = 3 * t;
  const h = 6 * t;
  const x = from[o];
  const y = from[o + 1];
  const z = from[o + 2];
  image[0] = hessian[h] * x + hessian[h + 3] * y + hessian[h + 4] * z;
  image[1] = hessian[h + 3] * x + hessian[h + 1] * y + hessian[h + 5] * z;
  image[2] = hessian[h + 4] * x + hessian[h + 5] * y + hessian[h + 2] * z;
  out[o] = image[0];
  out[o + 1] = image[1];
  out[o + 2] = image[2];
}

/** Adds J^T K J of one bone of term t to its 21 numbers (`articulated.ts`) at `terms[i..]`. */
export function addBoneHessian(
  { hessian, kind }: ContactPotentials,
  t: number,
  arm: Float64Array,
  boneTerms: Float64Array,
  i: number,
): void {
  const h = 6 * t;
  const kxx = hessian[h];
  const kyy = hessian[h + 1];
  const kzz = hessian[h + 2];
  const kxy = hessian[h + 3];
  const kxz = hessian[h + 4];
  const kyz = hessian[h + 5];
  if (kind[t] === ROTATION) {
    for (let k = 0; k < 6; k++) boneTerms[i + k] += hessian[h + k];
    return;
  }
  const x = arm[3 * t];
  const y = arm[3 * t + 1];
  const z = arm[3 * t + 2];
  // B = [r] K, A = -B [r]
  const b0 = y * kxz - z * kxy;
  const b1 = y * kyz - z * kyy;
  const b2 = y * kzz - z * kyz;
  const b3 = z * kxx - x * kxz;
  const b4 = z * kxy - x * kyz;
  const b5 = z * kxz - x * kzz;
  const b6 = x * kxy - y * kxx;
  const b7 = x * kyy - y * kxy;
  const b8 = x * kyz - y * kxz;
  boneTerms[i] += b2 * y - b1 * z;
  boneTerms[i + 1] += b3 * z - b5 * x;
  boneTerms[i + 2] += b7 * x - b6 * y;
  boneTerms[i + 3] += b0 * z - b2 * x;
  boneTerms[i + 4] += b1 * x - b0 * y;
  boneTerms[i + 5] += b4 * x - b3 * y;
  boneTerms[i + B] += b0;
  boneTerms[i + B + 1] += b1;
  boneTerms[i + B + 2] += b2;
  boneTerms[i + B + 3] += b3;
  boneTerms[i + B + 4] += b4;
  boneTerms[i + B + 5] += b5;
  boneTerms[i + B + 6] += b6;
  boneTerms[i + B + 7] += b7;
  boneTerms[i + B + 8] += b8;
  boneTerms[i + C] += kxx;
  boneTerms[i + C + 1] += kyy;
  boneTerms[i + C + 2] += kzz;
  boneTerms[i + C + 3] += kxy;
  boneTerms[i + C + 4] += kxz;
  boneTerms[i + C + 5] += kyz;
}
