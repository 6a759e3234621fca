import type { FigureData } from 'poise/figure';

/** Energy and angular momentum of a tree of balls from quaternions (w, x, y, z) and joint velocities in bone axes. Nothing of Poise. */
export function judge(
  { bones }: FigureData,
  gravity: readonly number[],
  quaternions: ArrayLike<number>,
  nu: ArrayLike<number>,
): { energy: number; angular: number[] } {
  let energy = 0;
  const angular = [0, 0, 0];
  // Of the parent, in world axes: a chain, so the bone before.
  let [q, w, x, v] = [
    [1, 0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  bones.forEach(({ rest, mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] }, b) => {
    const arm = turn(q, [...(rest?.position ?? [0, 0, 0])]);
    x = plus(x, arm);
    v = plus(v, cross(w, arm));
    q = multiply(
      q,
      Array.from({ length: 4 }, (_, k) => quaternions[4 * b + k]),
    );
    w = plus(w, turn(q, [nu[3 * b], nu[3 * b + 1], nu[3 * b + 2]]));
    const center = turn(q, [...centerOfMass]);
    const at = plus(x, center);
    const velocity = plus(v, cross(w, center));
    const own = turn([q[0], -q[1], -q[2], -q[3]], w);
    const spin = own.map((each, k) => inertia[k] * each);
    energy += 0.5 * (mass * dot(velocity, velocity) + dot(own, spin)) - mass * dot([...gravity], at);
    const about = plus(
      turn(q, spin),
      cross(at, velocity).map((each) => mass * each),
    );
    for (let k = 0; k < 3; k++) angular[k] += about[k];
  });
  return { energy, angular };
}

/** Quaternions w, x, y, z of rotation vectors. */
export function quaternionsOf(pose: ArrayLike<number>): number[] {
  const out: number[] = [];
  for (let i = 0; i < pose.length; i += 3) {
    const angle = Math.hypot(pose[i], pose[i + 1], pose[i + 2]);
    const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
    out.push(Math.cos(angle / 2), s * pose[i], s * pose[i + 1], s * pose[i + 2]);
  }
  return out;
}

const plus = (a: readonly number[], b: readonly number[]): number[] => a.map((x, k) => x + b[k]);
const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, k) => sum + x * b[k], 0);

export function cross(a: readonly number[], b: readonly number[]): number[] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function multiply(a: readonly number[], b: readonly number[]): number[] {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

/** x turned by q, of any length but zero. */
export function turn(q: readonly number[], x: readonly number[]): number[] {
  const [w, ...u] = q;
  const square = w * w + dot(u, u);
  const once = cross(u, x);
  const twice = cross(u, once);
  return x.map((each, k) => each + (2 * (w * once[k] + twice[k])) / square);
}
