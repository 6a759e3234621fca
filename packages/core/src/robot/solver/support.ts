/**
 * The centre of mass c over the feet on the ground: half-planes n.(c - a) <= -margin through the edges a to b of the hull of the soles, as an augmented Lagrangian.
 * Edges move with their feet: with u = (b - a)/L, t = u.(c - a)/L and v = dc - (1 - t) da - t db, e = n.(c - a) has
 *
 *   de = n.v,   d^2 e = -n.w (2 u.v + e n.w / L) / L,   w = db - da,
 *
 * and the curvature of the paths of c, a and b.
 */

import { GoalError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';
import { totalMass } from '../../figure/model/mass.js';
import type { Targets } from '../targets/targets.js';
import { writeRotated } from '../tree/pose.js';
import { FREE, pointInJoint, type RobotTree } from '../tree/tree.js';
import { addForce, M } from './derivatives.js';
import { SUMS, type Table, type Workspace } from './problem.js';

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
  readonly flight: number;
  readonly margin: number;
  /** Which feet stand. */
  readonly stands: boolean[];
  /** Where the soles were lowest, m; Infinity before the first frame. */
  ground: number;
  /** Mass over the total, and centre of mass in the frame of the joint; of what stands fixed in the world. */
  readonly masses: Float64Array;
  readonly centers: Float64Array;
  readonly fixedCenter: Float64Array;
  /** Points of all soles: joint, and position there. */
  readonly joints: Int32Array;
  readonly points: Float64Array;
  /** Half-planes, counterclockwise, {@link EDGE} numbers each, and the points at their ends; the second is -1 for one through a point, whose n is fixed. */
  readonly edges: Float64Array;
  readonly ends: Int32Array;
  /** Number of half-planes; 0 without a foot on the ground. */
  count: number;
  /** Margin that the support is wide enough for, m. */
  kept: number;
  /** mu of the penalty mu max(0, e + margin + y/mu)^2 of a half-plane with multiplier y. */
  penalty: number;
  /** Centre of mass at the frames last evaluated, world. */
  readonly center: Float64Array;
  /** Rows of n.v, n.w and u.v of one half-plane. */
  readonly rows: readonly [Float64Array, Float64Array, Float64Array];
}

/** Numbers of a half-plane: n, u, e, 1/L, t and the multiplier y. */
const EDGE = 10;
const U = 3;
const E = 6;
const INVERSE = 7;
const T = 8;
const Y = 9;
const ORIGIN: Triple = [0, 0, 0];

