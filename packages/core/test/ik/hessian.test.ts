import {
  createFigure,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  type JointData,
  type Triple,
} from 'poise/figure';
import { type Goal, goalHessians } from 'poise/ik';
import { quat } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { stackProblems } from '../../src/ik/problem/create-problem.js';
import { assignHessians, writeHessian, writeLagrangianHessian } from '../../src/ik/problem/hessian.js';
import { differentiate, evaluate, type Problem, writeGradient } from '../../src/ik/problem/problem.js';
import { createProblem, movableProblem } from '../support/problem.js';
import { randomFigure, randomPose, randomQuat, randomTriple, testRandom } from '../support/random-figure.js';
import { goalKinds, tooSharp } from '../support/random-goals.js';

/** The bends of f near the cut of a logarithm, or close by the target of a line of sight, are too sharp for differences. */
const NEAR_THE_CUT = 2.6;

function hessianAt(problem: Problem, pose: Float64Array): Float64Array {
  const { width } = problem.jacobian;
  // Not zeroed: writeHessian has to.
  const out = new Float64Array(width * width).fill(Number.NaN);
  evaluate(problem, pose);
  differentiate(problem, pose);
  writeHessian(problem, pose, out);
  return out;
}

/** What the last extrapolation may change, against the largest entry, where differences are to be trusted. */
const TRUSTED = 5e-9;

/**
 * d(J^T r)/dy along one column: central differences of the exact gradient, extrapolated twice (order 6), and what the second
 * extrapolation changed.
 */
function gradientSlope(
  problem: Problem,
  pose: Float64Array,
  column: number,
): { slope: number[]; change: number } {
  const { width, columnScale } = problem.jacobian;
  const gradient = new Float64Array(width);
  const central = (h: number): number[] => {
    const [plus, minus] = [h, -h].map((step) => {
      const moved = pose.slice();
      moved[problem.coordinates[column]] += step * columnScale[column];
      evaluate(problem, moved);
      differentiate(problem, moved);
      writeGradient(problem, gradient);
      return Array.from(gradient);
    });
    return plus.map((x, k) => (x - minus[k]) / (2 * h));
  };
  const [d1, d2, d4] = [central(1e-3), central(2e-3), central(4e-3)];
  const slope = d1.map((x, k) => (64 * x - 20 * d2[k] + d4[k]) / 45);
  return { slope, change: Math.max(...slope.map((x, k) => Math.abs(x - (4 * d1[k] - d2[k]) / 3))) };
}

/**
 * Largest difference between the Hessian and differences of the gradient, against the Hessian's largest entry; undefined where f
 * bends too sharply for differences.
 */
function worstEntry(problem: Problem, pose: Float64Array): number | undefined {
  const { width } = problem.jacobian;
  const exact = hessianAt(problem, pose);
  const scale = exact.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
  let worst = 0;
  for (let k = 0; k < width; k++) {
    const { slope, change } = gradientSlope(problem, pose, k);
    if (change > TRUSTED * scale) return undefined;
    slope.forEach((x, l) => {
      const gap = Math.abs(x - exact[k * width + l]) / scale;
      if (!(gap <= worst)) worst = gap;
    });
  }
  return worst;
}

