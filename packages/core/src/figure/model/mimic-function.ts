import type { MutableNumbers } from '../../math/linear/types.js';
import type { MimicJoint } from '../data/mimic.js';
import type { MimicPiece } from '../data/types.js';

/** phi of a mimic joint: polynomials of y - from, each from there on; the first (from 0) below all others too. */
export type MimicFunction = readonly MimicPiece[];

export function mimicFunctionOf({ polynomial, pieces = [] }: MimicJoint): MimicFunction {
  return [{ from: 0, polynomial }, ...pieces];
}

/** The polynomial that holds at y. */
export function mimicPieceAt(phi: MimicFunction, y: number): MimicPiece {
  let n = phi.length - 1;
  while (n > 0 && y < phi[n].from) n--;
  return phi[n];
}

/** Writes phi(y), phi'(y) and phi''(y) to out[0..3], by Horner's rule. */
export function evaluateMimic(phi: MimicFunction, at: number, out: MutableNumbers): void {
  const { from, polynomial: c } = mimicPieceAt(phi, at);
  const y = at - from;
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
