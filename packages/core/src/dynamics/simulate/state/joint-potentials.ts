/**
 * What acts at single joints and depends on velocities in a bent way, as convex potentials of nu:
 *
 *   limits   max(0, held - k (row . nu - target)), along the row
 *   drives   held - k (nu - target), held to the ball of radius `bound`: bounded motors and dry friction
 *
 * in the words of `pair-terms.ts`.
 */
export const LIMIT = 0;
export const DRIVE = 1;

/** Room for the terms of one figure: made once, filled anew each step, never grown. */
export interface JointPotentials {
  count: number;
  readonly kind: Uint8Array;
  /** Bone, its first coordinate and its dof: the block of the mass matrix. */
  readonly bone: Int32Array;
  readonly blockStart: Int32Array;
  readonly blockSize: Uint8Array;
  /** First coordinate, and how many. */
  readonly coordinate: Int32Array;
  readonly size: Uint8Array;
  /** Of limits: minus the gradient, of length one, 3 numbers. */
  readonly row: Float64Array;
  /** Velocity to have, 3 numbers: of limits the least along the row, the first of them. */
  readonly targetVelocity: Float64Array;
  /** Impulse by velocity, kg m^2 or kg. */
  readonly stiffness: Float64Array;
  readonly maxImpulse: Float64Array;
  /** Impulse held, 3 numbers: of limits along the row, the first of them. */
  readonly multiplier: Float64Array;
  /** Velocities (of limits along the row), their change along the direction tried, and the impulse: 3 numbers. */
  readonly velocity: Float64Array;
  readonly velocityChange: Float64Array;
  readonly impulse: Float64Array;
  /** K: hardness (1 - slip x x^T), x the impulse of a drive; of limits hardness row row^T. */
  readonly hessianScale: Float64Array;
  readonly saturation: Float64Array;
  /** Of limits the part times two, plus one at an upper end; of friction -1 less the coordinate; of motors any number. */
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

/** Velocities of term t by joint velocities nu, to out[3t..]. */
export function measureJointVelocity(
  terms: JointPotentials,
  t: number,
  nu: Float64Array,
  out: Float64Array,
): void {
  const { kind, coordinate, size, row } = terms;
  const o = 3 * t;
  const i = coordinate[t];
  if (kind[t] === DRIVE) {
    for (let k = 0; k < size[t]; k++) out[o + k] = nu[i + k];
    return;
  }
  let along = 0;
  for (let k = 0; k < size[t]; k++) along += row[o + k] * nu[i + k];
  out[o] = along;
}

/**
 * Impulse of term t at velocity + part change, with what K is made of.
 *
 * @returns change . impulse
 */
export function evaluateJointPotential(terms: JointPotentials, t: number, part: number): number {
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
  } = terms;
  const o = 3 * t;
  const k = stiffness[t];
  if (kind[t] === LIMIT) {
    const push = multiplier[o] - k * (velocity[o] + part * velocityChange[o] - targetVelocity[o]);
    impulse[o] = push > 0 ? push : 0;
    hessianScale[t] = push > 0 ? k : 0;
    return velocityChange[o] * impulse[o];
  }
  const end = o + size[t];
  let square = 0;
  for (let n = o; n < end; n++) {
    const x = multiplier[n] - k * (velocity[n] + part * velocityChange[n] - targetVelocity[n]);
    impulse[n] = x;
    square += x * x;
  }
  const most = maxImpulse[t];
  hessianScale[t] = k;
  saturation[t] = 0;
  if (square > most * most) {
    const shorter = most / Math.sqrt(square);
    for (let n = o; n < end; n++) impulse[n] *= shorter;
    hessianScale[t] = k * shorter;
    saturation[t] = most > 0 ? 1 / (most * most) : 0;
  }
  let rate = 0;
  for (let n = o; n < end; n++) rate += velocityChange[n] * impulse[n];
  return rate;
}

/** Adds the impulse of term t to joint impulses. */
export function addJointImpulse(terms: JointPotentials, t: number, out: Float64Array): void {
  const { kind, coordinate, size, row, impulse } = terms;
  const o = 3 * t;
  const i = coordinate[t];
  for (let k = 0; k < size[t]; k++)
    out[i + k] += kind[t] === LIMIT ? row[o + k] * impulse[o] : impulse[o + k];
}

/** Adds K of term t times the direction tried to joint impulses. */
export function addJointHessianProduct(terms: JointPotentials, t: number, out: Float64Array): void {
  const { kind, coordinate, size, row, velocityChange, impulse, hessianScale, saturation } = terms;
  const o = 3 * t;
  const i = coordinate[t];
  const scale = hessianScale[t];
  if (kind[t] === LIMIT) {
    for (let k = 0; k < size[t]; k++) out[i + k] += scale * velocityChange[o] * row[o + k];
    return;
  }
  let along = 0;
  for (let k = 0; k < size[t]; k++) along += impulse[o + k] * velocityChange[o + k];
  along *= saturation[t];
  for (let k = 0; k < size[t]; k++) out[i + k] += scale * (velocityChange[o + k] - along * impulse[o + k]);
}

/** Adds K of term t to the blocks of joints, 36 numbers a bone; see `TreeSystem`. */
export function addJointHessian(terms: JointPotentials, t: number, blocks: Float64Array): void {
  const { kind, bone, blockStart, blockSize, coordinate, size, row, impulse, hessianScale, saturation } =
    terms;
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
