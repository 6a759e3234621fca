import { FigureError } from '../../../errors.js';
import { originOf, pointOf, type Rest, triple } from '../../../figure/kinematics/rest-pose.js';
import type { Bone, Figure } from '../../../figure/model/figure.js';
import { findRootJoints } from '../../../figure/model/floating-base.js';
import { rotationBetween } from '../../../humanoid/anatomy/segment-axes.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { BoneShape } from '../../collide/shapes/shapes.js';
import { type Body, rotateBody } from '../body/mass-properties.js';
import { boneEnds, boneLengths, nearestBones } from '../body/nearest-bones.js';
import { gatherVertices, type VertexSets } from '../body/vertex-sets.js';
import { DENSITY, largestShapes, toShape, volumeOf } from './bone-shapes.js';
import { fitCapsule, longestAxis, MIN_POINTS } from './fit-capsule.js';

/** Minimum length of a bone with a shape, relative to the extent of the figure. */
const MIN_LENGTH = 0.04;
/** Radius of a bone without a mesh, over its length. */
const RADIUS_PER_LENGTH = 0.15;

/** Largest extent of a figure at rest along a world axis, over vertices, origins and tips, m. */
export function extentOf(rest: Rest, vertexSets: VertexSets): number {
  const points = rest.figure.bones.flatMap(({ index, tip }) => [
    originOf(rest, index),
    ...(tip ? [pointOf(rest, index, tip)] : []),
    ...vertexSets[index].map((point) => pointOf(rest, index, point)),
  ]);
  const size = [0, 1, 2].reduce((max, k) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const point of points) {
      low = Math.min(low, point[k]);
      high = Math.max(high, point[k]);
    }
    return Math.max(max, high - low);
  }, 0);
  if (size > 0) return size;
  throw new FigureError('out-of-range', 'has bones without length.', {
    path: `figure ${rest.figure.name}`,
    remedy: 'Give a figure whose rest transforms have positions, or `vertices`.',
  });
}

/**
 * Capsules of a general figure, fitted to the mesh: vertices of a bone that has few count for its nearest ancestor with a shape. Without a mesh they lie
 * along the bones, with a radius of 0.15 of their length. Where no bone that moves would have a shape, the figure's whole mesh counts for its
 * root joints; where it has none, each bone that moves gets a sphere.
 */
export function figureShapes(rest: Rest, vertexSets: VertexSets, size: number): BoneShape[] {
  const { figure } = rest;
  const moving = movingBones(figure);
  const isEnough = (shapes: readonly BoneShape[]): boolean =>
    shapes.some(({ bone }) => moving.length === 0 || moving.some(({ name }) => name === bone));
  const meshed = figure.bones.filter(({ index }) => vertexSets[index].length >= MIN_POINTS);
  const roots = findRootJoints(figure).map((index) => figure.bones[index]);
  for (const shapes of [
    fitShapes(rest, vertexSets, meshed, size),
    fitShapes(rest, vertexSets, roots, size),
    capsulesAlong(rest, size),
  ]) {
    if (isEnough(shapes)) return largestShapes(shapes);
  }
  const lengths = boneLengths(figure);
  return largestShapes(
    (moving.length > 0 ? moving : figure.bones).map(({ index, name }) => ({
      bone: name,
      type: 'sphere',
      radius: Math.max(lengths[index] / 2, MIN_LENGTH * size),
    })),
  );
}

/** Bones that a joint moves, of their own or above them. */
function movingBones({ bones, parents }: Figure): readonly Bone[] {
  const moves: boolean[] = [];
  for (const { index, joint } of bones)
    moves.push(joint.type !== 'fixed' || (moves[parents[index]] ?? false));
  return bones.filter(({ index }) => moves[index]);
}

/** Capsules along bones that have a length. */
function capsulesAlong(rest: Rest, size: number): BoneShape[] {
  const ends = boneEnds(rest.figure);
  return rest.figure.bones.flatMap(({ index, name }): BoneShape[] => {
    const end = triple(ends.subarray(3 * index, 3 * index + 3));
    const length = vec3.norm(end);
    if (length < MIN_LENGTH * size) return [];
    return [{ bone: name, type: 'capsule', from: [0, 0, 0], to: end, radius: RADIUS_PER_LENGTH * length }];
  });
}

/** A capsule for the vertices of each of the bones and their descendants up to the next of them; none where they are few. */
function fitShapes(rest: Rest, vertexSets: VertexSets, bones: readonly Bone[], size: number): BoneShape[] {
  const { figure } = rest;
  const nearest = nearestBones(
    figure,
    bones.map(({ index }) => index),
  );
  const members: number[][] = figure.bones.map(() => []);
  nearest.forEach((bone, index) => {
    if (bone >= 0) members[bone].push(index);
  });
  return bones.flatMap(({ index: bone, name }): BoneShape[] => {
    const points = gatherVertices(rest, vertexSets, members[bone], bone);
    if (points.length < MIN_POINTS) return [];
    const capsule = fitCapsule(points, [longestAxis(points)], {
      minRadius: 0.005 * size,
      maxRadius: 0.3 * size,
    }).shape;
    return [{ bone: name, ...toShape(capsule) }];
  });
}

/** Mass properties of a shape of 1000 kg/m^3, in the frame of its bone; a capsule is taken as the cylinder of its volume. */
export function uniformBody(shape: BoneShape): Body {
  const mass = DENSITY * volumeOf(shape);
  if (shape.type === 'sphere') {
    const i = 0.4 * mass * shape.radius ** 2;
    return { mass, center: shape.center ?? [0, 0, 0], inertia: [i, i, i, 0, 0, 0] };
  }
  if (shape.type === 'box') {
    const [x, y, z] = shape.halfSizes.map((half) => (mass * half * half) / 3);
    const rotation = quat.toMatrix(shape.placement?.rotation ?? [0, 0, 0, 1]);
    const body = rotateBody(
      { mass, center: [0, 0, 0], inertia: [y + z, x + z, x + y, 0, 0, 0] },
      rotation,
      1,
    );
    return { ...body, center: shape.placement?.position ?? [0, 0, 0] };
  }
  const { from, to, radius } = shape;
  const axis = vec3.subtract(to, from);
  const length = vec3.norm(axis) + (4 / 3) * radius;
  const transverse = mass * (radius ** 2 / 4 + length ** 2 / 12);
  const rotation = vec3.norm(axis) > 0 ? rotationBetween([0, 1, 0], vec3.normalize(axis)) : mat3.identity();
  const body = rotateBody(
    { mass, center: [0, 0, 0], inertia: [transverse, (mass * radius ** 2) / 2, transverse, 0, 0, 0] },
    rotation,
    1,
  );
  return { ...body, center: triple(vec3.lerp(from, to, 0.5)) };
}
