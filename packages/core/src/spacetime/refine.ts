/**
 * Mesh refinement: where constraints do not hold between their samples, knot intervals are divided, and the solve continues from the same
 * motion (Betts, *Practical Methods for Optimal Control Using Nonlinear Programming*, SIAM 2010, section 4.7; Patterson, Hager, Rao, *A ph
 * mesh refinement method for optimal control*, OCAM 36, 2015).
 *
 * An equality is collocated once for each degree of freedom, so only more knots make it hold better: more points of it alone would leave a
 * residual. An inequality takes no freedom where it is inactive, so more sample points are enough, and knots stay.
 */
import type { Intersample } from './intersample.js';
import { defaultIntervals, type SpacetimeProblem } from './problem.js';
import type { Solver, SolverStart } from './solver/augmented-lagrangian.js';
import type { System } from './system/system.js';
import { insertKnots } from './transcription/knot-insertion.js';
import { MAX_DENSITY, type Mesh } from './transcription/mesh.js';

/**
 * Order by which a residual between collocation points falls with the length of the interval, at least; it falls with the length itself in a
 * contact that begins or ends there. Residuals are meant to end at this fraction of their tolerance, and an interval in this many even pieces
 * at most.
 */
const ORDER = 2;
const TARGET = 0.4;
const MAX_PIECES = 4;
/** Shortest interval, relative to the longest of the coarse mesh: shorter ones make solves slow. */
const MIN_INTERVAL = 0.015;
/** Factor of the number of sample points of an inequality that does not hold. */
const DENSITY_GROWTH = 2;

/** A mesh on which what is off between the samples would hold; undefined where none is finer. */
export function refinedMesh(
  { mesh, duration, data, system, contacts }: SpacetimeProblem,
  { equalities, inequalities }: Intersample,
): Mesh | undefined {
  const { multiplicity } = system.parameterization.basis;
  const shortest = (MIN_INTERVAL * duration) / (data.intervals ?? defaultIntervals(duration));
  const breaks = [mesh.breaks[0]];
  const density: number[] = [];
  for (let k = 0; k < mesh.density.length; k++) {
    const [low, high] = [mesh.breaks[k], mesh.breaks[k + 1]];
    const middle = 0.5 * (low + high);
    const inContact = contacts.some(({ from, to }) => from <= middle && middle <= to);
    const isContactChange = (at: number): boolean =>
      inContact && at > 0 && at < mesh.density.length && multiplicity[at] > 1;
    const inside = dividingPoints(
      low,
      high,
      equalities[k],
      shortest,
      isContactChange(k),
      isContactChange(k + 1),
    );
    const factor = inequalities[k] > 1 && mesh.density[k] < MAX_DENSITY ? DENSITY_GROWTH : 1;
    breaks.push(...inside, high);
    for (let n = 0; n <= inside.length; n++) density.push(factor * mesh.density[k]);
  }
  const refined = { breaks: Float64Array.from(breaks), density: Float64Array.from(density) };
  const isFiner =
    density.length > mesh.density.length || density.some((factor, k) => factor > mesh.density[k]);
  return isFiner ? refined : undefined;
}

/** Where an interval is divided: into even pieces, and the one next to a contact change into halves, the nearer one again. */
function dividingPoints(
  low: number,
  high: number,
  excess: number,
  shortest: number,
  isChangeBefore: boolean,
  isChangeAfter: boolean,
): number[] {
  const most = Math.min(MAX_PIECES, Math.floor((high - low) / shortest));
  if (!(excess > 1) || most < 2) return [];
  const ratio = excess / TARGET;
  const pieces = Math.min(most, Math.ceil(ratio ** (1 / ORDER)));
  const points = Array.from({ length: pieces - 1 }, (_, n) => low + ((n + 1) / pieces) * (high - low));
  const wanted = Math.max(shortest, (high - low) / ratio);
  const toChange = (change: number, step: number): number[] => {
    const found: number[] = [];
    for (let length = step; Math.abs(length) >= 2 * wanted * (1 - 1e-9); length /= 2)
      found.push(change + length / 2);
    return found;
  };
  const step = (high - low) / pieces;
  return [
    ...(isChangeBefore ? toChange(low, step).reverse() : []),
    ...points,
    ...(isChangeAfter ? toChange(high, -step) : []),
  ];
}

