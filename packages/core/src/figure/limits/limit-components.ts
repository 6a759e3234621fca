import type { JointData, LimitData, SwingLimit } from '../data/types.js';
import type { LimitComponent, LimitRole } from './limit.js';

type Draft = Omit<LimitComponent, 'bone'>;

/** The convex components of a checked limit (see `normalizeLimit`) over the coordinates of its bone. */
export function limitComponentsOf(limit: LimitData, joint: JointData, coordinate: number): Draft[] {
  switch (limit.type) {
    case 'interval':
      return interval(limit.min, limit.max, joint.type === 'slider' ? 'distance' : 'angle', coordinate);
    case 'box': {
      const role = joint.type === 'free' ? 'position' : 'angle';
      return limit.min.flatMap((min, k) => interval(min, limit.max[k], role, coordinate + k));
    }
    case 'angle':
      // Every rotation is one by at most pi.
      if (limit.max >= Math.PI) return [];
      return [{ coordinate, size: 3, kind: 'disk', role: 'angle', parameters: [limit.max] }];
    case 'swing-twist':
      return [
        ...(limit.swing === undefined ? [] : [swing(limit.swing, coordinate)]),
        ...(limit.twist === undefined
          ? []
          : interval(limit.twist.min, limit.twist.max, 'twist', coordinate + 2)),
      ];
    default:
      return [swing(limit, coordinate)];
  }
}

function swing(limit: SwingLimit, coordinate: number): Draft {
  const common = { coordinate, size: 2, role: 'swing' } as const;
  switch (limit.type) {
    case 'cone':
      return { ...common, kind: 'disk', parameters: [limit.halfAngle] };
    case 'ellipse':
      return { ...common, kind: 'ellipse', parameters: [...limit.halfAngles] };
    default:
      return { ...common, kind: 'quad-ellipse', parameters: [...limit.s, ...limit.t] };
  }
}

/** One component; none without bounds. */
function interval(min: number | null, max: number | null, role: LimitRole, coordinate: number): Draft[] {
  if (min === null && max === null) return [];
  const parameters = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  return [{ coordinate, size: 1, kind: 'interval', role, parameters }];
}
