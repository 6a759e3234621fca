/** The double nearest to an integer of many digits by a power of ten. */

/** Powers of ten that a double has exactly. */
export const EXACT_POWERS: Float64Array = /* @__PURE__ */ Float64Array.from({ length: 23 }, (_, k) =>
  Number(`1e${k}`),
);

/** Of an integer in two parts: it is `high` by this, plus `low`. */
export const LOW = 1e8;
/** Decimal digits of an integer in two parts: every sum and product below is exact. */
export const MAX_DIGITS = 19;

/** 2^27 + 1: the product splits a double into halves of 26 bits (Dekker 1971). */
const SPLIT = 134217729;
/** Bounds the relative error of the correction, which is rounded three times by 2^-53. */
const CORRECTION_ERROR = 2 ** -50;

/**
 * The double nearest to N/p, N = high 10^8 + low, p a power of ten; NaN in the few cases in which N/p is too near to the middle of two doubles.
 *
 * N = n + n' and q p = m + m' with q = fl(n/p) are exact sums of two doubles (Dekker, *A Floating-Point Technique for Extending the Available Precision*,
 * 1971). So is r = n - q p, the remainder of a rounded quotient, and N/p = q + (r + n')/p. The nearest double to that is certain where both ends of
 * the interval of the correction give it.
 *
 * @param high - Up to 11 digits.
 * @param low - Up to 8 digits.
 * @param decimals - Of p = 10^decimals, up to 22.
 */
export function decimalQuotient(high: number, low: number, decimals: number): number {
  const p = EXACT_POWERS[decimals];
  let split = SPLIT * high;
  const highLeft = split - (split - high);
  const product = high * LOW;
  // 10^8 has 19 bits and 8 zeros: no split.
  const productRest = highLeft * LOW - product + (high - highLeft) * LOW;
  const n = product + low;
  const lowAdded = n - product;
  const nRest = product - (n - lowAdded) + (low - lowAdded) + productRest;
  const q = n / p;
  split = SPLIT * q;
  const qLeft = split - (split - q);
  const qRight = q - qLeft;
  split = SPLIT * p;
  const pLeft = split - (split - p);
  const pRight = p - pLeft;
  const m = q * p;
  const mRest = qLeft * pLeft - m + qLeft * pRight + qRight * pLeft + qRight * pRight;
  const correction = (n - m - mRest + nRest) / p;
  const error = CORRECTION_ERROR * Math.abs(correction);
  const nearest = q + (correction - error);
  return nearest === q + (correction + error) ? nearest : Number.NaN;
}