describe('the Hessian equals differences of the exact gradient', () => {
  for (const [title, make] of Object.entries(goalKinds)) {
    it(`${title}, on trees with every joint type, angles over 2 rad`, () => {
      const random = testRandom(23);
      let compared = 0;
      for (let n = 0; n < 60; n++) {
        const figure = randomFigure(random, 8);
        const goal = make(random, figure);
        const pose = randomPose(figure, random, 2.2);
        const problem = movableProblem(figure, goal);
        if (problem === undefined || tooSharp(problem, pose, NEAR_THE_CUT)) continue;
        const worst = worstEntry(problem, pose);
        if (worst === undefined) continue;
        compared++;
        // A pole's f is a difference of products that nearly cancel for a limb that is nearly straight.
        expect(worst, `tree ${n}`).toBeLessThan(title.startsWith('pole') ? 1e-9 : 2e-10);
      }
      expect(compared).toBeGreaterThan(14);
    });
  }

  const joints: JointData[] = [
    { type: 'hinge', axis: [1, 2, -1] },
    { type: 'slider', axis: [1, 2, -1] },
    { type: 'swing', axis: [0, 1, 0.3] },
    { type: 'ball' },
    { type: 'ball-and-socket', axis: [0, 1, 0.3] },
    { type: 'euler', order: 'ZXY' },
    { type: 'euler', order: 'XYX' },
    { type: 'free' },
  ];
  for (const joint of joints) {
    it(`on a ${joint.type}${joint.type === 'euler' ? ` ${joint.order}` : ''} between two balls, all goals at once`, () => {
      const random = testRandom(5);
      let compared = 0;
      for (let n = 0; n < 30; n++) {
        const rest = () => ({ position: randomTriple(random, 0.4), rotation: randomQuat(random) });
        const figure = createFigure({
          bones: [
            { name: 'before', rest: rest(), joint: { type: 'ball' } },
            { name: 'it', parent: 'before', rest: rest(), joint },
            { name: 'after', parent: 'it', rest: rest(), joint: { type: 'ball' } },
            { name: 'beside', parent: 'before', rest: rest(), joint },
          ],
        });
        const goals: Goal[] = ['it', 'after'].flatMap((bone) => [
          { type: 'position', bone, point: randomTriple(random), target: randomTriple(random) },
          { type: 'orientation', bone, target: randomQuat(random), weight: 0.5 },
          { type: 'points-at', bone, axis: randomTriple(random), target: randomTriple(random, 3) },
          { type: 'position', bone, target: { bone: 'beside', point: randomTriple(random) } },
        ]);
        const problem = createProblem(figure, goals, []);
        const pose = randomPose(figure, random, 2);
        if (tooSharp(problem, pose, NEAR_THE_CUT)) continue;
        const worst = worstEntry(problem, pose);
        if (worst === undefined) continue;
        compared++;
        expect(worst).toBeLessThan(1e-10);
      }
      expect(compared).toBeGreaterThan(4);
    });
  }

  it('with locked bones on the chain and coordinates that affect no goal', () => {
    const random = testRandom(31);
    for (let n = 0; n < 20; n++) {
      const figure = randomFigure(random, 10);
      const goals: Goal[] = [
        { type: 'position', bone: 9, point: randomTriple(random), target: randomTriple(random) },
        { type: 'position', bone: 6, target: { bone: 8, point: randomTriple(random) } },
      ];
      let problem: Problem;
      try {
        problem = createProblem(figure, goals, [1, 4]);
      } catch {
        continue;
      }
      expect(worstEntry(problem, randomPose(figure, random, 2))).toBeLessThan(1e-10);
    }
  });
});

/** The part of a symmetric matrix, row by row, on the null space of the first rows of a Jacobian. */
function onNullSpace(matrix: readonly number[][], jacobian: Float64Array, rows: number): number[][] {
  const width = matrix.length;
  const basis: number[][] = [];
  const project = (v: number[]): number[] => {
    for (const b of [...basis, ...basis]) {
      const along = b.reduce((sum, x, k) => sum + x * v[k], 0);
      for (let k = 0; k < width; k++) v[k] -= along * b[k];
    }
    return v;
  };
  for (let r = 0; r < rows; r++) {
    const row = Array.from(jacobian.subarray(r * width, (r + 1) * width));
    const before = Math.hypot(...row);
    const rest = project(row);
    const length = Math.hypot(...rest);
    if (length > 1e-9 * before) basis.push(rest.map((x) => x / length));
  }
  const columns = matrix.map((row) => project([...row]));
  return columns.map((_, k) => project(columns.map((row) => row[k])));
}

