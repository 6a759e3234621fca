import { shown } from '../../checks.js';
import { FigureError } from '../../errors.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { FEATURES, type Field } from './heightfield/heightfield.js';
import { SIDES } from './heightfield/heightfield-point.js';
import { createManifold, type Manifold } from './manifold/manifold.js';
import { type ReadShape, readBoneShape, readWorldShape } from './shapes/parse-shapes.js';
import type { BoneShape, WorldShape } from './shapes/shapes.js';
import { BOX, boundShape, FIELD, PLACED, PLANE } from './shapes/world-shapes.js';

/** A figure and what its bones carry. */
export interface Actor {
  readonly figure: Figure;
  readonly shapes: readonly BoneShape[];
  /** Pairs of its bones that do not meet, besides those of {@link ColliderOptions}. */
  readonly exclude?: readonly (readonly [string | number, string | number])[];
}

export interface ColliderOptions {
  /**
   * Bones of one figure do not meet up to this many joints apart; 0 keeps apart only what moves as one. Fixed joints do not count, nor do
   * bones that carry no shape. Default 1: neighbours.
   */
  readonly neighbours?: number;
  /** Further pairs of bones of one figure that do not meet, such as the thighs under a hip. */
  readonly exclude?: readonly (readonly [string | number, string | number])[];
}

/**
 * The shapes of figures and of the world they are in, as numbers, and scratch. A body is a bone of a figure: body `bodyStart[f] + b` is bone b of
 * figure f. Shapes are counted through: those of figure f are [shapeStart[f], shapeStart[f + 1]), in the order given; those of the world follow.
 */
export interface Collider {
  readonly figures: readonly Figure[];
  /** First body of each figure, and the number of bodies at the end. */
  readonly bodyStart: Int32Array;
  readonly figureOfBody: Int32Array;
  readonly boneOfBody: Int32Array;
  /** First shape of each figure, and the first of the world at the end. */
  readonly shapeStart: Int32Array;
  /** Shapes of the figures and of the world. */
  readonly shapeCount: number;
  /** Body of each shape, -1 for the world. */
  readonly bodyOfShape: Int32Array;
  /**
   * One for each figure, free to write: where it is 1 the figure does not move, and its contacts with itself, with the world and with others
   * that do not move are not looked for.
   */
  readonly asleep: Uint8Array;
  /** What each shape is; see `placed.ts`. */
  readonly kind: Uint8Array;
  /** Shapes in the frames of their bones, {@link PLACED} numbers each. */
  readonly local: Float64Array;
  /** Shapes in world axes as last placed. */
  readonly placed: Float64Array;
  /** Least and greatest x, y, z of each shape, 6 numbers. */
  readonly bounds: Float64Array;
  /** Likewise of each figure. */
  readonly figureBounds: Float64Array;
  /** How far each shape of a bone may come, m: against the world, among figures, against its own; and the greatest of each figure. */
  readonly worldReach: Float64Array;
  readonly amongReach: Float64Array;
  readonly ownReach: Float64Array;
  readonly figureReach: Float64Array;
  readonly friction: Float64Array;
  readonly restitution: Float64Array;
  readonly group: Int32Array;
  readonly mask: Int32Array;
  /** Smallest half size of each shape, m. */
  readonly size: Float64Array;
  /** Heightfields, by shape less the first of the world. */
  readonly fields: readonly (Field | undefined)[];
  /** Pairs of shapes of one figure that may meet, and the first of each figure (in numbers, not pairs). */
  readonly ownPairs: Int32Array;
  readonly ownStart: Int32Array;
  /** Features that a pair of shapes may have. */
  readonly features: number;
  readonly manifold: Manifold;
  /** Shapes of the world near the figure at hand. */
  readonly near: Int32Array;
  readonly sweep: Sweep;
}

/** Figures in order along an axis, kept from call to call. */
export interface Sweep {
  axis: number;
  readonly order: Int32Array;
  /** Pairs of figures, f * count + g with f < g; grows where a crowd closes up. */
  pairs: Float64Array;
  count: number;
}

