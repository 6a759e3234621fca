import { GoalError } from '../../../errors.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers } from '../../../math/linear/types.js';
import type { BonePoint } from '../../goals/types/goal.js';
import { type Bodies, followerAbove, GROUND } from './bodies.js';

/** A point nearer to a joint than this share of the figure's size tells nothing of the joint's turn. */
const LEVER = 1e-9;

/**
 * Which body's turn, and which body's move, each point tells of. A point on a joint's own origin is carried there by the body
 * above: it tells where that one points.
 */
export interface PointTable {
  readonly count: number;
  /** Points that tell of the turn of body k: `turning[turningStart[k] .. turningStart[k + 1])`. */
  readonly turning: Int32Array;
  readonly turningStart: Int32Array;
  /** Place of each point in the body whose turn it tells of, at q = 0 of what stands between, m. */
  readonly levers: Float64Array;
  /** Points that tell of the move of body k, and their places in it. */
  readonly moving: Int32Array;
  readonly movingStart: Int32Array;
  readonly offsets: Float64Array;
  /** The point at the origin of body k; -1 for none. */
  readonly origins: Int32Array;
  /** Body that carries each point, and its place there. */
  readonly bodies: Int32Array;
  readonly places: Float64Array;
  /** A direction across the first lever of each body, body frame. */
  readonly across: Float64Array;
}

/** The points that tell a pose: where each bone starts, then where each bone with a tip ends; bones of joints that follow others left out. */
export function figurePoints(figure: Figure): BonePoint[] {
  const { mimicJoints, parents } = figure;
  const follows = new Uint8Array(figure.bones.length);
  for (const { index } of figure.bones) {
    const own = mimicJoints.some(({ bone }) => bone === index);
    follows[index] = own || (parents[index] >= 0 && follows[parents[index]] === 1) ? 1 : 0;
  }
  const bones = figure.bones.filter(({ index }) => follows[index] === 0);
  const origins = bones.map(({ name }): BonePoint => ({ bone: name }));
  const tips = bones.flatMap(({ name, tip }): BonePoint[] =>
    tip === undefined ? [] : [{ bone: name, point: tip }],
  );
  return [...origins, ...tips];
}

/** @throws FigureError for an unknown bone, GoalError for a list or a point that is none. */
export function createPointTable(bodies: Bodies, points: readonly BonePoint[]): PointTable {
  const { figure, count, types, bodyOfBone, bodyFromBone, parents, parentFromRest } = bodies;
  if (!Array.isArray(points) || points.length === 0) {
    throw new GoalError('wrong-size', Array.isArray(points) ? 'is empty.' : 'is not a list.', {
      path: 'options.points',
      remedy: 'Give an array of { bone, point }, or leave it out.',
    });
  }
  const turned: number[][] = Array.from({ length: count }, () => []);
  const moved: number[][] = Array.from({ length: count }, () => []);
  const levers = new Float64Array(3 * points.length);
  const offsets = new Float64Array(3 * points.length);
  const places = new Float64Array(3 * points.length);
  const carriers = new Int32Array(points.length);
  const origins = new Int32Array(count).fill(-1);
  const least = LEVER * sizeOf(figure);
  points.forEach((given, p) => {
    const path = `options.points[${p}]`;
    const bone = boneIndex(figure, (given as BonePoint | undefined)?.bone ?? '', `${path}.bone`);
    const follower = followerAbove(bodies, bone);
    if (follower >= 0) {
      throw new GoalError(
        'unsupported',
        `is carried by '${figure.bones[follower].name}', which follows another joint.`,
        {
          path,
          remedy: 'Give points of other bones only, or use solveIk.',
        },
      );
    }
    let k = bodyOfBone[bone];
    let at = transformAt(bodyFromBone, 12 * bone, checkedPoint(given, path));
    carriers[p] = k;
    places.set(at, 3 * p);
    let mover = GROUND;
    while (k !== GROUND) {
      if (types[k].translations > 0 && mover === GROUND) {
        mover = k;
        moved[k].push(p);
        offsets.set(at, 3 * p);
      }
      const onOrigin = vec3.norm(at) <= least;
      if (onOrigin && origins[k] < 0) origins[k] = p;
      if (types[k].turns && (!onOrigin || types[k].translations > 0)) {
        turned[k].push(p);
        levers.set(at, 3 * p);
        break;
      }
      at = transformAt(parentFromRest, 12 * k, at);
      k = parents[k];
    }
  });
  const across = new Float64Array(3 * count);
  turned.forEach((list, k) => {
    const long = list.find((p) => vec3.norm(levers.subarray(3 * p, 3 * p + 3)) > least);
    across.set(
      long === undefined ? [1, 0, 0] : vec3.perpendicular(levers.subarray(3 * long, 3 * long + 3)),
      3 * k,
    );
  });
  return {
    count: points.length,
    turning: Int32Array.from(turned.flat()),
    turningStart: startsOf(turned),
    levers,
    moving: Int32Array.from(moved.flat()),
    movingStart: startsOf(moved),
    offsets,
    origins,
    bodies: carriers,
    places,
    across,
  };
}

function checkedPoint({ point }: BonePoint, path: string): Numbers {
  if (point === undefined) return [0, 0, 0];
  if (point?.length === 3 && vec3.allFinite(point)) return point;
  throw new GoalError('not-finite', 'is not three finite numbers.', {
    path: `${path}.point`,
    remedy: 'Give [x, y, z] in the bone frame, or leave it out.',
  });
}

/** Longest offset of a bone or tip, m; 1 for a figure without extent. */
export function sizeOf(figure: Figure): number {
  let size = 0;
  for (const { rest, tip } of figure.bones) {
    size = Math.max(size, vec3.norm(rest.position), tip === undefined ? 0 : vec3.norm(tip));
  }
  return size > 0 ? size : 1;
}

/** Where each of some lists starts when they stand one after another, and where the last ends. */
export function startsOf(lists: readonly ArrayLike<number>[]): Int32Array {
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
