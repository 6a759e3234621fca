import type { Triple } from '../../../figure/data/types.js';
import type { Humanoid } from '../../../humanoid/find-humanoid.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import type { BoneShape, Box, Capsule, Sphere } from '../../collide/shapes/shapes.js';
import { ownersOf } from '../body/nearest-bones.js';
import { directionIn, originOf, pointIn, pointOf, type Rest, triple } from '../body/rest-pose.js';
import type { Segment } from '../body/segments.js';
import { type Clouds, gather } from '../body/vertex-sets.js';
import { FEWEST_POINTS, fitBox, fitRound, longestAxis, type Round } from './fit-capsule.js';
import { footBoxes } from './foot-boxes.js';

/** Density of a body, kg/m^3: lengths and masses of the tables with it give radii within a few per cent of measured girths. */
export const DENSITY = 1000;
/** Breadth of a trunk over its depth. */
const FLATNESS = 1.5;
/** A neck or shoulder shorter than this, in heights, carries no shape. */
const SHORTEST = 0.01;
/** Points of bones that no table names count for the bone that carries them where they lie so near to it, in heights. */
const NEAR = 0.15;
/** Radii of fitted shapes over those of an adult with the same segments. */
const NARROWEST = 0.4;
const WIDEST = 2.5;
/** Heads and hands are drawn larger than life more often. */
const WIDEST_DRAWN = 4;
/** Limbs may always be as wide as this share of their length: some are drawn stout. */
const STOUTEST = 0.5;
/** A trunk or head is a box where its mesh is so much nearer to one. */
const BOXY = 0.85;
/** Thighs stay so far apart at rest, in heights. */
const APART = 0.004;

/** Shapes of a humanoid, in the frames of their bones. */
export function humanoidShapes(
  rest: Rest,
  humanoid: Humanoid,
  segments: readonly Segment[],
  clouds: Clouds,
  height: number,
): BoneShape[] {
  const { figure } = rest;
  const shaped = segments.filter(
    ({ human, length }) => !human.endsWith('Shoulder') && (human !== 'neck' || length > SHORTEST * height),
  );
  const owner = ownersOf(
    figure,
    shaped.map(({ bone }) => bone),
  );
  const pointsOf = (segment: Segment): Triple[] => {
    const bones = figure.bones.filter(
      ({ index }) => owner[index] === segment.bone && belongs(rest, segment, clouds, index, height),
    );
    return gather(
      rest,
      clouds,
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
      for (const part of footBoxes(rest, humanoid, height, foot)) {
        shapes.push({ bone: nameOf(part.segment.bone), ...part.box });
      }
      continue;
    }
    const widest = /UpperLeg$/.test(human)
      ? besideEachOther(rest, humanoid, height)
      : Number.POSITIVE_INFINITY;
    const shape =
      points.length >= FEWEST_POINTS
        ? fittedShape(rest, humanoid, segment, points, widest)
        : shapeOf(tableRound(rest, humanoid, segment, widest));
    shapes.push({ bone: nameOf(bone), ...shape });
  }
  for (const { index } of figure.bones) {
    if (owner[index] >= 0 || clouds[index].length < FEWEST_POINTS) continue;
    shapes.push({ bone: nameOf(index), ...shapeOf(looseRound(clouds[index], height)) });
  }
  return shapes;
}

/** A capsule, or a sphere where it has no length. */
export function shapeOf({ from, to, radius }: Round): Capsule | Sphere {
  if (vec3.distance(from, to) > 1e-3 * radius) return { type: 'capsule', from, to, radius };
  return { type: 'sphere', center: triple(vec3.lerp(from, to, 0.5)), radius };
}

/** Whether the points of a bone belong to the segment that carries it: its own and fingers do, a tail does not. */
function belongs(rest: Rest, segment: Segment, clouds: Clouds, bone: number, height: number): boolean {
  const cloud = clouds[bone];
  if (bone === segment.bone || /Hand|Foot|Toes/.test(segment.human)) return true;
  if (cloud.length === 0) return false;
  const mean = [0, 1, 2].map((k) => cloud.reduce((sum, p) => sum + p[k], 0) / cloud.length);
  const place = pointIn(rest, segment.bone, pointOf(rest, bone, mean));
  const t = Math.min(Math.max(vec3.dot(place, segment.direction), 0), segment.length);
  return vec3.norm(vec3.addScaled(place, segment.direction, -t)) < NEAR * height;
}