/**
 * Prepares the shapes of one figure and its world for `findContacts`. What it reads may change afterwards.
 *
 * @throws FigureError `unknown-name` for a bone that is none, with the nearest name; `out-of-range`, `not-finite`, `wrong-size`, `not-unit`,
 * `unsupported` for what is no shape, naming the place (`shapes[3].radius`).
 */
export function createCollider(
  figure: Figure,
  shapes: readonly BoneShape[],
  world: readonly WorldShape[] = [],
  options: ColliderOptions = {},
): Collider {
  return build([{ figure, shapes }], [''], world, options);
}

/**
 * Likewise for several figures in one world, which also meet each other. Figures may be the same.
 *
 * @throws FigureError as {@link createCollider} does; places begin with `actors[1].`.
 */
export function createSharedCollider(
  actors: readonly Actor[],
  world: readonly WorldShape[] = [],
  options: ColliderOptions = {},
): Collider {
  return build(
    actors,
    actors.map((_, f) => `actors[${f}].`),
    world,
    options,
  );
}

function build(
  actors: readonly Actor[],
  paths: readonly string[],
  world: readonly WorldShape[],
  options: ColliderOptions,
): Collider {
  const neighbours = options.neighbours ?? 1;
  if (!(neighbours >= 0)) {
    throw new FigureError('out-of-range', `is ${shown(neighbours)}.`, {
      path: 'options.neighbours',
      remedy: 'Give a number of joints, zero or more.',
    });
  }
  const own = actors.map(({ figure, shapes }, f) =>
    Array.from(shapes, (shape, k) => readBoneShape(figure, shape, `${paths[f]}shapes[${k}]`)),
  );
  const still = Array.from(world, (shape, k) => readWorldShape(shape, `world[${k}]`));
  const all = [...own.flat(), ...still];
  const figures = actors.map(({ figure }) => figure);
  const bodyStart = starts(figures.map(({ bones }) => bones.length));
  const shapeStart = starts(own.map((shapes) => shapes.length));
  const pairs = actors.map(({ figure, exclude = [] }, f) => {
    const apart = new Set<number>();
    keepApart(figure, options.exclude ?? [], 'options.exclude', apart);
    keepApart(figure, exclude, `${paths[f]}exclude`, apart);
    return ownPairsOf(figure, own[f], shapeStart[f], neighbours, apart);
  });
  const fields = still.map(({ field }) => field);
  const features = fields.reduce(
    (most, field) =>
      field === undefined ? most : Math.max(most, SIDES * FEATURES * field.columns * field.rows),
    SIDES,
  );
  if (all.length ** 2 * features > Number.MAX_SAFE_INTEGER) {
    throw new FigureError(
      'out-of-range',
      `would have ${all.length} shapes on fields of ${features} features.`,
      {
        path: 'world',
        remedy: 'Use fewer shapes or a coarser heightfield: pairs of features are numbered in 53 bits.',
      },
    );
  }
  const count = all.length;
  const collider: Collider = {
    figures,
    bodyStart,
    figureOfBody: Int32Array.from(figures.flatMap(({ bones }, f) => bones.map(() => f))),
    boneOfBody: Int32Array.from(figures.flatMap(({ bones }) => bones.map(({ index }) => index))),
    shapeStart,
    shapeCount: count,
    bodyOfShape: Int32Array.from([
      ...own.flatMap((shapes, f) => shapes.map(({ bone }) => bodyStart[f] + bone)),
      ...still.map(() => -1),
    ]),
    asleep: new Uint8Array(figures.length),
    kind: Uint8Array.from(all, ({ kind }) => kind),
    local: new Float64Array(PLACED * count),
    placed: new Float64Array(PLACED * count),
    bounds: new Float64Array(6 * count),
    figureBounds: new Float64Array(6 * figures.length),
    worldReach: new Float64Array(count),
    amongReach: new Float64Array(count),
    ownReach: new Float64Array(count),
    figureReach: new Float64Array(figures.length),
    friction: Float64Array.from(all, ({ friction }) => friction),
    restitution: Float64Array.from(all, ({ restitution }) => restitution),
    group: Int32Array.from(all, ({ group }) => group),
    mask: Int32Array.from(all, ({ mask }) => mask),
    size: Float64Array.from(all, sizeOf),
    fields,
    ownPairs: Int32Array.from(pairs.flat()),
    ownStart: starts(pairs.map((list) => list.length)),
    features,
    manifold: createManifold(),
    near: new Int32Array(still.length),
    sweep: {
      axis: 0,
      order: Int32Array.from(figures, (_, f) => f),
      pairs: new Float64Array(4 * figures.length),
      count: 0,
    },
  };
  all.forEach(({ local }, s) => {
    collider.local.set(local, PLACED * s);
    // Those of the world stay; those of bones are placed at each call.
    collider.placed.set(local, PLACED * s);
    boundShape(collider.kind[s], collider.placed, s, collider.bounds);
  });
  return collider;
}

