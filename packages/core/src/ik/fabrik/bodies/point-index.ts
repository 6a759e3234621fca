import { GoalError } from '../../../errors.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers } from '../../../math/linear/types.js';
import { copyVector } from '../../goals/types/checks.js';
import type { BonePoint } from '../../goals/types/goal.js';
import { type Bodies, GROUND, mimicJointAbove } from './bodies.js';

/** A point nearer to a joint than this fraction of the figure's size determines no rotation. */
const MIN_LEVER = 1e-9;

/**
 * Assigns each point to the body whose rotation, and the one whose translation, it determines. A point at a joint's origin is fixed in
 * the body above: it determines that body's direction.
 */
export interface PointIndex {
  readonly count: number;
  /** Points that determine the rotation of body k: `rotationPoints[rotationStart[k] .. rotationStart[k + 1])`. */
  readonly rotationPoints: Int32Array;
  readonly rotationStart: Int32Array;
  /** Position of each point in the body whose rotation it determines, with the joints between at q = 0, m. */
  readonly levers: Float64Array;
  /** Points that determine the translation of body k, and their positions in it. */
  readonly translationPoints: Int32Array;
  readonly translationStart: Int32Array;
  readonly offsets: Float64Array;
  /** The point at the origin of body k; -1 for none. */
  readonly origins: Int32Array;
  /** Body of each point, and its position in the body frame. */
  readonly bodies: Int32Array;
  readonly positions: Float64Array;
  /** A direction normal to the first lever of each body, body frame. */
  readonly normals: Float64Array;
}

/** Default points of a figure: bone origins, then the tips; without bones below mimic joints. */
export function figurePoints(figure: Figure): BonePoint[] {
  const { mimicJoints, parents } = figure;
  const belowMimic = new Uint8Array(figure.bones.length);
  for (const { index } of figure.bones) {
    const isMimic = mimicJoints.some(({ bone }) => bone === index);
    belowMimic[index] = isMimic || (parents[index] >= 0 && belowMimic[parents[index]] === 1) ? 1 : 0;
  }
  const bones = figure.bones.filter(({ index }) => belowMimic[index] === 0);
  const origins = bones.map(({ name }): BonePoint => ({ bone: name }));
  const tips = bones.flatMap(({ name, tip }): BonePoint[] =>
    tip === undefined ? [] : [{ bone: name, point: tip }],
  );
  return [...origins, ...tips];
}

/** @throws FigureError for an unknown bone, GoalError for an invalid list or point. */
export function createPointIndex(bodies: Bodies, points: readonly BonePoint[]): PointIndex {
  const { figure, count, types, bodyOfBone, bodyFromBone, parents, parentFromRest } = bodies;
  if (!Array.isArray(points) || points.length === 0) {
    throw new GoalError('wrong-size', Array.isArray(points) ? 'is empty.' : 'is not a list.', {
      path: 'options.points',
      remedy: 'Give an array of { bone, point }, or leave it out.',
    });
  }
  const rotated: number[][] = Array.from({ length: count }, () => []);
  const translated: number[][] = Array.from({ length: count }, () => []);
  const levers = new Float64Array(3 * points.length);
  const offsets = new Float64Array(3 * points.length);
  const localPositions = new Float64Array(3 * points.length);
  const carriers = new Int32Array(points.length);
  const origins = new Int32Array(count).fill(-1);
  const minLever = MIN_LEVER * sizeOf(figure);
  points.forEach((given, p) => {
    const path = `options.points[${p}]`;
    const bone = boneIndex(figure, (given as BonePoint | undefined)?.bone ?? '', `${path}.bone`);
    const mimic = mimicJointAbove(bodies, bone);
    if (mimic >= 0) {
      throw new GoalError('unsupported', `depends on the mimic joint of '${figure.bones[mimic].name}'.`, {
        path,
        remedy: 'Give points of other bones only, or use solveIk.',
      });
    }
    let k = bodyOfBone[bone];
    let at = transformAt(bodyFromBone, 12 * bone, copyVector(given.point, `${path}.point`) ?? [0, 0, 0]);
    carriers[p] = k;
    localPositions.set(at, 3 * p);
    let mover = GROUND;
    while (k !== GROUND) {
      if (types[k].translations > 0 && mover === GROUND) {
        mover = k;
        translated[k].push(p);
        offsets.set(at, 3 * p);
      }
      const onOrigin = vec3.norm(at) <= minLever;
      if (onOrigin && origins[k] < 0) origins[k] = p;
      if (types[k].rotates && (!onOrigin || types[k].translations > 0)) {
        rotated[k].push(p);
        levers.set(at, 3 * p);
        break;
      }
      at = transformAt(parentFromRest, 12 * k, at);
      k = parents[k];
    }
  });
  const normals = new Float64Array(3 * count);
  rotated.forEach((list, k) => {
    const long = list.find((p) => vec3.norm(levers.subarray(3 * p, 3 * p + 3)) > minLever);
    normals.set(
      long === undefined ? [1, 0, 0] : vec3.perpendicular(levers.subarray(3 * long, 3 * long + 3)),
      3 * k,
    );
  });
  return {
    count: points.length,
    rotationPoints: Int32Array.from(rotated.flat()),
    rotationStart: concatenationStarts(rotated),
    levers,
    translationPoints: Int32Array.from(translated.flat()),
    translationStart: concatenationStarts(translated),
    offsets,
    origins,
    bodies: carriers,
    positions: localPositions,
    normals,
  };
}

/** Longest offset of a bone or tip, m; 1 for a figure without extent. */
export function sizeOf(figure: Figure): number {
  let size = 0;
  for (const { rest, tip } of figure.bones) {
    size = Math.max(size, vec3.norm(rest.position), tip === undefined ? 0 : vec3.norm(tip));
  }
  return size > 0 ? size : 1;
}

/** Start of each list in their concatenation, and the end of the last. */
export function concatenationStarts(lists: readonly ArrayLike<number>[]): Int32Array {
  const starts = new Int32Array(lists.length + 1);
  lists.forEach((list, k) => {
    starts[k + 1] = starts[k] + list.length;
  });
  return starts;
}

function transformAt(m: Numbers, o: number, x: Numbers): number[] {
  return [0, 1, 2].map(
    (r) => m[o + 3 * r] * x[0] + m[o + 3 * r + 1] * x[1] + m[o + 3 * r + 2] * x[2] + m[o + 9 + r],
  );
}
