import { clampToLimits, createState, type Figure, forwardKinematics } from 'poise/figure';
import { stepDifferentialControl } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { type RandomCase, randomCases } from './support.js';

const K = 20;
const DT = 1 / 60;
const REACH = DT / (1 - Math.exp(-K * DT));
const DAMPED = 0.05;

/** Residuals of one-level cases against the scaled velocities, by differences: the pose moved by h v, exactly. */
function jacobianByDifferences({ control, figure }: RandomCase, pose: Float64Array): number[][] {
  const { problem } = control.workspace;
  const state = createState(figure);
  const residual = (moved: Float64Array): number[] => {
    forwardKinematics(state, moved);
    const out = new Array<number>(problem.rows).fill(0);
    const { goals } = problem;
    for (const goal of goals) goal.residualFunction.evaluate(state, goal, out, goal.firstRow, moved);
    return goals.flatMap((goal) =>
      out.slice(goal.firstRow, goal.firstRow + goal.rows).map((x) => x * plainScale(goal)),
    );
  };
  const plainScale = (goal: (typeof problem.goals)[number]): number =>
    goal.unit === 'length' ? 1 / problem.lengthScale : 1;
  const columns = Array.from(problem.coordinates, (i, column) => {
    const at = (h: number): number[] => {
      const moved = pose.slice();
      const size = h * problem.jacobian.columnScale[column];
      const vector = control.workspace.rotationVectors.find(
        ({ column: first }) => column >= first && column < first + 3,
      );
      if (vector === undefined) moved[i] += size;
      else rotate(moved, vector.coordinate, i - vector.coordinate, size);
      return residual(moved);
    };
    const [a, b, c, d] = [at(1e-3), at(-1e-3), at(2e-3), at(-2e-3)];
    return a.map((x, k) => (8 * (x - b[k]) - (c[k] - d[k])) / 12e-3);
  });
  return columns[0].map((_, row) => columns.map((column) => column[row]));
}

/** exp(v) exp(angle e_axis), by quaternions written out. */
function rotate(pose: Float64Array, i: number, axis: number, angle: number): void {
  const v = [pose[i], pose[i + 1], pose[i + 2]];
  const theta = Math.hypot(...v);
  const s = theta < 1e-9 ? 0.5 : Math.sin(theta / 2) / theta;
  const [x, y, z, w] = [s * v[0], s * v[1], s * v[2], Math.cos(theta / 2)];
  const t = [0, 0, 0];
  t[axis] = Math.sin(angle / 2);
  const u = Math.cos(angle / 2);
  const q = [
    w * t[0] + u * x + y * t[2] - z * t[1],
    w * t[1] + u * y + z * t[0] - x * t[2],
    w * t[2] + u * z + x * t[1] - y * t[0],
  ];
  const scalar = w * u - x * t[0] - y * t[1] - z * t[2];
  const n = Math.hypot(...q);
  const totalAngle = (2 * Math.atan2(n, scalar)) / n;
  for (let k = 0; k < 3; k++) pose[i + k] = totalAngle * q[k];
}

/** D v with D = h(J^T J), by the power series that h is inside the region and the projection that it is outside: from eigenvectors. */
function eigen(a: readonly (readonly number[])[]): { values: number[]; vectors: number[][] } {
  // QR-free: Jacobi in the plainest form, on a copy.
  const n = a.length;
  const m = a.map((row) => [...row]);
  const v = a.map((_, i) => a.map((_, j): number => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 60; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (Math.abs(m[p][q]) < 1e-300) continue;
        const angle = 0.5 * Math.atan2(2 * m[p][q], m[p][p] - m[q][q]);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (let k = 0; k < n; k++)
          [m[k][p], m[k][q]] = [c * m[k][p] + s * m[k][q], c * m[k][q] - s * m[k][p]];
        for (let k = 0; k < n; k++)
          [m[p][k], m[q][k]] = [c * m[p][k] + s * m[q][k], c * m[q][k] - s * m[p][k]];
        for (let k = 0; k < n; k++)
          [v[k][p], v[k][q]] = [c * v[k][p] + s * v[k][q], c * v[k][q] - s * v[k][p]];
      }
    }
  }
  return { values: m.map((row, k) => row[k]), vectors: m.map((_, k) => v.map((row) => row[k])) };
}

/** Gradient of 1/2 |W (J x - v)|^2 + 1/2 x^T h(J^T J) x at x. */
function gradientAt(
  j: readonly (readonly number[])[],
  weights: readonly number[],
  v: readonly number[],
  x: readonly number[],
): number[] {
  const n = x.length;
  const normal = x.map((_, a) => x.map((_, b) => j.reduce((sum, row) => sum + row[a] * row[b], 0)));
  const { values, vectors } = eigen(normal);
  const region = DAMPED * Math.sqrt(Math.max(...values));
  const g = new Array<number>(n).fill(0);
  j.forEach((row, r) => {
    const miss = row.reduce((sum, a, k) => sum + a * x[k], 0) - v[r];
    for (let k = 0; k < n; k++) g[k] += weights[r] * miss * row[k];
  });
  values.forEach((s, k) => {
    const inside = 1 - Math.max(0, s) / region ** 2;
    if (inside <= 0) return;
    const along = vectors[k].reduce((sum, a, i) => sum + a * x[i], 0);
    for (let i = 0; i < n; i++) g[i] += region ** 2 * inside ** 2 * along * vectors[k][i];
  });
  return g;
}

