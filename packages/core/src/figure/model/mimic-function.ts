import type { MutableNumbers } from '../../math/linear/types.js';
import type { MimicJoint } from '../data/mimic.js';

/** phi of a mimic joint: polynomial n of y - origins[n] from origins[n] on, the first (origin 0) below all others. */
export interface MimicFunction {
  readonly origins: Float64Array;
  readonly polynomials: readonly Float64Array[];
}

export function mimicFunctionOf({ polynomial, pieces = [] }: MimicJoint): MimicFunction {
  const all = [{ from: 0, polynomial }, ...pieces];
  return {
    origins: Float64Array.from(all, ({ from }) => from),
    polynomials: all.map((piece) => Float64Array.from(piece.polynomial)),
  };
}

/** Index of the polynomial that holds at y. */
export function mimicPieceAt(origins: Float64Array, y: number): number {
  let n = origins.length - 1;
  while (n > 0 && y < origins[n]) n--;
  return n;
}

/** Writes phi(y), phi'(y) and phi''(y) to out[0..3], by Horner's rule. */
export function evaluateMimic(
  { origins, polynomials }: MimicFunction,
  at: number,
  out: MutableNumbers,
): void {
  const piece = mimicPieceAt(origins, at);
  const c = polynomials[piece];
  const y = at - origins[piece];
  let value = 0;
  let derivative = 0;
  let half = 0;
  for (let n = c.length - 1; n >= 0; n--) {
    half = half * y + derivative;
    derivative = derivative * y + value;
    value = value * y + c[n];
  }
  out[0] = value;
  out[1] = derivative;
  out[2] = 2 * half;
}
