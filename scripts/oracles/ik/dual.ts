// Vectors and quaternions with a derivative along one direction of the coordinates (dual numbers): the product rule in every
// step, so no formula of a Jacobian is needed. Value first, derivative behind it.

/** [x, y, z, x', y', z'] */
export type DualVector = readonly number[];
/** [x, y, z, w, x', y', z', w'], Hamilton */
export type DualQuaternion = readonly number[];

export function vector(v: ArrayLike<number>): DualVector {
  return [v[0], v[1], v[2], 0, 0, 0];
}

/** A constant quaternion, made unit. */
export function quaternion(q: ArrayLike<number>): DualQuaternion {
  const n = Math.hypot(q[0], q[1], q[2], q[3]);
  return [q[0] / n, q[1] / n, q[2] / n, q[3] / n, 0, 0, 0, 0];
}

export function add(a: DualVector, b: DualVector): DualVector {
  return a.map((x, k) => x + b[k]);
}

export function subtract(a: DualVector, b: DualVector): DualVector {
  return a.map((x, k) => x - b[k]);
}

/** x v for a number with derivative [x, x'] and a constant vector v. */
export function along(x: readonly [number, number], v: ArrayLike<number>): DualVector {
  return [x[0] * v[0], x[0] * v[1], x[0] * v[2], x[1] * v[0], x[1] * v[1], x[1] * v[2]];
}

export function multiply(a: DualQuaternion, b: DualQuaternion): DualQuaternion {
  const value = hamilton(a, 0, b, 0);
  const left = hamilton(a, 4, b, 0);
  const right = hamilton(a, 0, b, 4);
  return [...value, ...left.map((x, k) => x + right[k])];
}

export function conjugate(q: DualQuaternion): DualQuaternion {
  return [-q[0], -q[1], -q[2], q[3], -q[4], -q[5], -q[6], q[7]];
}

/** v rotated by q: q (v, 0) q*. */
export function rotate(q: DualQuaternion, v: DualVector): DualVector {
  const p = multiply(multiply(q, [v[0], v[1], v[2], 0, v[3], v[4], v[5], 0]), conjugate(q));
  return [p[0], p[1], p[2], p[4], p[5], p[6]];
}

export function dot(a: DualVector, b: DualVector): [number, number] {
  return [
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
    a[3] * b[0] + a[4] * b[1] + a[5] * b[2] + a[0] * b[3] + a[1] * b[4] + a[2] * b[5],
  ];
}

export function cross(a: DualVector, b: DualVector): DualVector {
  const value = crossOf(a, 0, b, 0);
  const left = crossOf(a, 3, b, 0);
  const right = crossOf(a, 0, b, 3);
  return [...value, ...left.map((x, k) => x + right[k])];
}

/** The rotation vector v as a quaternion: [S v, C], S = sin(|v|/2)/|v|, C = cos(|v|/2), both as functions of t = |v|^2. */
export function exponential(v: DualVector): DualQuaternion {
  const [t, rate] = dot(v, v);
  const theta = Math.sqrt(t);
  const c = Math.cos(theta / 2);
  // Series below 0.1: S = 1/2 - t/48 + t^2/3840 - ..., S' = dS/dt.
  const near = t < 1e-2;
  const s = near ? 0.5 - (t / 48) * (1 - (t / 80) * (1 - t / 168)) : Math.sin(theta / 2) / theta;
  const slope = near ? -(1 - (t / 40) * (1 - (t / 112) * (1 - t / 216))) / 48 : (c / 2 - s) / (2 * t);
  const ds = slope * rate;
  const dc = -0.25 * s * rate;
  return [
    s * v[0],
    s * v[1],
    s * v[2],
    c,
    s * v[3] + ds * v[0],
    s * v[4] + ds * v[1],
    s * v[5] + ds * v[2],
    dc,
  ];
}

function hamilton(a: DualQuaternion, i: number, b: DualQuaternion, j: number): number[] {
  const [ax, ay, az, aw] = [a[i], a[i + 1], a[i + 2], a[i + 3]];
  const [bx, by, bz, bw] = [b[j], b[j + 1], b[j + 2], b[j + 3]];
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

function crossOf(a: DualVector, i: number, b: DualVector, j: number): number[] {
  return [
    a[i + 1] * b[j + 2] - a[i + 2] * b[j + 1],
    a[i + 2] * b[j] - a[i] * b[j + 2],
    a[i] * b[j + 1] - a[i + 1] * b[j],
  ];
}
