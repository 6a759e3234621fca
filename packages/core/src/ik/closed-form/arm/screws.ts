/** A chain of hinges as lines in space: the product of exponentials. */

import * as rigid from '../../../math/geometry/rigid-transform.js';
import { addScaled, cross, dot, subtract } from '../../../math/geometry/vec3.js';
import * as cholesky from '../../../math/linear/cholesky.js';
import type { Mat3x4, MutableNumbers, Vec3 } from '../../../math/linear/types.js';

/** The axis of a hinge with all hinges at zero, base frame. */
export interface Line {
  /** Unit. */
  readonly direction: Vec3;
  /** A point on it, m. */
  readonly point: Vec3;
}

/** Six hinges: baseFromTip(q) = e1(q1) ... e6(q6) baseFromTip(0). */
export interface SixHinges {
  readonly lines: readonly Line[];
  /** Base frame from tip frame with all hinges at zero. */
  readonly tip: Mat3x4;
  /** Characteristic length of the chain, m: the scale of distances. */
  readonly size: number;
}

/** e(q): the rotation by q about a line; R = cos I + sin [a] + (1 - cos) a a^T, p - R p beside it. */
export function rotationAbout({ direction, point }: Line, angle: number): number[] {
  const x = direction[0];
  const y = direction[1];
  const z = direction[2];
  const px = point[0];
  const py = point[1];
  const pz = point[2];
  const s = Math.sin(angle);
  const half = Math.sin(0.5 * angle);
  const v = 2 * half * half;
  const c = 1 - v;
  const m0 = c + v * x * x;
  const m1 = v * x * y - s * z;
  const m2 = v * x * z + s * y;
  const m3 = v * x * y + s * z;
  const m4 = c + v * y * y;
  const m5 = v * y * z - s * x;
  const m6 = v * x * z - s * y;
  const m7 = v * y * z + s * x;
  const m8 = c + v * z * z;
  return [
    m0,
    m1,
    m2,
    m3,
    m4,
    m5,
    m6,
    m7,
    m8,
    px - (m0 * px + m1 * py + m2 * pz),
    py - (m3 * px + m4 * py + m5 * pz),
    pz - (m6 * px + m7 * py + m8 * pz),
  ];
}

/** baseFromTip(q). */
function tipAt({ lines, tip }: SixHinges, angles: readonly number[]): number[] {
  let frame = rigid.identity();
  lines.forEach((line, k) => {
    frame = rigid.compose(frame, rotationAbout(line, angles[k]));
  });
  return rigid.compose(frame, tip);
}

/** The largest of the six errors of the tip at q: position over `size`, small rotation (rad). */
export function errorAt(hinges: SixHinges, angles: readonly number[], target: Mat3x4): number {
  const tip = tipAt(hinges, angles);
  // (1 - cos)/2: negligible for a small rotation, and detects a rotation by pi, whose sine is zero.
  let worst = 0.75;
  for (let k = 0; k < 9; k++) worst -= 0.25 * tip[k] * target[k];
  for (const x of errors(hinges, tip, target)) worst = Math.max(worst, Math.abs(x));
  return worst;
}

/** Position (m, over `size`) and small rotation (rad) from a tip frame to the target, base axes: six numbers. */
function errors({ size }: SixHinges, tip: Mat3x4, target: Mat3x4): number[] {
  const m = (r: number, c: number): number =>
    target[3 * r] * tip[3 * c] + target[3 * r + 1] * tip[3 * c + 1] + target[3 * r + 2] * tip[3 * c + 2];
  return [
    (target[9] - tip[9]) / size,
    (target[10] - tip[10]) / size,
    (target[11] - tip[11]) / size,
    (m(2, 1) - m(1, 2)) / 2,
    (m(0, 2) - m(2, 0)) / 2,
    (m(1, 0) - m(0, 1)) / 2,
  ];
}

/**
 * One Gauss-Newton step on the exact chain, in place: it removes the error of axes that meet only to rounding, and the lost digits
 * of an angle near a double solution. (J^T J + damping) d = J^T e, the damping so small that it affects only the singular
 * directions.
 */
export function polish(hinges: SixHinges, target: Mat3x4, angles: MutableNumbers): void {
  const { lines, size } = hinges;
  const n = lines.length;
  const columns: number[][] = [];
  let frame = rigid.identity();
  const axes = lines.map((line, k) => {
    const axis = rigid.transformVector(frame, line.direction);
    const point = rigid.transformPoint(frame, line.point);
    frame = rigid.compose(frame, rotationAbout(line, angles[k]));
    return { axis, point };
  });
  const tip = rigid.compose(frame, hinges.tip);
  // Column k: a x (tip - point) over size, a.
  for (const { axis, point } of axes) {
    const lever = cross(axis, subtract(tip.slice(9), point));
    columns.push([lever[0] / size, lever[1] / size, lever[2] / size, ...axis]);
  }
  const error = errors(hinges, tip, target);
  const normal = columns.flatMap((a, i) => columns.map((b, j) => inner(a, b) + (i === j ? DAMPING : 0)));
  const step = columns.map((a) => inner(a, error));
  if (!cholesky.factor(normal, n)) return;
  cholesky.solve(normal, n, step);
  // A longer step is not a correction of rounding.
  if (Math.max(...step.map(Math.abs)) < MAX_POLISH) for (let k = 0; k < n; k++) angles[k] += step[k];
}

const DAMPING = 1e-10;
const MAX_POLISH = 1e-5;

function inner(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, k) => sum + x * b[k], 0);
}

/** Sine of the angle between two lines. */
export function sineBetween(a: Line, b: Line): number {
  return Math.hypot(...cross(a.direction, b.direction));
}

/** Distance of a point from a line, m. */
export function distanceFrom({ direction, point }: Line, p: Vec3): number {
  return Math.hypot(...cross(direction, subtract(p, point)));
}

/** The point of line `a` that is nearest to line `b`, which is not parallel to it. */
export function nearestPoint(a: Line, b: Line): number[] {
  const apart = subtract(b.point, a.point);
  const c = dot(a.direction, b.direction);
  const along = (dot(apart, a.direction) - c * dot(apart, b.direction)) / (1 - c * c);
  return addScaled(a.point, a.direction, along);
}
