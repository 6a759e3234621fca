import { describe, expect, test } from 'vitest';
import {
  createEnvelope,
  factorEnvelope,
  multiplyEnvelope,
} from '../../../src/math/linear/envelope-cholesky.js';
import { dot } from '../../../src/math/linear/vector.js';
import { seededRandom } from '../../../src/math/random.js';
import { createSpacetimeProblem } from '../../../src/spacetime/index.js';
import {
  addCurvature,
  beginSecant,
  type Curvature,
  createCurvature,
  curvatureEnergy,
  factorCurvature,
  finishSecant,
  solveCurved,
} from '../../../src/spacetime/solver/curvature.js';
import { linearize, type System, writeResidual } from '../../../src/spacetime/system/system.js';
import { createJacobianRows } from '../../../src/spacetime/transcription/jacobian-rows.js';
import { crane } from '../support-problems.js';

const random = seededRandom(5);
const within = (size: number): number => size * (2 * random() - 1);
const arm = crane(random);
const { system } = createSpacetimeProblem(arm, {
  duration: { min: 0.5, max: 2, start: 1 },
  intervals: 8,
  terms: [
    { type: 'effort', weight: 1e-2 },
    { type: 'torque-limit', limit: 30 },
    { type: 'pose', at: 1 },
  ],
});
const here = Float64Array.from({ length: system.size }, () => within(0.3));
for (const id of system.indices.timeScaling) here[id] = 1.1;
const lambda = Float64Array.from(system.kinds, (kind) => (kind === 'cost' ? 0 : within(1)));

/** The sum of w r over rows: its gradient is J^T w. */
function weighted(of: System, weights: Float64Array, unknowns: Float64Array): number {
  const residual = new Float64Array(of.rows);
  writeResidual(of, unknowns, residual);
  return dot(weights, residual);
}

function secantOf(size: number): { readonly curvature: Curvature; readonly weights: Float64Array } {
  const curvature = createCurvature(system.size);
  const rows = createJacobianRows(system.rows);
  const multipliers = { lambda, rho: new Float64Array(system.rows).fill(1) };
  const residual = new Float64Array(system.rows);
  const there = here.map((x) => x + within(size));
  for (let i = 0; i < system.size; i++) curvature.step[i] = there[i] - here[i];
  writeResidual(system, there, residual);
  linearize(system, here, rows);
  beginSecant(system, rows, residual, multipliers, curvature);
  linearize(system, there, rows);
  finishSecant(system, rows, multipliers, curvature);
  const weights = lambda.map((l, i) => (system.kinds[i] === 'cost' ? residual[i] : l));
  return { curvature, weights };
}

describe('the curvature along a step', () => {
  test('is the second difference of the weighted rows', () => {
    const { curvature, weights } = secantOf(1e-3);
    const at = (share: number) =>
      weighted(
        system,
        weights,
        here.map((x, i) => x + share * curvature.step[i]),
      );
    // y.s = f'(1) - f'(0) along the step, by differences of sixth order.
    const slope = (t: number): number => {
      const h = 0.05;
      const d = (k: number): number => at(t + k * h) - at(t - k * h);
      return (45 * d(1) - 9 * d(2) + d(3)) / (60 * h);
    };
    const expected = slope(1) - slope(0);
    expect(Math.abs(dot(curvature.product, curvature.step) - expected)).toBeLessThan(
      1e-7 * Math.abs(expected),
    );
  });

  test('has the product with the step that was seen, and is left out where it is negative', () => {
    let positive = 0;
    for (let k = 0; k < 20; k++) {
      const { curvature } = secantOf(0.1);
      const product = new Float64Array(system.size);
      addCurvature(curvature, curvature.step, product);
      const slope = dot(curvature.product, curvature.step);
      if (slope > 0) positive++;
      const scale = Math.max(...curvature.product.map(Math.abs));
      for (let i = 0; i < product.length; i++)
        expect(Math.abs(product[i] - (slope > 0 ? curvature.product[i] : 0))).toBeLessThan(1e-12 * scale);
      expect(curvatureEnergy(curvature, curvature.step)).toBeCloseTo(0.5 * Math.max(0, slope), 8);
    }
    expect(positive).toBeGreaterThan(0);
    expect(positive).toBeLessThan(20);
  });

  test('is part of the solve of a factored matrix', () => {
    const n = 12;
    const matrix = createEnvelope(Int32Array.from({ length: n }, (_, i) => Math.max(0, i - 3)));
    for (let i = 0; i < n; i++)
      for (let j = Math.max(0, i - 3); j <= i; j++)
        matrix.values[matrix.base[i] + j] = i === j ? 8 : within(1);
    const factor = createEnvelope(matrix.first);
    factor.values.set(matrix.values);
    expect(factorEnvelope(factor, factor)).toBe(true);
    const curvature = createCurvature(n);
    for (let i = 0; i < n; i++) curvature.product[i] = within(3);
    curvature.weight = 2;
    factorCurvature(curvature, factor);
    const right = Float64Array.from({ length: n }, () => within(1));
    const x = right.slice();
    solveCurved(curvature, factor, x);
    const back = new Float64Array(n);
    multiplyEnvelope(matrix, x, back);
    addCurvature(curvature, x, back);
    for (let i = 0; i < n; i++) expect(Math.abs(back[i] - right[i])).toBeLessThan(1e-13);
  });
});
