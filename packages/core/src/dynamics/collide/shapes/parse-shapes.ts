import { shown } from '../../../checks.js';
import { FigureError } from '../../../errors.js';
import { normalizeRest, requireTriple } from '../../../figure/data/normalize.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import * as rigid from '../../../math/geometry/rigid-transform.js';
import { type HeightfieldGrid, markConvexFeatures } from '../heightfield/heightfield.js';
import type { BoneShape, Box, Capsule, Heightfield, Plane, Sphere, Surface, WorldShape } from './shapes.js';
import { BOX, CAPSULE, HEIGHTFIELD, PLANE, SHAPE_SIZE } from './world-shapes.js';

const DEFAULT_FRICTION = 0.8;

/** A shape as packed numbers, in the frame of its bone, or the world. */
export interface ParsedShape {
  readonly kind: number;
  /** Index of the bone; -1 for the world. */
  readonly bone: number;
  readonly local: Float64Array;
  readonly heightfield?: HeightfieldGrid;
  readonly friction: number;
  readonly restitution: number;
  readonly group: number;
  readonly mask: number;
}

/** Checks and packs a shape of a bone. @throws FigureError with the path, for an unknown bone or an invalid shape. */
export function parseBoneShape(figure: Figure, shape: BoneShape, path: string): ParsedShape {
  requireObject(shape, path);
  const bone = boneIndex(figure, shape.bone, `${path}.bone`);
  const type: unknown = shape.type;
  if (type === 'plane' || type === 'heightfield') {
    throw new FigureError('unsupported', `is ${shown(type)}.`, {
      path: `${path}.type`,
      remedy: 'Bones take spheres, capsules and boxes; planes and heightfields belong to the world.',
    });
  }
  return { bone, ...parseSolid(shape, path), ...parseSurface(shape, path) };
}

/** Checks and packs a shape of the world. @throws FigureError with the path. */
export function parseWorldShape(shape: WorldShape, path: string): ParsedShape {
  requireObject(shape, path);
  const surface = parseSurface(shape, path);
  if (shape.type === 'plane') return { bone: -1, kind: PLANE, local: parsePlane(shape, path), ...surface };
  if (shape.type === 'heightfield') {
    const field = parseHeightfield(shape, path);
    return {
      bone: -1,
      kind: HEIGHTFIELD,
      local: new Float64Array(SHAPE_SIZE),
      heightfield: field,
      ...surface,
    };
  }
  return { bone: -1, ...parseSolid(shape, path), ...surface };
}

function requireObject(shape: unknown, path: string): void {
  if (typeof shape === 'object' && shape !== null) return;
  throw new FigureError('unsupported', `is ${shown(shape)}.`, { path, remedy: 'Give a shape with a type.' });
}

function parseSolid(
  shape: Sphere | Capsule | Box,
  path: string,
): { readonly kind: number; readonly local: Float64Array } {
  const local = new Float64Array(SHAPE_SIZE);
  switch (shape.type) {
    case 'sphere':
      local.set(requireTriple(shape.center ?? [0, 0, 0], `${path}.center`));
      local[6] = requirePositive(shape.radius, `${path}.radius`);
      return { kind: CAPSULE, local };
    case 'capsule': {
      const from = requireTriple(shape.from, `${path}.from`);
      const to = requireTriple(shape.to, `${path}.to`);
      for (let k = 0; k < 3; k++) {
        local[k] = (from[k] + to[k]) / 2;
        local[3 + k] = (to[k] - from[k]) / 2;
      }
      local[6] = requirePositive(shape.radius, `${path}.radius`);
      local[7] = Math.hypot(local[3], local[4], local[5]);
      // An axis whose square underflows counts as zero: a sphere.
      if (local[7] < 1e-12 * local[6]) local.fill(0, 3, 6).fill(0, 7, 8);
      return { kind: CAPSULE, local };
    }
    case 'box': {
      const placement = parsePlacement(shape.placement, `${path}.placement`);
      local.set(placement.subarray(9, 12));
      local.set(placement.subarray(0, 9), 3);
      const halves = requireTriple(shape.halfSizes, `${path}.halfSizes`);
      halves.forEach((half, k) => {
        local[12 + k] = requirePositive(half, `${path}.halfSizes[${k}]`);
      });
      return { kind: BOX, local };
    }
    default:
      throw new FigureError('unsupported', `is ${shown((shape as { type: unknown }).type)}.`, {
        path: `${path}.type`,
        remedy: "Use 'sphere', 'capsule' or 'box'; for the world also 'plane' or 'heightfield'.",
      });
  }
}

