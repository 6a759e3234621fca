import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as rotation from './all-forms.js';
import { difference, expectRotation, rotationVectors } from './support.js';

const KERNELS = [
  rotation.writeQuaternion,
  rotation.writeRotationMatrix,
  rotation.writeLeftJacobian,
  rotation.writeRightJacobian,
  rotation.writeLeftJacobianInverse,
  rotation.writeRightJacobianInverse,
];

/** A kernel's nine (or four) numbers. */
function run(kernel: (typeof KERNELS)[number], v: readonly number[]): number[] {
  const out: number[] = [];
  kernel(v[0], v[1], v[2], out, 0);
  return out;
}

describe('kernels', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are the identity, exactly, at v = 0', () => {
    const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    expect(run(rotation.writeQuaternion, [0, 0, 0])).toEqual([0, 0, 0, 1]);
    for (const kernel of KERNELS.slice(1)) {
      expect(run(kernel, [0, 0, 0]).map((e) => e + 0)).toEqual(identity);
    }
  });

  it('use no function of Math up to |v| = pi, so that they give the same bits on every engine', () => {
    const v = [0.3, -2.9, 1.1];
    expect(Math.hypot(...v)).toBeLessThan(Math.PI);
    const plain = KERNELS.map((kernel) => run(kernel, v));
    const partials = [rotation.quatPartials(v), rotation.matrixPartials(v), rotation.matrixSecondPartials(v)];
    const cache = rotation.createRotationCache();
    for (const name of Object.getOwnPropertyNames(Math)) {
      // Square root is correctly rounded by the standard, so it may stay; it serves theta itself only.
      if (typeof Math[name as 'sin'] !== 'function' || name === 'sqrt') continue;
      vi.spyOn(Math, name as 'sin').mockImplementation(() => {
        throw new Error(`Math.${name} was called`);
      });
    }
    let sample: number[][];
    try {
      sample = KERNELS.map((kernel) => run(kernel, v));
      rotation.evaluateRotationVector(v, cache);
      sample.push(
        rotation.quatPartials(cache),
        rotation.matrixPartials(cache),
        rotation.matrixSecondPartials(cache),
      );
      expect(() => run(rotation.writeRotationMatrix, [0, 0, 3.2])).toThrow('Math.sin was called');
    } finally {
      vi.restoreAllMocks();
    }
    expect(sample).toEqual([...plain, ...partials]);
  });

  it('give these bits for a sample (series only: the same on any engine)', () => {
    // Recorded once; a change of formula or of evaluation order shows here and must be deliberate.
    const out = new Float64Array(9);
    rotation.writeRotationMatrix(0.5, -1.25, 2, out, 0);
    expect(Array.from(out)).toMatchInlineSnapshot(`
      [
        -0.6696790290921717,
        -0.7412338674181801,
        -0.04585140986331965,
        0.36602509683566964,
        -0.2757098199805357,
        -0.8888249116967523,
        0.6461854427953364,
        -0.6120101706332898,
        0.4559472826553598,
      ]
    `);
  });

  it('join at pi: just inside by series, just outside by sine and cosine', () => {
    for (const kernel of KERNELS) {
      const inside = run(kernel, [0, Math.PI * (1 - 1e-15), 0]);
      const outside = run(kernel, [0, Math.PI * (1 + 1e-15), 0]);
      expect(difference(inside, outside)).toBeLessThan(2e-14);
    }
  });

  it('write at the offset and nowhere else', () => {
    for (const kernel of KERNELS) {
      const out = new Float64Array(24).fill(7);
      kernel(0.1, 0.2, 0.3, out, 6);
      const n = kernel === rotation.writeQuaternion ? 4 : 9;
      expect(Array.from(out.subarray(6, 6 + n))).toEqual(run(kernel, [0.1, 0.2, 0.3]));
      expect(out.subarray(0, 6).every((e) => e === 7) && out.subarray(6 + n).every((e) => e === 7)).toBe(
        true,
      );
    }
  });

  it('propagate NaN and infinity instead of hiding them', () => {
    for (const kernel of KERNELS) {
      for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(run(kernel, [0.1, bad, 0]).some(Number.isNaN)).toBe(true);
      }
    }
  });

  it('R is a rotation for every v, |v| up to 20', () => {
    fc.assert(
      fc.property(rotationVectors(20), (v) => {
        expectRotation(run(rotation.writeRotationMatrix, v), 3e-15 * Math.max(1, Math.hypot(...v)));
      }),
    );
  });

  it('the right Jacobian is the transpose of the left, and so are the inverses, bit for bit', () => {
    const transposed = (m: number[]): number[] => [0, 3, 6, 1, 4, 7, 2, 5, 8].map((i) => m[i]);
    fc.assert(
      fc.property(rotationVectors(6), (v) => {
        expect(run(rotation.writeRightJacobian, v)).toEqual(transposed(run(rotation.writeLeftJacobian, v)));
        expect(run(rotation.writeRightJacobianInverse, v)).toEqual(
          transposed(run(rotation.writeLeftJacobianInverse, v)),
        );
      }),
    );
  });
});
