import type { Triple } from '../../../figure/data/types.js';
import {
  directionIn,
  originOf,
  pointIn,
  pointOf,
  type Rest,
  triple,
} from '../../../figure/kinematics/rest-pose.js';
import type { Humanoid } from '../../../humanoid/find-humanoid.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import type { BoneShape, Box, Capsule, Sphere } from '../../collide/shapes/shapes.js';
import { nearestBones } from '../body/nearest-bones.js';
import type { Segment } from '../body/segments.js';
import { gatherVertices, type VertexSets } from '../body/vertex-sets.js';
import { type CapsuleFit, fitBox, fitCapsule, longestAxis, MIN_POINTS } from './fit-capsule.js';
import { footBoxes } from './foot-boxes.js';

/** Body density, kg/m^3: with it the tabulated lengths and masses give radii within a few per cent of measured girths. */
export const DENSITY = 1000;
/** Breadth of the trunk over its depth. */
const TRUNK_ASPECT = 1.5;
/** Minimum length of a neck with a shape, in heights. */
const MIN_LENGTH = 0.01;
/** Vertices of bones that the human lacks count for the nearest segment within this distance of it, in heights. */
const MAX_DISTANCE = 0.15;
/** Bounds of the radii of fitted shapes, relative to those of an adult with the same segments. */
const MIN_RADIUS_RATIO = 0.4;
const MAX_RADIUS_RATIO = 2.5;
/** The upper bound for heads and hands, which are often drawn oversized. */
const MAX_EXTREMITY_RATIO = 4;
/** Radius that is always allowed for limbs, relative to their length: some are drawn stout. */
const MAX_RADIUS_PER_LENGTH = 0.5;
/** Trunk and head become a box where its error is below this ratio of the capsule's. */
const BOX_ERROR_RATIO = 0.85;
/** Gap between the thighs at rest, in heights. */
const THIGH_GAP = 0.004;

/** Shapes of a humanoid, in the frames of their bones. */
export function humanoidShapes(
  rest: Rest,
  humanoid: Humanoid,
  segments: readonly Segment[],
  vertexSets: VertexSets,
  height: number,
): BoneShape[] {
  const { figure } = rest;
  const shaped = segments.filter(
    ({ human, length }) => !human.endsWith('Shoulder') && (human !== 'neck' || length > MIN_LENGTH * height),
  );
  const nearest = nearestBones(
    figure,
    shaped.map(({ bone }) => bone),
  );
  const pointsOf = (segment: Segment): Triple[] => {
    const bones = figure.bones.filter(
      ({ index }) =>
        nearest[index] === segment.bone && belongsToSegment(rest, segment, vertexSets, index, height),
    );
    return gatherVertices(
      rest,
      vertexSets,
      bones.map(({ index }) => index),
      segment.bone,
    );
  };
  const shapes: BoneShape[] = [];
  const nameOf = (bone: number): string => figure.bones[bone].name;
  for (const segment of shaped) {
    const { human, bone } = segment;
    if (/Toes$/.test(human)) continue;
    const points = pointsOf(segment);
    if (/Foot$/.test(human)) {
      const toes = shaped.find((other) => other.human === human.replace('Foot', 'Toes'));
      const foot = { foot: segment, toes, footPoints: points, toePoints: toes ? pointsOf(toes) : [] };
      for (const { segment: owner, box } of footBoxes(rest, humanoid, height, foot)) {
        shapes.push({ bone: nameOf(owner.bone), ...box });
      }
      continue;
    }
    const maxRadius = /UpperLeg$/.test(human)
      ? maxThighRadius(rest, humanoid, height)
      : Number.POSITIVE_INFINITY;
    const shape =
      points.length >= MIN_POINTS
        ? fitSegment(rest, humanoid, segment, points, maxRadius)
        : toShape(tabulatedCapsule(rest, humanoid, segment, maxRadius));
    shapes.push({ bone: nameOf(bone), ...shape });
  }
  // What no segment covers: bones above the body or beside it, a tail, the mesh of a drawn head that hangs far above its bone.
  const human = new Set(Object.values(humanoid.bones));
  const uncovered = figure.bones.filter(({ index }) => {
    if (vertexSets[index].length < MIN_POINTS || human.has(index)) return false;
    const segment = shaped.find(({ bone }) => bone === nearest[index]);
    return segment === undefined || !belongsToSegment(rest, segment, vertexSets, index, height);
  });
  const unnamed = uncovered.map(
    ({ index, name }): BoneShape => ({
      bone: name,
      ...toShape(unnamedCapsule(vertexSets[index], height)),
    }),
  );
  return [...shapes, ...largestShapes(unnamed)];
}

/** Maximum number of shapes outside the segments of a humanoid. */
const MAX_SHAPES = 24;

/** The largest shapes, at most {@link MAX_SHAPES}. */
export function largestShapes(shapes: readonly BoneShape[]): BoneShape[] {
  if (shapes.length <= MAX_SHAPES) return [...shapes];
  const kept = new Set([...shapes].sort((a, b) => volumeOf(b) - volumeOf(a)).slice(0, MAX_SHAPES));
  return shapes.filter((shape) => kept.has(shape));
}

/** The capsule as a shape; a sphere where it has no length. */
export function toShape({ from, to, radius }: CapsuleFit): Capsule | Sphere {
  if (vec3.distance(from, to) > 1e-3 * radius) return { type: 'capsule', from, to, radius };
  return { type: 'sphere', center: triple(vec3.lerp(from, to, 0.5)), radius };
}

