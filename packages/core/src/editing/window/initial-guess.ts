/**
 * Where an edit begins: next to its answer. With goals at one moment the answer is d(t) = K(t) d_1, d_1 the least change of the pose there that
 * serves them (a problem of inverse kinematics with a posture) and K the smoothest bump of height one; with several moments each is served by
 * itself and the bumps put together, and the solve has to share what is left.
 */
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import { createIk, solveIk } from '../../ik/solve-ik.js';
import * as quat from '../../math/geometry/quat.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import type { SpacetimeProblem } from '../../spacetime/problem.js';
import type { SpacetimeSave } from '../../spacetime/solve.js';
import { selectCoordinates, writeDifference } from '../../spacetime/terms/pose-difference.js';
import { createKernel, kernelWeights } from './displacement-kernel.js';
import { withLeastSquaresMultipliers } from './initial-multipliers.js';

/** Goals at one moment, s from the start of the problem. */
export interface TimedGoals {
  readonly time: number;
  readonly goals: readonly Goal[];
}

/** What the change costs: that of the problem's terms. */
export interface DisplacementCost {
  /** For each bone by name. */
  readonly weights: Readonly<Record<string, number>>;
  /** Of the integral of d^2 against that of d''^2. */
  readonly tracking: number;
  /** Bones that move, by index. */
  readonly movingBones: ReadonlySet<number>;
}

/** More moments than this are left to the solve. */
const MAX_TIMES = 48;
/** Goals count as met here; the solve itself goes on to its own tolerance. */
const GOAL_TOLERANCE = 1e-8;

/**
 * Moments are served in the order given, each by the least change from what those before it make of it.
 *
 * @returns undefined where there are too many moments.
 */
export function initialGuess(
  problem: SpacetimeProblem,
  moments: readonly TimedGoals[],
  cost: DisplacementCost,
): SpacetimeSave | undefined {
  if (moments.length === 0 || moments.length > MAX_TIMES) return undefined;
  const { parameterization, indices } = problem.system;
  const { free, basis } = parameterization;
  const { dof } = problem.figure;
  const { rows, solved } = createKernel(problem, moments, cost.tracking);
  const changes: Float64Array[] = [];
  const expected = new Float64Array(dof);
  moments.forEach((moment, a) => {
    const shares = kernelWeights(solved, rows, a, rows[a]);
    expected.fill(0);
    for (let b = 0; b < a; b++) {
      for (let c = 0; c < free.length; c++) expected[free[c]] += shares[b] * changes[b][free[c]];
    }
    changes.push(poseDisplacement(problem, moment, expected, cost));
  });
  const unknowns = new Float64Array(problem.system.size);
  const unit = new Float64Array(basis.count);
  for (let k = 0; k < basis.count; k++) {
    unit.fill(0);
    unit[k] = 1;
    const shares = kernelWeights(solved, rows, moments.length, unit);
    for (let c = 0; c < free.length; c++) {
      let sum = 0;
      for (let a = 0; a < moments.length; a++) sum += shares[a] * changes[a][free[c]];
      unknowns[indices.motion[k * free.length + c]] = sum;
    }
  }
  return withLeastSquaresMultipliers(problem, unknowns);
}

/**
 * The least change of the pose at a moment that serves the goals there.
 *
 * @param expected - The displacement that the moments before ask for here.
 */
function poseDisplacement(
  { figure, reference }: SpacetimeProblem,
  { time, goals }: TimedGoals,
  expected: Float64Array,
  { weights, movingBones }: DisplacementCost,
): Float64Array {
  const bones = Array.from(movingBones).filter((b) => figure.bones[b].dof > 0);
  const before = reference(time).pose;
  const near = Float64Array.from(before, (x, i) => x + expected[i]);
  for (const i of rotationVectors(figure)) {
    composeRotations(before.subarray(i, i + 3), expected.subarray(i, i + 3), near.subarray(i, i + 3));
  }
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
  const change = new Float64Array(figure.dof);
  writeDifference(
    selectCoordinates(figure, () => true),
    pose,
    before,
    change,
    0,
  );
  return change;
}

/** out = log(exp(v) exp(d)), |out| <= pi. */
function composeRotations(v: Float64Array, d: Float64Array, out: Float64Array): void {
  const first = quatFromRotationVector([v[0], v[1], v[2]]);
  rotationVectorFromQuat(quat.multiply(first, quatFromRotationVector([d[0], d[1], d[2]])), undefined, out);
}

function lockedBones({ bones }: Figure, moving: ReadonlySet<number>): number[] {
  return bones.filter(({ index, dof }) => dof > 0 && !moving.has(index)).map(({ index }) => index);
}
