/** Constraints of a solution between their samples: their residuals on a finer grid, after a solve. */
import { lengthScaleOf } from '../ik/problem/length-scale.js';
import { torquesAt } from './mechanics/mechanics-cache.js';
import type { SpacetimeProblem } from './problem.js';
import { collocationPointAt } from './system/collocation-points.js';
import { chosenCoordinates, isTranslation } from './terms/context.js';
import type { CompiledTerm } from './terms/term.js';
import { undrivenByDefault } from './terms/torque-terms.js';
import type { Trajectory } from './trajectory.js';
import { evaluateStateSample, withKinematics } from './transcription/state-sample.js';
import type { SpacetimeTerm } from './types/data.js';

/** A constraint over a span, between its samples. */
export interface IntersampleViolation {
  readonly name: string;
  /** Index in the problem's list; one past the end for the joint limits of displacements. */
  readonly index: number;
  /** Its type; `limits` for joint limits. */
  readonly type: SpacetimeTerm['type'] | 'limits';
  /** Largest violation between the samples, in `unit`: of physics the largest force (or torque) that would have to hold the root. */
  readonly violation: number;
  readonly unit: string;
  /** Real time of it, s; 0 where there is none. */
  readonly at: number;
  /** What is allowed without a warning, in `unit`. */
  readonly tolerance: number;
}

/** What constraints do between their samples. */
export interface Intersample {
  /** All constraints over spans, the largest relative to its tolerance first. */
  readonly violations: IntersampleViolation[];
  /** The largest violation in each knot interval, relative to its tolerance: of equalities, and of inequalities. */
  readonly equalities: Float64Array;
  readonly inequalities: Float64Array;
}

/** Samples of each knot interval, evenly from its start to its end, where inequalities have their least density. */
const SAMPLES = 8;
/** Share of an interval from its ends within which they are sampled: contacts and accelerations change there. */
const END = 1e-9;
/** Tolerances: weights of the figure at its root, m at the length scale below, fractions of a limit. */
const WEIGHTS = 0.05;
const DISTANCE = 2e-3;
const OF_LIMIT = 0.01;
const REFERENCE_LENGTH_SCALE = 0.4;
/** Arm at which that force may turn the root: half the extent of a figure, in length scales. */
const HALF_EXTENT = 2;

/** A constraint with its largest violation so far. */
interface Largest {
  readonly name: string;
  readonly index: number;
  readonly type: IntersampleViolation['type'];
  readonly unit: string;
  readonly from: number;
  readonly to: number;
  readonly tolerance: number;
  violation: number;
  at: number;
}

interface SampledTerm extends Largest {
  readonly term: CompiledTerm;
  readonly own: Float64Array;
  /** Rows that are one vector: 3 of a contact point. */
  readonly size: number;
}

/** Forces or torques of undriven coordinates, which physics leaves without any. */
interface RootResidual extends Largest {
  readonly coordinates: readonly number[];
}

/** Evaluates all constraints over spans between their samples. */
export function evaluateIntersample(trajectory: Trajectory): Intersample {
  const { problem, unknowns, sample, cache } = trajectory;
  const { system, data, reference, contacts, mesh } = problem;
  const { parameterization, indices } = system;
  const { breaks, intervals } = parameterization.basis;
  const terms = sampledTerms(problem, unknowns);
  const roots = data.terms.flatMap((term, index) =>
    term.type === 'physics' && cache !== undefined ? rootResiduals(problem, term, index) : [],
  );
  const equalities = new Float64Array(intervals);
  const inequalities = new Float64Array(intervals);
  if (terms.length === 0 && roots.length === 0) return { violations: [], equalities, inequalities };
  const residual = new Float64Array(Math.max(1, ...terms.map(({ term }) => term.rows)));
  const take = (entry: Largest, violation: number, k: number, largest: Float64Array): void => {
    const relative = violation / entry.tolerance;
    if (relative > largest[k]) largest[k] = relative;
    if (!(violation > entry.violation)) return;
    entry.violation = violation;
    entry.at = sample.time;
  };
  for (let k = 0; k < intervals; k++) {
    const count = SAMPLES * mesh.density[k];
    for (let n = 0; n < count; n++) {
      const time = breaks[k] + (END + ((1 - 2 * END) * n) / (count - 1)) * (breaks[k + 1] - breaks[k]);
      const point = collocationPointAt({ parameterization, reference, contacts }, time);
      evaluateStateSample(sample, point, indices, unknowns);
      withKinematics(sample);
      for (const entry of terms) {
        if (time < entry.from || time > entry.to) continue;
        const { term } = entry;
        const isEquality = term.kind === 'equality';
        term.value(sample, entry.own, residual, 0);
        for (let r = 0; r < term.rows; r += entry.size) {
          const violation = term.unit * (isEquality ? normAt(residual, r, entry.size) : residual[r]);
          take(entry, violation, k, isEquality ? equalities : inequalities);
        }
      }
      if (roots.length === 0 || cache === undefined) continue;
      const tau = torquesAt(cache, sample);
      for (const entry of roots) {
        if (time < entry.from || time > entry.to) continue;
        let square = 0;
        for (const i of entry.coordinates) square += tau[i] * tau[i];
        take(entry, Math.sqrt(square), k, equalities);
      }
    }
  }
  const violations = [...terms, ...roots]
    .map(({ name, index, type, violation, unit, at, tolerance }) => ({
      name,
      index,
      type,
      violation,
      unit,
      at,
      tolerance,
    }))
    .sort((a, b) => b.violation / b.tolerance - a.violation / a.tolerance);
  return { violations, equalities, inequalities };
}

