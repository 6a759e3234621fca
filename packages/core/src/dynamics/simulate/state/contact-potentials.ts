import { BLOCK_B, BLOCK_C } from '../../model/articulated-inertia.js';

/**
 * Contacts and connections between two bones, or a bone and the world, as convex potentials of the relative velocity.
 *
 * With u = v_A + w_A x r_A - (v_B + w_B x r_B) the velocity of A's point relative to B's and n the contact normal from B to A, the impulse
 * on A of a contact is
 *
 *   normal       max(0, multiplier_n - k_n (n . u - target))
 *   tangential   multiplier_t - k_t u_t, projected onto the disk of radius `maxImpulse` (Coulomb friction)
 *
 * and that of a connection multiplier - k (u - target), projected onto the ball of radius `maxImpulse`. A rotational connection has
 * u = w_A - w_B and an angular impulse. The impulse is minus the gradient of a convex function of u, and its derivative by u is -K with K
 * symmetric and positive semidefinite. Multipliers and `maxImpulse` are constant during one Newton solve and updated between solves (method of
 * multipliers, Rockafellar 1976; for the friction disk the lagged model of Castro, Han, Masterjohn 2023), so that the penalty stiffness
 * leaves no compliance in the end.
 */

/** Kinds of potentials: a contact, a connection of points, a connection of rotations. */
export const CONTACT = 0;
export const POINT = 1;
export const ROTATION = 2;

/**
 * Penetration depth, m, beyond which a step separates shapes slowly instead of holding them apart: with a warning, in few substeps, without
 * work between figures, and without warm start, since opposed impulses would grow without end. The same for the position error of
 * connections.
 */
export const OVERLAP = 0.01;

