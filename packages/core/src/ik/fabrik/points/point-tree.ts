import { GoalError } from '../../../errors.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';
import { LEVER_ARM } from '../../problem/length-scale.js';

/** Points connected by bones of given length. */
export interface PointChainData {
  /** 3 numbers per point, m: initial positions, and the default lengths. */
  readonly positions: Numbers;
  /** Parent of each point, before it in the list; -1 for a root. */
  readonly parents: ArrayLike<number>;
  /** Length of the bone from each point's parent to it, m; ignored for roots. Default: from the positions. */
  readonly lengths?: Numbers;
  /** Bones that close loops: two points and their distance, m (default: from the positions). */
  readonly links?: readonly PointLink[];
}

export interface PointLink {
  readonly a: number;
  readonly b: number;
  readonly length?: number;
}

/** A target for a point. */
export interface PointGoal {
  readonly point: number;
  /** In the basis of the points, m; read at each solve. */
  readonly target: Vec3;
  /** Positive weight against other goals. Default 1. */
  readonly weight?: number;
}

/** Points, bones and goals with the workspace of the passes. */
export interface PointTree {
  readonly parents: Int32Array;
  readonly lengths: Float64Array;
  readonly links: readonly { readonly a: number; readonly b: number; readonly length: number }[];
  /** A quarter of the longest path from a root to a point along the bones, m; 1 where that is zero. */
  readonly lengthScale: number;
  /** Point of each goal, then the two points of each loop. */
  readonly ends: Int32Array;
  /** 1 where end n is point p or in its subtree, at [p * ends + n]. */
  readonly below: Uint8Array;
  /** 1 for a point with an end in its subtree. */
  readonly isActive: Uint8Array;
  /** Last index of each point's subtree. */
  readonly last: Int32Array;
  /** Target and weight of each goal; updated by each solve. */
  readonly targets: Float64Array;
  readonly weightOfGoal: Float64Array;
  /** Total weight of goals and loop ends at or below each point. */
  readonly weightBelow: Float64Array;
  /** Points of the chain from root to goal, where there is one goal and no loop. */
  readonly chain: readonly number[] | undefined;
  /** Chains of two or more bones from a root, end or fork to the next, roots first. */
  readonly segments: readonly (readonly number[])[];
  readonly points: Float64Array;
  readonly before: Float64Array;
  readonly start: Float64Array;
  readonly desired: Float64Array;
  readonly best: Float64Array;
  readonly sums: Float64Array;
  readonly weights: Float64Array;
  readonly moved: Uint8Array;
  readonly residuals: Float64Array;
}

/** Larger distances overflow when squared. */
const MAX_DISTANCE = 1e100;

/** @throws GoalError naming the argument. */
export function compilePointTree(data: PointChainData, goals: readonly PointGoal[]): PointTree {
  const count = data?.parents?.length ?? 0;
  if (!(count > 0))
    throw wrong('parents', 'is empty or not a list.', 'Give the parent of each point, -1 for a root.');
  if (data.positions?.length !== 3 * count) {
    throw wrong(
      'positions',
      `has ${data.positions?.length} numbers for ${count} points.`,
      'Give three per point.',
    );
  }
  requirePoints(data.positions, 'positions');
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
  const { links: given = [] } = data;
  if (!Array.isArray(given))
    throw wrong('links', 'is not a list.', 'Give an array of { a, b }, or leave it out.');
  const links = (given as readonly PointLink[]).map((link, n) => {
    const { a, b, length } = link ?? {};
    requirePoint(a, count, `links[${n}].a`);
    requirePoint(b, count, `links[${n}].b`);
    const linkLength = length ?? distanceOf(data.positions, a, b);
    requireDistance(linkLength, `links[${n}].length`);
    return { a, b, length: linkLength };
  });
  if (list.length + links.length === 0) throw wrong('goals', 'is empty.', 'Give a goal or a link.');
  if (data.lengths !== undefined && data.lengths?.length !== count) {
    throw wrong(
      'lengths',
      `has ${data.lengths?.length ?? 'no'} numbers for ${count} points.`,
      'Give one per point.',
    );
  }
  const lengths = Float64Array.from(parents, (parent, p) => {
    if (parent < 0) return 0;
    const length = data.lengths?.[p] ?? distanceOf(data.positions, p, parent);
    requireDistance(length, `lengths[${p}]`);
    return length;
  });
  const ends = Int32Array.from([...list.map(({ point }) => point), ...links.flatMap(({ a, b }) => [a, b])]);
  const below = new Uint8Array(count * ends.length);
  const isActive = new Uint8Array(count);
  ends.forEach((end, n) => {
    for (let p = end; p >= 0; p = parents[p]) {
      below[p * ends.length + n] = 1;
      isActive[p] = 1;
    }
  });
  const last = Int32Array.from(parents.keys());
  for (let p = count - 1; p >= 0; p--) {
    if (parents[p] >= 0) last[parents[p]] = Math.max(last[parents[p]], last[p]);
  }
  const memory = (): Float64Array => new Float64Array(3 * count);
  const chain = list.length === 1 && links.length === 0 ? chainTo(parents, list[0].point) : [];
  return {
    parents,
    lengths,
    links,
    lengthScale: LEVER_ARM * longestPath(parents, lengths),
    ends,
    below,
    isActive,
    last,
    targets: new Float64Array(3 * list.length),
    weightOfGoal: new Float64Array(list.length),
    weightBelow: new Float64Array(count),
    chain: chain.length > 1 ? chain : undefined,
    segments: segmentsOf(parents, ends, isActive),
    points: memory(),
    before: memory(),
    start: memory(),
    desired: memory(),
    best: memory(),
    sums: memory(),
    weights: new Float64Array(count),
    moved: new Uint8Array(count),
    residuals: new Float64Array(list.length + links.length),
  };
}

