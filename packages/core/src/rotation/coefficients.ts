/**
 * The one family of scalar functions behind every rotation-vector formula (MATH.md, "Formulas to use").
 *
 * With theta = |v|, x = theta/2 and t = theta^2:
 *
 *   s0 = sin(x)/theta,  s1 = s0'/theta,  s2 = s1'/theta,  s3 = s2'/theta,  c = cos(x)
 *
 * All are entire functions of t, so below theta = pi each is its Taylor series in t: no square root, no
 * sine, no division, nothing to guard at 0, and the same bits on every engine. Eleven terms reach rounding at pi.
 * Beyond pi they come from sine and cosine by the recurrence s_(n+1) = (-s_(n-1)/4 - (2n+1) s_n)/t, s_(-1) = -2c.
 * Below pi that recurrence cancels (it loses eps/theta^2 in s1 and eps/theta^4 in s2), which is why no
 * threshold between "Taylor" and "closed form" near zero ever reaches machine precision.
 */

/** pi^2: the series serve for t up to here. */
export const SERIES_LIMIT = Math.PI * Math.PI;

/** s0(t) = sin(theta/2)/theta = sum over n of (-t)^n / (2^(2n+1) (2n+1)!); t in [0, pi^2]. */
export function s0Series(t: number): number {
  let s = 1 / 1.071454715572848e26;
  s = s * t - 1 / 6.377706640314571e22;
  s = s * t + 1 / 4.662066257539891e19;
  s = s * t - 1 / 4.2849873690624e16;
  s = s * t + 1 / 51011754393600;
  s = s * t - 1 / 81749606400;
  s = s * t + 1 / 185794560;
  s = s * t - 1 / 645120;
  s = s * t + 1 / 3840;
  s = s * t - 1 / 48;
  s = s * t + 0.5;
  return s;
}

/** s1(t) = s0'/theta, prime = d/dtheta: twice the derivative of the s0 series with respect to t; t in [0, pi^2]. */
export function s1Series(t: number): number {
  let s = -1 / 9.857383383270201e27;
  s = s * t + 1 / 5.35727357786424e24;
  s = s * t - 1 / 3.5431703557303173e21;
  s = s * t + 1 / 2.913791410962432e18;
  s = s * t - 1 / 3060705263616000;
  s = s * t + 1 / 4250979532800;
  s = s * t - 1 / 8174960640;
  s = s * t + 1 / 23224320;
  s = s * t - 1 / 107520;
  s = s * t + 1 / 960;
  s = s * t - 1 / 24;
  return s;
}

/** s2(t) = s1'/theta; t in [0, pi^2]. */
export function s2Series(t: number): number {
  let s = 1 / 9.857383383270201e29;
  s = s * t - 1 / 4.9286916916351006e26;
  s = s * t + 1 / 2.9762630988134665e23;
  s = s * t - 1 / 2.2144814723314483e20;
  s = s * t + 1 / 2.08127957925888e17;
  s = s * t - 1 / 255058771968000;
  s = s * t + 1 / 425097953280;
  s = s * t - 1 / 1021870080;
  s = s * t + 1 / 3870720;
  s = s * t - 1 / 26880;
  s = s * t + 1 / 480;
  return s;
}

/** s3(t) = s2'/theta; t in [0, pi^2]. */
export function s3Series(t: number): number {
  let s = -1 / 1.0645974053931818e32;
  s = s * t + 1 / 4.928691691635101e28;
  s = s * t - 1 / 2.7381620509083892e25;
  s = s * t + 1 / 1.8601644367584166e22;
  s = s * t - 1 / 1.5817724802367488e19;
  s = s * t + 1 / 1.7343996493824e16;
  s = s * t - 1 / 25505877196800;
  s = s * t + 1 / 53137244160;
  s = s * t - 1 / 170311680;
  s = s * t + 1 / 967680;
  s = s * t - 1 / 13440;
  return s;
}

/** c(t) = cos(theta/2) = sum over n of (-t)^n / (4^n (2n)!); t in [0, pi^2]. */
export function cosHalfSeries(t: number): number {
  let c = 1 / 2.5510826561258285e24;
  c = c * t - 1 / 1.6783438527143608e21;
  c = c * t + 1 / 1.371195958099968e18;
  c = c * t - 1 / 1428329123020800;
  c = c * t + 1 / 1961990553600;
  c = c * t - 1 / 3715891200;
  c = c * t + 1 / 10321920;
  c = c * t - 1 / 46080;
  c = c * t + 1 / 384;
  c = c * t - 1 / 8;
  c = c * t + 1;
  return c;
}