describe('the Hessian of the Lagrangian equals differences of its exact gradient on the null space of the constraints', () => {
  /** Goals on rotations, met at a pose: away from there a constraint is not. */
  const metPole = (random: () => number, { worldFromBone: m }: FigureState): Goal => {
    // On the half-plane of the middle: start, middle, end and a point that goes on from the line through the middle.
    const [start, middle, end] = [2, 6, 7].map((b) => Array.from(m.subarray(12 * b + 9, 12 * b + 12)));
    const along = randomTriple(random, 1)[0];
    const target = middle.map((x, k) => x + 2 * (x - start[k]) + along * (end[k] - start[k]));
    return { type: 'pole', bone: 7, middle: 6, start: 2, target };
  };
  const metKinds: Record<string, (random: () => number, figure: Figure, state: FigureState) => Goal> = {
    'orientation that is met': (random, _figure, { worldFromBone }) => {
      const offset = randomQuat(random);
      return {
        type: 'orientation',
        bone: 7,
        offset,
        target: quat.multiply(quat.fromMatrix(worldFromBone.subarray(84, 93)), offset),
      };
    },
    'orientation with a mask that is met on the figure': (_random, _figure, { worldFromBone }) => ({
      type: 'orientation',
      bone: 7,
      mask: [1, 0.5, 0.7],
      target: {
        bone: 5,
        offset: quat.multiply(
          quat.conjugate(quat.fromMatrix(worldFromBone.subarray(60, 69))),
          quat.fromMatrix(worldFromBone.subarray(84, 93)),
        ),
      },
    }),
    'a pole that is met, with its distances from the line': (random, _figure, state) =>
      metPole(random, state),
    'orientation that is met with one axis free': (random, _figure, { worldFromBone }) => ({
      type: 'orientation',
      bone: 7,
      mask: [1, 0.5, 0],
      target: quat.multiply(
        quat.fromMatrix(worldFromBone.subarray(84, 93)),
        quat.fromAxisAngle([0, 0, 1], 2 * random() - 1),
      ),
    }),
    'points-at with an up axis that is met': (random, _figure, { worldFromBone }) => {
      const rotation = quat.fromMatrix(worldFromBone.subarray(84, 93));
      const axis = randomTriple(random);
      const along = quat.rotate(rotation, axis);
      const upAxis: Triple = [axis[1] + 0.3, axis[2] - 0.2, axis[0]];
      return {
        type: 'points-at',
        bone: 7,
        axis,
        target: [0, 1, 2].map((k) => worldFromBone[93 + k] + 2 * along[k]),
        up: { axis: upAxis, direction: quat.rotate(rotation, upAxis) },
      };
    },
  };
  const linear = Object.entries(goalKinds).filter(
    ([title]) => !/^(orientation|points-at|look-at|pole|a pose|posture)/.test(title),
  );
  for (const [title, make] of [...linear, ...Object.entries(metKinds)]) {
    it(`${title}, on trees with every joint type, angles over 2 rad`, () => {
      const random = testRandom(29);
      let compared = 0;
      for (let n = 0; n < 60; n++) {
        const figure = randomFigure(random, 8);
        const pose = randomPose(figure, random, 2.2);
        const state = createState(figure);
        forwardKinematics(state, pose);
        const own = movableProblem(figure, make(random, figure, state));
        if (own === undefined || tooSharp(own, pose, NEAR_THE_CUT)) continue;
        const { problem, equalityRows, inequalityRows } = stackProblems([own], own);
        assignHessians(problem, goalHessians.flat());
        const constraintRows = equalityRows + inequalityRows;
        const { width } = problem.jacobian;
        const factors = Float64Array.from({ length: problem.rows }, () => 4 * random() - 2);
        const gradient = (at: Float64Array): number[] => {
          evaluate(problem, at);
          differentiate(problem, at);
          const { values } = problem.jacobian;
          const weight = (r: number) => (r < constraintRows ? factors[r] : problem.residual[r]);
          return Array.from({ length: width }, (_, k) =>
            factors.reduce((sum, _x, r) => sum + weight(r) * values[r * width + k], 0),
          );
        };
        const differences = Array.from({ length: width }, (_, column) => {
          const central = (h: number): number[] => {
            const [plus, minus] = [h, -h].map((step) => {
              const moved = pose.slice();
              moved[problem.coordinates[column]] += step * problem.jacobian.columnScale[column];
              return gradient(moved);
            });
            return plus.map((x, k) => (x - minus[k]) / (2 * h));
          };
          const [d1, d2, d4] = [central(1e-3), central(2e-3), central(4e-3)];
          const slope = d1.map((x, k) => (64 * x - 20 * d2[k] + d4[k]) / 45);
          return { slope, change: Math.max(...slope.map((x, k) => Math.abs(x - (4 * d1[k] - d2[k]) / 3))) };
        });
        gradient(pose);
        const unscaled = problem.unscaledResidual.slice();
        for (const { firstRow, rows, rowScale } of problem.goals) {
          for (let r = firstRow; r < firstRow + rows; r++) {
            if (r >= constraintRows) factors[r] = problem.residual[r];
            else unscaled[r] = factors[r] / rowScale;
          }
        }
        const exact = new Float64Array(width * width);
        writeLagrangianHessian(problem, pose, constraintRows, factors, unscaled, exact);
        const scale = Math.max(1, ...exact.map(Math.abs));
        if (differences.some(({ change }) => change > TRUSTED * scale)) continue;
        compared++;
        const gaps = differences.map(({ slope }, k) => slope.map((x, l) => x - exact[k * width + l]));
        for (const row of onNullSpace(gaps, problem.jacobian.values, constraintRows))
          for (const gap of row) expect(Math.abs(gap) / scale, `tree ${n}`).toBeLessThan(2e-9);
      }
      expect(compared).toBeGreaterThan(10);
    });
  }
});

