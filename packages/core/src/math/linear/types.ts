/** Anything that holds numbers by index: a plain array, a tuple, a typed array. Read only. */
export type Numbers = ArrayLike<number>;

/** Anything that numbers can be written to by index. */
export interface MutableNumbers {
  readonly length: number;
  [index: number]: number;
}

/** Three numbers: a point, a direction or a rotation vector. */
export type Vec3 = Numbers;

/** Four numbers `[x, y, z, w]`, Hamilton product, active rotation `v' = q v q^-1`. */
export type Quat = Numbers;

/** Nine numbers, a 3x3 matrix **row by row**, acting on column vectors. */
export type Mat3 = Numbers;

/**
 * Twelve numbers: a 3x3 matrix row by row, then a position. `x_outer = M x_inner + p`.
 * Rigid where the name says so (then M is a rotation), affine otherwise.
 */
export type Mat3x4 = Numbers;
