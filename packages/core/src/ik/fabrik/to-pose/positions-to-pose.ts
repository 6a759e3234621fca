import { FigureError, GoalError } from '../../../errors.js';
import type { Figure } from '../../../figure/model/figure.js';
import { checkPose, clampToLimits } from '../../../figure/model/pose.js';
import type { Numbers } from '../../../math/linear/types.js';
import type { BonePoint } from '../../goals/types/goal.js';
import { requireBoolean, requireOneOf, requireOptions } from '../../problem/option-checks.js';
import { type Bodies, createBodies } from '../bodies/bodies.js';
import { createPointTable, figurePoints, type PointTable } from '../bodies/point-index.js';
import { orientBodies } from './orient-bodies.js';
import { createOrienting, type Orienting } from './orientation-workspace.js';
import { checkPoles, compileRolls, type RollPolicy } from './roll.js';

/** Settings of {@link createPositionsToPose}. */
export interface PositionsToPoseOptions {
  /** Where the points are on the figure. Default {@link figurePoints}: every bone's origin, then the tips. */
  readonly points?: readonly BonePoint[];
  /** How bones turn about their own direction: one policy for all, or by bone name (`rest` for those left out). Default `rest`. */
  readonly roll?: RollPolicy | Readonly<Record<string, RollPolicy>>;
  /**
   * Which of the notes' two ways (section 3): the points brought into each bone's own coordinates (`object`, the default), or each
   * bone turned in world coordinates (`world`). The answers agree to rounding.
   */
  readonly coordinates?: 'object' | 'world';
  /**
   * `positions` (default): a bone points from where its joint has come to at where its points are, so that the ends get there.
   * `directions`: along the line from the point at its joint to its others, whatever the lengths: right for people of other
   * proportions than the figure.
   */
  readonly follow?: 'positions' | 'directions';
  /** Whether joints stay within their limits. Default true. */
  readonly limits?: boolean;
}

/** Turns positions into a pose of one figure; made once, used as often as positions come. */
export interface PositionsToPose {
  readonly figure: Figure;
  readonly points: readonly BonePoint[];
  readonly bodies: Bodies;
  readonly table: PointTable;
  readonly orienting: Orienting;
  readonly report: PositionsReport;
}

/** What the last call found; the arrays are written again by the next. */
export interface PositionsReport {
  /** Distance of each point from its place on the posed figure, m; NaN where it was missing. */
  readonly distances: Float64Array;
  /**
   * What the points told of each bone's turn: 0 nothing, 1 where it points (the roll came from its policy), 2 all of it. 0 for bones
   * whose joint does not turn.
   */
  readonly determined: Uint8Array;
  /** 1 for each bone that a limit held back. */
  readonly limited: Uint8Array;
}

/**
 * Prepares the way from positions to joint rotations (the notes, section 3: "after FABRIK runs, we have a sequence of
 * positions; but we need rotations").
 *
 * @throws GoalError, FigureError for points, bones or options that make no sense on the figure.
 */
export function createPositionsToPose(figure: Figure, options: PositionsToPoseOptions = {}): PositionsToPose {
  requireOptions(options, ['points', 'roll', 'coordinates', 'follow', 'limits']);
  const { coordinates = 'object', follow = 'positions', limits = true, roll } = options;
  requireOneOf(coordinates, ['object', 'world'], 'options.coordinates');
  requireOneOf(follow, ['positions', 'directions'], 'options.follow');
  requireBoolean(limits, 'options.limits');
  const bodies = createBodies(figure, new Uint8Array(figure.bones.length));
  const points = options.points ?? figurePoints(figure);
  const table = createPointTable(bodies, points);
  const orienting = createOrienting(bodies, table, compileRolls(figure, roll), {
    inWorld: coordinates === 'world',
    directions: follow === 'directions',
    limits,
  });
  return {
    figure,
    points: [...points],
    bodies,
    table,
    orienting,
    report: {
      distances: new Float64Array(points.length),
      determined: new Uint8Array(figure.bones.length),
      limited: new Uint8Array(figure.bones.length),
    },
  };
}