/** @throws GoalError, FigureError for a figure without mass. */
export function createSupport(
  tree: RobotTree,
  feet: readonly Foot[],
  settings: { readonly height: number; readonly flight: number; readonly margin: number },
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
  const joints = feet.flatMap(({ joint, points }) => points.map(() => joint));
  const most = joints.length + 2;
  return {
    feet,
    up,
    axes: perpendicular(up),
    ...settings,
    stands: feet.map(() => false),
    ground: Number.POSITIVE_INFINITY,
    masses,
    centers,
    fixedCenter,
    joints: Int32Array.from(joints),
    points: Float64Array.from(feet.flatMap(({ points }) => points.flat())),
    edges: new Float64Array(EDGE * most),
    ends: new Int32Array(2 * most),
    count: 0,
    kept: 0,
    penalty: 0,
    center: new Float64Array(3),
    rows: [new Float64Array(tree.size), new Float64Array(tree.size), new Float64Array(tree.size)],
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
const other = /* @__PURE__ */ new Float64Array(3);
const inverse = /* @__PURE__ */ new Float64Array(4);

/** World position of a point that moves with a joint. */
function writePoint(
  { rotations, positions }: Workspace,
  joint: number,
  x: number,
  y: number,
  z: number,
  out = point,
): void {
  writeRotated(rotations, 4 * joint, x, y, z, out);
  for (let k = 0; k < 3; k++) out[k] += positions[3 * joint + k];
}

function writeSolePoint({ joints, points }: Support, work: Workspace, k: number, out = point): void {
  writePoint(work, joints[k], points[3 * k], points[3 * k + 1], points[3 * k + 2], out);
}

/**
 * Chooses the feet that stand, for all rounds of a frame: chosen anew in each, two feet of one height would take turns.
 *
 * @param standing - Given; without it those that are low where their targets have them, or at the frames last updated.
 */
export function chooseFeet(
  support: Support,
  work: Workspace,
  table: Table,
  targets: Targets,
  standing: ArrayLike<unknown> | undefined,
): void {
  const { feet, up, height, flight, stands } = support;
  const lows = feet.map(({ joint, points }) => {
    const m = table.joint.findIndex((j, k) => j === joint && table.positionWeight[k] > 0);
    let low = Number.POSITIVE_INFINITY;
    for (const [x, y, z] of points) {
      if (m < 0) writePoint(work, joint, x, y, z);
      else writeTargetPoint(work, table, targets, m, x, y, z);
      low = Math.min(low, along(up));
    }
    return low;
  });
  const lowest = Math.min(...lows);
  support.ground = Math.min(support.ground, lowest);
  const isInFlight = lowest > support.ground + flight;
  lows.forEach((low, k) => {
    stands[k] = standing === undefined ? !isInFlight && low <= lowest + height : Boolean(standing[k]);
  });
}

/** A point of a joint where the target of a match has it: x* + R* R_m^-1 (p - p_m), turned as the joint is where its rotation has no target. */
function writeTargetPoint(
  work: Workspace,
  { joint, body, rotation, position, rotationWeight }: Table,
  { positions, rotations }: Targets,
  m: number,
  x: number,
  y: number,
  z: number,
): void {
  const b = body[m];
  const [px, py, pz] = position.subarray(3 * m, 3 * m + 3);
  if (rotationWeight[m] > 0) {
    for (let k = 0; k < 4; k++) inverse[k] = (k < 3 ? -1 : 1) * rotation[4 * m + k];
    writeRotated(inverse, 0, x - px, y - py, z - pz, other);
    writeRotated(rotations, 4 * b, other[0], other[1], other[2], point);
  } else writeRotated(work.rotations, 4 * joint[m], x - px, y - py, z - pz, point);
  for (let k = 0; k < 3; k++) point[k] += positions[3 * b + k];
}

/** Half-planes of the convex hull of the soles that stand at the frames last updated. The multipliers stay, or their force where there are other half-planes. */
export function updateEdges(support: Support, work: Workspace): void {
  const { feet, axes, edges, ends, stands, margin } = support;
  let index = 0;
  const soles = feet.map(({ points }) =>
    points.map(() => {
      writeSolePoint(support, work, index);
      return { x: along(axes[0]), y: along(axes[1]), index: index++ };
    }),
  );
  const down = soles.filter((_, k) => stands[k]);
  const hull = convexHull(down.flat());
  const count = hull.length;
  const planes = count < 2 ? pointPlanes(hull) : hull.map((a, k) => planeOf(a, hull[(k + 1) % count]));
  // Inradius of a convex set in the plane: at least a third of its width.
  const width = Math.min(...planes.map(({ x, y, d }) => d - Math.min(...hull.map((p) => x * p.x + y * p.y))));
  support.kept = Math.min(margin, width / 3);
  const isSame =
    planes.length === support.count &&
    planes.every(({ a, b }, k) => a === ends[2 * k] && b === ends[2 * k + 1]);
  if (!isSame) {
    let fx = 0;
    let fy = 0;
    for (let o = 0; o < EDGE * support.count; o += EDGE) {
      fx += edges[o + Y] * (edges[o] * axes[0][0] + edges[o + 1] * axes[0][1] + edges[o + 2] * axes[0][2]);
      fy += edges[o + Y] * (edges[o] * axes[1][0] + edges[o + 1] * axes[1][1] + edges[o + 2] * axes[1][2]);
    }
    support.count = planes.length;
    const multipliers = multipliersOf(planes, fx, fy);
    planes.forEach(({ x, y, a, b }, k) => {
      for (let n = 0; n < 3; n++) edges[EDGE * k + n] = x * axes[0][n] + y * axes[1][n];
      edges[EDGE * k + INVERSE] = 0;
      edges[EDGE * k + T] = 0;
      edges[EDGE * k + Y] = multipliers[k];
      ends[2 * k] = a;
      ends[2 * k + 1] = b;
    });
  }
  evaluateSupport(support, work);
}

/** Multipliers of the half-planes, counterclockwise, whose forces y n have a sum: of the two between whose normals it is. */
function multipliersOf(planes: readonly Plane[], fx: number, fy: number): number[] {
  const multipliers = planes.map(() => 0);
  for (let k = 0; k < planes.length; k++) {
    const next = (k + 1) % planes.length;
    const [p, q] = [planes[k], planes[next]];
    const determinant = p.x * q.y - p.y * q.x;
    if (!(determinant > PARALLEL)) continue;
    const first = (fx * q.y - fy * q.x) / determinant;
    const second = (p.x * fy - p.y * fx) / determinant;
    if (first < 0 || second < 0) continue;
    multipliers[k] = first;
    multipliers[next] = second;
    return multipliers;
  }
  return planes.map(({ x, y }) => Math.max(0, x * fx + y * fy));
}

/** Sine of the angle between normals that span the plane. */
const PARALLEL = 1e-6;

function along([x, y, z]: Triple): number {
  return x * point[0] + y * point[1] + z * point[2];
}

interface Point {
  readonly x: number;
  readonly y: number;
  /** Of the soles' points. */
  readonly index: number;
}

/** Half-plane x X + y Y <= d through points of the soles; b -1 for one through a point. */
interface Plane {
  readonly x: number;
  readonly y: number;
  readonly d: number;
  readonly a: number;
  readonly b: number;
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
function planeOf(a: Point, b: Point): Plane {
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const x = (b.y - a.y) / length;
  const y = -(b.x - a.x) / length;
  return { x, y, d: x * a.x + y * a.y, a: a.index, b: b.index };
}

/** Four half-planes that leave one point; none without points. */
function pointPlanes(hull: readonly Point[]): Plane[] {
  return hull.flatMap(({ x, y, index: a }) => [
    { x: 1, y: 0, d: x, a, b: -1 },
    { x: 0, y: 1, d: y, a, b: -1 },
    { x: -1, y: 0, d: -x, a, b: -1 },
    { x: 0, y: -1, d: -y, a, b: -1 },
  ]);
}

/** Updates the centre of mass and the half-planes. @returns sum mu max(0, e + margin + y/mu)^2 over the half-planes. */
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
    placeEdge(support, work, k);
    const excess = excessOf(support, EDGE * k) + edges[EDGE * k + Y] / penalty;
    if (excess > 0) sum += penalty * excess * excess;
  }
  return sum;
}

/** Writes n, u, e, 1/L and t of a half-plane. */
function placeEdge(support: Support, work: Workspace, k: number): void {
  const { edges, ends, center, up } = support;
  const o = EDGE * k;
  writeSolePoint(support, work, ends[2 * k]);
  const cx = center[0] - point[0];
  const cy = center[1] - point[1];
  const cz = center[2] - point[2];
  if (ends[2 * k + 1] >= 0) {
    writeSolePoint(support, work, ends[2 * k + 1], other);
    let ux = other[0] - point[0];
    let uy = other[1] - point[1];
    let uz = other[2] - point[2];
    const rise = ux * up[0] + uy * up[1] + uz * up[2];
    ux -= rise * up[0];
    uy -= rise * up[1];
    uz -= rise * up[2];
    const inverse = 1 / Math.sqrt(ux * ux + uy * uy + uz * uz);
    ux *= inverse;
    uy *= inverse;
    uz *= inverse;
    edges[o] = uy * up[2] - uz * up[1];
    edges[o + 1] = uz * up[0] - ux * up[2];
    edges[o + 2] = ux * up[1] - uy * up[0];
    edges[o + U] = ux;
    edges[o + U + 1] = uy;
    edges[o + U + 2] = uz;
    edges[o + INVERSE] = inverse;
    edges[o + T] = (ux * cx + uy * cy + uz * cz) * inverse;
  }
  edges[o + E] = edges[o] * cx + edges[o + 1] * cy + edges[o + 2] * cz;
}

/** Distance of the centre of mass outside of a half-plane less the margin, m. */
function excessOf({ edges, kept }: Support, o: number): number {
  return edges[o + E] + kept;
}

/** Largest distance of the centre of mass outside of a half-plane or, where one pushes, inside of it, m: 0 at the solution. */
export function supportResidual(support: Support): number {
  const { edges, penalty } = support;
  let largest = 0;
  for (let k = 0; k < support.count; k++) {
    const o = EDGE * k;
    largest = Math.max(largest, Math.abs(Math.max(excessOf(support, o), -edges[o + Y] / penalty)));
  }
  return largest;
}

/** Distance of the centre of mass outside of the half-planes, m. */
export function imbalanceOf(support: Support): number {
  let largest = 0;
  for (let k = 0; k < support.count; k++) largest = Math.max(largest, excessOf(support, EDGE * k));
  return largest;
}

/** Whether a half-plane pushes. */
export function pushes({ edges, count }: Support): boolean {
  for (let o = Y; o < EDGE * count; o += EDGE) if (edges[o] > 0) return true;
  return false;
}

/** Adds masses, and the forces of the half-planes at the centre of mass and at their ends. @returns whether one of them acts. */
export function addSupport(support: Support, work: Workspace): boolean {
  const { masses, centers, edges, ends, penalty } = support;
  const { sums, origin } = work;
  let fx = 0;
  let fy = 0;
  let fz = 0;
  let acts = false;
  for (let k = 0; k < support.count; k++) {
    const o = EDGE * k;
    const push = penalty * excessOf(support, o) + edges[o + Y];
    if (push <= 0) continue;
    acts = true;
    fx -= push * edges[o];
    fy -= push * edges[o + 1];
    fz -= push * edges[o + 2];
    addReaction(support, work, ends[2 * k], o, (1 - edges[o + T]) * push);
    if (ends[2 * k + 1] >= 0) addReaction(support, work, ends[2 * k + 1], o, edges[o + T] * push);
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

/** Adds a force along the normal of a half-plane at a point of a sole. */
function addReaction(support: Support, work: Workspace, k: number, o: number, force: number): void {
  const { edges, joints } = support;
  const { sums, origin } = work;
  writeSolePoint(support, work, k);
  addForce(
    sums,
    SUMS * joints[k],
    point[0] - origin[0],
    point[1] - origin[1],
    point[2] - origin[2],
    force * edges[o],
    force * edges[o + 1],
    force * edges[o + 2],
  );
}

/**
 * Adds the curvature of the half-planes that act to a Hessian that is dense: mu (n.v)^2 and, where it is exact, that of e under its force; the curvature
 * of the paths is that of the forces of {@link addSupport}.
 */
export function addSupportCurvature(support: Support, work: Workspace, exact: boolean): void {
  const { edges, penalty, rows } = support;
  const { hessian, densePattern } = work;
  const { starts } = densePattern;
  const [r, w, v] = rows;
  for (let k = 0; k < support.count; k++) {
    const o = EDGE * k;
    const push = penalty * excessOf(support, o) + edges[o + Y];
    if (push <= 0) continue;
    writeRows(support, work, k);
    const inverse = edges[o + INVERSE];
    const mixed = exact ? -push * inverse : 0;
    const square = mixed * edges[o + E] * inverse;
    for (let j = 0; j < r.length; j++) {
      const row = starts[j];
      const alongR = penalty * r[j];
      const alongW = mixed * v[j] + square * w[j];
      const alongV = mixed * w[j];
      for (let i = 0; i <= j; i++) hessian[row + i] += alongR * r[i] + alongW * w[i] + alongV * v[i];
    }
  }
}

/** Rows of n.v, n.w and u.v of a half-plane. */
function writeRows(support: Support, work: Workspace, k: number): void {
  const { edges, ends, rows } = support;
  const { tree, sums, motions } = work;
  const [r, w, v] = rows;
  const o = EDGE * k;
  for (let i = 0; i < tree.size; i++) {
    const s = SUMS * tree.jointOf[i] + M;
    const a = 6 * i;
    const wx = motions[a];
    const wy = motions[a + 1];
    const wz = motions[a + 2];
    // Of the centre of mass: m l + w x m c.
    const x = sums[s] * motions[a + 3] + wy * sums[s + 3] - wz * sums[s + 2];
    const y = sums[s] * motions[a + 4] + wz * sums[s + 1] - wx * sums[s + 3];
    const z = sums[s] * motions[a + 5] + wx * sums[s + 2] - wy * sums[s + 1];
    r[i] = edges[o] * x + edges[o + 1] * y + edges[o + 2] * z;
    v[i] = edges[o + U] * x + edges[o + U + 1] * y + edges[o + U + 2] * z;
    w[i] = 0;
  }
  addEnd(support, work, ends[2 * k], o, 1 - edges[o + T], -1);
  if (ends[2 * k + 1] >= 0) addEnd(support, work, ends[2 * k + 1], o, edges[o + T], 1);
}

/** Adds the motion of an end to the rows. @param share - Of it in v. @param sign - Of it in w. */
function addEnd(support: Support, work: Workspace, k: number, o: number, share: number, sign: number): void {
  const { edges, joints, rows } = support;
  const { tree, motions, origin } = work;
  const [r, w, v] = rows;
  const j = joints[k];
  if (j === tree.joints) return;
  writeSolePoint(support, work, k);
  const px = point[0] - origin[0];
  const py = point[1] - origin[1];
  const pz = point[2] - origin[2];
  for (let i = tree.first[j] + (tree.kind[j] === FREE ? 5 : 0); i >= 0; i = tree.parents[i]) {
    const a = 6 * i;
    const wx = motions[a];
    const wy = motions[a + 1];
    const wz = motions[a + 2];
    const x = motions[a + 3] + wy * pz - wz * py;
    const y = motions[a + 4] + wz * px - wx * pz;
    const z = motions[a + 5] + wx * py - wy * px;
    const across = edges[o] * x + edges[o + 1] * y + edges[o + 2] * z;
    r[i] -= share * across;
    w[i] += sign * across;
    v[i] -= share * (edges[o + U] * x + edges[o + U + 1] * y + edges[o + U + 2] * z);
  }
}

/** y = max(0, y + mu (e + margin)). */
export function updateMultipliers(support: Support): void {
  const { edges, penalty } = support;
  for (let k = 0; k < support.count; k++) {
    const o = EDGE * k;
    edges[o + Y] = Math.max(0, edges[o + Y] + penalty * excessOf(support, o));
  }
}

/** Forgets the frames before. */
export function beginSupport(support: Support): void {
  support.ground = Number.POSITIVE_INFINITY;
  clearMultipliers(support);
}

export function clearMultipliers({ edges }: Support): void {
  for (let o = Y; o < edges.length; o += EDGE) edges[o] = 0;
}
