import type { Numbers } from '../../math/linear/types.js';

/** Samples on each side that a rate is estimated from. */
const SIDE = 2;

/**
 * The rate at a sample of the polynomial through it and its neighbours, two on each side where there are as many: the sum of weight times value
 * (barycentric formula of Berrut and Trefethen 2004, section 9.3).
 */
export function derivativeWeights(
  times: Numbers,
  i: number,
): { readonly first: number; readonly weights: number[] } {
  const first = Math.max(0, i - SIDE);
  const last = Math.min(times.length - 1, i + SIDE);
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
