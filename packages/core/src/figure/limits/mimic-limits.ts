import { FigureError } from '../../errors.js';
import type { MimicJoint } from '../data/mimic.js';
import type { JointData, LimitData } from '../data/types.js';
import type { LimitPart } from './limit.js';
import { coupledRanges } from './mimic-interval.js';

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
export function withMimicLimits(
  bones: readonly Member[],
  parts: readonly LimitPart[],
  couplings: readonly MimicJoint[],
  pathOf: (bone: number) => string,
): LimitPart[] {
  const byCoordinate = new Map(parts.map((part) => [part.coordinate, part]));
  for (const { bone, source, coordinate, polynomial } of couplings) {
    const { limit } = bones[bone];
    if (limit?.type !== 'interval') continue;
    const own = { min: limit.min ?? -Infinity, max: limit.max ?? Infinity };
    const [min, max] = byCoordinate.get(coordinate)?.parameters ?? [-Infinity, Infinity];
    const ranges = coupledRanges(polynomial, own, { min, max });
    if (ranges.length !== 1) {
      throw new FigureError(
        'invalid-limit',
        `leaves ${ranges.length === 0 ? 'nothing' : 'ranges apart'} for '${bones[source].name}', which leads.`,
        { path: `${pathOf(bone)}.limit`, remedy: 'Give limits that agree with the polynomial.' },
      );
    }
    const [range] = ranges;
    if (range.min === -Infinity && range.max === Infinity) continue;
    byCoordinate.set(coordinate, {
      bone: source,
      coordinate,
      size: 1,
      kind: 'interval',
      role: bones[source].joint.type === 'slider' ? 'distance' : 'angle',
      parameters: [range.min, range.max],
    });
  }
  return [...byCoordinate.values()].sort((a, b) => a.coordinate - b.coordinate);
}
