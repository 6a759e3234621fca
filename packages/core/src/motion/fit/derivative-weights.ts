import type { Numbers } from '../../math/linear/types.js';

/** Neighbours on each side from which a rate is estimated. */
const NEIGHBOURS = 2;

/**
 * Weights of the derivative at a sample of the interpolating polynomial through it and up to two neighbours on each side
 * (barycentric formula of Berrut and Trefethen 2004, section 9.3): the rate is the sum of weight times value.
 */
export function derivativeWeights(
  times: Numbers,
  i: number,
): { readonly first: number; readonly weights: number[] } {
  const first = Math.max(0, i - NEIGHBOURS);
  const last = Math.min(times.length - 1, i + NEIGHBOURS);
  const inverse = (j: number): number => {
    let product = 1;
    for (let k = first; k <= last; k++) if (k !== j) product *= times[j] - times[k];
    return product;
  };
  const own = inverse(i);
  const weights: number[] = [];
  let sum = 0;
  for (let j = first; j <= last; j++) {
    const weight = j === i ? 0 : own / inverse(j) / (times[i] - times[j]);
    weights.push(weight);
    sum += weight;
  }
  weights[i - first] = -sum;
  return { first, weights };
}
