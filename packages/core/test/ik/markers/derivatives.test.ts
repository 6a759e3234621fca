import { createFigure, type Figure } from 'poise/figure';
import { describe, expect, it } from 'vitest';
import { createDerivatives } from '../../../src/ik/markers/derivative-arrays.js';
import { differentiate } from '../../../src/ik/markers/derivatives.js';
import { applyLengths, createLengthGroups } from '../../../src/ik/markers/length-groups.js';
import {
  createMarkerProblem,
  evaluate,
  type MarkerProblem,
  setTargets,
} from '../../../src/ik/markers/marker-problem.js';
import type { Loss, Marker } from '../../../src/ik/markers/types.js';
import { createRandom, randomFigureData, within } from '../../figure/support.js';

const losses: Loss[] = [
  { type: 'squared' },
  { type: 'huber', scale: 0.4 },
  { type: 'geman-mcclure', scale: 0.8 },
];

interface Case {
  readonly problem: MarkerProblem;
  readonly pose: Float64Array;
  /** The pose last evaluated, coupled coordinates set. */
  readonly at: Float64Array;
}

/** A random forest with every joint type, markers all over it, three groups of lengths, tasks, and one coupling. */
function randomCase(salt: number, loss: Loss): Case {
  const random = createRandom(salt);
  const figure: Figure = createFigure(randomFigureData(random, 14));
  const markers: Marker[] = Array.from({ length: 16 }, (_, m) => ({
    name: `m${m}`,
    bone: Math.floor(random() * figure.bones.length),
    point: [within(random, 0.3), within(random, 0.3), within(random, 0.3)],
    weight: 0.2 + random(),
  }));
  const names = figure.bones.map(({ name }) => name);
  const hinges = figure.bones.filter(({ joint }) => joint.type === 'hinge' || joint.type === 'slider');
  const moving = figure.bones.filter(({ dof }) => dof > 0);
  const lengths = createLengthGroups(figure, [names.slice(0, 5), names.slice(5, 6), names.slice(6, 12)]);
  const couplings =
    hinges.length < 2
      ? []
      : [
          {
            bone: hinges[0].name,
            driver: { bone: hinges[1].name },
            map: (x: number) =>
              [0.3 * Math.sin(2 * x), 0.6 * Math.cos(2 * x), -1.2 * Math.sin(2 * x)] as const,
          },
        ];
  const options = { loss, couplings, tasks: [{ bone: moving[0].name, target: 0.2, weight: 0.7 }] };
  const problem = createMarkerProblem(figure, markers, options, lengths);
  for (let g = 0; g < 3; g++) lengths.factors[g] = 0.7 + 0.6 * random();
  applyLengths(lengths, problem.state);
  const positions = Float64Array.from({ length: 48 }, () => within(random, 1.5));
  positions[9] = Number.NaN;
  setTargets(
    problem,
    positions,
    markers.map(() => random()),
  );
  const pose = Float64Array.from({ length: figure.dof }, () => within(random, 1.3));
  if (loss.type === 'huber') {
    // Its second derivative jumps where a marker is h off: h in the widest gap between the distances, out of the differences' way.
    evaluate(problem, pose);
    const far = markers
      .map((_, m) => (problem.omega[m] > 0 ? Math.hypot(...problem.residual.subarray(3 * m, 3 * m + 3)) : 0))
      .sort((a, b) => a - b);
    const gaps = far.slice(1).map((x, k) => x - far[k]);
    const widest = gaps.indexOf(Math.max(...gaps.slice(3, -3)));
    problem.loss = { type: 'huber', scale: (far[widest] + far[widest + 1]) / 2 };
  }
  return { problem, pose, at: pose.slice() };
}

/** f over scaled coordinates, then factors; coupled coordinates follow their drivers. */
function objective(each: Case, x: Float64Array): number {
  const { problem, pose } = each;
  const q = each.at;
  pose.forEach((_, i) => {
    q[i] = x[i] * problem.columnScale[i];
  });
  const { factors } = problem.lengths;
  factors.set(x.subarray(pose.length));
  applyLengths(problem.lengths, problem.state);
  return evaluate(problem, q);
}

