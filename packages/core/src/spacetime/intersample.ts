/** Constraints of a solution between their samples: one evaluation on a finer grid after a solve. */
import { lengthScaleOf } from '../ik/problem/length-scale.js';
import { torquesAt } from './mechanics/mechanics-cache.js';
import type { SpacetimeProblem } from './problem.js';
import { collocationPointAt } from './system/collocation-points.js';
import { chosenCoordinates } from './terms/context.js';
import { isTranslation } from './terms/physics.js';
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

/** Looks in each knot interval, evenly between its ends. */
const LOOKS = 8;
/** Allowed without a warning: weights of the figure at its root, millimetres, fractions of a limit. */
const WEIGHTS = 0.05;
const LENGTH = 2e-3;
const OF_LIMIT = 0.01;
const REFERENCE_LENGTH_SCALE = 0.4;
/** Arm at which that force may turn the root: half the extent of a figure, in length scales. */
const HALF_EXTENT = 2;

interface Watched {
  readonly term: CompiledTerm;
  readonly type: IntersampleViolation['type'];
  readonly own: Float64Array;
  readonly from: number;
  readonly to: number;
  readonly tolerance: number;
  violation: number;
  at: number;
}

/** All constraints over spans, the largest relative to its tolerance first. */
export function intersampleViolations(trajectory: Trajectory): IntersampleViolation[] {
  const { problem, unknowns, sample, cache } = trajectory;
  const { system, data, reference, contacts } = problem;
  const { parameterization, indices } = system;
  const { breaks, intervals } = parameterization.basis;
  const watched = watchedTerms(problem, unknowns);
  const pushes = data.terms.flatMap((term, index) =>
    term.type === 'physics' && cache !== undefined ? pushesOf(problem, term, index) : [],
  );
  if (watched.length === 0 && pushes.length === 0) return [];
  const residual = new Float64Array(Math.max(1, ...watched.map(({ term }) => term.rows)));
  for (let k = 0; k < intervals; k++) {
    for (let n = 0; n < LOOKS; n++) {
      const time = breaks[k] + ((n + 0.5) / LOOKS) * (breaks[k + 1] - breaks[k]);
      const point = collocationPointAt({ parameterization, reference, contacts }, time);
      evaluateStateSample(sample, point, indices, unknowns);
      withKinematics(sample);
      for (const entry of watched) {
        if (time < entry.from || time > entry.to) continue;
        const { term } = entry;
        term.value(sample, entry.own, residual, 0);
        for (let r = 0; r < term.rows; r++) {
          const violation = term.unit * (term.kind === 'equality' ? Math.abs(residual[r]) : residual[r]);
          if (!(violation > entry.violation)) continue;
          entry.violation = violation;
          entry.at = sample.time;
        }
      }
      if (pushes.length === 0 || cache === undefined) continue;
      const tau = torquesAt(cache, sample);
      for (const push of pushes) {
        if (time < push.from || time > push.to) continue;
        const size = Math.hypot(...push.coordinates.map((i) => tau[i]));
        if (!(size > push.violation)) continue;
        push.violation = size;
        push.at = sample.time;
      }
    }
  }
  return [
    ...watched.map(({ term, type, violation, at, tolerance }) => ({
      name: term.name,
      index: term.index,
      type,
      violation,
      unit: term.unitName,
      at,
      tolerance,
    })),
    ...pushes.map(({ name, index, violation, unit, at, tolerance }) => ({
      name,
      index,
      type: 'physics' as const,
      violation,
      unit,
      at,
      tolerance,
    })),
  ].sort((a, b) => b.violation / b.tolerance - a.violation / a.tolerance);
}

function watchedTerms({ figure, system, data }: SpacetimeProblem, unknowns: Float64Array): Watched[] {
  const ownStart = new Map<CompiledTerm, number>();
  for (const { terms } of system.collocations) {
    for (const rows of terms) ownStart.set(rows.term, rows.ownStart);
  }
  const length = (LENGTH * lengthScaleOf(figure)) / REFERENCE_LENGTH_SCALE;
  return system.terms.flatMap((term): Watched[] => {
    const type = data.terms[term.index]?.type ?? 'limits';
    const { samples } = term;
    if (term.kind === 'cost' || type === 'physics' || samples.length < 2) return [];
    const start = ownStart.get(term) ?? 0;
    const isRelative = type === 'torque-limit' || type === 'speed-limit';
    return [
      {
        term,
        type,
        own: unknowns.slice(start, start + term.own),
        from: samples[0].time,
        to: samples[samples.length - 1].time,
        tolerance: isRelative ? OF_LIMIT : length,
        violation: 0,
        at: 0,
      },
    ];
  });
}

interface Push {
  readonly name: string;
  readonly index: number;
  readonly unit: string;
  readonly coordinates: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly tolerance: number;
  violation: number;
  at: number;
}

/** The forces and the torques of undriven joints, which physics leaves without. */
function pushesOf(
  { figure, system, duration }: SpacetimeProblem,
  term: SpacetimeTerm & { readonly type: 'physics' },
  index: number,
): Push[] {
  const undriven =
    term.undriven === undefined
      ? undrivenByDefault(figure)
      : chosenCoordinates(figure, term.undriven, `terms[${index}].undriven`);
  const all = Array.from({ length: figure.dof }, (_, i) => i).filter(undriven);
  const [from, to] = term.over ?? [0, duration];
  const name = term.name ?? `physics (terms[${index}])`;
  const weight = WEIGHTS * system.indices.forceScale;
  const own = { name, index, from, to, violation: 0, at: 0 };
  const slides = all.filter((i) => isTranslation(figure, i));
  const turns = all.filter((i) => !isTranslation(figure, i));
  return [
    ...(slides.length > 0 ? [{ ...own, unit: 'N', coordinates: slides, tolerance: weight }] : []),
    ...(turns.length > 0
      ? [{ ...own, unit: 'N m', coordinates: turns, tolerance: weight * HALF_EXTENT * lengthScaleOf(figure) }]
      : []),
  ];
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
