import { DomainError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Numbers } from '../../math/linear/types.js';

/** A copy of exactly `count` finite numbers. @throws DomainError `wrong-size`, `not-finite` */
export function checkedVector(vector: Numbers, count: number, path: string): Float64Array {
  requireVector(vector, count, path);
  return Float64Array.from(vector);
}

/** @throws DomainError `wrong-size`, `not-finite` unless `vector` is `count` finite numbers. */
export function requireVector(vector: Numbers, count: number, path: string): void {
  if (vector?.length === count && areFinite(vector)) return;
  throw vectorError(vector, count, path);
}

/** Whether all numbers are finite: 0 x is NaN for NaN and infinities, so one sum tests them all. */
export function areFinite(vector: Numbers): boolean {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += 0 * vector[i];
  return sum === 0;
}

/** Checks external forces: undefined, or 6 numbers a bone. @throws DomainError `wrong-size`, `not-finite` */
export function requireExternal(
  { figure }: { readonly figure: Figure },
  external: Numbers | undefined,
): void {
  if (external !== undefined) requireVector(external, 6 * figure.bones.length, 'external');
}

function vectorError(vector: Numbers | null | undefined, count: number, path: string): DomainError {
  if (vector?.length !== count) {
    const what = vector?.length === undefined ? `is ${String(vector)}` : `has ${vector.length} numbers`;
    return new DomainError('wrong-size', `${what} where ${count} numbers belong.`, {
      path,
      remedy: `Give ${count} numbers.`,
    });
  }
  let i = 0;
  while (i < count - 1 && Number.isFinite(vector[i])) i++;
  return new DomainError('not-finite', `is ${vector[i]}.`, {
    path: `${path}[${i}]`,
    remedy: 'Give a finite number.',
  });
}
