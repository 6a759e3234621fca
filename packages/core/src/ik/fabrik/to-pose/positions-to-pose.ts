import {
  type FieldsOf,
  requireBoolean,
  requireFields,
  requireInRange,
  requireOneOf,
  requireSize,
} from '../../../checks.js';
import { GoalError } from '../../../errors.js';
import type { Figure } from '../../../figure/model/figure.js';
import { checkWritablePose, clampToLimits } from '../../../figure/model/pose.js';
import type { Numbers } from '../../../math/linear/types.js';
import type { BonePoint } from '../../goals/types/goal.js';
import { type Bodies, createBodies } from '../bodies/bodies.js';
import { createPointIndex, figurePoints, type PointIndex } from '../bodies/point-index.js';
import { orientBodies } from './orient-bodies.js';
import { createOrientationWorkspace, type OrientationWorkspace } from './orientation-workspace.js';
import { checkPoles, compileRolls, type RollPolicy } from './roll.js';

/** Options of {@link createPositionsToPose}. */
export interface PositionsToPoseOptions {
  /** Positions of the points on the figure. Default {@link figurePoints}: the origin of every bone, then the tips. */
  readonly points?: readonly BonePoint[];
  /** Roll of bones about their own direction: one policy for all, or by bone name (`rest` for the others). Default `rest`. */
  readonly roll?: RollPolicy | Readonly<Record<string, RollPolicy>>;
  /**
   * Coordinates of the rotations: the points in each bone's own coordinates (`object`, default), or each bone's rotation in world
   * coordinates (`world`); the two methods of the lecture notes on constraints in a scene graph, section 3. The results agree to rounding.
   */
  readonly coordinates?: 'object' | 'world';
  /**
   * `positions` (default): a bone points from the computed origin of its joint to its points' positions, so that the ends match.
   * `directions`: a bone is parallel to the line from the point at its joint to its other points, regardless of lengths; for subjects whose
   * proportions differ from the figure's.
   */
  readonly follow?: 'positions' | 'directions';
  /** Whether joint limits apply. Default true. */
  readonly limits?: boolean;
}

const OPTIONS: FieldsOf<PositionsToPoseOptions> = {
  points: true,
  roll: true,
  coordinates: true,
  follow: true,
  limits: true,
};

/** Converts positions into a pose of one figure; created once, for repeated use. */
export interface PositionsToPose {
  readonly figure: Figure;
  readonly points: readonly BonePoint[];
  readonly bodies: Bodies;
  readonly pointIndex: PointIndex;
  readonly orientation: OrientationWorkspace;
  readonly report: PositionsReport;
}

/** Report of the last call; its arrays are overwritten by the next. */
export interface PositionsReport {
  /** Distance of each point from its position on the posed figure, m; NaN where missing. */
  readonly distances: Float64Array;
  /**
   * Rank of the points for each bone's rotation: 0 undetermined, 1 its direction (the roll is from its policy), 2 unique. 0 for bones whose
   * joint does not rotate.
   */
  readonly determined: Uint8Array;
  /** 1 for each bone whose rotation a limit changed. */
  readonly limited: Uint8Array;
}

/**
 * Prepares the conversion of positions into joint rotations (lecture notes on constraints in a scene graph, section 3: "after FABRIK runs,
 * we have a sequence of positions; but we need rotations").
 *
 * @throws GoalError, FigureError for invalid points, bones or options.
 */
export function createPositionsToPose(figure: Figure, options: PositionsToPoseOptions = {}): PositionsToPose {
  requireFields(options, OPTIONS, 'options', GoalError);
  const { coordinates = 'object', follow = 'positions', limits = true, roll } = options;
  requireOneOf(coordinates, ['object', 'world'], 'options.coordinates', GoalError);
  requireOneOf(follow, ['positions', 'directions'], 'options.follow', GoalError);
  requireBoolean(limits, 'options.limits', GoalError);
  const bodies = createBodies(figure, new Uint8Array(figure.bones.length));
  const points = options.points ?? figurePoints(figure);
  const table = createPointIndex(bodies, points);
  const orienting = createOrientationWorkspace(bodies, table, compileRolls(figure, roll), {
    inWorld: coordinates === 'world',
    directions: follow === 'directions',
    limits,
  });
  return {
    figure,
    points: [...points],
    bodies,
    pointIndex: table,
    orientation: orienting,
    report: {
      distances: new Float64Array(points.length),
      determined: new Uint8Array(figure.bones.length),
      limited: new Uint8Array(figure.bones.length),
    },
  };
}

