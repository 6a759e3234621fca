import { differentiate, type Problem } from '../problem/problem.js';

/** Fills the Jacobian of a later priority's rows; columns that are frozen stay zero. */
export function differentiateOpen(
  { all, frozen }: { readonly all: Problem; readonly frozen: Uint8Array },
  pose: Float64Array,
): void {
  differentiate(all, pose);
  const { values, width } = all.jacobian;
  for (let k = 0; k < width; k++) {
    if (frozen[k] === 0) continue;
    for (let o = k; o < all.rows * width; o += width) values[o] = 0;
  }
}
