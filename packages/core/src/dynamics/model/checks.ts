import { requireNotNegative, requireNumbers } from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Numbers } from '../../math/linear/types.js';

/** A copy of exactly `count` finite numbers. @throws DomainError `wrong-size`, `not-finite` */
export function checkedVector(vector: Numbers, count: number, path: string): Float64Array {
  requireNumbers(vector, count, path, DomainError);
  return Float64Array.from(vector);
}

/**
 * One number of zero or more for each coordinate, copied from one for all or one for each.
 *
 * @param mayBeInfinite - Whether Infinity is allowed, for a bound that is off.
 * @throws DomainError `wrong-size`, `out-of-range`
 */
export function checkedCoordinateValues(
  values: number | Numbers,
  dof: number,
  path: string,
  mayBeInfinite: boolean = false,
): Float64Array {
  if (typeof values === 'number') {
    requireNotNegative(values, path, DomainError, undefined, mayBeInfinite);
    return new Float64Array(dof).fill(values);
  }
  if (values?.length !== dof) requireNumbers(values, dof, path, DomainError);
  requireEachNotNegative(values, path, mayBeInfinite);
  return Float64Array.from(values);
}

/** @throws DomainError `out-of-range` unless all numbers are finite and not below zero. */
export function requireEachNotNegative(numbers: Numbers, path: string, mayBeInfinite: boolean): void {
  for (let i = 0; i < numbers.length; i++) {
    const x = numbers[i];
    if (!(x >= 0 && (x < Number.POSITIVE_INFINITY || mayBeInfinite)))
      requireNotNegative(x, `${path}[${i}]`, DomainError, undefined, mayBeInfinite);
  }
}

/** Checks external forces: undefined, or 6 numbers a bone. @throws DomainError `wrong-size`, `not-finite` */
export function requireExternal(
  { figure }: { readonly figure: Figure },
  external: Numbers | undefined,
): void {
  if (external !== undefined) requireNumbers(external, 6 * figure.bones.length, 'external', DomainError);
}
