import fc from 'fast-check';
import { expect } from 'vitest';
import type { Numbers } from '../../src/math/linear/types.js';

/** Rotation vectors of angle up to `max` rad, with small, mirrored and axis-aligned ones among them. */
export function rotationVectors(max: number, min = 0): fc.Arbitrary<number[]> {
  const direction = fc
    .tuple(unitInterval(), unitInterval(), unitInterval())
    .filter((d) => Math.hypot(...d) > 1e-3);
  const angle = fc.oneof(
    fc.double({ min, max, noNaN: true }),
    fc.double({ min: Math.max(min, max - 1e-6), max, noNaN: true }),
    fc.double({ min, max: Math.max(min, 1e-6), noNaN: true }),
  );
  return fc.tuple(direction, angle).map(([d, a]) => {
    const size = Math.hypot(...d);
    return d.map((c) => (c / size) * a);
  });
}

function unitInterval(): fc.Arbitrary<number> {
  return fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom(0, 1, -1));
}

/** Three numbers within [-size, size]. */
export function vectors(size: number): fc.Arbitrary<number[]> {
  return fc.array(fc.double({ min: -size, max: size, noNaN: true }), { minLength: 3, maxLength: 3 });
}

/** |a - b| over all entries together. */
export function difference(a: Numbers, b: Numbers): number {
  expect(a.length).toBe(b.length);
  return Math.hypot(...Array.from(a, (x, i) => x - b[i]));
}

/** Root of the sum of squares. */
export function size(a: Numbers): number {
  return Math.hypot(...Array.from(a));
}

/** Expects |a - b| <= tolerance max(1, |b|); NaN fails. */
export function expectNear(a: Numbers, b: Numbers, tolerance: number): void {
  const gap = difference(a, b) / Math.max(1, size(b));
  if (!(gap <= tolerance)) {
    expect.fail(`off by ${gap}, allowed ${tolerance}\n  got    ${Array.from(a)}\n  wanted ${Array.from(b)}`);
  }
}

/**
 * Derivative of a vector function by its k-th argument: central differences at h and 2h, Richardson-extrapolated, so the
 * error is O(h^4): 1e-12 of truncation and of rounding at h = 1e-3 for functions that vary over a radian.
 */
export function partialByDifferences(f: (x: number[]) => Numbers, x: Numbers, k: number, h = 1e-3): number[] {
  const at = (step: number): Numbers => {
    const y = Array.from(x);
    y[k] += step;
    return Array.from(f(y));
  };
  const [p1, m1, p2, m2] = [at(h), at(-h), at(2 * h), at(-2 * h)];
  return Array.from(p1, (p, i) => (8 * (p - m1[i]) - (p2[i] - m2[i])) / (12 * h));
}

/** All partials one after another: entries of the k-th at [n k ..], n the length of f. */
export function allPartials(f: (x: number[]) => Numbers, x: Numbers, h = 1e-3): number[] {
  return Array.from(x, (_, k) => partialByDifferences(f, x, k, h)).flat();
}

/** Derivative of f(x + t direction) at t = 0, by the same differences. */
export function alongBy(f: (x: number[]) => Numbers, x: Numbers, direction: Numbers, h = 1e-3): number[] {
  return partialByDifferences((t) => f(Array.from(x, (c, i) => c + t[0] * direction[i])), [0], 0, h);
}

/** A vector function of time from polynomials: x + v t + a t^2/2. */
export function motion(x: Numbers, v: Numbers, a: Numbers): (t: number) => number[] {
  return (t) => Array.from(x, (c, i) => c + v[i] * t + 0.5 * a[i] * t * t);
}

/** Angular velocity in world axes, vee(R' R^T), of a matrix function of time at t, by differences. */
export function worldVelocityOf(r: (t: number) => Numbers, t: number, h = 1e-3): number[] {
  const rate = partialByDifferences((s) => r(s[0]), [t], 0, h);
  const m = r(t);
  const entry = (i: number, j: number): number =>
    rate[3 * i] * m[3 * j] + rate[3 * i + 1] * m[3 * j + 1] + rate[3 * i + 2] * m[3 * j + 2];
  return [
    0.5 * (entry(2, 1) - entry(1, 2)),
    0.5 * (entry(0, 2) - entry(2, 0)),
    0.5 * (entry(1, 0) - entry(0, 1)),
  ];
}

/**
 * The matrix of a rotation vector without the library: cos I + sin [n] + (1 - cos) n n^T, n = v/|v|, with the engine's
 * sine and cosine. For truth at plain angles, some digits short of rounding near zero.
 */
export function referenceMatrix(v: Numbers): number[] {
  const angle = Math.hypot(v[0], v[1], v[2]);
  if (angle === 0) return [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const [x, y, z] = [v[0] / angle, v[1] / angle, v[2] / angle];
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const k = 1 - c;
  return [
    c + k * x * x,
    k * x * y - s * z,
    k * x * z + s * y,
    k * x * y + s * z,
    c + k * y * y,
    k * y * z - s * x,
    k * x * z - s * y,
    k * y * z + s * x,
    c + k * z * z,
  ];
}

/** Angular velocity in body axes, R^T times {@link worldVelocityOf}. */
export function bodyVelocityOf(r: (t: number) => Numbers, t: number, h = 1e-3): number[] {
  const w = worldVelocityOf(r, t, h);
  const m = r(t);
  return [0, 1, 2].map((i) => m[i] * w[0] + m[3 + i] * w[1] + m[6 + i] * w[2]);
}

/** Expects a rotation matrix: R^T R = I and det R = 1 to the tolerance. */
export function expectRotation(m: Numbers, tolerance: number): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      const dot = m[i] * m[j] + m[3 + i] * m[3 + j] + m[6 + i] * m[6 + j];
      expect(Math.abs(dot - (i === j ? 1 : 0))).toBeLessThanOrEqual(tolerance);
    }
  }
  const det =
    m[0] * (m[4] * m[8] - m[5] * m[7]) -
    m[1] * (m[3] * m[8] - m[5] * m[6]) +
    m[2] * (m[3] * m[7] - m[4] * m[6]);
  expect(Math.abs(det - 1)).toBeLessThanOrEqual(2 * tolerance);
}
