import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/errors.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as vec3 from '../../src/math/geometry/vec3.js';
import * as rotation from './all-forms.js';
import { allPartials, expectNear, rotationVectors, vectors } from './support.js';

/** A swing vector of length up to max. */
const swings = (max: number) =>
  fc
    .tuple(fc.double({ min: 0, max, noNaN: true }), fc.double({ min: 0, max: 6.3, noNaN: true }))
    .map(([length, azimuth]) => [length * Math.cos(azimuth), length * Math.sin(azimuth)]);

/** Any orthonormal pair. */
const pairs = rotationVectors(3, 0.1).map((axis) => rotation.createSwingAxes(axis));

/** Rearranges two parameters' lists to entry by entry. */
const interleave = (list: number[]): number[] => {
  const n = list.length / 2;
  return Array.from({ length: list.length }, (_, e) => list[(e % 2) * n + Math.floor(e / 2)]);
};

describe('swing axes', () => {
  it('are orthonormal and right-handed with the axis, with a reference axis or without', () => {
    fc.assert(
      fc.property(rotationVectors(3, 0.01), rotationVectors(3, 0.01), (axis, side) => {
        const a = vec3.normalize(axis);
        const given = vec3.norm(vec3.cross(a, vec3.normalize(side))) > 1e-6;
        for (const { s, t } of [
          rotation.createSwingAxes(axis),
          ...(given ? [rotation.createSwingAxes(axis, side)] : []),
        ]) {
          expectNear([vec3.dot(s, s), vec3.dot(t, t), vec3.dot(s, t)], [1, 1, 0], 1e-15);
          expectNear(vec3.cross(s, t), a, 1e-15);
        }
      }),
    );
  });

  it('take s from the reference axis', () => {
    const { s, t } = rotation.createSwingAxes([0, 2, 0], [3, 1, 0]);
    expectNear(s, [1, 0, 0], 1e-15);
    expectNear(t, [0, 0, -1], 1e-15);
  });

  it('throw for a reference parallel to the axis and for a zero axis', () => {
    expect(() => rotation.createSwingAxes([0, 1, 0], [0, -3, 0])).toThrow(DomainError);
    expect(() => rotation.createSwingAxes([0, 0, 0])).toThrow(DomainError);
    expect(() => rotation.createSwingAxes([0, Number.NaN, 0])).toThrow(DomainError);
  });
});

