import { FigureError } from '../../errors.js';
import type { Coupling } from '../coupling.js';
import { shown } from '../normalize.js';
import type { JointData, LimitData } from '../types.js';
import { coupledInterval, type Range } from './coupled-interval.js';
import type { LimitPart } from './limit.js';

/** What is needed to know of a bone; a part of `Bone`. */
interface Member {
  readonly name: string;
  readonly joint: JointData;
  readonly limit?: LimitData;
}

/**
 * The parts with the limits of the joints that follow others in those of their leaders: an interval of y for each, and
 * the intersection of all.
 *
 * @throws FigureError `invalid-limit` where they leave no y, or ranges of it apart, which no convex limit is.
 */
export function withCoupledLimits(
  bones: readonly Member[],
  parts: readonly LimitPart[],
  couplings: readonly Coupling[],
  pathOf: (bone: number) => string,
): LimitPart[] {
  const ranges = new Map<number, LimitPart>(parts.map((part) => [part.coordinate, part]));
  for (const { bone, leader, coordinate, polynomial } of couplings) {
    const { limit } = bones[bone];
    if (limit?.type !== 'interval') continue;
    const part = ranges.get(coordinate);
    const [least, greatest] = part?.parameters ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const own: Range = {
      min: limit.min ?? Number.NEGATIVE_INFINITY,
      max: limit.max ?? Number.POSITIVE_INFINITY,
    };
    const range = coupledInterval(polynomial, own, { min: least, max: greatest });
    if (range === undefined || range === 'several') {
      const what = range === undefined ? 'leaves no place for' : 'leaves ranges that are apart for';
      throw new FigureError('invalid-limit', `${what} '${bones[leader].name}', which it follows.`, {
        path: `${pathOf(bone)}.limit`,
        remedy: `Give limits that agree with the polynomial ${shown(polynomial)}.`,
      });
    }
    if (range.min === Number.NEGATIVE_INFINITY && range.max === Number.POSITIVE_INFINITY) continue;
    ranges.set(coordinate, {
      bone: leader,
      coordinate,
      size: 1,
      kind: 'interval',
      role: bones[leader].joint.type === 'slider' ? 'distance' : 'angle',
      parameters: [range.min, range.max],
    });
  }
  return [...ranges.values()].sort((a, b) => a.coordinate - b.coordinate);
}
