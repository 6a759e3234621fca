/** Vectors and unit quaternions [x, y, z, w] as plain arrays: the arithmetic of the judges of rigid bodies, independent of Poise. */
export type V = readonly number[];

export const plus = (a: V, b: V, scale = 1): number[] => [
  a[0] + scale * b[0],
  a[1] + scale * b[1],
  a[2] + scale * b[2],
];

export const dot = (a: V, b: V): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export const length = (a: V): number => Math.sqrt(dot(a, a));

export const cross = (a: V, b: V): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export const conjugate = (q: V): number[] => [-q[0], -q[1], -q[2], q[3]];

/** Product: rotation by b, then by a. */
export const product = (a: V, b: V): number[] => [
  a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
  a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
  a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
  a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
];

/** v rotated by q: v + 2 w (u x v) + 2 u x (u x v), u the vector part. */
export function rotate(q: V, v: V): number[] {
  const c = cross(q, v);
  return plus(plus(v, c, 2 * q[3]), cross(q, c), 2);
}

/** The quaternion of a rotation vector. */
export function quaternionOf(v: V): number[] {
  const angle = length(v);
  const s = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [s * v[0], s * v[1], s * v[2], Math.cos(angle / 2)];
}

/** The rotation vector of a quaternion, of length up to pi. */
export function vectorOf(q: V): number[] {
  const sine = length(q);
  if (sine < 1e-12) return [2 * q[0], 2 * q[1], 2 * q[2]];
  const sign = q[3] < 0 ? -1 : 1;
  const scale = (sign * 2 * Math.atan2(sine, sign * q[3])) / sine;
  return [scale * q[0], scale * q[1], scale * q[2]];
}

/** Twist angle of q about a unit axis, in (-pi, pi]. */
export function twistAbout(q: V, axis: V): number {
  const sign = q[3] < 0 ? -1 : 1;
  return 2 * Math.atan2(sign * dot(q, axis), sign * q[3]);
}

/** A segment as one along y: its centre, half length, and the turn that takes y to it. */
export function alongY(
  from: V,
  to: V,
): { readonly center: number[]; readonly half: number; readonly rotation: number[] } {
  const direction = plus(to, from, -1);
  const size = length(direction);
  const [x, y, z] = size > 0 ? direction.map((each) => each / size) : [0, 1, 0];
  // Half-way quaternion (y x way, 1 + y . way); straight down it is half a turn about x.
  const w = 1 + y;
  const n = Math.hypot(z, x, w);
  const rotation = w > 1e-9 ? [z / n, 0, -x / n, w / n] : [1, 0, 0, 0];
  return { center: plus(from, direction, 0.5), half: size / 2, rotation };
}

/** Angles of R = R_i(a) R_j(b) R_k(c), three different axes, b within a right angle. */
export function eulerAngles(order: string, q: V): number[] {
  const [i, j, k] = Array.from(order, (letter) => 'XYZ'.indexOf(letter));
  if (i === k) throw new Error(`benchmarks: no angles for the order ${order}`);
  const e = (j - i + 3) % 3 === 1 ? 1 : -1;
  const column = (n: number): number[] =>
    rotate(
      q,
      [0, 1, 2].map((m) => (m === n ? 1 : 0)),
    );
  const [ci, cj, ck] = [column(i), column(j), column(k)];
  return [
    Math.atan2(-e * ck[j], ck[k]),
    Math.asin(Math.max(-1, Math.min(1, e * ck[i]))),
    Math.atan2(-e * cj[i], ci[i]),
  ];
}
