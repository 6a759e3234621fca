import { DomainError } from '../errors.js';
import type { Numbers } from '../math/types.js';

/** A copy of exactly `count` finite numbers. @throws DomainError `wrong-size`, `not-finite` */
export function checkedVector(vector: Numbers, count: number, path: string): Float64Array {
  if (vector.length !== count) {
    throw new DomainError('wrong-size', `has ${vector.length} numbers where ${count} belong.`, {
      path,
      remedy: `Give ${count} numbers.`,
    });
  }
  for (let i = 0; i < count; i++) {
    if (Number.isFinite(vector[i])) continue;
    throw new DomainError('not-finite', `is ${vector[i]}.`, {
      path: `${path}[${i}]`,
      remedy: 'Give a finite number.',
    });
  }
  return Float64Array.from(vector);
}