function longestPath(parents: Int32Array, lengths: Float64Array): number {
  const pathLength = new Float64Array(parents.length);
  for (let p = 0; p < parents.length; p++)
    pathLength[p] = parents[p] < 0 ? 0 : pathLength[parents[p]] + lengths[p];
  const longest = pathLength.reduce((maximum, length) => Math.max(maximum, length), 0);
  return longest > 0 ? longest : 1;
}

/** The points from the root to `end`. */
function chainTo(parents: Int32Array, end: number): number[] {
  const chain: number[] = [];
  for (let p = end; p >= 0; p = parents[p]) chain.unshift(p);
  return chain;
}

function segmentsOf(parents: Int32Array, ends: Int32Array, isActive: Uint8Array): number[][] {
  const children = new Int32Array(parents.length);
  parents.forEach((parent, p) => {
    if (parent >= 0 && isActive[p] === 1) children[parent]++;
  });
  const isSegmentEnd = (p: number): boolean => parents[p] < 0 || children[p] > 1 || ends.includes(p);
  return Array.from(parents.keys()).flatMap((end) => {
    if (isActive[end] === 0 || parents[end] < 0 || !isSegmentEnd(end)) return [];
    const segment = [end];
    while (segment.length === 1 || !isSegmentEnd(segment[0])) segment.unshift(parents[segment[0]]);
    return segment.length > 2 ? [segment] : [];
  });
}

/**
 * Reads targets and weights, which may change between solves.
 *
 * @throws GoalError
 */
export function readPointGoals(
  { targets, weightOfGoal, weightBelow, links, ends, parents }: PointTree,
  goals: readonly PointGoal[],
): void {
  weightBelow.fill(0);
  for (let g = 0; g < goals.length; g++) {
    const { target, weight = 1 } = goals[g];
    if (target?.length !== 3)
      throw wrong(`goals[${g}].target`, 'is not three numbers.', 'Give [x, y, z], m.');
    requirePoints(target, `goals[${g}].target`);
    if (!(weight > 0 && weight <= MAX_DISTANCE)) {
      throw new GoalError('out-of-range', `is ${weight}.`, {
        path: `goals[${g}].weight`,
        remedy: 'Give a positive, finite number.',
      });
    }
    for (let c = 0; c < 3; c++) targets[3 * g + c] = target[c];
    weightOfGoal[g] = weight;
    weightBelow[ends[g]] += weight;
  }
  for (const { a, b } of links) {
    weightBelow[a] += 1;
    weightBelow[b] += 1;
  }
  for (let p = parents.length - 1; p >= 0; p--) {
    if (parents[p] >= 0) weightBelow[parents[p]] += weightBelow[p];
  }
}

export function checkPositions({ parents }: PointTree, positions: Float64Array): void {
  if (!(positions instanceof Float64Array) || positions.length !== 3 * parents.length) {
    throw wrong(
      'positions',
      `are not a Float64Array of ${3 * parents.length}.`,
      'Give three numbers per point.',
    );
  }
  requirePoints(positions, 'positions');
}

function requirePoints(numbers: Numbers, path: string): void {
  for (let i = 0; i < numbers.length; i++) {
    if (Math.abs(numbers[i]) <= MAX_DISTANCE) continue;
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

function requireDistance(length: number, path: string): void {
  if (length >= 0 && length <= MAX_DISTANCE) return;
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
