import { requireFinite, requirePositive } from '../../checks.js';
import { SpacetimeError } from '../../errors.js';
import type { System } from './system.js';

/** The fields of a saved solve. */
interface Start {
  readonly unknowns: Float64Array;
  readonly multipliers: Float64Array;
  readonly penalties: Float64Array;
  readonly damping: number;
  readonly iterations: number;
  readonly refinements?: number;
}

interface Options {
  readonly tolerance?: number;
  readonly gain?: number;
  readonly maxIterations?: number;
  readonly maxRefinements?: number;
  readonly start?: Start;
}

/** Checks the options of a solve. @throws SpacetimeError */
export function checkOptions(
  { size, rows }: System,
  { tolerance, gain, maxIterations, maxRefinements, start }: Options,
): void {
  for (const [path, value] of Object.entries({ tolerance, gain })) {
    if (value === undefined) continue;
    requireFinite(value, path, SpacetimeError);
    requirePositive(value, path, SpacetimeError);
  }
  for (const [path, value] of Object.entries({ maxIterations, maxRefinements })) {
    if (value === undefined || value >= 0) continue;
    throw new SpacetimeError(Number.isNaN(value) ? 'not-finite' : 'out-of-range', `is ${value}.`, {
      path,
      remedy: 'Give a number of zero or more.',
    });
  }
  if (start !== undefined) checkStart(start, size, rows);
}

function checkStart({ unknowns, multipliers, penalties, ...rest }: Start, size: number, rows: number): void {
  if (unknowns?.length !== size || multipliers?.length !== rows || penalties?.length !== rows) {
    throw new SpacetimeError(
      'wrong-size',
      `has ${unknowns?.length} unknowns, ${multipliers?.length} multipliers and ${penalties?.length} penalties; the problem has ${size} unknowns and ${rows} rows.`,
      {
        path: 'start',
        remedy: 'Give the save of a problem with the same figure, intervals and terms.',
      },
    );
  }
  const { damping, iterations, refinements = 0 } = rest;
  for (const [name, numbers] of Object.entries({
    unknowns,
    multipliers,
    penalties,
    damping: [damping],
    iterations: [iterations],
    refinements: [refinements],
  })) {
    const k = numbers.findIndex((value: number) => !Number.isFinite(value));
    if (k < 0) continue;
    throw new SpacetimeError('not-finite', `is ${numbers[k]}.`, {
      path: numbers.length === 1 ? `start.${name}` : `start.${name}[${k}]`,
      remedy: 'Give an unchanged save.',
    });
  }
  if (refinements < 0) {
    throw new SpacetimeError('out-of-range', `is ${refinements}.`, {
      path: 'start.refinements',
      remedy: 'Give an unchanged save.',
    });
  }
}