/** The least g.(p - q)/reach over the points p of a limit: how much lower the objective could go, to first order. */
function minAlong(kind: string, p: readonly number[], q: readonly number[], g: readonly number[]): number {
  const from = g.reduce((sum, a, k) => sum + a * q[k], 0);
  switch (kind) {
    case 'interval': {
      // An open side as far as a step could go.
      const low = Number.isFinite(p[0]) ? p[0] : q[0] - 1;
      const high = Number.isFinite(p[1]) ? p[1] : q[0] + 1;
      return Math.min(g[0] * low, g[0] * high) - from;
    }
    case 'disk':
      return -p[0] * Math.hypot(...g) - from;
    case 'ellipse':
      return -Math.hypot(p[0] * g[0], p[1] * g[1]) - from;
    default: {
      // The quarter that lies against g.
      const a = g[0] > 0 ? -p[0] : p[1];
      const b = g[1] > 0 ? -p[2] : p[3];
      return -Math.hypot(a * g[0], b * g[1]) - from;
    }
  }
}

function limitedWithoutTurning(figure: Figure): boolean {
  // A limited ball has its limit in q' and its velocity in v: left to the test of the allowed velocities.
  return figure.bones.every(({ joint, limit }) => joint.type !== 'ball' || limit === undefined);
}

describe('the velocities of a step', () => {
  it('minimize the objective over the feasible velocities: no feasible direction is a descent direction', () => {
    let tested = 0;
    let bounded = 0;
    for (const one of randomCases(1000, {
      maxJointRate: { angular: 1e9, linear: 1e9 },
      maxGoalSpeed: { linear: 1e9, angular: 1e9 },
    })) {
      const { control, figure, start } = one;
      const { problem, levels, bounds, options, tasks } = control.workspace;
      if (levels.length > 1 || options.posture !== undefined || !limitedWithoutTurning(figure)) continue;
      const pose = start.map((x) => 0.3 * x);
      clampToLimits(figure, pose);
      const before = pose.slice();
      const { limits, rates } = stepDifferentialControl(control, pose, DT);
      // The largest step of a joint is a bound of its own.
      if (rates.some(({ saturated }) => saturated)) continue;
      const j = jacobianByDifferences(one, before);
      const x = Array.from(
        problem.coordinates,
        (i, k) => control.velocity[i] / problem.jacobian.columnScale[k],
      );
      const decay = (1 - Math.exp(-20 * DT)) / DT;
      const largest = Math.max(...one.goals.map(({ weight = 1 }) => weight));
      const weights = tasks.flatMap(({ index, rows }) =>
        new Array<number>(rows).fill((one.goals[index].weight ?? 1) / largest),
      );
      const state = createState(figure);
      forwardKinematics(state, before);
      const natural = new Array<number>(problem.rows).fill(0);
      for (const goal of problem.goals)
        goal.residualFunction.evaluate(state, goal, natural, goal.firstRow, before);
      const v = tasks.flatMap(({ firstRow, rows, unit }) => {
        const r = natural.slice(firstRow, firstRow + rows);
        const scale = unit === 'length' ? problem.lengthScale : 1;
        // A step takes away 0.2 length scales or 0.2 rad at most.
        const max = (unit === 'length' ? 0.2 * scale : 0.2) / DT;
        const factor = Math.min(decay, max / Math.hypot(...r));
        return r.map((x) => (-factor * x) / scale);
      });
      const g = gradientAt(j, weights, v, x);
      // The Frank-Wolfe gap, exact on each limit: zero at a minimum and nowhere else.
      let gap = 0;
      const seen = new Set<number>();
      bounds.limits.forEach(({ kind, parameters, coordinate, size }) => {
        const columns = Array.from({ length: size }, (_, k) => problem.jacobian.columnOf[coordinate + k]);
        columns.forEach((column) => {
          seen.add(column);
        });
        const scale = problem.jacobian.columnScale[columns[0]];
        const own = columns.map((column) => g[column]);
        const q = columns.map((_, k) => before[coordinate + k]);
        const along = columns.reduce((sum, column, k) => sum + own[k] * x[column], 0);
        gap += minAlong(kind, parameters, q, own) / (REACH * scale) - along;
      });
      x.forEach((_, column) => {
        if (!seen.has(column)) gap -= Math.abs(g[column]);
      });
      expect(Math.abs(gap)).toBeLessThan(1e-6 * (1 + Math.hypot(...v) ** 2));
      tested++;
      if (limits.some(({ active }) => active)) bounded++;
    }
    expect(tested).toBeGreaterThan(25);
    expect(bounded).toBeGreaterThan(10);
  });

  it('use the Jacobian over joint velocities, as finite differences confirm', () => {
    let tested = 0;
    for (const one of randomCases(60)) {
      const { control, figure, start } = one;
      if (control.workspace.levels.length > 1) continue;
      const pose = start.slice();
      clampToLimits(figure, pose);
      stepDifferentialControl(control, pose, 0);
      const j = jacobianByDifferences(one, pose);
      const { jacobian, rows } = control.workspace.levels[0];
      const columns = control.workspace.problem.coordinates.length;
      // Straight behind or half a revolution away a residual has no derivative.
      if (control.result.goals.some(({ error, type }) => type !== 'position' && error > 2.9)) continue;
      for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
          expect(Math.abs(jacobian[r * columns + c] - j[r][c])).toBeLessThan(2e-8 * (1 + Math.abs(j[r][c])));
        }
      }
      tested++;
    }
    expect(tested).toBeGreaterThan(30);
  });
});
