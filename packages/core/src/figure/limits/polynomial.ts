import type { Numbers } from '../../math/linear/types.js';

/** c[0] + c[1] y + c[2] y^2 + ..., by Horner's rule. */
export function polynomialValue(c: Numbers, y: number): number {
  let value = 0;
  for (let k = c.length - 1; k >= 0; k--) value = value * y + c[k];
  return value;
}