describe('two-DOF swing', () => {
  it('turns by |r| about an axis normal to the limb, so its quaternion has no component along it', () => {
    fc.assert(
      fc.property(swings(6), pairs, (r, axes) => {
        const q = rotation.quatFromSwing(r, axes);
        expect(Math.abs(vec3.dot(q, vec3.cross(axes.s, axes.t)))).toBeLessThan(1e-15);
        expect(q[3]).toBeCloseTo(Math.cos(Math.hypot(...r) / 2), 14);
        expectNear(rotation.swingFromVector(rotation.swingVector(r, axes), axes), r, 1e-15);
      }),
    );
  });

  it('has the partials of q and R, first and second, that differences give', () => {
    fc.assert(
      fc.property(swings(6), pairs, (r, axes) => {
        const dq = interleave(allPartials((x) => rotation.quatFromSwing(x, axes), r));
        expectNear(rotation.swingQuatPartials(r, axes), dq, 1e-11);
        const d2q = interleave(allPartials((x) => rotation.swingQuatPartials(x, axes), r));
        expectNear(rotation.swingQuatSecondPartials(r, axes), d2q, 1e-11);
        const dR = allPartials((x) => rotation.matrixFromSwing(x, axes), r);
        expectNear(rotation.swingMatrixPartials(r, axes), dR, 1e-11);
        const d2R = allPartials((x) => rotation.swingMatrixPartials(x, axes), r);
        expectNear(rotation.swingMatrixSecondPartials(r, axes), d2R, 1e-11);
      }),
    );
  });

  it('takes a cache evaluated at S r wherever it takes r', () => {
    const axes = rotation.createSwingAxes([1, 2, 3]);
    const r = [0.7, -1.1];
    const cache = rotation.evaluateSwing(r, axes, rotation.createRotationCache());
    expect(rotation.swingQuatPartials(cache, axes)).toEqual(rotation.swingQuatPartials(r, axes));
    expect(rotation.swingMatrixSecondPartials(cache, axes)).toEqual(
      rotation.swingMatrixSecondPartials(r, axes),
    );
    expect(rotation.swingMetric(cache, axes)).toEqual(rotation.swingMetric(r, axes));
    expect(rotation.matrixFromSwing(cache, axes)).toEqual(rotation.matrixFromSwing(r, axes));
  });

  it('has the metric S^T J^T J S, eigenvalues 1 in the direction of r and 4 s0^2 normal to it', () => {
    fc.assert(
      fc.property(swings(6.2), pairs, (r, axes) => {
        const metric = rotation.swingMetric(r, axes);
        for (const frame of ['world', 'body'] as const) {
          const m = rotation.swingJacobian(r, axes, frame);
          const dot = (a: number, b: number): number =>
            m[a] * m[b] + m[2 + a] * m[2 + b] + m[4 + a] * m[4 + b];
          expectNear(metric, [dot(0, 0), dot(0, 1), dot(1, 0), dot(1, 1)], 2e-15);
        }
        const theta = Math.hypot(...r);
        const along = theta > 1e-9 ? r.map((c) => c / theta) : [1, 0];
        const across = [-along[1], along[0]];
        const form = (u: number[]): number =>
          metric[0] * u[0] * u[0] + 2 * metric[1] * u[0] * u[1] + metric[3] * u[1] * u[1];
        expect(form(along)).toBeCloseTo(1, 14);
        const s = theta > 1e-9 ? Math.sin(theta / 2) / theta : 0.5;
        expect(form(across)).toBeCloseTo(4 * s * s, 14);
      }),
    );
  });

  it('rate from an angular velocity it can follow gives that rate back, and J S r the velocity', () => {
    fc.assert(
      fc.property(swings(5.5), pairs, swings(2), (r, axes, rate) => {
        for (const frame of ['world', 'body'] as const) {
          const w = rotation.angularVelocityFromSwingRate(r, axes, rate, frame);
          expectNear(rotation.swingRateFromAngularVelocity(r, axes, w, frame), rate, 1e-13);
        }
      }),
    );
  });

  it('rate from any angular velocity is the least-squares one: the normal equations hold', () => {
    fc.assert(
      fc.property(swings(5.5), pairs, vectors(2), (r, axes, w) => {
        for (const frame of ['world', 'body'] as const) {
          const m = rotation.swingJacobian(r, axes, frame);
          const rate = rotation.swingRateFromAngularVelocity(r, axes, w, frame);
          const left = w.map((c, i) => c - m[2 * i] * rate[0] - m[2 * i + 1] * rate[1]);
          const normal = [0, 1].map((a) => m[a] * left[0] + m[2 + a] * left[1] + m[4 + a] * left[2]);
          expectNear(normal, [0, 0], 1e-13);
        }
      }),
    );
  });

  it('the angular velocity is that of the moving matrix', () => {
    const axes = rotation.createSwingAxes([0.2, -1, 0.4]);
    const r = [1.3, -0.6];
    const rate = [0.4, 0.9];
    const m = rotation.matrixFromSwing(r, axes);
    const partials = rotation.swingMatrixPartials(r, axes);
    const moving = m.map((_, e) => partials[e] * rate[0] + partials[9 + e] * rate[1]);
    const cross = mat3.multiply(moving, mat3.transpose(m));
    const world = rotation.angularVelocityFromSwingRate(r, axes, rate, 'world');
    expectNear(mat3.skew(world), cross, 1e-15);
  });
});