/**
 * Converts positions into joint coordinates, bone by bone from the roots. Each bone gets the rotation that best fits its points: for one
 * child the smallest rotation towards it, for several the best fit. Its roll follows its policy, unless a hinge below determines it. The
 * rotation is read in the joint's coordinates and projected onto its limits, and its children continue from there. Allocates nothing.
 *
 * @param positions - 3 numbers per point, world, m; a point with a NaN is missing.
 * @param pose - Length `figure.dof`. On input the previous pose (for roll `previous`, multiples of 2 pi, bones without points), on output the
 * solution.
 * @param weights - One per point, zero or more; a point of weight zero is missing. Default 1.
 * @returns the report of `reader`, overwritten by the next call.
 * @throws GoalError `wrong-size`, `out-of-range`; FigureError for an invalid pose.
 */
export function solvePositionsToPose(
  reader: PositionsToPose,
  positions: Numbers,
  pose: Float64Array,
  weights?: Numbers,
): PositionsReport {
  const { figure, pointIndex, bodies, orientation, report } = reader;
  checkInput(reader, positions, weights);
  checkPoles(orientation.rolls);
  checkWritablePose(figure, pose);
  if (orientation.limits) clampToLimits(figure, pose);
  orientBodies(orientation, positions, weights, pose);
  const { determined, limited, distances } = report;
  determined.fill(0);
  limited.fill(0);
  for (let k = 0; k < bodies.count; k++) {
    determined[bodies.bones[k]] = orientation.ranks[k];
    limited[bodies.bones[k]] = orientation.limited[k];
  }
  for (let p = 0; p < pointIndex.count; p++) distances[p] = distanceOf(reader, positions, p);
  return report;
}

/** Distance of point p from its position on the bodies. */
function distanceOf({ bodies, pointIndex }: PositionsToPose, positions: Numbers, p: number): number {
  const k = pointIndex.bodies[p];
  const frame = k < 0 ? bodies.ground : bodies.frames;
  const o = k < 0 ? 0 : 12 * k;
  let sum = 0;
  for (let r = 0; r < 3; r++) {
    let x = frame[o + 9 + r] - positions[3 * p + r];
    for (let c = 0; c < 3; c++) x += frame[o + 3 * r + c] * pointIndex.positions[3 * p + c];
    sum += x * x;
  }
  return Math.sqrt(sum);
}

/** Larger positions overflow when squared. */
const MAX_DISTANCE = 1e100;

function checkInput({ pointIndex }: PositionsToPose, positions: Numbers, weights: Numbers | undefined): void {
  if (positions?.length !== 3 * pointIndex.count) {
    throw new GoalError(
      'wrong-size',
      `has ${positions?.length ?? 'no'} numbers for ${pointIndex.count} points.`,
      {
        path: 'positions',
        remedy: 'Give three numbers per point, NaN for a missing one.',
      },
    );
  }
  for (let i = 0; i < positions.length; i++) {
    if (!(Math.abs(positions[i]) > MAX_DISTANCE)) continue;
    throw new GoalError('out-of-range', `is ${positions[i]}.`, {
      path: `positions[${i}]`,
      remedy: 'Give metres, NaN for a missing point.',
    });
  }
  if (weights === undefined) return;
  requireSize(weights, pointIndex.count, 'weights', GoalError);
  for (let p = 0; p < weights.length; p++) {
    if (weights[p] >= 0 && weights[p] <= MAX_DISTANCE) continue;
    requireInRange(weights[p], 0, MAX_DISTANCE, `weights[${p}]`, GoalError);
  }
}
