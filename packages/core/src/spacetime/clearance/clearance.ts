import { type FieldsOf, requireFields, requireNotNegative, requirePositive } from '../../checks.js';
import { type Collider, createCollider } from '../../dynamics/collide/collider.js';
import { createManifold, type Manifold } from '../../dynamics/collide/manifold/manifold.js';
import type { BoneShape, WorldShape } from '../../dynamics/collide/shapes/shapes.js';
import { BOX, CAPSULE } from '../../dynamics/collide/shapes/world-shapes.js';
import { findExcludedPairs } from '../../dynamics/ragdoll/shapes/excluded-pairs.js';
import { DomainError, GoalError } from '../../errors.js';
import { restOf } from '../../figure/kinematics/rest-pose.js';
import type { Figure } from '../../figure/model/figure.js';
import type { RelativeColumns } from './relative-columns.js';
import { featuresOf, type PairChoice, shapePairs } from './shape-pairs.js';

/** Options of {@link createClearance}. Shape numbers count the shapes of bones as given, then those of the world. */
export interface ClearanceOptions {
  /** Spheres, capsules, boxes and planes. Default none. */
  readonly world?: readonly WorldShape[];
  /**
   * Pairs to measure: `self` within the figure, `world` each of the figure's shapes with each of the world's, `all` both, or pairs of shape
   * numbers. Default `all`. Except for pairs by number, groups and masks of the shapes apply, and pairs that no coordinate moves relative
   * to each other are left out.
   */
  readonly pairs?: PairChoice;
  /** Of `self`: excludes bones up to this many joints apart, as in a collider. Default 1: neighbours. */
  readonly neighbours?: number;
  /** Of `self`: further excluded pairs of bones. */
  readonly exclude?: readonly (readonly [string | number, string | number])[];
  /** Of `self`: excludes bones whose shapes are nearer than this at rest (m, zero or more). Default 0.005. */
  readonly minAtRest?: number;
  /** m. Distances are clamped to it, with zero gradient: shapes far apart cost next to nothing. Default infinity. */
  readonly cutoff?: number;
}

/** The two shapes of one distance. */
export interface ClearanceRow {
  /** Number of the shape, and its bone. */
  readonly shape: number;
  readonly bone: number;
  readonly otherShape: number;
  /** -1: the world. */
  readonly otherBone: number;
  /** Against a plane: index of the capsule end or box corner. Else 0. */
  readonly feature: number;
  /** Coordinates on which the distance depends, ascending: all other entries of its gradient are zero. */
  readonly columns: Int32Array;
}

/** Two shapes in the order of the contact geometry, and their rows. */
export interface ClearancePair extends RelativeColumns {
  readonly a: number;
  readonly b: number;
  /** Whether b is the shape that the rows name first. */
  readonly swapped: boolean;
  readonly bone: number;
  readonly otherBone: number;
  readonly firstRow: number;
  readonly features: number;
}

/** Pairs of shapes, their last results, and scratch of fixed size. */
export interface Clearance {
  readonly figure: Figure;
  readonly cutoff: number;
  /** One for each distance written by `writeClearances`. */
  readonly rows: readonly ClearanceRow[];
  /** Whether each row was within the cutoff: 1, else 0. */
  readonly within: Uint8Array;
  /** The nearest point on the surface of the other shape, world axes, m, 3 numbers a row; of a row within the cutoff. */
  readonly point: Float64Array;
  /** Unit, from the other shape to the first, likewise. */
  readonly normal: Float64Array;
  readonly pairs: readonly ClearancePair[];
  readonly collider: Collider;
  readonly manifold: Manifold;
  /** Jacobians of one point on either bone. */
  readonly jacobian: Float64Array;
  readonly otherJacobian: Float64Array;
}

const FIELDS: FieldsOf<ClearanceOptions> = {
  world: true,
  pairs: true,
  neighbours: true,
  exclude: true,
  minAtRest: true,
  cutoff: true,
};

const MIN_AT_REST = 0.005;

/**
 * Prepares signed distances between shapes of bones, and between these and the world, for `writeClearances`.
 *
 * One row per pair: the signed distance, negative the penetration depth. Against a plane there is one row for each end of a capsule (2) and
 * each corner of a box (8): the lowest is the distance, and each alone is smooth, while their minimum has a kink where a foot is flat on
 * the ground, which is where an optimal motion puts it.
 *
 * @throws FigureError for an invalid shape, with its path (`shapes[3].radius`, `world[0]`).
 * @throws GoalError `unsupported` for a heightfield, or a pair by number that no coordinate moves relative to each other; `out-of-range`
 * for an invalid shape number; `unknown-name` for an unknown option.
 * @throws DomainError `out-of-range` for a cutoff that is not above zero, or a `minAtRest` below it.
 */
export function createClearance(
  figure: Figure,
  shapes: readonly BoneShape[],
  options: ClearanceOptions = {},
): Clearance {
  requireFields(options, FIELDS, 'options', GoalError);
  const { cutoff = Number.POSITIVE_INFINITY } = options;
  requirePositive(cutoff, 'options.cutoff', DomainError, 'm', true);
  const collider = colliderOf(figure, shapes, options);
  const rows: ClearanceRow[] = [];
  const pairs = shapePairs(collider, options.pairs ?? 'all').map(
    ({ i, j, columns, movedBones }): ClearancePair => {
      const bone = collider.bodyOfShape[i];
      const otherBone = collider.bodyOfShape[j];
      const firstRow = rows.length;
      const features = featuresOf(collider, i, j);
      for (let feature = 0; feature < features; feature++) {
        rows.push({ shape: i, bone, otherShape: j, otherBone, feature, columns });
      }
      const swapped = collider.kind[i] === BOX && collider.kind[j] === CAPSULE;
      const [a, b] = swapped ? [j, i] : [i, j];
      return {
        a,
        b,
        swapped,
        bone,
        otherBone,
        firstRow,
        features: features,
        columns,
        movedBones: movedBones,
      };
    },
  );
  return {
    figure,
    cutoff,
    rows,
    within: new Uint8Array(rows.length),
    point: new Float64Array(3 * rows.length),
    normal: new Float64Array(3 * rows.length),
    pairs,
    collider,
    manifold: { ...createManifold(), margin: Number.POSITIVE_INFINITY },
    jacobian: new Float64Array(3 * figure.dof),
    otherJacobian: new Float64Array(3 * figure.dof),
  };
}

/** The collider whose own pairs are those of `self`. */
function colliderOf(figure: Figure, shapes: readonly BoneShape[], options: ClearanceOptions): Collider {
  const { world = [], neighbours = 1, exclude = [], pairs = 'all', minAtRest = MIN_AT_REST } = options;
  requireNotNegative(minAtRest, 'options.minAtRest', DomainError, 'm');
  const isSelf = pairs === 'self' || pairs === 'all';
  const atRest = isSelf ? findExcludedPairs(restOf(figure), shapes, minAtRest, neighbours) : [];
  return createCollider(figure, shapes, world, { neighbours, exclude: [...exclude, ...atRest] });
}
