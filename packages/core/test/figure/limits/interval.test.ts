import { describe, expect, test } from 'vitest';
import { intervalShape } from '../../../src/figure/limits/interval.js';

describe('interval limit', () => {
  test('g is the signed distance to the nearer bound: negative inside', () => {
    expect(intervalShape.value([-1, 2], [0], 0, 1)).toBe(-1);
    expect(intervalShape.value([-1, 2], [1.5], 0, 1)).toBe(-0.5);
    expect(intervalShape.value([-1, 2], [3], 0, 1)).toBe(1);
    expect(intervalShape.value([-1, 2], [-3], 0, 1)).toBe(2);
  });

  test('the gradient points outwards at the nearer bound', () => {
    const out = [0];
    intervalShape.gradient([-1, 2], [1.5], 0, 1, out, 0);
    expect(out).toEqual([1]);
    intervalShape.gradient([-1, 2], [-0.5], 0, 1, out, 0);
    expect(out).toEqual([-1]);
  });

  test('projects onto the bound; there is no projection without a bound', () => {
    const q = [5, -5, 1e300];
    expect(intervalShape.project([-1, 2], q, 0, 1)).toBe(true);
    expect(intervalShape.project([-1, 2], q, 1, 1)).toBe(true);
    expect(intervalShape.project([0, Number.POSITIVE_INFINITY], q, 2, 1)).toBe(false);
    expect(q).toEqual([2, -1, 1e300]);
  });
});