describe('the Hessian', () => {
  it('is J^T J, the whole of it, where the goals are met', () => {
    const random = testRandom(7);
    const figure = randomFigure(random, 8);
    const pose = randomPose(figure, random, 2);
    const target = [0, 0, 0];
    const problem = createProblem(
      figure,
      [{ type: 'position', bone: 7, point: [0.1, 0.2, 0.3], target }],
      [],
    );
    evaluate(problem, pose);
    for (let k = 0; k < 3; k++) target[k] += problem.unscaledResidual[k];
    const hessian = hessianAt(problem, pose);
    const { values, width } = problem.jacobian;
    for (let k = 0; k < width; k++) {
      for (let l = 0; l < width; l++) {
        let sum = 0;
        for (let r = 0; r < 3; r++) sum += values[r * width + k] * values[r * width + l];
        expect(hessian[k * width + l]).toBeCloseTo(sum, 13);
      }
    }
  });

  it('is symmetric to the bit', () => {
    const random = testRandom(8);
    for (const make of Object.values(goalKinds)) {
      const figure = randomFigure(random, 8);
      const problem = movableProblem(figure, make(random, figure));
      if (problem === undefined) continue;
      const hessian = hessianAt(problem, randomPose(figure, random, 2));
      const { width } = problem.jacobian;
      for (let k = 0; k < width; k++) {
        for (let l = 0; l < k; l++) expect(hessian[k * width + l]).toBe(hessian[l * width + k]);
      }
    }
  });

  it('of a planar arm of two links is the textbook one', () => {
    const hinge: JointData = { type: 'hinge', axis: [0, 0, 1] };
    const figure = createFigure({
      bones: [
        { name: 'upper', joint: hinge },
        { name: 'lower', parent: 'upper', rest: { position: [1, 0, 0] }, joint: hinge, tip: [1, 0, 0] },
      ],
    });
    const target = [0.4, -0.9, 0];
    const problem = createProblem(
      figure,
      [{ type: 'position', bone: 'lower', point: [1, 0, 0], target }],
      [],
    );
    const [a, b] = [0.7, 2.3];
    // x = (cos a + cos(a+b), sin a + sin(a+b)): x_aa = -x, x_ab = x_bb = -(cos(a+b), sin(a+b)).
    const x = [Math.cos(a) + Math.cos(a + b), Math.sin(a) + Math.sin(a + b)];
    const y = [Math.cos(a + b), Math.sin(a + b)];
    const r = [x[0] - target[0], x[1] - target[1]];
    const dot = (u: number[], v: number[]) => u[0] * v[0] + u[1] * v[1];
    const expected = [dot(x, x) - dot(r, x), dot(x, y) - dot(r, y), dot(x, y) - dot(r, y), 1 - dot(r, y)];
    const square = problem.lengthScale ** 2;
    hessianAt(problem, Float64Array.of(a, b)).forEach((h, k) => {
      expect(h * square).toBeCloseTo(expected[k], 14);
    });
  });
});

describe('the Hessian of points-at', () => {
  const eye = createFigure({ bones: [{ name: 'eye', joint: { type: 'ball' } }] });
  const at = (angle: number): Float64Array =>
    hessianAt(
      createProblem(
        eye,
        [
          {
            type: 'points-at',
            bone: 'eye',
            axis: [0, 0, 1],
            target: [5 * Math.sin(angle), 0, 5 * Math.cos(angle)],
          },
        ],
        [],
      ),
      new Float64Array(3),
    );

  it('is 1 along the rotation towards the target and theta cot theta normal to it, from ahead to near behind', () => {
    for (const angle of [0, 1e-12, 1e-9, 1e-8, 1e-6, 1e-4, 0.1, 1, 2, 3, Math.PI - 1e-3]) {
      const hessian = at(angle);
      const across = angle === 0 ? 1 : angle / Math.tan(angle);
      expect(hessian[4]).toBeCloseTo(1, 13);
      // About x: across, and nothing of the second derivative of exp at rest.
      expect(Math.abs(hessian[0] / across - 1)).toBeLessThan(1e-12);
      expect(hessian[1]).toBeCloseTo(0, 14);
    }
  });

  it('stays finite and modest straight behind, and where the target is on the eye', () => {
    const behind = at(Math.PI);
    expect(behind[0]).toBeCloseTo(0, 14);
    expect(Math.max(...behind.map(Math.abs))).toBeLessThan(4);
    const problem = createProblem(
      eye,
      [{ type: 'points-at', bone: 'eye', axis: [0, 0, 1], target: [0, 0, 0] }],
      [],
    );
    expect(Array.from(hessianAt(problem, new Float64Array(3)))).toEqual(new Array(9).fill(0));
  });
});
