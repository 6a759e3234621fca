import type { Numbers } from '../../../math/linear/types.js';
import { type Bodies, GROUND } from '../bodies/bodies.js';
import { type PointTable, startsOf } from '../bodies/point-index.js';
import type { Rolls } from './roll.js';

/** How bodies are oriented, and what came of it. */
export interface Orienting extends OrientingOptions {
  readonly bodies: Bodies;
  readonly table: PointTable;
  readonly rolls: Rolls;
  /** What the points told of each body's turn. */
  readonly ranks: Uint8Array;
  /** 1 for each body that a limit held back. */
  readonly limited: Uint8Array;
  /** Hinges below body k with points of their own: `hinges[hingeStart[k] .. hingeStart[k + 1])`. */
  readonly hinges: Int32Array;
  readonly hingeStart: Int32Array;
  /** Body at the end of the chain that each body shares its twist with; {@link GROUND} for none. */
  readonly spreadEnds: Int32Array;
  /** Twist not yet given to a joint, and joints it is still to be shared among, for each end. */
  readonly twistLeft: Float64Array;
  readonly jointsLeft: Int32Array;
  /** The pose before. */
  readonly before: Float64Array;
}

interface OrientingOptions {
  readonly inWorld: boolean;
  readonly directions: boolean;
  readonly limits: boolean;
}

export function createOrienting(
  bodies: Bodies,
  table: PointTable,
  rolls: Rolls,
  options: OrientingOptions,
): Orienting {
  const { count, parents, figure } = bodies;
  const hinges: number[][] = Array.from({ length: count }, () => []);
  for (let k = 0; k < count; k++) {
    if (
      bodies.hingeAxes[k] !== undefined &&
      parents[k] !== GROUND &&
      table.turningStart[k + 1] > table.turningStart[k]
    ) {
      hinges[parents[k]].push(k);
    }
  }
  return {
    ...options,
    bodies,
    table,
    rolls,
    ranks: new Uint8Array(count),
    limited: new Uint8Array(count),
    hinges: Int32Array.from(hinges.flat()),
    hingeStart: startsOf(hinges),
    spreadEnds: new Int32Array(count).fill(GROUND),
    twistLeft: new Float64Array(count),
    jointsLeft: new Int32Array(count),
    before: new Float64Array(figure.dof),
  };
}

/*
 * What orienting a body and rolling it hand each other: module memory, so that nothing is allocated. Valid for the body at hand only.
 */

/** Frame of the body at q = 0. */
export const rest: Float64Array = /* @__PURE__ */ new Float64Array(12);
/** Frame that it is wanted in. */
export const target: Float64Array = /* @__PURE__ */ new Float64Array(12);
/** Its own direction, in its axes. */
export const direction: Float64Array = /* @__PURE__ */ new Float64Array(3);

/** Whether point p counts, for its weight and its numbers. */
export function weightOf(positions: Numbers, weights: Numbers | undefined, p: number): number {
  const known = positions[3 * p] + positions[3 * p + 1] + positions[3 * p + 2];
  if (Number.isNaN(known)) return 0;
  return weights === undefined ? 1 : weights[p];
}
