import { type FieldsOf, requireFields, requireNotNegative } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { commonUp } from '../../figure/up.js';
import { FEATURES_PER_VERTEX, type HeightfieldGrid } from './heightfield/heightfield.js';
import { SHAPE_FEATURES } from './heightfield/heightfield-point.js';
import { createManifold, type Manifold } from './manifold/manifold.js';
import { type ParsedShape, parseBoneShape, parseWorldShape } from './shapes/parse-shapes.js';
import type { BoneShape, WorldShape } from './shapes/shapes.js';
import { BOX, HEIGHTFIELD, PLANE, SHAPE_SIZE, writeShapeBounds } from './shapes/world-shapes.js';

/** A figure and the shapes of its bones. */
export interface Actor {
  readonly figure: Figure;
  readonly shapes: readonly BoneShape[];
  /** Pairs of its bones that do not collide, besides those of {@link ColliderOptions}. */
  readonly exclude?: readonly (readonly [string | number, string | number])[];
}

export interface ColliderOptions {
  /**
   * Bones of one figure do not collide if at most this many joints apart; with 0 only bones joined rigidly do not. Fixed joints and bones
   * without shapes do not count. Default 1: neighbours.
   */
  readonly neighbours?: number;
  /** Further pairs of bones of one figure that do not collide, such as both thighs. */
  readonly exclude?: readonly (readonly [string | number, string | number])[];
}

const OPTIONS: FieldsOf<ColliderOptions> = { neighbours: true, exclude: true };

/**
 * The shapes of figures and of their world as numbers, with scratch. A body is a bone of a figure: body `bodyStart[f] + b` is bone b of
 * figure f. Shapes [shapeStart[f], shapeStart[f + 1]) belong to figure f, in the order given; the shapes of the world follow.
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
   * One for each figure, writable: 1 for a figure that does not move. Its contacts with itself, the world and other such figures are not
   * searched.
   */
  readonly asleep: Uint8Array;
  /** Type of each shape; see `world-shapes.ts`. */
  readonly kind: Uint8Array;
  /** Shapes in the frames of their bones, {@link SHAPE_SIZE} numbers each. */
  readonly localShapes: Float64Array;
  /** Shapes in world axes, as of the last `updateWorldShapes`. */
  readonly worldShapes: Float64Array;
  /** Axis-aligned bounds of each shape, min and max x, y, z: 6 numbers. */
  readonly bounds: Float64Array;
  /** Likewise of each figure. */
  readonly figureBounds: Float64Array;
  /** Speculative margin of each shape of a bone, m: against the world, other figures, the own figure; and the largest of each figure. */
  readonly worldMargin: Float64Array;
  readonly figurePairMargin: Float64Array;
  readonly selfMargin: Float64Array;
  readonly figureMargin: Float64Array;
  readonly friction: Float64Array;
  readonly restitution: Float64Array;
  readonly group: Int32Array;
  readonly mask: Int32Array;
  /** Smallest half extent of each shape, m. */
  readonly minHalfSize: Float64Array;
  /** Heightfields, by shape index minus that of the first shape of the world. */
  readonly heightfields: readonly (HeightfieldGrid | undefined)[];
  /** Pairs of shapes of one figure that may collide, two indices each, and the offset of each figure's first index. */
  readonly selfPairs: Int32Array;
  readonly selfPairStart: Int32Array;
  /** Number of feature ids of a pair of shapes. */
  readonly featuresPerPair: number;
  readonly manifold: Manifold;
  /** Shapes of the world near the current figure. */
  readonly nearbyWorldShapes: Int32Array;
  readonly sweep: Sweep;
}

/** State of sweep and prune over the figures, kept from call to call. */
export interface Sweep {
  axis: number;
  readonly order: Int32Array;
  /** Overlapping pairs of figures, f * count + g with f < g; grows as needed. */
  pairs: Float64Array;
  count: number;
}

/**
 * Creates a collider for one figure and its world. Copies its arguments.
 *
 * @throws FigureError `unknown-name` for an unknown bone, with the nearest name; `out-of-range`, `not-finite`, `wrong-size`, `not-unit`,
 * `unsupported` for an invalid shape, with its path (`shapes[3].radius`).
 */
