import type { BoneShape } from 'poise/dynamics';
import { boneIndex, type Figure, type FigureState } from 'poise/figure';
import { quat, rigid, vec3 } from 'poise/math';

/** A point of a bone that a ray meets. */
export interface Hit {
  readonly bone: number;
  /** In the bone's frame, m. */
  readonly point: readonly number[];
  /** Along the ray, in lengths of its direction. */
  readonly distance: number;
}

/** What a ray meets first of the shapes of a figure, in its world. @param slack - By which it may miss, m. */
export function pickShape(
  figure: Figure,
  state: FigureState,
  shapes: readonly BoneShape[],
  origin: readonly number[],
  direction: readonly number[],
  slack: number,
): Hit | undefined {
  let found: Hit | undefined;
  for (const shape of shapes) {
    const bone = boneIndex(figure, shape.bone);
    const frame = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
    const from = rigid.inverseTransformPoint(frame, triple(origin));
    const along = rigid.inverseTransformVector(frame, triple(direction));
    const distance = distanceTo(shape, from, along, slack);
    if (distance === undefined || distance >= (found?.distance ?? Number.POSITIVE_INFINITY)) continue;
    found = { bone, distance, point: from.map((x, k) => x + distance * along[k]) };
  }
  return found;
}

/** Along a ray to a shape; undefined where it misses it. */
function distanceTo(shape: BoneShape, from: number[], along: number[], slack: number): number | undefined {
  switch (shape.type) {
    case 'box': {
      const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
      const frame = rigid.fromQuatPosition(quat.normalize(rotation), position);
      return distanceToBox(
        rigid.inverseTransformPoint(frame, triple(from)),
        rigid.inverseTransformVector(frame, triple(along)),
        shape.halfSizes.map((half) => half + slack),
      );
    }
    case 'sphere': {
      const center = shape.center ?? [0, 0, 0];
      return distanceToCapsule(center, center, shape.radius + slack, from, along);
    }
    case 'capsule':
      return distanceToCapsule(shape.from, shape.to, shape.radius + slack, from, along);
  }
}

function distanceToBox(from: number[], along: number[], half: readonly number[]): number | undefined {
  let [near, far] = [0, Number.POSITIVE_INFINITY];
  for (let k = 0; k < 3; k++) {
    const [a, b] = [(-half[k] - from[k]) / along[k], (half[k] - from[k]) / along[k]];
    if (along[k] === 0) {
      if (Math.abs(from[k]) > half[k]) return undefined;
      continue;
    }
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far ? near : undefined;
}

/** To the depth at which the ray enters a ball around the point of the axis that is nearest to it: exact on a ball, and near the skin elsewhere. */
function distanceToCapsule(
  a: readonly number[],
  b: readonly number[],
  radius: number,
  from: number[],
  along: number[],
): number | undefined {
  const axis = b.map((x, k) => x - a[k]);
  const offset = from.map((x, k) => x - a[k]);
  const [dd, da, aa] = [dot(along, along), dot(along, axis), dot(axis, axis)];
  const [od, oa] = [dot(offset, along), dot(offset, axis)];
  const determinant = dd * aa - da * da;
  // Of the two lines, clamped to the segment.
  const share =
    determinant > 1e-12 * dd * aa ? Math.min(1, Math.max(0, (dd * oa - da * od) / determinant)) : 0;
  const nearest = (share * da - od) / dd;
  const gap = Math.hypot(...offset.map((x, k) => x + nearest * along[k] - share * axis[k]));
  if (gap > radius) return undefined;
  const distance = nearest - Math.sqrt((radius * radius - gap * gap) / dd);
  return distance > 0 ? distance : undefined;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return vec3.dot(triple(a), triple(b));
}

function triple([x, y, z]: readonly number[]): [number, number, number] {
  return [x, y, z];
}
