/** The centre of mass over the feet on the ground: half-planes, as an augmented Lagrangian. */

import { GoalError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';
import { totalMass } from '../../figure/model/mass.js';
import { writeRotated } from '../tree/pose.js';
import { pointInJoint, type RobotTree } from '../tree/tree.js';
import { addForce, M } from './derivatives.js';
import { SUMS, type Workspace } from './problem.js';

/** A foot: joint that it moves with, `RobotTree.joints` for the world, and points of its sole there. */
export interface Foot {
  readonly joint: number;
  readonly points: readonly Triple[];
}

export interface Support {
  readonly feet: readonly Foot[];
  readonly up: Triple;
  /** Two axes perpendicular to `up`. */
  readonly axes: readonly [Triple, Triple];
  readonly height: number;
  readonly margin: number;
  /** Mass over the total, and centre of mass in the frame of the joint; of what stands fixed in the world. */
  readonly masses: Float64Array;
  readonly centers: Float64Array;
  readonly fixedCenter: Float64Array;
  /** Half-planes n.c <= d: n, d, multiplier, 5 numbers each. */
  readonly edges: Float64Array;
  /** Number of half-planes; 0 without a foot on the ground. */
  count: number;
  /** mu of the penalty mu max(0, n.c - d + y/mu)^2 of a half-plane with multiplier y. */
  penalty: number;
  /** Centre of mass at the frames last evaluated, world. */
  readonly center: Float64Array;
  /** Row of the Jacobian of one half-plane. */
  readonly row: Float64Array;
}

const EDGE = 5;
const ORIGIN: Triple = [0, 0, 0];

/** @throws GoalError, FigureError for a figure without mass. */
export function createSupport(
  tree: RobotTree,
  feet: readonly Foot[],
  settings: { readonly height: number; readonly margin: number },
): Support {
  const { figure, jointOfBone } = tree;
  const { up } = figure;
  const total = totalMass(figure, GoalError);
  const masses = new Float64Array(tree.joints);
  const centers = new Float64Array(3 * tree.joints);
  const fixedCenter = new Float64Array(3);
  for (const { index, mass = 0, centerOfMass } of figure.bones) {
    if (mass === 0) continue;
    const j = jointOfBone[index];
    const center = pointInJoint(tree, index, centerOfMass ?? ORIGIN);
    const out = j < 0 ? fixedCenter : centers.subarray(3 * j, 3 * j + 3);
    for (let k = 0; k < 3; k++) out[k] += (mass / total) * center[k];
    if (j >= 0) masses[j] += mass / total;
  }
  for (let j = 0; j < tree.joints; j++)
    for (let k = 0; k < 3; k++) if (masses[j] > 0) centers[3 * j + k] /= masses[j];
  const points = feet.reduce((sum, foot) => sum + foot.points.length, 0);
  return {
    feet,
    up,
    axes: perpendicular(up),
    ...settings,
    masses,
    centers,
    fixedCenter,
    edges: new Float64Array(EDGE * (points + 2)),
    count: 0,
    penalty: 0,
    center: new Float64Array(3),
    row: new Float64Array(tree.size),
  };
}

function perpendicular([x, y, z]: Triple): [Triple, Triple] {
  // The axis least aligned with up, orthogonalized.
  const least =
    Math.abs(x) <= Math.abs(y) && Math.abs(x) <= Math.abs(z) ? 0 : Math.abs(y) <= Math.abs(z) ? 1 : 2;
  const up = [x, y, z];
  const a = [0, 1, 2].map((k) => (k === least ? 1 : 0) - up[least] * up[k]);
  const norm = Math.hypot(...a);
  const [ax, ay, az] = a.map((c) => c / norm);
  return [
    [ax, ay, az],
    [y * az - z * ay, z * ax - x * az, x * ay - y * ax],
  ];
}

const point = /* @__PURE__ */ new Float64Array(3);

/** World position of a point that moves with a joint. */
function writePoint(
  { rotations, positions }: Workspace,
  joint: number,
  x: number,
  y: number,
  z: number,
): void {
  writeRotated(rotations, 4 * joint, x, y, z, point);
  for (let k = 0; k < 3; k++) point[k] += positions[3 * joint + k];
}

/**
 * Half-planes of the convex hull of the soles on the ground at the frames last updated, less the margin. The multipliers stay.
 *
 * @param standing - Which feet stand; without it those whose lowest point is low.
 */
export function updateEdges(
  support: Support,
  work: Workspace,
  standing: ArrayLike<unknown> | undefined,
): void {
  const { feet, axes, edges, height, margin } = support;
  const soles = feet.map(({ joint, points }) =>
    points.map(([x, y, z]) => {
      writePoint(work, joint, x, y, z);
      return { x: along(axes[0]), y: along(axes[1]), z: along(support.up) };
    }),
  );
  const lowest = Math.min(...soles.flat().map(({ z }) => z));
  const down = soles.filter((sole, k) =>
    standing === undefined ? sole.some(({ z }) => z <= lowest + height) : Boolean(standing[k]),
  );
  const hull = convexHull(down.flat());
  const count = hull.length;
  const planes = hull.length < 2 ? pointPlanes(hull) : hull.map((a, k) => planeOf(a, hull[(k + 1) % count]));
  // Inradius of a convex set in the plane: at least a third of its width.
  const width = Math.min(...planes.map(({ x, y, d }) => d - Math.min(...hull.map((p) => x * p.x + y * p.y))));
  const kept = Math.min(margin, width / 3);
  if (planes.length !== support.count) for (let k = 0; k < planes.length; k++) edges[EDGE * k + 4] = 0;
  support.count = planes.length;
  planes.forEach(({ x, y, d }, k) => {
    for (let n = 0; n < 3; n++) edges[EDGE * k + n] = x * axes[0][n] + y * axes[1][n];
    edges[EDGE * k + 3] = d - kept;
  });
}

function along([x, y, z]: Triple): number {
  return x * point[0] + y * point[1] + z * point[2];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Corners counterclockwise (Andrew 1979). */
function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const chain = (list: readonly Point[]): Point[] => {
    const out: Point[] = [];
    for (const p of list) {
      while (out.length > 1 && turnOf(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
      out.push(p);
    }
    return out.slice(0, -1);
  };
  const hull = [...chain(sorted), ...chain(sorted.reverse())];
  const [a] = hull.length > 0 ? hull : points;
  return hull
    .filter((p, k) => k === 0 || p.x !== a.x || p.y !== a.y)
    .concat(hull.length === 0 && a ? [a] : []);
}

function turnOf(a: Point, b: Point, c: Point): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/** Half-plane left of the line from a to b. */
function planeOf(a: Point, b: Point): { x: number; y: number; d: number } {
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const x = (b.y - a.y) / length;
  const y = -(b.x - a.x) / length;
  return { x, y, d: x * a.x + y * a.y };
}

/** Four half-planes that leave one point; none without points. */
function pointPlanes(hull: readonly Point[]): { x: number; y: number; d: number }[] {
  return hull.flatMap(({ x, y }) => [
    { x: 1, y: 0, d: x },
    { x: -1, y: 0, d: -x },
    { x: 0, y: 1, d: y },
    { x: 0, y: -1, d: -y },
  ]);
}

/** Updates the centre of mass. @returns sum mu max(0, n.c - d + y/mu)^2 over the half-planes. */
export function evaluateSupport(support: Support, work: Workspace): number {
  const { masses, centers, fixedCenter, center, edges, penalty } = support;
  for (let k = 0; k < 3; k++) center[k] = fixedCenter[k];
  for (let j = 0; j < masses.length; j++) {
    if (masses[j] === 0) continue;
    writePoint(work, j, centers[3 * j], centers[3 * j + 1], centers[3 * j + 2]);
    for (let k = 0; k < 3; k++) center[k] += masses[j] * point[k];
  }
  let sum = 0;
  for (let k = 0; k < support.count; k++) {
    const excess = excessOf(support, EDGE * k) + edges[EDGE * k + 4] / penalty;
    if (excess > 0) sum += penalty * excess * excess;
  }
  return sum;
}

function excessOf({ edges, center }: Support, o: number): number {
  return edges[o] * center[0] + edges[o + 1] * center[1] + edges[o + 2] * center[2] - edges[o + 3];
}

/** Largest distance of the centre of mass outside of a half-plane or, where one pushes, inside of it, m: 0 at the solution. */
export function supportResidual(support: Support): number {
  const { edges, penalty } = support;
  let largest = 0;
  for (let k = 0; k < support.count; k++) {
    const o = EDGE * k;
    largest = Math.max(largest, Math.abs(Math.max(excessOf(support, o), -edges[o + 4] / penalty)));
  }
  return largest;
}

/** Distance of the centre of mass outside of the half-planes, m. */
export function imbalanceOf(support: Support): number {
  let largest = 0;
  for (let k = 0; k < support.count; k++) largest = Math.max(largest, excessOf(support, EDGE * k));
  return largest;
}

/** Adds masses and the force of the half-planes at the centre of mass. @returns whether one of them acts. */
export function addSupport(support: Support, work: Workspace): boolean {
  const { masses, centers, edges, penalty } = support;
  const { sums, origin } = work;
  let fx = 0;
  let fy = 0;
  let fz = 0;
  let acts = false;
  for (let k = 0; k < support.count; k++) {
    const o = EDGE * k;
    const push = penalty * excessOf(support, o) + edges[o + 4];
    if (push <= 0) continue;
    acts = true;
    fx -= push * edges[o];
    fy -= push * edges[o + 1];
    fz -= push * edges[o + 2];
  }
  if (!acts) return false;
  for (let j = 0; j < masses.length; j++) {
    const m = masses[j];
    if (m === 0) continue;
    writePoint(work, j, centers[3 * j], centers[3 * j + 1], centers[3 * j + 2]);
    const x = point[0] - origin[0];
    const y = point[1] - origin[1];
    const z = point[2] - origin[2];
    const s = SUMS * j;
    sums[s + M] += m;
    sums[s + M + 1] += m * x;
    sums[s + M + 2] += m * y;
    sums[s + M + 3] += m * z;
    addForce(sums, s, x, y, z, m * fx, m * fy, m * fz);
  }
  return true;
}

/** Adds mu u u^T of the half-planes that act, u = J_c^T n, to a Hessian that is dense. */
export function addSupportCurvature(
  support: Support,
  { tree, sums, motions, hessian, densePattern }: Workspace,
): void {
  const { edges, penalty, row } = support;
  const n = tree.size;
  for (let k = 0; k < support.count; k++) {
    const o = EDGE * k;
    if (penalty * excessOf(support, o) + edges[o + 4] <= 0) continue;
    for (let i = 0; i < n; i++) {
      const s = SUMS * tree.jointOf[i] + M;
      const a = 6 * i;
      const wx = motions[a];
      const wy = motions[a + 1];
      const wz = motions[a + 2];
      // n.(m l + w x m c)
      row[i] =
        edges[o] * (sums[s] * motions[a + 3] + wy * sums[s + 3] - wz * sums[s + 2]) +
        edges[o + 1] * (sums[s] * motions[a + 4] + wz * sums[s + 1] - wx * sums[s + 3]) +
        edges[o + 2] * (sums[s] * motions[a + 5] + wx * sums[s + 2] - wy * sums[s + 1]);
    }
    for (let j = 0; j < n; j++)
      for (let i = 0; i <= j; i++) hessian[densePattern.starts[j] + i] += penalty * row[j] * row[i];
  }
}

/** y = max(0, y + mu (n.c - d)). */
export function updateMultipliers(support: Support): void {
  const { edges, penalty } = support;
  for (let k = 0; k < support.count; k++) {
    const o = EDGE * k;
    edges[o + 4] = Math.max(0, edges[o + 4] + penalty * excessOf(support, o));
  }
}

export function clearMultipliers({ edges }: Support): void {
  for (let o = 4; o < edges.length; o += EDGE) edges[o] = 0;
}
