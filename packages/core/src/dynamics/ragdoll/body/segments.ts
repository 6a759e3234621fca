import type { Triple } from '../../../figure/data/types.js';
import { directionIn, pointOf, type Rest, restOf, triple } from '../../../figure/kinematics/rest-pose.js';
import type { Figure } from '../../../figure/model/figure.js';
import { humanIndex, type SegmentAxes, segmentAxesOf } from '../../../humanoid/anatomy/segment-axes.js';
import type { Humanoid } from '../../../humanoid/find-humanoid.js';
import { createHumanFigure } from '../../../humanoid/human.js';
import type { HumanBone } from '../../../humanoid/recognition/human-bones.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { type Body, mergeBodies, rotateBody } from './mass-properties.js';
import { quantile, type VertexSets } from './vertex-sets.js';

/** A bone of a humanoid, its part of the built-in human, and its mass. */
export interface Segment extends SegmentAxes {
  /** Its direction at rest, unit, bone axes. */
  readonly direction: Triple;
  /** m; that of the built-in human of the same height where the figure does not determine it. */
  readonly length: number;
  /** Length over that of the built-in human of the same height, at least 0.25. */
  readonly scale: number;
  /** The length that gives it its girth, m: its own; that of the built-in human if it is shorter than a quarter of that, as between coincident bones. */
  readonly girthLength: number;
  /** Mass properties in the bone's frame. */
  readonly body: Body;
}

/** Bounds of the lengths of leaf bones relative to the built-in human: from a mesh, and in proportion to the parent. */
const LEAF_RATIO_OF_MESH = [0.3, 3] as const;
const LEAF_RATIO_OF_PARENT = [0.5, 1.5] as const;
const MIN_SCALE = 0.25;

/** Segments of all recognised bones, parents first. @param height - Of the figure, m. @param mass - Of the figure, kg. */
export function segmentsOf(
  rest: Rest,
  humanoid: Humanoid,
  vertexSets: VertexSets,
  height: number,
  mass: number,
): Segment[] {
  const reference = createHumanFigure({ height, mass });
  const referenceRest = restOf(reference);
  const segments: Segment[] = [];
  for (const axes of segmentAxesOf(rest, humanoid, reference, height)) {
    const { bone, human, members, humanOrigin, humanLength, worldDirection, boneFromHuman } = axes;
    const length =
      axes.ownLength ??
      leafLength(rest, bone, vertexSets, worldDirection, humanLength, human, segments[axes.parent]);
    const scale = Math.max(MIN_SCALE, length / humanLength);
    const girthLength = length < MIN_SCALE * humanLength ? humanLength : length;
    const body = rotateBody(
      mergeBodies(members.map((member) => bodyAt(reference, referenceRest, member, humanOrigin))),
      boneFromHuman,
      scale,
    );
    const direction = triple(directionIn(rest, bone, worldDirection));
    segments.push({ ...axes, direction, length, scale, girthLength, body });
  }
  return segments;
}

/** Length of a leaf: the extent of its mesh, or in proportion to its parent. */
function leafLength(
  rest: Rest,
  bone: number,
  vertexSets: VertexSets,
  direction: Vec3,
  humanLength: number,
  human: HumanBone,
  parent: Segment | undefined,
): number {
  const along = directionIn(rest, bone, direction);
  const extents = Float64Array.from(vertexSets[bone], (point) => vec3.dot(point, along)).sort();
  if (extents.length >= 8) return clamp(quantile(extents, 0.98), humanLength, LEAF_RATIO_OF_MESH);
  if (human === 'head' || !parent) return humanLength;
  return clamp(humanLength * parent.scale, humanLength, LEAF_RATIO_OF_PARENT);
}

function clamp(length: number, humanLength: number, [min, max]: readonly [number, number]): number {
  return Math.min(Math.max(length, min * humanLength), max * humanLength);
}

function bodyAt(reference: Figure, referenceRest: Rest, member: HumanBone, from: Vec3): Body {
  const {
    index,
    mass = 0,
    centerOfMass = [0, 0, 0],
    inertia = [0, 0, 0, 0, 0, 0],
  } = reference.bones[humanIndex(reference, member)];
  return { mass, center: triple(vec3.subtract(pointOf(referenceRest, index, centerOfMass), from)), inertia };
}
