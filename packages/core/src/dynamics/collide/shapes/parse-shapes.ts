import {
  type FieldsOf,
  requireFields,
  requireFinite,
  requireInRange,
  requireNotNegative,
  requireNumbers,
  requireOneOf,
  requirePositive,
  requireSize,
  requireWhole,
  shown,
} from '../../../checks.js';
import { FigureError } from '../../../errors.js';
import { normalizeRest, requireTriple } from '../../../figure/data/normalize.js';
import type { Quadruple, Triple } from '../../../figure/data/types.js';
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
  requireShapeFields(shape, path, BONE_SURFACE);
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

/**
 * Checks and packs a shape of the world.
 *
 * @param up - Up in the world, called where a shape has no direction of its own.
 * @throws FigureError with the path.
 */
export function parseWorldShape(shape: WorldShape, up: () => Triple, path: string): ParsedShape {
  requireShapeFields(shape, path, SURFACE);
  const surface = parseSurface(shape, path);
  if (shape.type === 'plane')
    return { bone: -1, kind: PLANE, local: parsePlane(shape, up, path), ...surface };
  if (shape.type === 'heightfield') {
    const field = parseHeightfield(shape, up, path);
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

const SURFACE: FieldsOf<Surface> = { friction: true, restitution: true, group: true, mask: true };
const BONE_SURFACE = { ...SURFACE, bone: true };
const SHAPE_FIELDS: Readonly<Record<string, object>> = {
  sphere: { type: true, radius: true, center: true } satisfies FieldsOf<Sphere>,
  capsule: { type: true, from: true, to: true, radius: true } satisfies FieldsOf<Capsule>,
  box: { type: true, halfSizes: true, placement: true } satisfies FieldsOf<Box>,
  plane: { type: true, normal: true, offset: true } satisfies FieldsOf<Plane>,
  heightfield: {
    type: true,
    columns: true,
    rows: true,
    spacing: true,
    heights: true,
    placement: true,
  } satisfies FieldsOf<Heightfield>,
};

function requireShapeFields(shape: unknown, path: string, surface: object): void {
  if (typeof shape !== 'object' || shape === null) {
    throw new FigureError('unsupported', `is ${shown(shape)}.`, {
      path,
      remedy: 'Give a shape with a type.',
    });
  }
  const { type } = shape as { readonly type: string };
  requireOneOf(type, Object.keys(SHAPE_FIELDS), `${path}.type`, FigureError);
  requireFields(shape, { ...SHAPE_FIELDS[type], ...surface }, path, FigureError);
}

function parseSolid(
  shape: Sphere | Capsule | Box,
  path: string,
): { readonly kind: number; readonly local: Float64Array } {
  const local = new Float64Array(SHAPE_SIZE);
  switch (shape.type) {
    case 'sphere':
      local.set(requireTriple(shape.center ?? [0, 0, 0], `${path}.center`));
      requirePositive(shape.radius, `${path}.radius`, FigureError, 'm');
      local[6] = shape.radius;
      return { kind: CAPSULE, local };
    case 'capsule': {
      const from = requireTriple(shape.from, `${path}.from`);
      const to = requireTriple(shape.to, `${path}.to`);
      for (let k = 0; k < 3; k++) {
        local[k] = (from[k] + to[k]) / 2;
        local[3 + k] = (to[k] - from[k]) / 2;
      }
      requirePositive(shape.radius, `${path}.radius`, FigureError, 'm');
      local[6] = shape.radius;
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
        requirePositive(half, `${path}.halfSizes[${k}]`, FigureError, 'm');
        local[12 + k] = half;
      });
      return { kind: BOX, local };
    }
  }
}

function parsePlacement(placement: Box['placement'], path: string): Float64Array {
  const { position, rotation } = normalizeRest(placement, path);
  return rigid.fromQuatPosition(rotation, position, new Float64Array(12));
}

function parsePlane(plane: Plane, up: () => Triple, path: string): Float64Array {
  const { offset = 0 } = plane;
  requireFinite(offset, `${path}.offset`, FigureError);
  const local = new Float64Array(SHAPE_SIZE);
  const [x, y, z] = requireTriple(plane.normal ?? up(), `${path}.normal`);
  const length = Math.hypot(x, y, z);
  if (!(length > 0)) {
    throw new FigureError('out-of-range', 'has length 0.', {
      path: `${path}.normal`,
      remedy: 'Give a direction, out of the solid.',
    });
  }
  local.set([x / length, y / length, z / length, offset]);
  return local;
}

function parseHeightfield(shape: Heightfield, up: () => Triple, path: string): HeightfieldGrid {
  const { columns, rows, spacing, placement } = shape;
  requireWhole(columns, `${path}.columns`, FigureError, 2);
  requireWhole(rows, `${path}.rows`, FigureError, 2);
  requireNumbers(shape.heights, columns * rows, `${path}.heights`, FigureError);
  const heights = Float64Array.from(shape.heights);
  const maxHeight = heights.reduce((max, height) => Math.max(max, height), Number.NEGATIVE_INFINITY);
  requireSize(spacing, 2, `${path}.spacing`, FigureError);
  requirePositive(spacing[0], `${path}.spacing[0]`, FigureError, 'm');
  requirePositive(spacing[1], `${path}.spacing[1]`, FigureError, 'm');
  const grid: HeightfieldGrid = {
    columns,
    rows,
    dx: spacing[0],
    dz: spacing[1],
    heights,
    maxHeight,
    convexFeatures: new Uint8Array(columns * rows),
    worldFromHeightfield: parsePlacement(
      { ...placement, rotation: placement?.rotation ?? rotationFromY(up()) },
      `${path}.placement`,
    ),
  };
  markConvexFeatures(grid);
  return grid;
}

/** The least rotation from +Y to a unit vector, a quaternion. */
function rotationFromY([x, y, z]: Triple): Quadruple {
  if (y === -1) return [1, 0, 0, 0];
  const w = Math.sqrt((1 + y) / 2);
  return [z / (2 * w), 0, -x / (2 * w), w];
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
  const { friction = DEFAULT_FRICTION, restitution = 0, group = 1, mask = -1 } = surface;
  requireNotNegative(friction, `${path}.friction`, FigureError);
  requireInRange(restitution, 0, 1, `${path}.restitution`, FigureError);
  return {
    friction,
    restitution,
    group: requireBits(group, `${path}.group`),
    mask: requireBits(mask, `${path}.mask`),
  };
}

/** 32 bits, as a signed or an unsigned whole number. */
function requireBits(bits: number, path: string): number {
  requireWhole(bits, path, FigureError, -(2 ** 31), 2 ** 32 - 1);
  return bits | 0;
}