/** Whether the vertices of a bone belong to its nearest segment: fingers do, a tail does not. */
function belongsToSegment(
  rest: Rest,
  segment: Segment,
  vertexSets: VertexSets,
  bone: number,
  height: number,
): boolean {
  const vertices = vertexSets[bone];
  if (bone === segment.bone || /Hand|Foot|Toes/.test(segment.human)) return true;
  if (vertices.length === 0) return false;
  const mean = [0, 1, 2].map((k) => vertices.reduce((sum, p) => sum + p[k], 0) / vertices.length);
  const center = pointIn(rest, segment.bone, pointOf(rest, bone, mean));
  const t = Math.min(Math.max(vec3.dot(center, segment.direction), 0), segment.length);
  return vec3.norm(vec3.addScaled(center, segment.direction, -t)) < MAX_DISTANCE * height;
}

/** Radius of a cylinder with the mass and length of a segment, m. */
function cylinderRadius({ body, girthLength }: Segment): number {
  return Math.sqrt(body.mass / (DENSITY * Math.PI * girthLength));
}

function isTrunk({ human }: Segment): boolean {
  return /^(hips|spine|chest|upperChest)$/.test(human);
}

/** Largest radius of the thighs: half the distance of the hip joints minus half the gap; none where the hip joints coincide. */
function maxThighRadius(rest: Rest, { bones }: Humanoid, height: number): number {
  const [l, r] = [bones.leftUpperLeg, bones.rightUpperLeg];
  if (l === undefined || r === undefined) return Number.POSITIVE_INFINITY;
  const half = vec3.distance(originOf(rest, l), originOf(rest, r)) / 2;
  if (half < THIGH_GAP * height) return Number.POSITIVE_INFINITY;
  return Math.max(half - 0.5 * THIGH_GAP * height, 0.3 * half);
}

function fitSegment(
  rest: Rest,
  humanoid: Humanoid,
  segment: Segment,
  points: readonly Triple[],
  maxRadius: number,
): Capsule | Sphere | Box {
  const { bone, direction, human, length, girthLength } = segment;
  const isHead = human === 'head';
  const adultRadius = isHead ? sphereRadius(segment) : cylinderRadius(segment);
  const across = directionIn(rest, bone, humanoid.left);
  const trunk = isTrunk(segment);
  const axes: Vec3[] = trunk
    ? [across, direction]
    : isHead
      ? [direction, across, directionIn(rest, bone, humanoid.forward)]
      : [direction, longestAxis(points)];
  const isLimb = /Arm|Leg/.test(human);
  const stretched = isHead || human.endsWith('Hand');
  const stout = isLimb || human.endsWith('Hand') ? MAX_RADIUS_PER_LENGTH * girthLength : 0;
  const upperBound = Math.min(
    Math.max((stretched ? MAX_EXTREMITY_RATIO : MAX_RADIUS_RATIO) * adultRadius, stout),
    maxRadius,
  );
  const capsule = fitCapsule(points, axes, {
    minRadius: Math.min(MIN_RADIUS_RATIO * adultRadius, upperBound),
    maxRadius: upperBound,
    // At least from joint to joint: meshes have few vertices at joints.
    span: isLimb ? [0, length] : undefined,
  });
  if (!trunk && !isHead) return toShape(capsule.shape);
  const upright = [humanoid.left, humanoid.up, humanoid.forward].map((axis) => directionIn(rest, bone, axis));
  const box = fitBox(points, [upright[0], upright[1], upright[2]], MIN_RADIUS_RATIO * adultRadius);
  return box.error < BOX_ERROR_RATIO * capsule.error ? box.shape : toShape(capsule.shape);
}

function sphereRadius({ body }: Segment): number {
  return Math.cbrt((3 * body.mass) / (4 * Math.PI * DENSITY));
}

/** The capsule of a segment by its length and its mass in the tables. */
function tabulatedCapsule(rest: Rest, humanoid: Humanoid, segment: Segment, maxRadius: number): CapsuleFit {
  const { human, bone, direction, length, girthLength } = segment;
  const on = (t: number): Triple => triple(vec3.scale(direction, t));
  if (human === 'head') {
    const radius = sphereRadius(segment);
    const center = on(Math.max(length - radius, length / 2));
    return { from: center, to: center, radius };
  }
  const cylinder = cylinderRadius(segment);
  if (isTrunk(segment)) {
    const radius = cylinder / Math.sqrt(TRUNK_ASPECT);
    if (length <= 2.4 * radius) {
      const across = directionIn(rest, bone, humanoid.left);
      const half = radius * (TRUNK_ASPECT - 1);
      const middle = on(length / 2);
      return {
        from: triple(vec3.addScaled(middle, across, -half)),
        to: triple(vec3.addScaled(middle, across, half)),
        radius,
      };
    }
  }
  const radius = Math.min(cylinder, maxRadius, 0.4 * girthLength);
  // Beyond the joints by half the radius; a hand ends at its tip. A sphere where the joints coincide.
  const inset = isTrunk(segment) ? 0 : Math.min(radius, length) / 2;
  return { from: on(inset), to: on(length - (human.endsWith('Hand') ? radius : inset)), radius };
}

/** Capsule of the vertices of a bone that no segment covers. */
function unnamedCapsule(points: readonly Triple[], height: number): CapsuleFit {
  return fitCapsule(points, [longestAxis(points)], { minRadius: 0.005 * height, maxRadius: 0.3 * height })
    .shape;
}

/** Volume of a shape, m^3. */
export function volumeOf(shape: BoneShape): number {
  if (shape.type === 'box') return 8 * shape.halfSizes[0] * shape.halfSizes[1] * shape.halfSizes[2];
  const length = shape.type === 'capsule' ? vec3.distance(shape.from, shape.to) : 0;
  return Math.PI * shape.radius ** 2 * (length + (4 / 3) * shape.radius);
}
