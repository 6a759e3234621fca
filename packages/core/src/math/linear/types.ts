/** A read-only array of numbers: a plain array, a tuple or a typed array. */
export type Numbers = ArrayLike<number>;

/** A writable array of numbers: a plain array, a tuple or a typed array. */
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
 * M is a rotation in the functions of `rigid`, any matrix in those of `affine`.
 */
export type Mat3x4 = Numbers;
