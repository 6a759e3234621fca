import { DomainError } from '../../../errors.js';

/** @throws DomainError `out-of-range` unless `value` is positive, or zero if `zero`; finite unless `endless`. */
export function requirePositive(
  value: number,
  path: string,
  unit: string,
  { zero = false, endless = false }: { readonly zero?: boolean; readonly endless?: boolean } = {},
): number {
  const fits = typeof value === 'number' && (zero ? value >= 0 : value > 0) && (endless || value < Infinity);
  if (fits) return value;
  throw new DomainError('out-of-range', `is ${String(value)}.`, {
    path,
    remedy: `Give a number ${zero ? 'of zero or more' : 'above zero'}, ${unit}.`,
  });
}

/** @throws DomainError `out-of-range` unless all of `weights` are from 0 to 1, `wrong-size` unless there are `count`. */
export function requireWeights(weights: ArrayLike<number>, count: number, path: string): void {
  if (weights?.length !== count) {
    throw new DomainError('wrong-size', `has ${String(weights?.length)} numbers where ${count} belong.`, {
      path,
      remedy: 'Give one number for each bone.',
    });
  }
  for (let b = 0; b < count; b++) {
    if (weights[b] >= 0 && weights[b] <= 1) continue;
    throw new DomainError('out-of-range', `is ${String(weights[b])}.`, {
      path: `${path}[${b}]`,
      remedy: 'Give a number from 0 to 1.',
    });
  }
}