function sampledTerms({ figure, system, data }: SpacetimeProblem, unknowns: Float64Array): SampledTerm[] {
  const distance = (DISTANCE * lengthScaleOf(figure)) / REFERENCE_LENGTH_SCALE;
  return system.terms.flatMap((term, t): SampledTerm[] => {
    const type = data.terms[term.index]?.type ?? 'limits';
    const { name, index, samples, unitName: unit } = term;
    if (term.kind === 'cost' || type === 'physics' || samples.length < 2) return [];
    const start = system.ownStart[t];
    const isRelative = type === 'torque-limit' || type === 'speed-limit';
    const [from, to] = [samples[0].time, samples[samples.length - 1].time];
    const own = unknowns.slice(start, start + term.own);
    const tolerance = isRelative ? OF_LIMIT : distance;
    const size = type === 'contact' && term.kind === 'equality' ? 3 : 1;
    return [{ term, own, size, name, index, type, unit, from, to, tolerance, violation: 0, at: 0 }];
  });
}

/** The residual forces and torques at the root. */
function rootResiduals(
  { figure, system, duration }: SpacetimeProblem,
  term: SpacetimeTerm & { readonly type: 'physics' },
  index: number,
): RootResidual[] {
  const undriven =
    term.undriven === undefined
      ? undrivenByDefault(figure)
      : chosenCoordinates(figure, term.undriven, `terms[${index}].undriven`);
  const all = Array.from({ length: figure.dof }, (_, i) => i).filter(undriven);
  const [from, to] = term.over ?? [0, duration];
  const name = term.name ?? `physics (terms[${index}])`;
  const weight = WEIGHTS * system.indices.forceScale;
  const own = { name, index, type: 'physics', from, to, violation: 0, at: 0 } as const;
  const slides = all.filter((i) => isTranslation(figure, i));
  const turns = all.filter((i) => !isTranslation(figure, i));
  return [
    ...(slides.length > 0 ? [{ ...own, unit: 'N', coordinates: slides, tolerance: weight }] : []),
    ...(turns.length > 0
      ? [{ ...own, unit: 'N m', coordinates: turns, tolerance: weight * HALF_EXTENT * lengthScaleOf(figure) }]
      : []),
  ];
}

function normAt(rows: Float64Array, r: number, size: number): number {
  let square = 0;
  for (let n = r; n < r + size; n++) square += rows[n] * rows[n];
  return Math.sqrt(square);
}

/** A violation in the words of people who animate. */
export function describeIntersample(
  { data }: Pick<SpacetimeProblem, 'data'>,
  { name, index, type, violation, unit, at }: IntersampleViolation,
): string {
  const when = `at ${at.toFixed(2)} s`;
  const term = data.terms[index];
  switch (type) {
    case 'physics': {
      const root = (term?.type === 'physics' && term.undriven?.join(', ')) || 'root';
      return `Between keys the motion needs up to ${rounded(violation)} ${unit} of external ${unit === 'N' ? 'force' : 'torque'} at the ${root}, ${when}.`;
    }
    case 'contact':
      return `Between keys ${term?.type === 'contact' ? term.bone : name} slides by up to ${rounded(1e3 * violation)} mm, ${when}.`;
    case 'torque-limit':
    case 'speed-limit':
      return `Between keys ${name} is exceeded by up to ${rounded(100 * violation)} %, ${when}.`;
    default:
      return `Between keys ${name} is off by up to ${rounded(violation)} ${unit}, ${when}.`;
  }
}

function rounded(x: number): string {
  return x >= 100 ? x.toFixed(0) : x.toPrecision(2);
}
