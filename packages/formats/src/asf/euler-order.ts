import type { EulerOrder } from 'poise/rotation/alternatives';
import type { AsfDof } from './skeleton-text.js';

/** The order of three angles whose first is applied last: those of degrees of freedom, and at its end the axes that they lack, which rotate by nothing. */
export function eulerOrder(turns: readonly AsfDof[]): EulerOrder {
  const letters = turns.map((name) => name[1].toUpperCase()).reverse();
  const missing = ['X', 'Y', 'Z'].filter((letter) => !letters.includes(letter));
  return [...letters, ...missing].join('') as EulerOrder;
}
