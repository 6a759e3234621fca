/** Where a solve begins: the spline nearest to the reference, weight shared among contacts, flights drawn through where the guess leaves and lands. */
import { createEnvelope, factorEnvelope, solveEnvelope } from '../math/linear/envelope-cholesky.js';
import type { SpacetimeProblem } from './problem.js';
import { instantAt } from './system/collocation-points.js';
import type { CompiledTerm } from './terms/term.js';
import { project } from './transcription/convex-sets.js';
import { gaussMoments } from './transcription/quadrature.js';
import { ORDERS, type SplineBasis, writeBasis } from './transcription/spline-basis.js';
import { createMoment, evaluateMoment, type Moment } from './transcription/state-at.js';

/** Unknowns to begin with, all within what they may be. */
export function firstGuess(problem: SpacetimeProblem): Float64Array {
  const { system, contacts } = problem;
  const { path, places, sets } = system;
  const unknowns = new Float64Array(system.size);
  for (const id of places.clock) unknowns[id] = 1;
  fitReference(problem, unknowns);
  contacts.forEach(({ normal, points, basis, from, to }, c) => {
    const { ids } = places.contacts[c];
    basis.centers.forEach((center, k) => {
      // The spline goes on to the ends of the knot intervals, beyond those of the contact.
      const time = Math.max(from, Math.min(to, center));
      let sharing = 0;
      for (const other of contacts)
        if (other.from <= time && time <= other.to) sharing += other.points.length;
      for (let p = 0; p < points.length; p++) {
        for (let r = 0; r < 3; r++) unknowns[ids[3 * (k * points.length + p) + r]] = normal[r] / sharing;
      }
    });
  });
  for (const id of system.held) unknowns[id] = 0;
  project(sets, unknowns);
  const forcePoints = contacts.reduce((sum, { points }) => sum + points.length, 0);
  const moment = createMoment(path, forcePoints);
  const at = (time: number): Moment => {
    evaluateMoment(
      moment,
      instantAt({ path, reference: problem.reference, contacts }, time),
      places,
      unknowns,
    );
    return moment;
  };
  const begun = new Set<CompiledTerm>();
  for (const { uses } of system.instants) {
    for (const { term, ownStart } of uses) {
      if (term.begin === undefined || begun.has(term)) continue;
      begun.add(term);
      const own = new Float64Array(term.own);
      term.begin(at, own);
      unknowns.set(own, ownStart);
    }
  }
  return unknowns;
}

/** Coordinates that are the unknowns themselves: least squares to the reference, its ends kept. Displacements begin at zero. */
function fitReference({ system, reference, duration }: SpacetimeProblem, unknowns: Float64Array): void {
  const { path, places } = system;
  const { free, additive, turnings, basis } = path;
  const displaced = new Set(
    turnings.flatMap(({ coordinate, displaced: is }) =>
      is ? [coordinate, coordinate + 1, coordinate + 2] : [],
    ),
  );
  const columns = Array.from(free.keys()).filter((c) => additive[free[c]] === 0 && !displaced.has(free[c]));
  if (columns.length === 0) return;
  const count = basis.count;
  const right = columns.map(() => new Float64Array(count));
  const matrix = createEnvelope(Int32Array.from({ length: count }, (_, i) => Math.max(0, i - basis.degree)));
  const row = new Float64Array(ORDERS * (basis.degree + 1));
  const samples = [
    { time: 0, weight: duration * END },
    ...gaussMoments(basis, 0, duration, 4),
    { time: duration, weight: duration * END },
  ];
  for (const { time, weight } of samples) {
    const first = writeBasis(basis, time, row);
    const { pose } = reference(time);
    addSample(matrix.values, matrix.base, basis, first, row, weight);
    columns.forEach((c, k) => {
      for (let j = 0; j <= basis.degree; j++) right[k][first + j] += weight * row[j] * pose[free[c]];
    });
  }
  factorEnvelope(matrix, matrix);
  columns.forEach((c, k) => {
    solveEnvelope(matrix, right[k]);
    for (let i = 0; i < count; i++) unknowns[places.motion[i * free.length + c]] = right[k][i];
  });
}

/** The ends count this much more than all between. */
const END = 1e4;

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
