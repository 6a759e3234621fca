import { describe, expect, test } from 'vitest';
import type { Figure } from '../../src/figure/index.js';
import { createSpacetimeProblem, type SpacetimeProblem } from '../../src/spacetime/problem.js';
import { addGram, createGramMatrix } from '../../src/spacetime/solver/gram-matrix.js';
import {
  addQuadraticRows,
  addRowGradient,
  augmentedLagrangian,
} from '../../src/spacetime/solver/lagrangian.js';
import { linearize } from '../../src/spacetime/system/system.js';
import { createJacobianRows } from '../../src/spacetime/transcription/jacobian-rows.js';
import { createStateSample, evaluateStateSample } from '../../src/spacetime/transcription/state-sample.js';
import { dot, largest, randomTrial } from '../dynamics/support.js';
import { createRandom, derivative, within } from '../figure/support.js';
import {
  crane,
  DURATION,
  FORMS,
  type Form,
  human,
  randomUnknowns,
  sweeping,
  swimmer,
} from './support-problems.js';
import { compareRows, createTally, jacobianOf, residualOf } from './support-rows.js';
import { GROUPS, type Group, termsOfAny, termsOfHuman } from './support-terms.js';

/** What makes derivatives hard, counted over all points. */
const seen = { vectors: 0, swings: 0, active: 0, borders: 0, fixed: 0, locked: 0 };

function takeSample({ figure, system, contacts }: SpacetimeProblem, unknowns: Float64Array): void {
  const { parameterization, indices, collocations, sets, kinds, fixed } = system;
  if (fixed.length > 0) seen.fixed++;
  if (parameterization.free.length < figure.dof) seen.locked++;
  const sample = createStateSample(
    parameterization,
    contacts.reduce((sum, { points }) => sum + points.length, 0),
  );
  for (const { collocation } of collocations) {
    expect(collocation.time).toBeGreaterThanOrEqual(0);
    expect(collocation.time).toBeLessThanOrEqual(DURATION);
    evaluateStateSample(sample, collocation, indices, unknowns);
    for (const { coordinate: i } of parameterization.rotations) {
      if (Math.hypot(sample.x[0][i], sample.x[0][i + 1], sample.x[0][i + 2]) > 2) seen.vectors++;
    }
    for (const { joint, coordinate: i } of figure.bones) {
      const swings = joint.type === 'swing' || joint.type === 'ball-and-socket';
      if (swings && Math.hypot(sample.pose[i], sample.pose[i + 1]) > 1) seen.swings++;
    }
  }
  for (const { shape, parameters, at, size } of sets) {
    if (shape.value(parameters, unknowns, at, size) > -1e-9) seen.borders++;
  }
  residualOf(system, unknowns).forEach((c, r) => {
    if (kinds[r] === 'inequality' && c > 0) seen.active++;
  });
}

function problemOf(figure: Figure, form: Form, random: () => number, group: Group): SpacetimeProblem {
  const locks = figure.name !== 'figure' && random() < 0.4;
  return createSpacetimeProblem(figure, {
    ...(locks && { locked: random() < 0.5 ? ['bone2'] : ['bone4'] }),
    ...(random() < 0.5 && { armature: Float64Array.from({ length: figure.dof }, () => 0.3 * random()) }),
    ...form.data,
    intervals: 2,
    degree: random() < 0.5 ? 3 : 5,
    reference: sweeping(figure, DURATION, random),
    gravity: [0.3, -9.8, 1],
    terms: group(figure, random, form),
    ...(form.data.unknowns === 'displacement' && random() < 0.4 && { fixedEnds: 'start' }),
  });
}

const forms = FORMS.map((form, n) => [form.name, form, n] as const);

