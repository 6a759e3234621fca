import { FigureError } from '../../errors.js';
import type { MimicJoint } from '../data/mimic.js';
import type { JointData, LimitData } from '../data/types.js';
import type { LimitComponent } from './limit.js';
import { polynomialPreimage } from './polynomial-preimage.js';

/** The fields of `Bone` read here. */
interface BoneFields {
  readonly name: string;
  readonly joint: JointData;
  readonly limit?: LimitData;
}

/**
 * The limit components with those of mimic joints converted to their sources: the preimage of each limit under phi, an interval
 * of y, intersected with the source's own.
 *
 * @throws FigureError `invalid-limit` where the intersection is empty or not connected, so not convex.
 */
export function withMimicLimits(
  bones: readonly BoneFields[],
  components: readonly LimitComponent[],
  mimicJoints: readonly MimicJoint[],
  pathOf: (bone: number) => string,
): LimitComponent[] {
  const byCoordinate = new Map(components.map((component) => [component.coordinate, component]));
  for (const { bone, source, coordinate, polynomial, pieces } of mimicJoints) {
    const { limit } = bones[bone];
    if (limit?.type !== 'interval') continue;
    const own = { min: limit.min ?? -Infinity, max: limit.max ?? Infinity };
    const [min, max] = byCoordinate.get(coordinate)?.parameters ?? [-Infinity, Infinity];
    const ranges = pieces ? [] : polynomialPreimage(polynomial, own, { min, max });
    if (ranges.length !== 1) {
      throw new FigureError(
        'invalid-limit',
        pieces
          ? 'is of a mimic spline.'
          : `allows ${ranges.length === 0 ? 'no value' : 'several disjoint intervals'} of the source joint '${bones[source].name}'.`,
        {
          path: `${pathOf(bone)}.limit`,
          remedy: 'Limit the source joint instead.',
        },
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