export function createCollider(
  figure: Figure,
  shapes: readonly BoneShape[],
  world: readonly WorldShape[] = [],
  options: ColliderOptions = {},
): Collider {
  return buildCollider([{ figure, shapes }], [''], world, options, 'options', () => figure.up);
}

/**
 * Creates a collider for several figures in one world, which also collide with each other. The same figure may occur more than once.
 *
 * @param optionsPath - Where the options stand in the caller's input, for errors.
 * @param up - Up in the world, called where a shape of the world has no direction. Default: that of the figures, which must agree.
 * @throws FigureError as {@link createCollider}; paths begin with `actors[1].`.
 */
export function createSharedCollider(
  actors: readonly Actor[],
  world: readonly WorldShape[] = [],
  options: ColliderOptions = {},
  optionsPath: string = 'options',
  up: () => Triple = () =>
    commonUp(
      actors.map(({ figure }) => figure),
      (f) => `actors[${f}].figure`,
    ),
): Collider {
  return buildCollider(
    actors,
    actors.map((_, f) => `actors[${f}].`),
    world,
    options,
    optionsPath,
    up,
  );
}

function buildCollider(
  actors: readonly Actor[],
  paths: readonly string[],
  world: readonly WorldShape[],
  options: ColliderOptions,
  optionsPath: string,
  up: () => Triple,
): Collider {
  requireFields(options, OPTIONS, optionsPath, FigureError);
  const neighbours = options.neighbours ?? 1;
  requireNotNegative(neighbours, `${optionsPath}.neighbours`, FigureError, undefined, true);
  const boneShapes = actors.map(({ figure, shapes }, f) =>
    Array.from(shapes, (shape, k) => parseBoneShape(figure, shape, `${paths[f]}shapes[${k}]`)),
  );
  const staticShapes = Array.from(world, (shape, k) => parseWorldShape(shape, up, `world[${k}]`));
  const all = [...boneShapes.flat(), ...staticShapes];
  const figures = actors.map(({ figure }) => figure);
  const bodyStart = offsetsOf(figures.map(({ bones }) => bones.length));
  const shapeStart = offsetsOf(boneShapes.map((shapes) => shapes.length));
  const pairs = actors.map(({ figure, exclude = [] }, f) => {
    const excluded = new Set<number>();
    addExcludedPairs(figure, options.exclude ?? [], `${optionsPath}.exclude`, excluded);
    addExcludedPairs(figure, exclude, `${paths[f]}exclude`, excluded);
    return findSelfPairs(figure, boneShapes[f], shapeStart[f], neighbours, excluded);
  });
  const fields = staticShapes.map(({ heightfield }) => heightfield);
  const features = fields.reduce(
    (max, field) =>
      field === undefined
        ? max
        : Math.max(max, SHAPE_FEATURES * FEATURES_PER_VERTEX * field.columns * field.rows),
    SHAPE_FEATURES,
  );
  if (all.length ** 2 * features > Number.MAX_SAFE_INTEGER) {
    throw new FigureError(
      'out-of-range',
      `would have ${all.length} shapes and heightfields of ${features} features.`,
      {
        path: 'world',
        remedy: 'Use fewer shapes or a coarser heightfield: contact ids have 53 bits.',
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
      ...boneShapes.flatMap((shapes, f) => shapes.map(({ bone }) => bodyStart[f] + bone)),
      ...staticShapes.map(() => -1),
    ]),
    asleep: new Uint8Array(figures.length),
    kind: Uint8Array.from(all, ({ kind }) => kind),
    localShapes: new Float64Array(SHAPE_SIZE * count),
    worldShapes: new Float64Array(SHAPE_SIZE * count),
    bounds: new Float64Array(6 * count),
    figureBounds: new Float64Array(6 * figures.length),
    worldMargin: new Float64Array(count),
    figurePairMargin: new Float64Array(count),
    selfMargin: new Float64Array(count),
    figureMargin: new Float64Array(figures.length),
    friction: Float64Array.from(all, ({ friction }) => friction),
    restitution: Float64Array.from(all, ({ restitution }) => restitution),
    group: Int32Array.from(all, ({ group }) => group),
    mask: Int32Array.from(all, ({ mask }) => mask),
    minHalfSize: Float64Array.from(all, minHalfSizeOf),
    heightfields: fields,
    selfPairs: Int32Array.from(pairs.flat()),
    selfPairStart: offsetsOf(pairs.map((list) => list.length)),
    featuresPerPair: features,
    manifold: createManifold(),
    nearbyWorldShapes: new Int32Array(staticShapes.length),
    sweep: {
      axis: 0,
      order: Int32Array.from(figures, (_, f) => f),
      pairs: new Float64Array(4 * figures.length),
      count: 0,
    },
  };
  all.forEach(({ local }, s) => {
    collider.localShapes.set(local, SHAPE_SIZE * s);
    // Shapes of the world are static; those of bones are updated at each call.
    collider.worldShapes.set(local, SHAPE_SIZE * s);
    writeShapeBounds(collider.kind[s], collider.worldShapes, s, collider.bounds);
  });
  return collider;
}

