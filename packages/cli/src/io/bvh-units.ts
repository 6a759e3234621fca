/** Units of a .bvh, which the file does not state. */
import { BVH_UNITS } from '@poise/formats';
import { GoalError } from 'poise';
import { parseNumber } from './parse-number.js';

/** Parser of `--units`: a unit, or metres per unit of the file. @throws GoalError. */
export function parseUnits(text: string): number {
  if (Object.hasOwn(BVH_UNITS, text)) return BVH_UNITS[text as keyof typeof BVH_UNITS];
  const value = /^[a-z]+$/i.test(text) ? 0 : parseNumber(text, `--units ${text}`);
  if (value > 0) return value;
  throw new GoalError('out-of-range', 'is no unit.', {
    path: `--units ${text}`,
    remedy: `Use one of ${Object.keys(BVH_UNITS).join(', ')}, or the metres in a unit of the file.`,
  });
}