/** The state of a solve on a refined mesh: the same motion and forces, multipliers by their density in time. */
export function transferStart(
  { iterate, progress }: Pick<Solver, 'iterate' | 'progress'>,
  from: SpacetimeProblem,
  to: SpacetimeProblem,
): SolverStart {
  return {
    unknowns: transferUnknowns(iterate.unknowns, from, to),
    multipliers: transferMultipliers(iterate.multipliers.lambda, from.system, to.system),
    damping: iterate.damping,
    iterations: progress.iterations,
  };
}

function transferUnknowns(
  unknowns: Float64Array,
  from: SpacetimeProblem,
  to: SpacetimeProblem,
): Float64Array {
  const { system: old, contacts } = from;
  const { system } = to;
  const found = new Float64Array(system.size);
  const width = system.parameterization.free.length;
  for (let c = 0; c < width; c++) {
    const points = strided(unknowns, old.indices.motion, c, width);
    const refined = insertKnots(old.parameterization.basis, points, system.parameterization.basis);
    refined.forEach((value, k) => {
      found[system.indices.motion[k * width + c]] = value;
    });
  }
  contacts.forEach(({ basis, points: { length } }, n) => {
    for (let c = 0; c < 3 * length; c++) {
      const points = strided(unknowns, old.indices.contacts[n].ids, c, 3 * length);
      insertKnots(basis, points, to.contacts[n].basis).forEach((value, k) => {
        found[system.indices.contacts[n].ids[3 * length * k + c]] = value;
      });
    }
  });
  system.terms.forEach(({ own }, t) => {
    const start = old.ownStart[t];
    found.set(unknowns.subarray(start, start + own), system.ownStart[t]);
  });
  system.indices.timeScaling.forEach((id, m) => {
    found[id] = unknowns[old.indices.timeScaling[m]];
  });
  for (const id of system.fixed) found[id] = 0;
  return found;
}

function strided(unknowns: Float64Array, ids: Int32Array, first: number, stride: number): Float64Array {
  return Float64Array.from({ length: ids.length / stride }, (_, k) => unknowns[ids[k * stride + first]]);
}

/** Times of the samples of a term, their first rows, and the length of time that each stands for. */
interface Samples {
  readonly times: number[];
  readonly rows: number[];
  readonly shares: number[];
}

function samplesOfTerms({ terms, collocations }: System): Samples[] {
  const found = terms.map((): Samples => ({ times: [], rows: [], shares: [] }));
  const indexOf = new Map(terms.map((term, t) => [term, t]));
  for (const { collocation, terms: own } of collocations) {
    for (const { term, firstRow } of own) {
      const { times, rows } = found[indexOf.get(term) as number];
      times.push(collocation.time);
      rows.push(firstRow);
    }
  }
  for (const { times, shares } of found) {
    for (let k = 0; k < times.length; k++) {
      const before = times[Math.max(0, k - 1)];
      const after = times[Math.min(times.length - 1, k + 1)];
      shares.push(times.length === 1 ? 1 : 0.5 * (after - before));
    }
  }
  return found;
}

/** Multipliers are values of a density in time, times the time between samples; the density is linear between the old samples. */
function transferMultipliers(lambda: Float64Array, from: System, to: System): Float64Array {
  const found = new Float64Array(to.rows);
  const old = samplesOfTerms(from);
  const refined = samplesOfTerms(to);
  to.terms.forEach(({ kind, rows }, t) => {
    if (kind === 'cost') return;
    const { times, rows: oldRows, shares } = old[t];
    let k = 0;
    refined[t].times.forEach((time, n) => {
      while (k + 2 < times.length && times[k + 1] <= time) k++;
      const next = Math.min(k + 1, times.length - 1);
      const fraction = next > k ? (time - times[k]) / (times[next] - times[k]) : 0;
      for (let r = 0; r < rows; r++) {
        const before = lambda[oldRows[k] + r] / shares[k];
        const after = lambda[oldRows[next] + r] / shares[next];
        found[refined[t].rows[n] + r] = refined[t].shares[n] * (before + fraction * (after - before));
      }
    });
  });
  to.pairs.forEach(({ pair, firstRow }, p) => {
    const { firstRow: oldRow } = from.pairs[p];
    found.set(lambda.subarray(oldRow, oldRow + pair.rows), firstRow);
  });
  return found;
}