function starts(counts: readonly number[]): Int32Array {
  const start = new Int32Array(counts.length + 1);
  counts.forEach((count, k) => {
    start[k + 1] = start[k] + count;
  });
  return start;
}

function sizeOf({ kind, local }: ReadShape): number {
  if (kind === PLANE || kind === FIELD) return Number.POSITIVE_INFINITY;
  return kind === BOX ? Math.min(local[12], local[13], local[14]) : local[6];
}

/** Adds pairs of bones that do not meet, i * bones + j both ways. @throws FigureError `unknown-name`. */
function keepApart(
  figure: Figure,
  exclude: readonly (readonly [string | number, string | number])[],
  path: string,
  apart: Set<number>,
): void {
  const { length } = figure.bones;
  exclude.forEach(([a, b], k) => {
    const i = boneIndex(figure, a, `${path}[${k}][0]`);
    const j = boneIndex(figure, b, `${path}[${k}][1]`);
    apart.add(i * length + j).add(j * length + i);
  });
}

/** Pairs of shapes of one figure that may meet, as shape indices one after another, in order. */
function ownPairsOf(
  figure: Figure,
  shapes: readonly ReadShape[],
  first: number,
  neighbours: number,
  apart: ReadonlySet<number>,
): number[] {
  const solid = solidOf(figure);
  const above = carriersAbove(figure, shapes, solid);
  const { length } = figure.bones;
  const pairs: number[] = [];
  shapes.forEach((a, i) => {
    for (let j = i + 1; j < shapes.length; j++) {
      const b = shapes[j];
      if ((a.group & b.mask) === 0 || (b.group & a.mask) === 0) continue;
      if (apart.has(a.bone * length + b.bone)) continue;
      if (jointsBetween(solid[a.bone], solid[b.bone], above) <= neighbours) continue;
      pairs.push(first + i, first + j);
    }
  });
  return pairs;
}

/** For each bone the first of those that move as one with it. */
function solidOf(figure: Figure): Int32Array {
  const solid = new Int32Array(figure.bones.length);
  for (const { index, parent, joint } of figure.bones) {
    solid[index] = joint.type === 'fixed' && parent >= 0 ? solid[parent] : index;
  }
  return solid;
}

/** For each solid the next on the way to the root that carries a shape, or the root's; -1 for a root. */
function carriersAbove({ parents }: Figure, shapes: readonly ReadShape[], solid: Int32Array): Int32Array {
  const carries = new Set(shapes.map(({ bone }) => solid[bone]));
  return solid.map((_, bone) => {
    let up = parents[bone];
    while (up >= 0 && parents[solid[up]] >= 0 && !carries.has(solid[up])) up = parents[solid[up]];
    return up < 0 ? -1 : solid[up];
  });
}

/** Steps from one solid to another over those that carry shapes; infinity in different trees. */
function jointsBetween(a: number, b: number, above: Int32Array): number {
  let steps = 0;
  let [i, j] = [a, b];
  while (i !== j) {
    // Parents come first: the later one cannot be above the other.
    if (i > j) i = above[i];
    else j = above[j];
    if (i < 0 || j < 0) return Number.POSITIVE_INFINITY;
    steps++;
  }
  return steps;
}
