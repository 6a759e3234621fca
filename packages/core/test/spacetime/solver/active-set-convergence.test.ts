/** Steps within cones, ellipses and intervals, with and without active inequalities, compared with the minimum found by projected descent. */
import { describe, expect, test } from 'vitest';
import { ellipseShape } from '../../../src/figure/limits/ellipse.js';
import { intervalShape } from '../../../src/figure/limits/interval.js';
import { seededRandom } from '../../../src/math/random.js';
import { buildModel, createSolver, type Solver } from '../../../src/spacetime/solver/augmented-lagrangian.js';
import { minimizeModel } from '../../../src/spacetime/solver/minimize-model.js';
import { linearizeConstraints, solveModel } from '../../../src/spacetime/solver/quadratic-model.js';
import { addSetConstraints, addSetGradients } from '../../../src/spacetime/solver/set-constraint-model.js';
import {
  BOUNDARY,
  createSetConstraints,
  updateActiveSets,
} from '../../../src/spacetime/solver/set-constraints.js';
import type { System } from '../../../src/spacetime/system/system.js';
import { type ConvexSet, coneShape, project } from '../../../src/spacetime/transcription/convex-sets.js';
import { appendRow } from '../../../src/spacetime/transcription/jacobian-rows.js';
import { direction, largestGap } from '../../figure/support.js';

type Random = () => number;

const CONES = 8;
const ELLIPSES = 4;
const INTERVALS = 4;
/** Penalty of the inequalities, relative to the cost. */
const RHO = 30;
const SIZE = 3 * CONES + 2 * ELLIPSES + INTERVALS;

/** Friction cones, narrow ellipses and intervals over all unknowns. */
function setsOf(random: Random): ConvexSet[] {
  const sets: ConvexSet[] = [];
  let at = 0;
  const add = (size: number, shape: ConvexSet['shape'], parameters: readonly number[]): void => {
    sets.push({ at, size, shape, parameters, label: String(sets.length) });
    at += size;
  };
  for (let k = 0; k < CONES; k++) add(3, coneShape, [...direction(random), 0.3 + random()]);
  for (let k = 0; k < ELLIPSES; k++) add(2, ellipseShape, [0.07, 0.2 + 0.2 * random()]);
  for (let k = 0; k < INTERVALS; k++) add(1, intervalShape, [-random(), random()]);
  return sets;
}

/**
 * A model whose minimum is far outside the sets, from a feasible point: at its apex in every other cone. `inequalities` follow its cost
 * rows.
 */
function pressed(seed: number, inequalities: number): Solver {
  const random = seededRandom(seed);
  const sets = setsOf(random);
  const costs = SIZE + 4;
  const rows = costs + inequalities;
  const start = Float64Array.from({ length: SIZE }, (_, i) =>
    i < 3 * CONES && Math.floor(i / 3) % 2 === 0 ? 0 : 2 * random() - 1,
  );
  const system = {
    size: SIZE,
    rows,
    sets,
    kinds: Array.from({ length: rows }, (_, r) => (r < costs ? 'cost' : 'inequality')),
    owners: new Int32Array(rows),
    first: new Int32Array(SIZE),
  } as unknown as System;
  const solver = createSolver(system, { unknowns: start });
  const { iterate } = solver;
  const all = Int32Array.from({ length: SIZE }, (_, i) => i);
  for (let r = 0; r < rows; r++) {
    iterate.rows.residual[r] = 2 * random() - 1;
    appendRow(
      iterate.rows,
      r,
      all,
      Float64Array.from(all, () => 2 * random() - 1),
    );
  }
  iterate.multipliers.rho.fill(RHO);
  iterate.cost = 1;
  return solver;
}

/** The model value at a step, without damping, and its gradient. */
function modelAt({ system, iterate }: Solver, x: Float64Array, slope?: Float64Array): number {
  const { rows, unknowns, damping } = iterate;
  const { residual, start, values } = rows;
  let sum = 0;
  slope?.set(x.map((v, i) => damping * (v - unknowns[i])));
  for (let r = 0; r < system.rows; r++) {
    let c = residual[r];
    for (let i = 0; i < SIZE; i++) c += values[start[r] + i] * (x[i] - unknowns[i]);
    const weight = system.kinds[r] === 'cost' ? 1 : RHO;
    if (weight === RHO && c < 0) continue;
    sum += 0.5 * weight * c * c;
    if (slope) for (let i = 0; i < SIZE; i++) slope[i] += weight * c * values[start[r] + i];
  }
  return sum;
}

/** The constrained minimum by accelerated projected descent (Beck and Teboulle 2009), restarted where it rises. */
function descend(solver: Solver): Float64Array {
  const { system, iterate } = solver;
  const { rows, unknowns, damping } = iterate;
  let trace = damping * SIZE;
  for (let p = 0; p < rows.start[system.rows]; p++) {
    const weight = p < rows.start[SIZE + 4] ? 1 : RHO;
    trace += weight * rows.values[p] * rows.values[p];
  }
  const slope = new Float64Array(SIZE);
  let x = unknowns.slice();
  let y = unknowns.slice();
  let t = 1;
  for (let k = 0; k < 20_000; k++) {
    modelAt(solver, y, slope);
    const next = y.map((v, i) => v - slope[i] / trace);
    project(system.sets, next);
    let rise = 0;
    for (let i = 0; i < SIZE; i++) rise += (y[i] - next[i]) * (next[i] - x[i]);
    const t1 = rise > 0 ? 1 : 0.5 * (1 + Math.sqrt(1 + 4 * t * t));
    const by = rise > 0 ? 0 : (t - 1) / t1;
    for (let i = 0; i < SIZE; i++) x[i] = next[i] + by * (next[i] - x[i]);
    [x, y] = [next, x];
    t = t1;
  }
  return x;
}

