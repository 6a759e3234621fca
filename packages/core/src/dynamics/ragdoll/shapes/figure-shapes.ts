import { FigureError } from '../../../errors.js';
import type { Triple } from '../../../figure/data/types.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { BoneShape } from '../../collide/shapes/shapes.js';
import { type Body, turnBody } from '../body/mass-properties.js';
import { lengthOf, ownersOf } from '../body/nearest-bones.js';
import { originOf, pointOf, type Rest, triple } from '../body/rest-pose.js';
import { turnBetween } from '../body/segments.js';
import { type Clouds, gather } from '../body/vertex-sets.js';
import { DENSITY, shapeOf, volumeOf } from './bone-shapes.js';
import { FEWEST_POINTS, fitRound, longestAxis } from './fit-capsule.js';

/** Shapes of a figure that is no humanoid: at most so many, of the longest bones. */
const MOST_SHAPES = 24;
/** A bone shorter than this share of the figure's size carries none. */
const SHORTEST = 0.04;
/** Radius of a bone without a mesh, over its length. */
const SLENDER = 0.15;

/** Greatest extent of a figure at rest along a world axis, its points and origins, m. */
export function sizeOf(rest: Rest, clouds: Clouds): number {
  const points = rest.figure.bones.flatMap(({ index, tip }) => [
    originOf(rest, index),
    ...(tip ? [pointOf(rest, index, tip)] : []),
    ...clouds[index].map((point) => pointOf(rest, index, point)),
  ]);
  const size = [0, 1, 2].reduce((most, k) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const point of points) {
      low = Math.min(low, point[k]);
      high = Math.max(high, point[k]);
    }
    return Math.max(most, high - low);
  }, 0);
  if (size > 0) return size;
  throw new FigureError('out-of-range', 'has bones without length.', {
    path: `figure ${rest.figure.name}`,
    remedy: 'Give a figure whose rest transforms place its bones, or `vertices`.',
  });
}

/**
 * Capsules of any figure with bones: around the mesh, points of a bone with few counted for the one that carries it; without a mesh along the
 * bones, as thick as 0.15 of their length.
 */
export function figureShapes(rest: Rest, clouds: Clouds, size: number): BoneShape[] {
  const { figure } = rest;
  const meshed = figure.bones.filter(({ index }) => clouds[index].length >= FEWEST_POINTS);
  const shapes =
    meshed.length > 0
      ? meshedShapes(
          rest,
          clouds,
          meshed.map(({ index }) => index),
          size,
        )
      : figure.bones.flatMap(({ index, name }): BoneShape[] => {
          const end = endOf(rest, index);
          const long = vec3.norm(end);
          if (long < SHORTEST * size) return [];
          return [{ bone: name, type: 'capsule', from: [0, 0, 0], to: end, radius: SLENDER * long }];
        });
  if (shapes.length > 0) return largest(shapes);
  // All bones are short beside the whole: a ball each, the furthest apart last.
  return largest(
    figure.bones.map(({ index, name }) => ({
      bone: name,
      type: 'sphere',
      radius: Math.max(lengthOf(figure, index) / 2, SHORTEST * size),
    })),
  );
}

function meshedShapes(rest: Rest, clouds: Clouds, bones: readonly number[], size: number): BoneShape[] {
  const { figure } = rest;
  const owner = ownersOf(figure, bones);
  return bones.map((bone) => {
    const members = figure.bones.filter(({ index }) => owner[index] === bone).map(({ index }) => index);
    const points = gather(rest, clouds, members, bone);
    const round = fitRound(points, [longestAxis(points)], { least: 0.005 * size, most: 0.3 * size }).shape;
    return { bone: figure.bones[bone].name, ...shapeOf(round) };
  });
}

/** Where a bone ends, in its frame: its tip, else its children's origins in the mean; of leaves its origin. */
function endOf({ figure }: Rest, bone: number): Triple {
  const { tip } = figure.bones[bone];
  if (tip) return tip;
  const children = figure.bones.filter(({ parent }) => parent === bone);
  return triple(
    [0, 1, 2].map((k) => children.reduce((sum, child) => sum + child.rest.position[k] / children.length, 0)),
  );
}

function largest(shapes: readonly BoneShape[]): BoneShape[] {
  if (shapes.length <= MOST_SHAPES) return [...shapes];
  const kept = new Set([...shapes].sort((a, b) => volumeOf(b) - volumeOf(a)).slice(0, MOST_SHAPES));
  return shapes.filter((shape) => kept.has(shape));
}

/** A shape filled with a density of 1000 kg/m^3, in the frame of its bone; a capsule as the cylinder of its volume. */
export function solidOf(shape: BoneShape): Body {
  const mass = DENSITY * volumeOf(shape);
  if (shape.type === 'sphere') {
    const i = 0.4 * mass * shape.radius ** 2;
    return { mass, center: shape.center ?? [0, 0, 0], inertia: [i, i, i, 0, 0, 0] };
  }
  if (shape.type === 'box') {
    const [x, y, z] = shape.halfSizes.map((half) => (mass * half * half) / 3);
    const turn = quat.toMatrix(shape.placement?.rotation ?? [0, 0, 0, 1]);
    const body = turnBody({ mass, center: [0, 0, 0], inertia: [y + z, x + z, x + y, 0, 0, 0] }, turn, 1);
    return { ...body, center: shape.placement?.position ?? [0, 0, 0] };
  }
  const { from, to, radius } = shape;
  const along = vec3.subtract(to, from);
  const long = vec3.norm(along) + (4 / 3) * radius;
  const across = mass * (radius ** 2 / 4 + long ** 2 / 12);
  const turn = vec3.norm(along) > 0 ? turnBetween([0, 1, 0], vec3.normalize(along)) : mat3.identity();
  const body = turnBody(
    { mass, center: [0, 0, 0], inertia: [across, (mass * radius ** 2) / 2, across, 0, 0, 0] },
    turn,
    1,
  );
  return { ...body, center: triple(vec3.lerp(from, to, 0.5)) };
}
