import { requireInRange, requireSize } from '../../../checks.js';
import { DomainError } from '../../../errors.js';

/** @throws DomainError `wrong-size` unless there are `count` weights, `out-of-range` unless all are from 0 to 1. */
export function requireWeights(weights: ArrayLike<number>, count: number, path: string): void {
  requireSize(weights, count, path, DomainError);
  for (let b = 0; b < count; b++)
    if (!(weights[b] >= 0 && weights[b] <= 1)) requireInRange(weights[b], 0, 1, `${path}[${b}]`, DomainError);
}
