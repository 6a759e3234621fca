import { type Collider, createCollider } from '../../dynamics/collide/collider.js';
import { createManifold, type Manifold } from '../../dynamics/collide/manifold/manifold.js';
import type { BoneShape, WorldShape } from '../../dynamics/collide/shapes/shapes.js';
import { BOX, ROUND } from '../../dynamics/collide/shapes/world-shapes.js';
import { restOf } from '../../dynamics/ragdoll/body/rest-pose.js';
import { overlapsAtRest } from '../../dynamics/ragdoll/shapes/excluded-pairs.js';
import { DomainError } from '../../errors.js';
import { shown } from '../../figure/data/normalize.js';
import type { Figure } from '../../figure/model/figure.js';
import type { RelativeColumns } from './relative-columns.js';
import { type PairChoice, partsOf, shapePairs } from './shape-pairs.js';

/** What {@link createClearance} may be told. Shapes are counted through: those of bones as given, then those of the world. */
export interface ClearanceOptions {
  /** Spheres, capsules, boxes and planes. Default none. */
  readonly world?: readonly WorldShape[];
  /**
   * Which shapes are held against each other: `self` those of the figure, `world` each of the figure's with each of the world's, `all` both, or
   * pairs of shape numbers. Default `all`. But for pairs by number, groups and masks of the shapes count, and a pair that no coordinate moves
   * is left out.
   */
  readonly pairs?: PairChoice;
  /** Of `self`: bones up to this many joints apart are left out, as in a collider. Default 1: neighbours. */
  readonly neighbours?: number;
  /** Of `self`: further pairs of bones that are left out. */
  readonly exclude?: readonly (readonly [string | number, string | number])[];
  /** Of `self`: bones whose shapes are nearer than this at rest (m, zero or more) are left out. Default 0.005. */
  readonly leastAtRest?: number;
  /** m. A distance beyond it is given as this, with no gradient: shapes far apart cost next to nothing. Default infinity. */
  readonly cutoff?: number;
}

/** What one distance is between. */
export interface ClearanceRow {
  /** Number of the shape, and its bone. */
  readonly shape: number;
  readonly bone: number;
  readonly otherShape: number;
  /** -1: the world. */
  readonly otherBone: number;
  /** Against a plane: which end of a capsule or corner of a box. Else 0. */
  readonly part: number;
  /** Coordinates on which the distance depends, ascending: all other entries of its gradient are zero. */
  readonly columns: Int32Array;
}

/** Two shapes, in the order in which the contact geometry takes them, and their rows. */
export interface MeasuredPair extends RelativeColumns {
  readonly a: number;
  readonly b: number;
  /** Whether b is the shape that the rows name first. */
  readonly swapped: boolean;
  readonly bone: number;
  readonly otherBone: number;
  readonly firstRow: number;
  readonly parts: number;
}

/** Pairs of shapes, what was last found of them, and scratch: made once, never grown. */
export interface Clearance {
  readonly figure: Figure;
  readonly cutoff: number;
  /** One for each number that `writeClearances` writes. */
  readonly rows: readonly ClearanceRow[];
  /** Whether each row was within the cutoff: 1, else 0. */
  readonly within: Uint8Array;
  /** The nearest point on the surface of the other shape, world axes, m, 3 numbers a row; of a row within the cutoff. */
  readonly point: Float64Array;
  /** Unit, from the other shape to the first, likewise. */
  readonly normal: Float64Array;
  readonly pairs: readonly MeasuredPair[];
  readonly collider: Collider;
  readonly manifold: Manifold;
  /** Jacobians of one point on either bone. */
  readonly jacobian: Float64Array;
  readonly otherJacobian: Float64Array;
}

const LEAST_AT_REST = 0.005;

/**
 * Prepares signed distances between shapes of bones, and between these and the world, for `writeClearances`.
 *
 * One row for a pair: the distance of the two, negative the least move that parts them. Against a plane there is one for each end of a capsule (2)
 * and each corner of a box (8): the lowest of them is the distance, and each alone is smooth, while their minimum has a kink wherever a foot lies
 * flat, which is where an optimal motion puts it.
 *
 * @throws FigureError for what is no shape, naming the place (`shapes[3].radius`, `world[0]`).
 * @throws GoalError `unsupported` for a heightfield, or a pair by number that no coordinate moves; `out-of-range` for a number that is no shape's.
 * @throws DomainError `out-of-range` for a cutoff that is not above zero, or a `leastAtRest` below it.
 */
export function createClearance(
  figure: Figure,
  shapes: readonly BoneShape[],
  options: ClearanceOptions = {},
): Clearance {
  const { cutoff = Number.POSITIVE_INFINITY } = options;
  if (!(cutoff > 0)) {
    throw new DomainError('out-of-range', `is ${shown(cutoff)}.`, {
      path: 'options.cutoff',
      remedy: 'Give a distance above zero, m.',
    });
  }
  const collider = colliderOf(figure, shapes, options);
  const rows: ClearanceRow[] = [];
  const pairs = shapePairs(collider, options.pairs ?? 'all').map(({ i, j, columns, sides }): MeasuredPair => {
    const bone = collider.bodyOfShape[i];
    const otherBone = collider.bodyOfShape[j];
    const firstRow = rows.length;
    const parts = partsOf(collider, i, j);
    for (let part = 0; part < parts; part++) {
      rows.push({ shape: i, bone, otherShape: j, otherBone, part, columns });
    }
    const swapped = collider.kind[i] === BOX && collider.kind[j] === ROUND;
    const [a, b] = swapped ? [j, i] : [i, j];
    return { a, b, swapped, bone, otherBone, firstRow, parts, columns, sides };
  });
  return {
    figure,
    cutoff,
    rows,
    within: new Uint8Array(rows.length),
    point: new Float64Array(3 * rows.length),
    normal: new Float64Array(3 * rows.length),
    pairs,
    collider,
    manifold: { ...createManifold(), reach: Number.POSITIVE_INFINITY },
    jacobian: new Float64Array(3 * figure.dof),
    otherJacobian: new Float64Array(3 * figure.dof),
  };
}

/** The shapes as numbers; its own pairs are those of `self`. */
function colliderOf(figure: Figure, shapes: readonly BoneShape[], options: ClearanceOptions): Collider {
  const { world = [], neighbours = 1, exclude = [], pairs = 'all', leastAtRest = LEAST_AT_REST } = options;
  if (!(leastAtRest >= 0 && leastAtRest < Number.POSITIVE_INFINITY)) {
    throw new DomainError('out-of-range', `is ${shown(leastAtRest)}.`, {
      path: 'options.leastAtRest',
      remedy: 'Give a distance of zero or more, m.',
    });
  }
  const isSelf = pairs === 'self' || pairs === 'all';
  const atRest = isSelf ? overlapsAtRest(restOf(figure), shapes, leastAtRest, neighbours) : [];
  return createCollider(figure, shapes, world, { neighbours, exclude: [...exclude, ...atRest] });
}