/**
 * Turns positions into joint coordinates, bone by bone from the roots. Each bone takes the turn nearest to all its points (one
 * child: pointed at it by the smallest rotation; several: best fit), its roll by its policy, a hinge below choosing first; then the
 * turn is read in the joint's own coordinates, moved within its limits, and its children go on from where that leaves them. Nothing
 * is allocated.
 *
 * @param positions - 3 numbers a point, world, m; NaN anywhere in a point counts it missing.
 * @param pose - Length `figure.dof`. Read as the pose before (roll `previous`, whole turns, bones without points), written as the answer.
 * @param weights - One a point, zero or more; zero counts it missing. Default all one.
 * @throws GoalError `wrong-size`, `out-of-range`; FigureError for a pose that is none.
 */
export function solvePositionsToPose(
  reader: PositionsToPose,
  positions: Numbers,
  pose: Float64Array,
  weights?: Numbers,
): PositionsReport {
  const { figure, table, bodies, orienting, report } = reader;
  checkInput(reader, positions, weights);
  checkPoles(orienting.rolls);
  if (!(pose instanceof Float64Array)) {
    throw new FigureError('wrong-size', 'is not a Float64Array.', {
      path: 'pose',
      remedy: 'Make it with createPose(figure).',
    });
  }
  checkPose(figure, pose);
  if (orienting.limits) clampToLimits(figure, pose);
  orientBodies(orienting, positions, weights, pose);
  const { determined, limited, distances } = report;
  determined.fill(0);
  limited.fill(0);
  for (let k = 0; k < bodies.count; k++) {
    determined[bodies.bones[k]] = orienting.ranks[k];
    limited[bodies.bones[k]] = orienting.limited[k];
  }
  for (let p = 0; p < table.count; p++) distances[p] = distanceOf(reader, positions, p);
  return report;
}

/** Distance of point p from where the bodies have it. */
function distanceOf({ bodies, table }: PositionsToPose, positions: Numbers, p: number): number {
  const k = table.bodies[p];
  const frame = k < 0 ? bodies.ground : bodies.frames;
  const o = k < 0 ? 0 : 12 * k;
  let sum = 0;
  for (let r = 0; r < 3; r++) {
    let x = frame[o + 9 + r] - positions[3 * p + r];
    for (let c = 0; c < 3; c++) x += frame[o + 3 * r + c] * table.places[3 * p + c];
    sum += x * x;
  }
  return Math.sqrt(sum);
}

/** Beyond this the squares of positions overflow. */
const FARTHEST = 1e100;

function checkInput({ table }: PositionsToPose, positions: Numbers, weights: Numbers | undefined): void {
  if (positions?.length !== 3 * table.count) {
    throw new GoalError('wrong-size', `has ${positions?.length ?? 'no'} numbers for ${table.count} points.`, {
      path: 'positions',
      remedy: 'Give three numbers a point, NaN for one that is missing.',
    });
  }
  for (let i = 0; i < positions.length; i++) {
    if (!(Math.abs(positions[i]) > FARTHEST)) continue;
    throw new GoalError('out-of-range', `is ${positions[i]}.`, {
      path: `positions[${i}]`,
      remedy: 'Give metres, NaN for a point that is missing.',
    });
  }
  if (weights === undefined) return;
  if (weights.length !== table.count) {
    throw new GoalError('wrong-size', `has ${weights.length} numbers for ${table.count} points.`, {
      path: 'weights',
      remedy: 'Give one weight a point, or leave them out.',
    });
  }
  for (let p = 0; p < weights.length; p++) {
    if (weights[p] >= 0 && weights[p] <= FARTHEST) continue;
    throw new GoalError('out-of-range', `is ${weights[p]}.`, {
      path: `weights[${p}]`,
      remedy: 'Give a finite weight of zero or more.',
    });
  }
}