describe('rows equal differences of order 6, entrywise relative to the largest entry', () => {
  const tally = createTally();
  const check = (problem: SpacetimeProblem, random: () => number): void => {
    const unknowns = randomUnknowns(problem, random);
    takeSample(problem, unknowns);
    compareRows(problem.system, unknowns, tally);
  };

  Object.entries(GROUPS).forEach(([name, group], g) => {
    for (const make of name === 'flight' ? [swimmer] : [swimmer, crane]) {
      test.each(forms)(`${name} of the ${make.name}: %s`, (_, form, n) => {
        const random = createRandom(8100 + 100 * g + 2 * n + (make === crane ? 1 : 0));
        check(problemOf(make(random, random() < 0.6, n % 2 === 1), form, random, group), random);
      });
    }
  });

  test.each([...forms, ...forms].map(([name, form], n) => [`${name} (${n})`, form, n] as const))(
    'random forest: %s',
    (_, form, n) => {
      const random = createRandom(8700 + n);
      let salt = 8800 + 50 * n;
      let { figure } = randomTrial(salt, { coupled: n >= 9 });
      while (figure.bones.every(({ joint, dof }) => dof === 0 || joint.type === 'free') || figure.dof > 16)
        figure = randomTrial(++salt, { coupled: n >= 9 }).figure;
      check(problemOf(figure, form, random, termsOfAny), random);
    },
  );

  test.each([forms[2], forms[6]])('the human: %s', (_, form, n) => {
    const random = createRandom(8900 + n);
    const problem = createSpacetimeProblem(human, {
      ...form.data,
      intervals: 1,
      degree: 3,
      reference: sweeping(human, DURATION, random),
      terms: termsOfHuman(human, random),
    });
    check(problem, random);
  });

  test('at 100 points or more, with limits, swings and large angles', () => {
    expect(tally.points).toBeGreaterThanOrEqual(100);
    expect(Math.min(seen.fixed, seen.locked)).toBeGreaterThan(2);
    expect(tally.kinks / tally.rows).toBeLessThan(0.01);
    const { fixed: _fixed, locked: _locked, ...counts } = seen;
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(500);
    // Every type, each as often as to tell.
    expect(tally.types.size).toBe(27);
    for (const count of tally.types.values()) expect(count).toBeGreaterThan(10);
  });
});

describe('the augmented Lagrangian', () => {
  test.each([forms[0], forms[5], forms[7]])('has the gradient of its model: %s', (_, form, n) => {
    const random = createRandom(9000 + n);
    const make = n % 2 === 0 ? swimmer : crane;
    const group: Group = (...args) => [...GROUPS.states(...args), ...GROUPS.forces(...args)];
    const { system } = problemOf(make(random), form, random, group);
    const unknowns = Float64Array.from({ length: system.size }, () => within(random, 0.8));
    for (const id of system.indices.timeScaling) unknowns[id] = 1 + within(random, 0.3);
    const multipliers = {
      lambda: Float64Array.from({ length: system.rows }, () => within(random, 1)),
      rho: Float64Array.from({ length: system.rows }, () => 2.5 + within(random, 1)),
    };
    const rows = createJacobianRows(system.rows);
    linearize(system, unknowns, rows);
    const active = Uint8Array.from(system.kinds, (kind, r) =>
      kind === 'inequality' && rows.residual[r] + multipliers.lambda[r] / multipliers.rho[r] > 0 ? 1 : 0,
    );
    const gradient = new Float64Array(system.size);
    const model = createGramMatrix(system.first);
    addQuadraticRows(system.kinds, rows, multipliers, gradient, model);
    for (let r = 0; r < system.rows; r++) {
      if (active[r] === 0) continue;
      addRowGradient(rows, r, multipliers.rho[r] * rows.residual[r] + multipliers.lambda[r], gradient);
    }
    addGram(
      rows,
      system.rows,
      (r) => r,
      (r) => active[r] * multipliers.rho[r],
      model,
    );
    const scale = largest(gradient);
    const moved = unknowns.slice();
    for (let id = 0; id < system.size; id++) {
      if (system.fixed.includes(id)) {
        expect(gradient[id]).toBe(0);
        continue;
      }
      const at = (h: number) => {
        moved[id] = unknowns[id] + h;
        return [augmentedLagrangian(system.kinds, residualOf(system, moved), multipliers)];
      };
      // The better of two steps: one of them may reach a bend of an inequality.
      const gaps = [1e-3, 2e-4].map((step) => Math.abs(gradient[id] - derivative(at, step)[0]));
      moved[id] = unknowns[id];
      expect(Math.min(...gaps) / scale).toBeLessThan(1e-8);
    }
    // The model is J^T W J of the same rows.
    const jacobian = jacobianOf(system, unknowns);
    const direction = Float64Array.from({ length: system.size }, () => within(random, 1));
    let bend = 0;
    for (let r = 0; r < system.rows; r++) {
      if (system.kinds[r] === 'inequality' && active[r] === 0) continue;
      const slope = dot(jacobian.subarray(r * system.size, (r + 1) * system.size), direction);
      bend += (system.kinds[r] === 'cost' ? 1 : multipliers.rho[r]) * slope * slope;
    }
    let sum = 0;
    for (let i = 0; i < system.size; i++) {
      for (let j = system.first[i]; j <= i; j++) {
        sum += (i === j ? 1 : 2) * direction[i] * direction[j] * model.values[model.base[i] + j];
      }
    }
    expect(Math.abs(sum - bend) / bend).toBeLessThan(1e-12);
  });
});