function gapTo(solver: Solver, step: Float64Array, minimum: Float64Array): number {
  return Math.max(...minimum.map((v, i) => Math.abs(solver.iterate.unknowns[i] + step[i] - v)));
}

describe('active set constraints', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('converge to the constrained minimum: %i', (seed) => {
    const solver = pressed(seed, 0);
    const { system, activeSet, iterate, search } = solver;
    const { setConstraints } = activeSet;
    const { step } = search;
    buildModel(solver);
    const minimum = descend(solver);
    linearizeConstraints(solver);
    for (let round = 0; round < 25; round++) {
      expect(solveModel(solver, step)).toBe(true);
      updateActiveSets(system.sets, iterate.unknowns, setConstraints, step);
    }
    expect(gapTo(solver, step, minimum)).toBeLessThan(1e-7);
    expect(setConstraints.active).toContain(BOUNDARY);
  });

  test.each([0, 12].flatMap((inequalities) => [1, 2, 3, 4, 5, 6].map((seed) => [seed, inequalities])))(
    'are found well enough for a step: %i, %i inequalities',
    (seed, inequalities) => {
      const solver = pressed(seed, inequalities);
      const { system, search, options } = solver;
      const { unknowns } = solver.iterate;
      buildModel(solver);
      expect(minimizeModel(solver, search, options.gain)).toBe(true);
      const there = unknowns.map((x, i) => x + search.bestStep[i]);
      const inside = there.slice();
      project(system.sets, inside);
      expect(largestGap(inside, there)).toBeLessThan(1e-15);
      const gainOf = (x: Float64Array): number => modelAt(solver, unknowns) - modelAt(solver, x);
      expect(gainOf(there)).toBeGreaterThan(0.8 * gainOf(descend(solver)));
    },
  );

  test('have the curvature of their boundary', () => {
    const sets = setsOf(seededRandom(3));
    const constraints = createSetConstraints(sets.length);
    const unknowns = Float64Array.from({ length: SIZE }, (_, i) => Math.sin(i));
    project(sets, unknowns);
    const random = seededRandom(4);
    // A multiplier of 2 at a boundary point has the gradient 2 n; between points it changes by the constraint's matrix, except along n.
    const pullAt = (
      k: number,
      position: readonly number[],
    ): { pull: number[]; matrix: number[][]; n: number[] } => {
      const { at, size, shape, parameters } = sets[k];
      const n = new Float64Array(size);
      shape.gradient(parameters, position, 0, size, n, 0);
      const length = Math.hypot(...n);
      constraints.active.fill(0);
      constraints.active[k] = BOUNDARY;
      constraints.multiplier[k] = 2;
      constraints.penalty[k] = 1e4;
      constraints.distance[k] = 0;
      for (let i = 0; i < size; i++) {
        constraints.normal[3 * k + i] = n[i] / length;
        constraints.supportPoint[3 * k + i] = position[i] - unknowns[at + i];
        constraints.distance[k] -= constraints.normal[3 * k + i] * constraints.supportPoint[3 * k + i];
      }
      const slope = new Float64Array(SIZE);
      const base = Int32Array.from({ length: SIZE }, (_, i) => SIZE * i);
      const values = new Float64Array(SIZE * SIZE);
      addSetConstraints(sets, constraints, unknowns, slope, {
        n: SIZE,
        first: new Int32Array(SIZE),
        base,
        values,
      });
      const again = new Float64Array(SIZE);
      addSetGradients(sets, constraints, again);
      expect(again).toEqual(slope);
      const entry = (i: number, j: number) => values[base[at + Math.max(i, j)] + at + Math.min(i, j)];
      const matrix = Array.from({ length: size }, (_, i) =>
        Array.from({ length: size }, (_, j) => entry(i, j)),
      );
      return { pull: [...slope.slice(at, at + size)], matrix, n: [...n].map((x) => x / length) };
    };
    for (let k = 0; k < CONES + ELLIPSES; k++) {
      const { size, shape, parameters } = sets[k];
      const onBorder = (x: Float64Array): number[] => {
        shape.project(parameters, x, 0, size);
        return [...x];
      };
      const far = Float64Array.from({ length: size }, (_, i) =>
        k < CONES ? 3 * parameters[i] + 40 * (random() - 0.5) : 10 * (random() - 0.5),
      );
      const here = onBorder(far.slice());
      if (here.every((x) => x === 0)) continue;
      const h = 1e-6 * Math.hypot(...here);
      const { matrix, n } = pullAt(k, here);
      const displacement = direction(random, size);
      const along = displacement.reduce((sum, w, i) => sum + w * n[i], 0);
      // Tangential: to either side, and back onto the border.
      const sides = [-1, 1].map((s) =>
        onBorder(
          Float64Array.from(here, (x, i) => x + s * h * (displacement[i] - along * n[i]) + 1e-3 * h * n[i]),
        ),
      );
      const normals = sides.map((position) => pullAt(k, position).n);
      const moved = sides[1].map((x, i) => x - sides[0][i]);
      for (let i = 0; i < size; i++) {
        const expected = (2 * (normals[1][i] - normals[0][i])) / Math.hypot(...moved);
        let actual = 0;
        for (let j = 0; j < size; j++) actual += (matrix[i][j] - 1e4 * n[i] * n[j]) * moved[j];
        expect(Math.abs(actual / Math.hypot(...moved) - expected)).toBeLessThan(
          1e-4 * (1 + Math.abs(expected)),
        );
      }
    }
  });
});