/** Arrays of potentials, made once and filled anew in each substep. World axes. */
export interface ContactPotentials {
  readonly capacity: number;
  count: number;
  readonly kind: Uint8Array;
  /** Bone of A and of B among all bones; B is -1 for the world. */
  readonly bodyA: Int32Array;
  readonly bodyB: Int32Array;
  /** From the bone's origin to the point, m, 3 numbers. */
  readonly armA: Float64Array;
  readonly armB: Float64Array;
  /** Contacts only, 3 numbers. */
  readonly normal: Float64Array;
  /** Target of u, 3 numbers, m/s (rad/s for rotations); for contacts the least normal velocity, in the first of them. */
  readonly targetVelocity: Float64Array;
  /**
   * Second-order change of the gap over time step: half a step times the normal acceleration of the contact points at constant joint velocities, m/s; 0 where
   * it separates them. Taken at the centres of round shapes, whose surface is invariant under their rotation.
   */
  readonly gapCurvature: Float64Array;
  /** The same at the velocities of the last solve. */
  readonly nextGapCurvature: Float64Array;
  /** The same for connections, 3 numbers. */
  readonly connectionCurvature: Float64Array;
  /** From the contact point to the centre of a round shape: along the normal for A, against it for B, m. */
  readonly centerOffsetA: Float64Array;
  readonly centerOffsetB: Float64Array;
  /** Contacts only: whether the target velocity comes from restitution. */
  readonly isBouncing: Uint8Array;
  /** Penalty stiffness, impulse by velocity, kg: normal of contacts; of connections in all directions (kg m^2 for rotations). */
  readonly stiffness: Float64Array;
  /** Tangential penalty stiffness of contacts, kg. */
  readonly tangentStiffness: Float64Array;
  /** Coefficient of friction of contacts. */
  readonly friction: Float64Array;
  /** Bound of the tangential impulse of a contact, or of the impulse of a connection, N s (N m s). */
  readonly maxImpulse: Float64Array;
  /** Lagrange multipliers, 3 numbers: tangential for contacts, whose normal multiplier is `normalMultiplier`. */
  readonly multiplier: Float64Array;
  readonly normalMultiplier: Float64Array;
  /** Relative velocity u, its change along the Newton direction, and the impulse on A: 3 numbers each. */
  readonly relativeVelocity: Float64Array;
  readonly velocityChange: Float64Array;
  readonly impulse: Float64Array;
  readonly normalImpulse: Float64Array;
  /** 3 numbers. */
  readonly scratch: Float64Array;
  /** Whether impulse or K is not zero. */
  readonly isActive: Uint8Array;
  /** K, 6 numbers: xx, yy, zz, xy, xz, yz. */
  readonly hessian: Float64Array;
  /** Index of its contact, or -1 - index of its connection. */
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

/**
 * Writes u of potential t to out[3t..].
 *
 * @param motion - Angular velocity and velocity of the origin, 6 numbers a bone.
 */
export function measureRelativeVelocity(
  potentials: ContactPotentials,
  t: number,
  motion: Float64Array,
  out: Float64Array,
): void {
  const { bodyA, bodyB, armA, armB, kind } = potentials;
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

/** Step length alpha, and the sum of change . impulse. An array: engines allocate numbers passed to functions that they do not inline. */
const evaluation = /* @__PURE__ */ new Float64Array(2);

/**
 * Writes impulses and K at u + alpha change.
 *
 * @param pairs - Potentials to evaluate, the first `count` of the array.
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

/** Adds an impulse on A (3 numbers at `from[3t..]`), and its opposite on B, to wrenches: couple, then force, 6 numbers a bone. */
export function addWrenches(
  potentials: ContactPotentials,
  t: number,
  from: Float64Array,
  wrench: Float64Array,
): void {
  const { bodyA, bodyB, armA, armB, kind } = potentials;
  const isRotation = kind[t] === ROTATION;
  addWrench(wrench, 6 * bodyA[t], armA, from, 3 * t, 1, isRotation);
  if (bodyB[t] >= 0) addWrench(wrench, 6 * bodyB[t], armB, from, 3 * t, -1, isRotation);
}

function addWrench(
  wrench: Float64Array,
  w: number,
  arm: Float64Array,
  from: Float64Array,
  o: number,
  sign: 1 | -1,
  isRotation: boolean,
): void {
  const x = sign * from[o];
  const y = sign * from[o + 1];
  const z = sign * from[o + 2];
  if (isRotation) {
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

/** out[3t..] = K from[3t..]; `out` may be `from`. */
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

/** Adds J^T K J of one bone of potential t to its 21 numbers (`articulated-inertia.ts`) at `boneHessian[i..]`. */
export function addBoneHessian(
  { hessian, kind }: ContactPotentials,
  t: number,
  arm: Float64Array,
  boneHessian: Float64Array,
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
    for (let k = 0; k < 6; k++) boneHessian[i + k] += hessian[h + k];
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
  boneHessian[i] += b2 * y - b1 * z;
  boneHessian[i + 1] += b3 * z - b5 * x;
  boneHessian[i + 2] += b7 * x - b6 * y;
  boneHessian[i + 3] += b0 * z - b2 * x;
  boneHessian[i + 4] += b1 * x - b0 * y;
  boneHessian[i + 5] += b4 * x - b3 * y;
  boneHessian[i + BLOCK_B] += b0;
  boneHessian[i + BLOCK_B + 1] += b1;
  boneHessian[i + BLOCK_B + 2] += b2;
  boneHessian[i + BLOCK_B + 3] += b3;
  boneHessian[i + BLOCK_B + 4] += b4;
  boneHessian[i + BLOCK_B + 5] += b5;
  boneHessian[i + BLOCK_B + 6] += b6;
  boneHessian[i + BLOCK_B + 7] += b7;
  boneHessian[i + BLOCK_B + 8] += b8;
  boneHessian[i + BLOCK_C] += kxx;
  boneHessian[i + BLOCK_C + 1] += kyy;
  boneHessian[i + BLOCK_C + 2] += kzz;
  boneHessian[i + BLOCK_C + 3] += kxy;
  boneHessian[i + BLOCK_C + 4] += kxz;
  boneHessian[i + BLOCK_C + 5] += kyz;
}
