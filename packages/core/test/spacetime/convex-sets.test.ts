import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coneShape } from '../../src/spacetime/transcription/convex-sets.js';
import { createRandom, derivative, direction, within } from '../figure/support.js';

interface Case {
  readonly n: readonly number[];
  readonly mu: number;
  readonly q: readonly number[];
}

/** Zero, or so large that squares do not underflow. */
const number = fc.double({ min: -1, max: 1, noNaN: true }).map((x) => (Math.abs(x) < 1e-100 ? 0 : x));
const cases: fc.Arbitrary<Case> = fc
  .record({
    salt: fc.integer({ min: 0, max: 1e6 }),
    mu: fc.oneof(fc.double({ min: 0, max: 2, noNaN: true }), fc.constantFrom(0, 1e-3, 0.8)),
    q: fc.tuple(number, number, number),
    size: fc.integer({ min: -6, max: 6 }),
    kind: fc.constantFrom('any', 'axis', 'against', 'border'),
  })
  .map(({ salt, mu, q, size, kind }) => {
    const n = direction(createRandom(salt));
    const scale = 10 ** size;
    if (kind === 'axis') return { n, mu, q: n.map((x) => scale * x) };
    if (kind === 'against') return { n, mu, q: n.map((x) => -scale * x) };
    const [along, across] = parts(n, q);
    const length = Math.hypot(...across);
    const border = n.map((x, k) => x * Math.abs(along) + (across[k] * mu * Math.abs(along)) / (length || 1));
    return { n, mu, q: (kind === 'border' ? border : q).map((x) => scale * x) };
  });

function parts(n: readonly number[], q: readonly number[]): [number, number[]] {
  const along = n[0] * q[0] + n[1] * q[1] + n[2] * q[2];
  return [along, q.map((x, k) => x - along * n[k])];
}

function projected({ n, mu, q }: Case): { point: number[]; moved: boolean } {
  const point = [...q];
  const moved = coneShape.project([...n, mu], point, 0, 3);
  return { point, moved };
}

const size = (q: readonly number[]): number => Math.hypot(...q);

describe('the friction cone', () => {
  test('projects to the nearest point: Karush-Kuhn-Tucker conditions', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { n, mu, q } = given;
        const { point } = projected(given);
        const rounding = 1e-14 * size(q) * (1 + mu);
        const off = q.map((x, k) => x - point[k]);
        // Inside; what is off is square to it, and in the polar cone: no point of the cone lies that way.
        expect(coneShape.value([...n, mu], point, 0, 3)).toBeLessThanOrEqual(rounding);
        expect(Math.abs(off.reduce((sum, x, k) => sum + x * point[k], 0))).toBeLessThanOrEqual(
          rounding * size(q),
        );
        const [along, across] = parts(n, off);
        expect(along + mu * Math.hypot(...across)).toBeLessThanOrEqual(rounding);
      }),
    );
  });

  test('keeps points inside to the bit, and projected points to rounding', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { n, mu, q } = given;
        const { point, moved } = projected(given);
        if (coneShape.value([...n, mu], [...q], 0, 3) <= 0) expect(moved).toBe(false);
        if (!moved) expect(point).toEqual([...q]);
        const again = projected({ n, mu, q: point }).point;
        expect(Math.hypot(...again.map((x, k) => x - point[k]))).toBeLessThanOrEqual(1e-15 * size(q));
      }),
    );
  });

  test('propagates NaN', () => {
    const q = [0.1, Number.NaN, 0.2];
    coneShape.project([0, 1, 0, 0.8], q, 0, 3);
    expect(q.some(Number.isNaN)).toBe(true);
  });

  test('has gradient and Hessian equal to differences', () => {
    const random = createRandom(9100);
    for (let trial = 0; trial < 200; trial++) {
      const n = direction(random);
      const mu = 1.5 * random();
      const q = [within(random, 1), within(random, 1), within(random, 1)];
      if (Math.hypot(...parts(n, q)[1]) < 0.1) continue;
      const p = [...n, mu];
      const gradient = [0, 0, 0, 0];
      coneShape.gradient(p, q, 0, 3, gradient, 1);
      const hessian = new Float64Array(9);
      coneShape.hessian(p, q, 0, 3, hessian, 0);
      for (let i = 0; i < 3; i++) {
        const moved = (h: number) => q.map((x, k) => (k === i ? x + h : x));
        const [slope] = derivative((h) => [coneShape.value(p, moved(h), 0, 3)], 1e-3);
        expect(Math.abs(gradient[1 + i] - slope)).toBeLessThan(1e-9);
        const column = derivative((h) => {
          const out = [0, 0, 0];
          coneShape.gradient(p, moved(h), 0, 3, out, 0);
          return out;
        }, 1e-3);
        column.forEach((value, r) => {
          expect(Math.abs(hessian[3 * r + i] - value)).toBeLessThan(1e-7);
        });
      }
    }
  });
});
