/**
 * Joint limits and drives as convex potentials of the joint velocity v. Impulse, in the notation of `contact-potentials.ts`:
 *
 *   limit   max(0, multiplier - k (row . v - target)), along the row
 *   drive   multiplier - k (v - target), projected onto the ball of radius `maxImpulse`: bounded motors and dry friction
 */

/** Kinds of potentials. */
export const LIMIT = 0;
export const DRIVE = 1;

/** Arrays of potentials of one figure, made once and filled anew in each substep. */
export interface JointPotentials {
  count: number;
  readonly kind: Uint8Array;
  /** Bone, its first coordinate and its dof: the joint's block of the mass matrix. */
  readonly bone: Int32Array;
  readonly blockStart: Int32Array;
  readonly blockSize: Uint8Array;
  /** First coordinate, and number of coordinates. */
  readonly coordinate: Int32Array;
  readonly size: Uint8Array;
  /** Limits only: minus the unit gradient of the limit, 3 numbers. */
  readonly row: Float64Array;
  /** Target velocity, 3 numbers; for limits the least velocity along the row, in the first of them. */
  readonly targetVelocity: Float64Array;
  /** Penalty stiffness, impulse by velocity, kg m^2 or kg. */
  readonly stiffness: Float64Array;
  /** Bound of the impulse of a drive, N m s or N s. */
  readonly maxImpulse: Float64Array;
  /** Lagrange multiplier, 3 numbers; for limits along the row, in the first of them. */
  readonly multiplier: Float64Array;
  /** Velocity (of limits along the row), its change along the Newton direction, and the impulse: 3 numbers. */
  readonly velocity: Float64Array;
  readonly velocityChange: Float64Array;
  readonly impulse: Float64Array;
  /** K: of a limit hessianScale row row^T; of a drive hessianScale (1 - saturation x x^T), x its impulse. */
  readonly hessianScale: Float64Array;
  readonly saturation: Float64Array;
  /** Limits: twice the limit component, plus one at an upper bound. Friction: -1 - coordinate. Motors: 0. */
  readonly source: Int32Array;
}

export function createJointPotentials(dof: number, limits: number): JointPotentials {
  const capacity = 2 * (dof + limits);
  const numbers = (each: number): Float64Array => new Float64Array(each * capacity);
  const integers = (): Int32Array => new Int32Array(capacity);
  return {
    count: 0,
    kind: new Uint8Array(capacity),
    bone: integers(),
    blockStart: integers(),
    blockSize: new Uint8Array(capacity),
    coordinate: integers(),
    size: new Uint8Array(capacity),
    row: numbers(3),
    targetVelocity: numbers(3),
    stiffness: numbers(1),
    maxImpulse: numbers(1),
    multiplier: numbers(3),
    velocity: numbers(3),
    velocityChange: numbers(3),
    impulse: numbers(3),
    hessianScale: numbers(1),
    saturation: numbers(1),
    source: integers(),
  };
}

/** Writes the velocity of potential t to out[3t..]. */
export function measureJointVelocity(
  potentials: JointPotentials,
  t: number,
  v: Float64Array,
  out: Float64Array,
): void {
  const { kind, coordinate, size, row } = potentials;
  const o = 3 * t;
  const i = coordinate[t];
  if (kind[t] === DRIVE) {
    for (let k = 0; k < size[t]; k++) out[o + k] = v[i + k];
    return;
  }
  let sum = 0;
  for (let k = 0; k < size[t]; k++) sum += row[o + k] * v[i + k];
  out[o] = sum;
}

/**
 * Evaluates impulse and K of potential t at velocity + alpha change.
 *
 * @returns change . impulse
 */
export function evaluateJointPotential(potentials: JointPotentials, t: number, alpha: number): number {
  const {
    kind,
    size,
    targetVelocity,
    stiffness,
    maxImpulse,
    multiplier,
    velocity,
    velocityChange,
    impulse,
    hessianScale,
    saturation,
  } = potentials;
  const o = 3 * t;
  const k = stiffness[t];
  if (kind[t] === LIMIT) {
    const unclamped = multiplier[o] - k * (velocity[o] + alpha * velocityChange[o] - targetVelocity[o]);
    impulse[o] = unclamped > 0 ? unclamped : 0;
    hessianScale[t] = unclamped > 0 ? k : 0;
    return velocityChange[o] * impulse[o];
  }
  const end = o + size[t];
  let square = 0;
  for (let n = o; n < end; n++) {
    const x = multiplier[n] - k * (velocity[n] + alpha * velocityChange[n] - targetVelocity[n]);
    impulse[n] = x;
    square += x * x;
  }
  const bound = maxImpulse[t];
  hessianScale[t] = k;
  saturation[t] = 0;
  if (square > bound * bound) {
    const shrink = bound / Math.sqrt(square);
    for (let n = o; n < end; n++) impulse[n] *= shrink;
    hessianScale[t] = k * shrink;
    saturation[t] = bound > 0 ? 1 / (bound * bound) : 0;
  }
  let rate = 0;
  for (let n = o; n < end; n++) rate += velocityChange[n] * impulse[n];
  return rate;
}

/** Adds the impulse of potential t to joint impulses. */
export function addJointImpulse(potentials: JointPotentials, t: number, out: Float64Array): void {
  const { kind, coordinate, size, row, impulse } = potentials;
  const o = 3 * t;
  const i = coordinate[t];
  for (let k = 0; k < size[t]; k++)
    out[i + k] += kind[t] === LIMIT ? row[o + k] * impulse[o] : impulse[o + k];
}

/** Adds K of potential t times the Newton direction to joint impulses. */
export function addJointHessianProduct(potentials: JointPotentials, t: number, out: Float64Array): void {
  const { kind, coordinate, size, row, velocityChange, impulse, hessianScale, saturation } = potentials;
  const o = 3 * t;
  const i = coordinate[t];
  const scale = hessianScale[t];
  if (kind[t] === LIMIT) {
    for (let k = 0; k < size[t]; k++) out[i + k] += scale * velocityChange[o] * row[o + k];
    return;
  }
  let sum = 0;
  for (let k = 0; k < size[t]; k++) sum += impulse[o + k] * velocityChange[o + k];
  sum *= saturation[t];
  for (let k = 0; k < size[t]; k++) out[i + k] += scale * (velocityChange[o + k] - sum * impulse[o + k]);
}

/** Adds K of potential t to the joint blocks, 36 numbers a bone; see `TreeSystem.jointHessian`. */
export function addJointHessian(potentials: JointPotentials, t: number, blocks: Float64Array): void {
  const { kind, bone, blockStart, blockSize, coordinate, size, row, impulse, hessianScale, saturation } =
    potentials;
  const scale = hessianScale[t];
  if (scale === 0) return;
  const o = 3 * t;
  const n = blockSize[t];
  const first = coordinate[t] - blockStart[t];
  const at = 36 * bone[t];
  for (let r = 0; r < size[t]; r++) {
    for (let c = 0; c < size[t]; c++) {
      const entry =
        kind[t] === LIMIT
          ? row[o + r] * row[o + c]
          : (r === c ? 1 : 0) - saturation[t] * impulse[o + r] * impulse[o + c];
      blocks[at + (first + r) * n + first + c] += scale * entry;
    }
  }
}
