import type { Quadruple, Triple } from '../../../figure/data/types.js';
import { originOf, pointIn, pointOf, type Rest } from '../../../figure/kinematics/rest-pose.js';
import type { Humanoid } from '../../../humanoid/find-humanoid.js';
import { dimensions, fractions, segments as measured } from '../../../humanoid/human-data.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import type { Box } from '../../collide/shapes/shapes.js';
import type { Segment } from '../body/segments.js';
import { quantile } from '../body/vertex-sets.js';
import { MIN_POINTS } from './fit-capsule.js';

/** A foot of a ragdoll, with or without toes of their own. */
export interface Foot {
  readonly foot: Segment;
  readonly toes?: Segment | undefined;
  /** Points of each in its own frame. */
  readonly footPoints: readonly Triple[];
  readonly toePoints: readonly Triple[];
}

/** Trimmed quantiles of the mesh, at the ends and on top. */
const END_FRACTION = 0.02;
const TOP_QUANTILE = 0.9;
/** Minimum half size of a box, in heights of the figure. */
const MIN_HALF_SIZE = 0.004;

/** World directions of a foot: left as seen along it, up, forward. */
interface Axes {
  readonly left: Vec3;
  readonly up: Vec3;
  readonly forward: Vec3;
}

/**
 * Boxes of a foot, level with the sole at rest: one from heel to ball and one for the toes, or a single one. Fitted to the mesh where it has enough
 * vertices, down to the lowest; else with an adult's proportions and the sole of the built-in human.
 */
export function footBoxes(
  rest: Rest,
  humanoid: Humanoid,
  height: number,
  { foot, toes, footPoints, toePoints }: Foot,
): { readonly segment: Segment; readonly box: Box }[] {
  const axes = axesOf(rest, humanoid, foot, toes);
  const ankle = originOf(rest, foot.bone);
  const meshed = footPoints.length >= MIN_POINTS;
  const solePoints = [
    ...footPoints.map((point) => pointOf(rest, foot.bone, point)),
    ...(toes ? toePoints.map((point) => pointOf(rest, toes.bone, point)) : []),
  ];
  const byTables = vec3.dot(ankle, axes.up) - dimensions.ankleHeight * height;
  const byToes = toes
    ? vec3.dot(originOf(rest, toes.bone), axes.up) - dimensions.ballHeight * height
    : byTables;
  const sole = meshed
    ? solePoints.reduce((min, point) => Math.min(min, vec3.dot(point, axes.up)), Number.POSITIVE_INFINITY)
    : Math.min(byTables, byToes);

  const forward = vec3.dot(ankle, axes.forward);
  const length = measured.foot.length * height * foot.scale;
  const heel = forward - fractions.ankleFromHeel * length;
  const ball = toes ? vec3.dot(originOf(rest, toes.bone), axes.forward) : heel + length;
  const top = Math.max(vec3.dot(ankle, axes.up), sole + 2 * MIN_HALF_SIZE * height);
  const boxes = [
    {
      segment: foot,
      box: meshed
        ? boxAround(rest, foot, axes, footPoints, sole, top + 0.02 * height, height)
        : boxBetween(rest, foot, axes, [heel, ball], sole, 0.9 * top + 0.1 * sole, height),
    },
  ];
  if (!toes) return boxes;
  const front = ball + Math.max(toes.length, 0.02 * height);
  const low = sole + 2 * dimensions.ballHeight * height;
  boxes.push({
    segment: toes,
    box:
      toePoints.length >= MIN_POINTS
        ? boxAround(rest, toes, axes, toePoints, sole, top, height)
        : boxBetween(rest, toes, axes, [ball, front], sole, low, height),
  });
  return boxes;
}

function axesOf(
  rest: Rest,
  { up, forward: bodyForward }: Humanoid,
  foot: Segment,
  toes: Segment | undefined,
): Axes {
  const direction = toes
    ? vec3.subtract(originOf(rest, toes.bone), originOf(rest, foot.bone))
    : vec3.copy(bodyForward);
  const level = vec3.addScaled(direction, up, -vec3.dot(direction, up));
  // A foot that points straight down has no forward direction of its own.
  const forward =
    vec3.norm(level) > 0.3 * vec3.norm(direction) ? vec3.normalize(level) : vec3.copy(bodyForward);
  return { left: vec3.cross(up, forward), up, forward };
}

function boxAround(
  rest: Rest,
  { bone }: Segment,
  axes: Axes,
  points: readonly Triple[],
  sole: number,
  highest: number,
  height: number,
): Box {
  const world = points.map((point) => pointOf(rest, bone, point));
  const sortedAlong = (direction: Vec3): Float64Array =>
    Float64Array.from(world, (point) => vec3.dot(point, direction)).sort();
  const [left, up, forward] = [sortedAlong(axes.left), sortedAlong(axes.up), sortedAlong(axes.forward)];
  const minTop = sole + 4 * MIN_HALF_SIZE * height;
  const top = Math.max(Math.min(quantile(up, TOP_QUANTILE), highest), minTop);
  return boxOf(
    rest,
    bone,
    axes,
    [quantile(left, END_FRACTION), sole, quantile(forward, END_FRACTION)],
    [quantile(left, 1 - END_FRACTION), top, quantile(forward, 1 - END_FRACTION)],
    height,
  );
}

function boxBetween(
  rest: Rest,
  { bone }: Segment,
  axes: Axes,
  [back, front]: readonly [number, number],
  sole: number,
  top: number,
  height: number,
): Box {
  const middle = vec3.dot(originOf(rest, bone), axes.left);
  const half = (dimensions.footBreadth * height) / 2;
  return boxOf(rest, bone, axes, [middle - half, sole, back], [middle + half, top, front], height);
}

function boxOf(rest: Rest, bone: number, axes: Axes, low: Vec3, high: Vec3, height: number): Box {
  const { left, up, forward } = axes;
  const middle = [0, 1, 2].map((k) => (low[k] + high[k]) / 2);
  const center = [0, 1, 2].map((k) => middle[0] * left[k] + middle[1] * up[k] + middle[2] * forward[k]);
  const half = (k: number): number => Math.max((high[k] - low[k]) / 2, MIN_HALF_SIZE * height);
  const world = [0, 1, 2].flatMap((k) => [left[k], up[k], forward[k]]);
  const frame = rest.worldFromBone.subarray(12 * bone, 12 * bone + 9);
  const [x, y, z, w] = quat.fromMatrix(mat3.multiply(mat3.transpose(frame), world));
  const rotation: Quadruple = [x, y, z, w];
  return {
    type: 'box',
    halfSizes: [half(0), half(1), half(2)],
    placement: { position: pointIn(rest, bone, center), rotation },
  };
}