function offsetsOf(counts: readonly number[]): Int32Array {
  const start = new Int32Array(counts.length + 1);
  counts.forEach((count, k) => {
    start[k + 1] = start[k] + count;
  });
  return start;
}

function minHalfSizeOf({ kind, local }: ParsedShape): number {
  if (kind === PLANE || kind === HEIGHTFIELD) return Number.POSITIVE_INFINITY;
  return kind === BOX ? Math.min(local[12], local[13], local[14]) : local[6];
}

/** Adds excluded pairs of bones, i * bones + j in both orders. @throws FigureError `unknown-name`. */
function addExcludedPairs(
  figure: Figure,
  exclude: readonly (readonly [string | number, string | number])[],
  path: string,
  excluded: Set<number>,
): void {
  const { length } = figure.bones;
  exclude.forEach(([a, b], k) => {
    const i = boneIndex(figure, a, `${path}[${k}][0]`);
    const j = boneIndex(figure, b, `${path}[${k}][1]`);
    excluded.add(i * length + j).add(j * length + i);
  });
}

/** Pairs of shapes of one figure that may collide, two shape indices each, in order. */
function findSelfPairs(
  figure: Figure,
  shapes: readonly ParsedShape[],
  first: number,
  neighbours: number,
  excluded: ReadonlySet<number>,
): number[] {
  const rigidRoot = rigidRoots(figure);
  const parentGroup = parentGroups(figure, shapes, rigidRoot);
  const { length } = figure.bones;
  const pairs: number[] = [];
  shapes.forEach((a, i) => {
    for (let j = i + 1; j < shapes.length; j++) {
      const b = shapes[j];
      if ((a.group & b.mask) === 0 || (b.group & a.mask) === 0) continue;
      if (excluded.has(a.bone * length + b.bone)) continue;
      if (jointsBetween(rigidRoot[a.bone], rigidRoot[b.bone], parentGroup) <= neighbours) continue;
      pairs.push(first + i, first + j);
    }
  });
  return pairs;
}

/** For each bone the root of its rigid group: bones joined by fixed joints. */
function rigidRoots(figure: Figure): Int32Array {
  const rigidRoot = new Int32Array(figure.bones.length);
  for (const { index, parent, joint } of figure.bones) {
    rigidRoot[index] = joint.type === 'fixed' && parent >= 0 ? rigidRoot[parent] : index;
  }
  return rigidRoot;
}

/** For each rigid group the next one towards the root that has a shape, or the root's; -1 for a root. */
function parentGroups(
  { parents }: Figure,
  shapes: readonly ParsedShape[],
  rigidRoot: Int32Array,
): Int32Array {
  const withShapes = new Set(shapes.map(({ bone }) => rigidRoot[bone]));
  const groups = new Int32Array(parents.length);
  // Parents come first.
  for (let b = 0; b < parents.length; b++) {
    const above = parents[b] < 0 ? -1 : rigidRoot[parents[b]];
    const ends = above < 0 || parents[above] < 0 || withShapes.has(above);
    groups[b] = ends ? above : groups[above];
  }
  return groups;
}

/** Number of joints between two rigid groups, counting groups with shapes; infinity in different trees. */
function jointsBetween(a: number, b: number, parentGroup: Int32Array): number {
  let steps = 0;
  let [i, j] = [a, b];
  while (i !== j) {
    // Parents come first: the one with the higher index is not an ancestor of the other.
    if (i > j) i = parentGroup[i];
    else j = parentGroup[j];
    if (i < 0 || j < 0) return Number.POSITIVE_INFINITY;
    steps++;
  }
  return steps;
}
