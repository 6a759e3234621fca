/** Solver state as a file, to resume a solve. */
import { FormatError } from 'poise';
import type { SpacetimeSave } from 'poise/spacetime';
import { readObject } from './motion-file.js';

const FORMAT = 'poise-optimize-state';
const REMEDY = "Give what 'poise optimize --save' writes.";

/** JSON numbers are read back exactly, except the sign of zero. */
export function stateBytes(save: SpacetimeSave): Uint8Array {
  const numbers = Object.fromEntries(
    Object.entries(save).map(([key, value]) => [
      key,
      value instanceof Float64Array ? Array.from(value) : value,
    ]),
  );
  return new TextEncoder().encode(`${JSON.stringify({ format: FORMAT, version: 1, ...numbers })}\n`);
}

/** @throws FormatError `invalid-file`, `unsupported`. The solver checks whether it fits the problem. */
export function readState(text: string, source: string): SpacetimeSave {
  const { format: _, version: _v, ...file } = readObject(text, source, FORMAT, REMEDY);
  const fail = (key: string, what: string): never => {
    throw new FormatError('invalid-file', what, { path: `${source}#${key}`, remedy: REMEDY });
  };
  const numbers = (key: string): Float64Array => {
    const value = file[key];
    if (!Array.isArray(value) || !value.every(isFiniteNumber))
      return fail(key, 'is not a list of finite numbers.');
    return Float64Array.from(value);
  };
  const rest = Object.fromEntries(
    Object.entries(file).map(([key, value]) => [key, Array.isArray(value) ? numbers(key) : value]),
  );
  const count = (key: 'damping' | 'iterations'): number => {
    const value = file[key];
    return isFiniteNumber(value) && value >= 0 ? value : fail(key, 'is not a number of zero or more.');
  };
  return {
    ...rest,
    unknowns: numbers('unknowns'),
    multipliers: numbers('multipliers'),
    penalties: numbers('penalties'),
    damping: count('damping'),
    iterations: count('iterations'),
  };
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