/** Radius of a cylinder with the mass and length of a segment, m. */
function cylinderRadius({ body, length }: Segment): number {
  return Math.sqrt(body.mass / (DENSITY * Math.PI * length));
}

function isTrunk({ human }: Segment): boolean {
  return /^(hips|spine|chest|upperChest)$/.test(human);
}

/** Half the distance of the hips, less a little: thighs of this radius do not rub each other. */
function besideEachOther(rest: Rest, { bones }: Humanoid, height: number): number {
  const [l, r] = [bones.leftUpperLeg, bones.rightUpperLeg];
  if (l === undefined || r === undefined) return Number.POSITIVE_INFINITY;
  const half = vec3.distance(originOf(rest, l), originOf(rest, r)) / 2;
  return Math.max(half - 0.5 * APART * height, 0.3 * half);
}

function fittedShape(
  rest: Rest,
  humanoid: Humanoid,
  segment: Segment,
  points: readonly Triple[],
  widest: number,
): Capsule | Sphere | Box {
  const { bone, direction, human, length } = segment;
  const isHead = human === 'head';
  const usual = isHead ? ballRadius(segment) : cylinderRadius(segment);
  const across = directionIn(rest, bone, humanoid.left);
  const trunk = isTrunk(segment);
  const axes: Vec3[] = trunk
    ? [across, direction]
    : isHead
      ? [direction, across, directionIn(rest, bone, humanoid.forward)]
      : [direction, longestAxis(points)];
  const isLimb = /Arm|Leg/.test(human);
  const stretched = isHead || human.endsWith('Hand');
  const stout = isLimb || human.endsWith('Hand') ? STOUTEST * length : 0;
  const most = Math.min(Math.max((stretched ? WIDEST_DRAWN : WIDEST) * usual, stout), widest);
  const round = fitRound(points, axes, {
    least: Math.min(NARROWEST * usual, most),
    most,
    // From joint to joint, or a gap would be left where a mesh has few vertices.
    span: isLimb ? [0, length] : undefined,
  });
  if (!trunk && !isHead) return shapeOf(round.shape);
  const upright = [humanoid.left, humanoid.up, humanoid.forward].map((axis) => directionIn(rest, bone, axis));
  const box = fitBox(points, [upright[0], upright[1], upright[2]], NARROWEST * usual);
  return box.error < BOXY * round.error ? box.shape : shapeOf(round.shape);
}

function ballRadius({ body }: Segment): number {
  return Math.cbrt((3 * body.mass) / (4 * Math.PI * DENSITY));
}

/** The shape of a segment by its length and its mass in the tables. */
function tableRound(rest: Rest, humanoid: Humanoid, segment: Segment, widest: number): Round {
  const { human, bone, direction, length } = segment;
  const on = (t: number): Triple => triple(vec3.scale(direction, t));
  if (human === 'head') {
    const radius = ballRadius(segment);
    const center = on(Math.max(length - radius, length / 2));
    return { from: center, to: center, radius };
  }
  const round = cylinderRadius(segment);
  if (isTrunk(segment)) {
    const radius = round / Math.sqrt(FLATNESS);
    if (length <= 2.4 * radius) {
      const across = directionIn(rest, bone, humanoid.left);
      const half = radius * (FLATNESS - 1);
      const middle = on(length / 2);
      return {
        from: triple(vec3.addScaled(middle, across, -half)),
        to: triple(vec3.addScaled(middle, across, half)),
        radius,
      };
    }
  }
  const radius = Math.min(round, widest, 0.4 * length);
  // Rounded on from its joints by half its radius; the hand ends where it ends.
  const inset = isTrunk(segment) ? 0 : radius / 2;
  return { from: on(inset), to: on(length - (human.endsWith('Hand') ? radius : inset)), radius };
}

/** Around a cloud that hangs from nothing that was recognised. */
function looseRound(points: readonly Triple[], height: number): Round {
  return fitRound(points, [longestAxis(points)], { least: 0.005 * height, most: 0.15 * height }).shape;
}

/** Volume of a shape, m^3. */
export function volumeOf(shape: BoneShape): number {
  if (shape.type === 'box') return 8 * shape.halfSizes[0] * shape.halfSizes[1] * shape.halfSizes[2];
  const long = shape.type === 'capsule' ? vec3.distance(shape.from, shape.to) : 0;
  return Math.PI * shape.radius ** 2 * (long + (4 / 3) * shape.radius);
}