function parsePlacement(placement: Box['placement'], path: string): Float64Array {
  const { position, rotation } = normalizeRest(placement, path);
  return rigid.fromQuatPosition(rotation, position, new Float64Array(12));
}

function parsePlane(plane: Plane, path: string): Float64Array {
  const local = new Float64Array(SHAPE_SIZE);
  const [x, y, z] = requireTriple(plane.normal ?? [0, 1, 0], `${path}.normal`);
  const length = Math.hypot(x, y, z);
  if (!(length > 0)) {
    throw new FigureError('out-of-range', 'has length 0.', {
      path: `${path}.normal`,
      remedy: 'Give a direction, out of the solid.',
    });
  }
  local.set([x / length, y / length, z / length, requireFiniteNumber(plane.offset ?? 0, `${path}.offset`)]);
  return local;
}

function parseHeightfield(shape: Heightfield, path: string): HeightfieldGrid {
  const columns = requireCount(shape.columns, `${path}.columns`);
  const rows = requireCount(shape.rows, `${path}.rows`);
  const given: unknown = shape.heights?.length;
  if (given !== columns * rows) {
    const what =
      given === undefined
        ? `is ${shown(shape.heights)}`
        : `has ${shown(given)} numbers where ${columns * rows} belong`;
    throw new FigureError('wrong-size', `${what}.`, {
      path: `${path}.heights`,
      remedy: `Give ${columns} x ${rows} heights, row by row.`,
    });
  }
  const heights = Float64Array.from(shape.heights);
  let maxHeight = Number.NEGATIVE_INFINITY;
  heights.forEach((height, k) => {
    maxHeight = Math.max(maxHeight, requireFiniteNumber(height, `${path}.heights[${k}]`));
  });
  const spacing: readonly number[] | undefined = shape.spacing;
  if (spacing?.length !== 2) {
    throw new FigureError('wrong-size', `is ${shown(spacing)}.`, {
      path: `${path}.spacing`,
      remedy: 'Give [dx, dz].',
    });
  }
  const grid: HeightfieldGrid = {
    columns,
    rows,
    dx: requirePositive(spacing[0], `${path}.spacing[0]`),
    dz: requirePositive(spacing[1], `${path}.spacing[1]`),
    heights,
    maxHeight,
    convexFeatures: new Uint8Array(columns * rows),
    worldFromHeightfield: parsePlacement(shape.placement, `${path}.placement`),
  };
  markConvexFeatures(grid);
  return grid;
}

function requireCount(count: number, path: string): number {
  if (Number.isInteger(count) && count >= 2) return count;
  throw new FigureError('out-of-range', `is ${shown(count)}.`, {
    path,
    remedy: 'A heightfield has at least 2 vertices in each direction.',
  });
}

function parseSurface(
  surface: Surface,
  path: string,
): {
  readonly friction: number;
  readonly restitution: number;
  readonly group: number;
  readonly mask: number;
} {
  const friction = requireFiniteNumber(surface.friction ?? DEFAULT_FRICTION, `${path}.friction`);
  if (friction < 0) {
    throw new FigureError('out-of-range', `is ${friction}.`, {
      path: `${path}.friction`,
      remedy: 'Give a coefficient of zero or more.',
    });
  }
  const restitution = requireFiniteNumber(surface.restitution ?? 0, `${path}.restitution`);
  if (restitution < 0 || restitution > 1) {
    throw new FigureError('out-of-range', `is ${restitution}.`, {
      path: `${path}.restitution`,
      remedy: 'Give a coefficient from 0 to 1.',
    });
  }
  return {
    friction,
    restitution,
    group: requireBits(surface.group ?? 1, `${path}.group`),
    mask: requireBits(surface.mask ?? -1, `${path}.mask`),
  };
}

/** 32 bits, as a signed or an unsigned whole number. */
function requireBits(bits: number, path: string): number {
  if (Number.isInteger(bits) && bits >= -(2 ** 31) && bits < 2 ** 32) return bits | 0;
  throw new FigureError('out-of-range', `is ${shown(bits)}.`, {
    path,
    remedy: 'Give a whole number of 32 bits, one for each group.',
  });
}

function requirePositive(value: number, path: string): number {
  if (requireFiniteNumber(value, path) > 0) return value;
  throw new FigureError('out-of-range', `is ${value}.`, { path, remedy: 'Give a positive length, m.' });
}

function requireFiniteNumber(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new FigureError('not-finite', `is ${shown(value)}.`, { path, remedy: 'Give a finite number.' });
}
