import { GoalError } from '../../errors.js';
import type { Numbers, Vec3 } from '../../math/types.js';
import * as vec3 from '../../math/vec3.js';

/** Points joined by bones of given length: plain data. */
export interface PointChainData {
  /** 3 numbers a point, m: where they start, and the lengths where none are given. */
  readonly positions: Numbers;
  /** Parent of each point, before it in the list; -1 for a root. */
  readonly parents: ArrayLike<number>;
  /** Length of the bone from each point's parent to it, m; that of a root is not read. Default: as the points stand. */
  readonly lengths?: Numbers;
  /** Bones that close loops: two points and the length between them, m (default: as they stand). */
  readonly links?: readonly PointLink[];
}

export interface PointLink {
  readonly a: number;
  readonly b: number;
  readonly length?: number;
}

/** A point is to be at a target. */
export interface PointGoal {
  readonly point: number;
  /** In the basis of the points, m; read at each solve. */
  readonly target: Vec3;
  /** How much it counts where goals meet, positive. Default 1. */
  readonly weight?: number;
}

/** Points and bones ready for passes, with their memory. */
export interface PointTree {
  readonly parents: Int32Array;
  readonly lengths: Float64Array;
  readonly links: readonly { readonly a: number; readonly b: number; readonly length: number }[];
  /** Weight of all goals and loop ends at or below each point. */
  readonly weightBelow: Float64Array;
  /** The points of the one chain from its root to its goal, where the tree is no more than that. */
  readonly chain: readonly number[] | undefined;
  readonly points: Float64Array;
  readonly before: Float64Array;
  readonly start: Float64Array;
  readonly wanted: Float64Array;
  readonly best: Float64Array;
  readonly sums: Float64Array;
  readonly weights: Float64Array;
  readonly residuals: Float64Array;
}

/** Beyond this the squares of distances overflow. */
const FARTHEST = 1e100;

/** @throws GoalError naming the place. */
export function compilePointTree(data: PointChainData, goals: readonly PointGoal[]): PointTree {
  const count = data?.parents?.length ?? 0;
  if (!(count > 0))
    throw wrong('parents', 'is empty or no list.', 'Give the parent of each point, -1 for a root.');
  if (data.positions?.length !== 3 * count) {
    throw wrong(
      'positions',
      `has ${data.positions?.length} numbers for ${count} points.`,
      'Give three a point.',
    );
  }
  requireFinite(data.positions, 'positions');
  const parents = Int32Array.from(data.parents);
  parents.forEach((parent, p) => {
    if (data.parents[p] === parent && parent >= -1 && parent < p) return;
    throw new GoalError('out-of-range', `is ${data.parents[p]}.`, {
      path: `parents[${p}]`,
      remedy: 'Give the index of a point before this one, or -1.',
    });
  });
  if (!Array.isArray(goals)) throw wrong('goals', 'is not a list.', 'Give an array of { point, target }.');
  const list = goals as readonly PointGoal[];
  list.forEach((goal, g) => {
    requirePoint(goal?.point, count, `goals[${g}].point`);
  });
  const links = (data.links ?? []).map(({ a, b, length }, n) => {
    requirePoint(a, count, `links[${n}].a`);
    requirePoint(b, count, `links[${n}].b`);
    const own = length ?? distanceOf(data.positions, a, b);
    requireLength(own, `links[${n}].length`);
    return { a, b, length: own };
  });
  if (list.length + links.length === 0) throw wrong('goals', 'is empty.', 'Give a goal or a link.');
  if (data.lengths !== undefined && data.lengths.length !== count) {
    throw wrong('lengths', `has ${data.lengths.length} numbers for ${count} points.`, 'Give one a point.');
  }
  const lengths = Float64Array.from(parents, (parent, p) => {
    if (parent < 0) return 0;
    const length = data.lengths?.[p] ?? distanceOf(data.positions, p, parent);
    requireLength(length, `lengths[${p}]`);
    return length;
  });
  const weightBelow = new Float64Array(count);
  for (const { point, weight = 1 } of list) weightBelow[point] += weight;
  for (const { a, b } of links) {
    weightBelow[a] += 1;
    weightBelow[b] += 1;
  }
  for (let p = count - 1; p >= 0; p--) if (parents[p] >= 0) weightBelow[parents[p]] += weightBelow[p];
  const memory = (): Float64Array => new Float64Array(3 * count);
  return {
    parents,
    lengths,
    links,
    weightBelow,
    chain: list.length === 1 ? chainTo(parents, list[0].point) : undefined,
    points: memory(),
    before: memory(),
    start: memory(),
    wanted: memory(),
    best: memory(),
    sums: memory(),
    weights: new Float64Array(count),
    residuals: new Float64Array(list.length + links.length),
  };
}

/** The points from the root to one, where those are all the points there are. */
function chainTo(parents: Int32Array, end: number): number[] | undefined {
  const chain: number[] = [];
  for (let p = end; p >= 0; p = parents[p]) chain.unshift(p);
  return chain.length === parents.length && chain.length > 1 ? chain : undefined;
}

/** Targets are read at each solve. */
export function checkPointGoals(goals: readonly PointGoal[]): void {
  for (let g = 0; g < goals.length; g++) {
    const { target, weight = 1 } = goals[g];
    if (target?.length !== 3)
      throw wrong(`goals[${g}].target`, 'is not three numbers.', 'Give [x, y, z], m.');
    requireFinite(target, `goals[${g}].target`);
    if (weight > 0 && weight <= FARTHEST) continue;
    throw new GoalError('out-of-range', `is ${weight}.`, {
      path: `goals[${g}].weight`,
      remedy: 'Give a positive, finite number.',
    });
  }
}

export function checkPositions({ parents }: PointTree, positions: Float64Array): void {
  if (!(positions instanceof Float64Array) || positions.length !== 3 * parents.length) {
    throw wrong('positions', `are no Float64Array of ${3 * parents.length}.`, 'Give three numbers a point.');
  }
  requireFinite(positions, 'positions');
}

function requireFinite(numbers: Numbers, path: string): void {
  for (let i = 0; i < numbers.length; i++) {
    if (Math.abs(numbers[i]) <= FARTHEST) continue;
    throw new GoalError(Number.isFinite(numbers[i]) ? 'out-of-range' : 'not-finite', `is ${numbers[i]}.`, {
      path: `${path}[${i}]`,
      remedy: 'Give finite metres.',
    });
  }
}

function requirePoint(point: unknown, count: number, path: string): void {
  if (Number.isInteger(point) && (point as number) >= 0 && (point as number) < count) return;
  throw new GoalError('unknown-name', `is ${String(point)}.`, {
    path,
    remedy: `Give a point from 0 to ${count - 1}.`,
  });
}

function requireLength(length: number, path: string): void {
  if (length >= 0 && length <= FARTHEST) return;
  throw new GoalError('out-of-range', `is ${length}.`, { path, remedy: 'Give a length of zero or more, m.' });
}

function distanceOf(positions: Numbers, p: number, q: number): number {
  return vec3.length(
    positions[3 * p] - positions[3 * q],
    positions[3 * p + 1] - positions[3 * q + 1],
    positions[3 * p + 2] - positions[3 * q + 2],
  );
}

function wrong(path: string, what: string, remedy: string): GoalError {
  return new GoalError('wrong-size', what, { path, remedy });
}
