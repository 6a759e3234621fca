/**
 * Initial guess of an edit, near its solution. For goals at one time the solution is d(t) = K(t) d_1, d_1 the least displacement of the
 * pose there that meets them (inverse kinematics with a posture goal) and K the kernel scaled to height one. For several times each is
 * solved by itself and the kernels are superposed; the solver resolves their interaction.
 */
import type { Figure } from '../../figure/model/figure.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import { createIk, solveIk } from '../../ik/solve-ik.js';
import type { SpacetimeProblem } from '../../spacetime/problem.js';
import type { SpacetimeSave } from '../../spacetime/solve.js';
import { displacePose, writeDisplacement } from '../displacement/displace-pose.js';
import { createKernel, kernelWeights } from './displacement-kernel.js';
import { withLeastSquaresMultipliers } from './initial-multipliers.js';

/** Goals at one time, s from the start of the problem. */
export interface TimedGoals {
  readonly time: number;
  readonly goals: readonly Goal[];
}

/** Cost of the displacement, as in the terms of the problem. */
export interface DisplacementCost {
  /** Metric by bone name. */
  readonly weights: Readonly<Record<string, number>>;
  /** Weight of the integral of d^2 relative to that of d''^2. */
  readonly tracking: number;
  /** Bones that may change, by index. */
  readonly movingBones: ReadonlySet<number>;
}

/** With more times than this there is no initial guess. */
const MAX_TIMES = 48;
/** Tolerance of the goals here; the solve continues to its own. */
const GOAL_TOLERANCE = 1e-8;

/**
 * Solves the goals in the given order, each by the least displacement from the prediction of those before it.
 *
 * @returns undefined where there are too many times.
 */
export function initialGuess(
  problem: SpacetimeProblem,
  times: readonly TimedGoals[],
  cost: DisplacementCost,
): SpacetimeSave | undefined {
  if (times.length === 0 || times.length > MAX_TIMES) return undefined;
  const { parameterization, indices } = problem.system;
  const { free, basis } = parameterization;
  const { dof } = problem.figure;
  const { rows, solved } = createKernel(problem, times, cost.tracking);
  const displacements: Float64Array[] = [];
  const expected = new Float64Array(dof);
  times.forEach((timed, a) => {
    const weights = kernelWeights(solved, rows, a, rows[a]);
    expected.fill(0);
    for (let b = 0; b < a; b++) {
      for (let c = 0; c < free.length; c++) expected[free[c]] += weights[b] * displacements[b][free[c]];
    }
    displacements.push(poseDisplacement(problem, timed, expected, cost));
  });
  const unknowns = new Float64Array(problem.system.size);
  const unit = new Float64Array(basis.count);
  for (let k = 0; k < basis.count; k++) {
    unit.fill(0);
    unit[k] = 1;
    const weights = kernelWeights(solved, rows, times.length, unit);
    for (let c = 0; c < free.length; c++) {
      let sum = 0;
      for (let a = 0; a < times.length; a++) sum += weights[a] * displacements[a][free[c]];
      unknowns[indices.motion[k * free.length + c]] = sum;
    }
  }
  return withLeastSquaresMultipliers(problem, unknowns);
}

/**
 * The least displacement of the pose at a time that meets the goals there.
 *
 * @param expected - The displacement predicted by the times before.
 */
function poseDisplacement(
  { figure, reference }: SpacetimeProblem,
  { time, goals }: TimedGoals,
  expected: Float64Array,
  { weights, movingBones }: DisplacementCost,
): Float64Array {
  const bones = Array.from(movingBones).filter((b) => figure.bones[b].dof > 0);
  const before = reference(time).pose;
  const near = displacePose(figure, before, expected, new Float64Array(figure.dof));
  const pose = near.slice();
  const ik = createIk(
    figure,
    [
      ...goals.map((goal) =>
        goal.type === 'posture' ? goal : { ...goal, weight: 1, tolerance: GOAL_TOLERANCE },
      ),
      {
        type: 'posture',
        bones,
        stiffness: bones.map((b) => Math.max(weights[figure.bones[b].name] ?? 1, 1e-9)),
        reference: near,
      },
    ],
    { restarts: 0, locked: lockedBones(figure, movingBones) },
  );
  solveIk(ik, pose);
  return writeDisplacement(figure, pose, before, new Float64Array(figure.dof));
}

function lockedBones({ bones }: Figure, moving: ReadonlySet<number>): number[] {
  return bones.filter(({ index, dof }) => dof > 0 && !moving.has(index)).map(({ index }) => index);
}
