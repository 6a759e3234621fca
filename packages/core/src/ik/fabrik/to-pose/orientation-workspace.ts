import type { Numbers } from '../../../math/linear/types.js';
import { type Bodies, GROUND } from '../bodies/bodies.js';
import { concatenationStarts, type PointIndex } from '../bodies/point-index.js';
import type { RollPolicies } from './roll.js';

/** Workspace and options of the orientation of bodies. */
export interface OrientationWorkspace extends OrientationOptions {
  readonly bodies: Bodies;
  readonly pointIndex: PointIndex;
  readonly rolls: RollPolicies;
  /** Rank of the points for each body's rotation. */
  readonly ranks: Uint8Array;
  /** 1 for each body whose rotation a limit changed. */
  readonly limited: Uint8Array;
  /** Hinges below body k with points: `hinges[hingeStart[k] .. hingeStart[k + 1])`. */
  readonly hinges: Int32Array;
  readonly hingeStart: Int32Array;
  /** Body with the twist that each body shares; {@link GROUND} for none. */
  readonly twistSources: Int32Array;
  /** Remaining twist, and the number of joints to distribute it over, for each such body. */
  readonly remainingTwist: Float64Array;
  readonly remainingJoints: Int32Array;
  /** The previous pose. */
  readonly previousPose: Float64Array;
  /** Of the body that is oriented now: its frame at q = 0, its desired frame, and its direction, in its axes. */
  readonly rest: Float64Array;
  readonly target: Float64Array;
  readonly direction: Float64Array;
}

interface OrientationOptions {
  readonly inWorld: boolean;
  readonly directions: boolean;
  readonly limits: boolean;
}

export function createOrientationWorkspace(
  bodies: Bodies,
  table: PointIndex,
  rolls: RollPolicies,
  options: OrientationOptions,
): OrientationWorkspace {
  const { count, parents, figure } = bodies;
  const hinges: number[][] = Array.from({ length: count }, () => []);
  for (let k = 0; k < count; k++) {
    if (
      bodies.hingeAxes[k] !== undefined &&
      parents[k] !== GROUND &&
      table.rotationStart[k + 1] > table.rotationStart[k]
    ) {
      hinges[parents[k]].push(k);
    }
  }
  return {
    ...options,
    bodies,
    pointIndex: table,
    rolls,
    ranks: new Uint8Array(count),
    limited: new Uint8Array(count),
    hinges: Int32Array.from(hinges.flat()),
    hingeStart: concatenationStarts(hinges),
    twistSources: new Int32Array(count).fill(GROUND),
    remainingTwist: new Float64Array(count),
    remainingJoints: new Int32Array(count),
    previousPose: new Float64Array(figure.dof),
    rest: new Float64Array(12),
    target: new Float64Array(12),
    direction: new Float64Array(3),
  };
}

/** Weight of point p; zero if it is missing. */
export function weightOf(positions: Numbers, weights: Numbers | undefined, p: number): number {
  const known = positions[3 * p] + positions[3 * p + 1] + positions[3 * p + 2];
  if (Number.isNaN(known)) return 0;
  return weights === undefined ? 1 : weights[p];
}