/** Sixth-order differences of a vector function of one number. */
function slope(at: (t: number) => readonly number[], h: number): number[] {
  const [m3, m2, m1, p1, p2, p3] = [-3, -2, -1, 1, 2, 3].map((k) => at(k * h));
  return p1.map((_, n) => (45 * (p1[n] - m1[n]) - 9 * (p2[n] - m2[n]) + (p3[n] - m3[n])) / (60 * h));
}

describe.each(losses)('derivatives of $type marker tracking', (loss) => {
  it.each([1, 2, 3, 4, 5, 6])(
    'agree with differences of f and of the gradient, entry by entry (figure %i)',
    (salt) => {
      const each = randomCase(salt, loss);
      const { problem, pose } = each;
      const out = createDerivatives(problem);
      const dof = pose.length;
      evaluate(problem, pose);
      const x0 = Float64Array.from([
        ...pose.map((q, i) => q / problem.columnScale[i]),
        ...problem.lengths.factors,
      ]);
      const gradientAt = (x: Float64Array): number[] => {
        objective(each, x);
        differentiate(problem, each.at, true, true, out);
        return Array.from(out.gradient);
      };
      const moved = (k: number, t: number): Float64Array => x0.map((x, i) => (i === k ? x + t : x));
      const g0 = gradientAt(x0);
      const size = g0.length;
      const h0 = out.hessian.slice();
      const scale = Math.max(...g0.map(Math.abs));
      const stiff = Math.max(...h0.map(Math.abs));
      for (let k = 0; k < size; k++) {
        const coupled = k < dof && problem.free[k] === 0;
        const [difference] = slope((t) => [objective(each, moved(k, t))], 2e-3);
        if (!coupled) expect(Math.abs(g0[k] - difference) / scale).toBeLessThan(1e-9);
        if (coupled) expect(g0[k]).toBe(0);
        if (coupled) continue;
        const column = slope((t) => gradientAt(moved(k, t)), 2e-3);
        for (let i = 0; i < size; i++) {
          const entry = i >= k ? h0[i * size + k] : h0[k * size + i];
          expect(Math.abs(entry - column[i]) / stiff, `d2f/dx${i} dx${k}`).toBeLessThan(1e-8);
        }
      }
    },
  );
});

it('the Gauss-Newton part is J^T W J, J by differences of the markers', () => {
  const each = randomCase(11, { type: 'squared' });
  const { problem, pose } = each;
  const out = createDerivatives(problem);
  evaluate(problem, pose);
  const positions = (x: Float64Array): number[] => {
    objective(each, x);
    return Array.from(problem.positions, (p, k) => (problem.omega[Math.floor(k / 3)] > 0 ? p : 0));
  };
  const x0 = Float64Array.from([
    ...pose.map((q, i) => q / problem.columnScale[i]),
    ...problem.lengths.factors,
  ]);
  const columns = Array.from(x0, (_, k) =>
    slope((t) => positions(x0.map((x, i) => (i === k ? x + t : x))), 2e-3),
  );
  objective(each, x0);
  differentiate(problem, each.at, false, true, out);
  const tasks = problem.tasks[0];
  const size = x0.length;
  const stiff = Math.max(...out.hessian.map(Math.abs));
  for (let i = 0; i < size; i++) {
    for (let k = 0; k <= i; k++) {
      if ([i, k].some((c) => c < pose.length && problem.free[c] === 0)) continue;
      let sum = 0;
      columns[i].forEach((x, r) => {
        sum += problem.omega[Math.floor(r / 3)] * x * columns[k][r];
      });
      if (i === k && i === tasks.coordinate) sum += tasks.weight * problem.columnScale[i] ** 2;
      // Exact where no coupling bends: a coupled coordinate adds g phi'', which is second order and left out of this figure.
      const coupledDriver = problem.couplings.some(({ driver }) => driver === i && i === k);
      if (coupledDriver) continue;
      expect(Math.abs(out.hessian[i * size + k] - sum) / stiff).toBeLessThan(1e-9);
    }
  }
});
