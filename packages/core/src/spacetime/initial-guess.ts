/**
 * Initial guess of the unknowns: the spline nearest to the reference, the weight shared among contacts, ballistic flights between their end
 * states.
 */

import { lengthScaleOf } from '../ik/problem/length-scale.js';
import * as quat from '../math/geometry/quat.js';
import { createEnvelope, factorEnvelope, solveEnvelope } from '../math/linear/envelope-cholesky.js';
import type { Quat } from '../math/linear/types.js';
import { seededRandom } from '../math/random.js';
import { quatFromRotationVector } from '../rotation/rotation-vector/exponential.js';
import { rotationVectorFromQuat } from '../rotation/rotation-vector/log.js';
import type { SpacetimeProblem } from './problem.js';
import { collocationPointAt } from './system/collocation-points.js';
import { isTranslation } from './terms/context.js';
import type { CompiledTerm } from './terms/term.js';
import { project } from './transcription/convex-sets.js';
import { gaussPoints } from './transcription/quadrature.js';
import { ORDERS, type SplineBasis, writeBasis } from './transcription/spline-basis.js';
import { createStateSample, evaluateStateSample, type StateSample } from './transcription/state-sample.js';

/** Waves of another guess: half periods over the motion. */
const WAVES = 3;
/** Largest displacement of another guess by one wave, rad or length scales of the figure. */
const WAVE_HEIGHT = 2;
/** Factors of the duration of other guesses, where it is free. */
const DURATION_FACTORS = [1, 1.6, 0.6] as const;

/**
 * The unknowns at which a solve starts, all within their feasible sets.
 *
 * @param attempt - 0 for the guess from the reference; each other number for another one, displaced from it between the ends.
 */
export function initialGuess(problem: SpacetimeProblem, attempt = 0): Float64Array {
  const { system, contacts } = problem;
  const { parameterization, indices, sets } = system;
  const unknowns = new Float64Array(system.size);
  for (const id of indices.timeScaling) unknowns[id] = DURATION_FACTORS[attempt % DURATION_FACTORS.length];
  fitReference(problem, unknowns);
  if (attempt > 0) displaceBetweenEnds(problem, attempt, unknowns);
  contacts.forEach(({ normal, points, basis, from, to }, c) => {
    const { ids } = indices.contacts[c];
    basis.centers.forEach((center, k) => {
      // The force spline extends to the ends of its knot intervals, past those of the contact.
      const time = Math.max(from, Math.min(to, center));
      let sharing = 0;
      for (const other of contacts)
        if (other.from <= time && time <= other.to) sharing += other.points.length;
      for (let p = 0; p < points.length; p++) {
        for (let r = 0; r < 3; r++) unknowns[ids[3 * (k * points.length + p) + r]] = normal[r] / sharing;
      }
    });
  });
  for (const id of system.fixed) unknowns[id] = 0;
  project(sets, unknowns);
  const forcePoints = contacts.reduce((sum, { points }) => sum + points.length, 0);
  const sample = createStateSample(parameterization, forcePoints);
  const at = (time: number): StateSample => {
    evaluateStateSample(
      sample,
      collocationPointAt({ parameterization, reference: problem.reference, contacts }, time),
      indices,
      unknowns,
    );
    return sample;
  };
  const initialized = new Set<CompiledTerm>();
  for (const { terms } of system.collocations) {
    for (const { term, ownStart } of terms) {
      if (term.initialize === undefined || initialized.has(term)) continue;
      initialized.add(term);
      const own = new Float64Array(term.own);
      term.initialize(at, own);
      unknowns.set(own, ownStart);
    }
  }
  return unknowns;
}

/** Adds waves of random heights to every coordinate, none at the ends. */
function displaceBetweenEnds(
  { figure, system, duration }: SpacetimeProblem,
  attempt: number,
  unknowns: Float64Array,
): void {
  const { parameterization, indices } = system;
  const { free, basis } = parameterization;
  const random = seededRandom(attempt);
  const length = lengthScaleOf(figure);
  free.forEach((coordinate, c) => {
    const unit = isTranslation(figure, coordinate) ? length : 1;
    for (let wave = 1; wave <= WAVES; wave++) {
      const height = WAVE_HEIGHT * unit * (2 * random() - 1);
      basis.centers.forEach((time, k) => {
        unknowns[indices.motion[k * free.length + c]] +=
          height * Math.sin((wave * Math.PI * time) / duration);
      });
    }
  });
}

/** Least-squares fit of the reference, tight at the ends. Where every coordinate is a displacement from it, unknowns start at zero. */
function fitReference({ data, system, reference, duration }: SpacetimeProblem, unknowns: Float64Array): void {
  if (data.unknowns === 'displacement') return;
  const { parameterization, indices } = system;
  const { free, rotations, basis } = parameterization;
  const count = basis.count;
  const right = Array.from(free, () => new Float64Array(count));
  const matrix = createEnvelope(Int32Array.from({ length: count }, (_, i) => Math.max(0, i - basis.degree)));
  const row = new Float64Array(ORDERS * (basis.degree + 1));
  const samples = [
    { time: 0, weight: duration * END_WEIGHT },
    ...gaussPoints(basis, 0, duration, 4),
    { time: duration, weight: duration * END_WEIGHT },
  ];
  const target = new Float64Array(parameterization.figure.dof);
  for (const { time, weight } of samples) {
    const first = writeBasis(basis, time, row);
    const state = reference(time);
    target.set(state.pose);
    rotations.forEach(({ coordinate, displaced }, b) => {
      if (displaced !== undefined)
        writeDisplacement(state.rotations[b].quaternion, target.subarray(coordinate, coordinate + 3));
    });
    addSample(matrix.values, matrix.base, basis, first, row, weight);
    free.forEach((i, c) => {
      for (let j = 0; j <= basis.degree; j++) right[c][first + j] += weight * row[j] * target[i];
    });
  }
  factorEnvelope(matrix, matrix);
  right.forEach((points, c) => {
    solveEnvelope(matrix, points);
    for (let i = 0; i < count; i++) unknowns[indices.motion[i * free.length + c]] = points[i];
  });
}

/** v becomes d of exp(v) = R exp(d). */
function writeDisplacement(rotation: Quat, v: Float64Array): void {
  const q = quatFromRotationVector(v);
  rotationVectorFromQuat(quat.multiply(quat.conjugate(rotation), q), undefined, v);
}

/** Weight of the ends relative to the interior. */
const END_WEIGHT = 1e4;

function addSample(
  values: Float64Array,
  base: Int32Array,
  { degree }: SplineBasis,
  first: number,
  row: Float64Array,
  weight: number,
): void {
  for (let i = 0; i <= degree; i++) {
    for (let j = 0; j <= i; j++) values[base[first + i] + first + j] += weight * row[i] * row[j];
  }
}
