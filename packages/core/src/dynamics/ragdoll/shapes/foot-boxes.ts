import type { Quadruple, Triple } from '../../../figure/data/types.js';
import type { Humanoid } from '../../../humanoid/find-humanoid.js';
import { segments as measured, places, shares } from '../../../humanoid/human-data.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import type { Box } from '../../collide/shapes/shapes.js';
import { originOf, pointIn, pointOf, type Rest } from '../body/rest-pose.js';
import type { Segment } from '../body/segments.js';
import { quantile } from '../body/vertex-sets.js';
import { FEWEST_POINTS } from './fit-capsule.js';

/** A foot of a ragdoll, with or without toes of their own. */
export interface Foot {
  readonly foot: Segment;
  readonly toes?: Segment | undefined;
  /** Points of each in its own frame. */
  readonly footPoints: readonly Triple[];
  readonly toePoints: readonly Triple[];
}

/** What is left off of a mesh at the ends and on top. */
const ENDS = 0.02;
const TOP = 0.9;
/** Least half size of a box, in heights of the figure. */
const THINNEST = 0.004;

/** World directions of a foot: to the figure's left as it points, up, ahead. */
interface Axes {
  readonly side: Vec3;
  readonly up: Vec3;
  readonly ahead: Vec3;
}

/**
 * Boxes that stand level on the sole at rest: from the heel to the ball and the toes' own, or one. Around the mesh where it has enough points,
 * down to its lowest; else as long and broad as an adult's foot of the same proportions, the sole where the built-in human's would be.
 */
export function footBoxes(
  rest: Rest,
  humanoid: Humanoid,
  height: number,
  { foot, toes, footPoints, toePoints }: Foot,
): { readonly segment: Segment; readonly box: Box }[] {
  const axes = axesOf(rest, humanoid, foot, toes);
  const ankle = originOf(rest, foot.bone);
  const meshed = footPoints.length >= FEWEST_POINTS;
  const solePoints = [
    ...footPoints.map((point) => pointOf(rest, foot.bone, point)),
    ...(toes ? toePoints.map((point) => pointOf(rest, toes.bone, point)) : []),
  ];
  const byTables = vec3.dot(ankle, axes.up) - places.ankleHeight * height;
  const byToes = toes ? vec3.dot(originOf(rest, toes.bone), axes.up) - places.ballHeight * height : byTables;
  const sole = meshed
    ? solePoints.reduce((least, point) => Math.min(least, vec3.dot(point, axes.up)), Number.POSITIVE_INFINITY)
    : Math.min(byTables, byToes);

  const ahead = vec3.dot(ankle, axes.ahead);
  const long = measured.foot.length * height * foot.scale;
  const heel = ahead - shares.ankleFromHeel * long;
  const ball = toes ? vec3.dot(originOf(rest, toes.bone), axes.ahead) : heel + long;
  const top = Math.max(vec3.dot(ankle, axes.up), sole + 2 * THINNEST * height);
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
  const low = sole + 2 * places.ballHeight * height;
  boxes.push({
    segment: toes,
    box:
      toePoints.length >= FEWEST_POINTS
        ? boxAround(rest, toes, axes, toePoints, sole, top, height)
        : boxBetween(rest, toes, axes, [ball, front], sole, low, height),
  });
  return boxes;
}

function axesOf(rest: Rest, { up, forward }: Humanoid, foot: Segment, toes: Segment | undefined): Axes {
  const along = toes
    ? vec3.subtract(originOf(rest, toes.bone), originOf(rest, foot.bone))
    : vec3.copy(forward);
  const level = vec3.addScaled(along, up, -vec3.dot(along, up));
  // A foot that hangs or points straight down says nothing of where it points.
  const ahead = vec3.norm(level) > 0.3 * vec3.norm(along) ? vec3.normalize(level) : vec3.copy(forward);
  return { side: vec3.cross(up, ahead), up, ahead };
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
  const spread = (direction: Vec3): Float64Array =>
    Float64Array.from(world, (point) => vec3.dot(point, direction)).sort();
  const [side, up, ahead] = [spread(axes.side), spread(axes.up), spread(axes.ahead)];
  const least = sole + 4 * THINNEST * height;
  const top = Math.max(Math.min(quantile(up, TOP), highest), least);
  return boxOf(
    rest,
    bone,
    axes,
    [quantile(side, ENDS), sole, quantile(ahead, ENDS)],
    [quantile(side, 1 - ENDS), top, quantile(ahead, 1 - ENDS)],
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
  const middle = vec3.dot(originOf(rest, bone), axes.side);
  const half = (places.footBreadth * height) / 2;
  return boxOf(rest, bone, axes, [middle - half, sole, back], [middle + half, top, front], height);
}

function boxOf(rest: Rest, bone: number, axes: Axes, low: Vec3, high: Vec3, height: number): Box {
  const { side, up, ahead } = axes;
  const middle = [0, 1, 2].map((k) => (low[k] + high[k]) / 2);
  const center = [0, 1, 2].map((k) => middle[0] * side[k] + middle[1] * up[k] + middle[2] * ahead[k]);
  const half = (k: number): number => Math.max((high[k] - low[k]) / 2, THINNEST * height);
  const world = [0, 1, 2].flatMap((k) => [side[k], up[k], ahead[k]]);
  const frame = rest.worldFromBone.subarray(12 * bone, 12 * bone + 9);
  const [x, y, z, w] = quat.fromMatrix(mat3.multiply(mat3.transpose(frame), world));
  const rotation: Quadruple = [x, y, z, w];
  return {
    type: 'box',
    halfSizes: [half(0), half(1), half(2)],
    placement: { position: pointIn(rest, bone, center), rotation },
  };
}
