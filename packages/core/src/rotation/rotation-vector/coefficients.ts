/**
 * The family of scalar functions in every rotation-vector formula (docs/rotation.md, coefficients).
 *
 * With theta = |v|, x = theta/2 and t = theta^2:
 *
 *   s0 = sin(x)/theta,  s1 = s0'/theta,  s2 = s1'/theta,  s3 = s2'/theta,  c = cos(x)
 *
 * All are entire functions of t. Up to theta = pi each is evaluated by its Taylor series in t: no square root, no sine, no
 * division, no special case at 0, and the same bits on every engine. Eleven terms are exact to rounding at pi.
 * Beyond pi: sine and cosine with the recurrence s_(n+1) = (-s_(n-1)/4 - (2n+1) s_n)/t, s_(-1) = -2c. Near zero the recurrence
 * cancels (errors eps/theta^2 in s1, eps/theta^4 in s2), so no switch from Taylor polynomial to closed form near zero reaches
 * machine precision.
 *
 * Evaluation of each series: the first two terms separately, since they determine the rounding (1 - t/8 is exact where it
 * cancels, near pi), the tail as two interleaved Horner chains in t^2, even and odd, which a processor runs in parallel:
 * 8.7 ns per matrix against 11.2 with one chain, 14-16 with Math.sin (docs/decisions/0010-rotation-series.md).
 */

/** pi^2: the largest t of the series. */
export const SERIES_LIMIT = Math.PI * Math.PI;

/**
 * Around pi, 2 < theta < 4.24 rad, B = (1 - cos theta)/theta^2 is evaluated as 2 (1 - c^2)/theta^2 instead of 2 s0^2: B theta^2
 * is then independent of the rounding of theta^2. Elsewhere 1 - c^2 cancels. Bounds on t, so that the branch does not wait
 * for the series.
 */
export const COSINE_FORM_FROM = 4;
/** Upper bound on t of the cosine form of B; see {@link COSINE_FORM_FROM}. */
export const COSINE_FORM_TO = 18;

/** s0(t) = sin(theta/2)/theta = sum over n of (-t)^n / (2^(2n+1) (2n+1)!); t in [0, pi^2]. */
export function s0Series(t: number): number {
  const u = t * t;
  let even = 1 / 1.071454715572848e26;
  even = even * u + 1 / 4.662066257539891e19;
  even = even * u + 1 / 51011754393600;
  even = even * u + 1 / 185794560;
  even = even * u + 1 / 3840;
  let odd = -1 / 6.377706640314571e22;
  odd = odd * u - 1 / 4.2849873690624e16;
  odd = odd * u - 1 / 81749606400;
  odd = odd * u - 1 / 645120;
  return 0.5 - t * (1 / 48) + u * (even + t * odd);
}

/** s1(t) = s0'/theta (prime: d/dtheta), that is twice the derivative of the s0 series in t; t in [0, pi^2]. */
export function s1Series(t: number): number {
  const u = t * t;
  let even = -1 / 9.857383383270201e27;
  even = even * u - 1 / 3.5431703557303173e21;
  even = even * u - 1 / 3060705263616000;
  even = even * u - 1 / 8174960640;
  even = even * u - 1 / 107520;
  let odd = 1 / 5.35727357786424e24;
  odd = odd * u + 1 / 2.913791410962432e18;
  odd = odd * u + 1 / 4250979532800;
  odd = odd * u + 1 / 23224320;
  return -1 / 24 + t * (1 / 960) + u * (even + t * odd);
}

/** s2(t) = s1'/theta, twice the derivative of the s1 series in t; t in [0, pi^2]. */
export function s2Series(t: number): number {
  const u = t * t;
  let even = 1 / 9.857383383270201e29;
  even = even * u + 1 / 2.9762630988134665e23;
  even = even * u + 1 / 2.08127957925888e17;
  even = even * u + 1 / 425097953280;
  even = even * u + 1 / 3870720;
  let odd = -1 / 4.9286916916351006e26;
  odd = odd * u - 1 / 2.2144814723314483e20;
  odd = odd * u - 1 / 255058771968000;
  odd = odd * u - 1 / 1021870080;
  return 1 / 480 - t * (1 / 26880) + u * (even + t * odd);
}

/** s3(t) = s2'/theta, twice the derivative of the s2 series in t; t in [0, pi^2]. */
export function s3Series(t: number): number {
  const u = t * t;
  let even = -1 / 1.0645974053931818e32;
  even = even * u - 1 / 2.7381620509083892e25;
  even = even * u - 1 / 1.5817724802367488e19;
  even = even * u - 1 / 25505877196800;
  even = even * u - 1 / 170311680;
  let odd = 1 / 4.928691691635101e28;
  odd = odd * u + 1 / 1.8601644367584166e22;
  odd = odd * u + 1 / 1.7343996493824e16;
  odd = odd * u + 1 / 53137244160;
  return -1 / 13440 + t * (1 / 967680) + u * (even + t * odd);
}

/** c(t) = cos(theta/2) = sum over n of (-t)^n / (4^n (2n)!); t in [0, pi^2]. */
export function cosHalfSeries(t: number): number {
  const u = t * t;
  let even = 1 / 2.5510826561258285e24;
  even = even * u + 1 / 1.371195958099968e18;
  even = even * u + 1 / 1961990553600;
  even = even * u + 1 / 10321920;
  even = even * u + 1 / 384;
  let odd = -1 / 1.6783438527143608e21;
  odd = odd * u - 1 / 1428329123020800;
  odd = odd * u - 1 / 3715891200;
  odd = odd * u - 1 / 46080;
  return 1 - 0.125 * t + u * (even + t * odd);
}
