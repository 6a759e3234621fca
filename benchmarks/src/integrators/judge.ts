import type { FigureData } from 'poise/figure';

/** Energy and angular momentum about the origin, by code independent of Poise. */

/** State of a body: centre of mass and velocities in world axes, rotation as w, x, y, z. */
export interface BodyState {
  readonly center: readonly number[];
  readonly quaternion: readonly number[];
  readonly velocity: readonly number[];
  readonly spin: readonly number[];
}

export interface Kept {
  /** J */
  readonly energy: number;
  /** About the origin of the world, world axes. */
  readonly angular: readonly number[];
}

/** The bodies of a chain of balls from quaternions (w, x, y, z) and joint velocities in bone axes. */
export function bodiesOf(
  { bones }: FigureData,
  quaternions: ArrayLike<number>,
  velocities: ArrayLike<number>,
): BodyState[] {
  // Of the parent, in world axes: a chain, so the bone before.
  let [q, w, x, v] = [
    [1, 0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  return bones.map(({ rest, centerOfMass = [0, 0, 0] }, b) => {
    const arm = rotate(q, [...(rest?.position ?? [0, 0, 0])]);
    x = plus(x, arm);
    v = plus(v, cross(w, arm));
    q = multiply(
      q,
      Array.from({ length: 4 }, (_, k) => quaternions[4 * b + k]),
    );
    w = plus(w, rotate(q, [velocities[3 * b], velocities[3 * b + 1], velocities[3 * b + 2]]));
    const out = rotate(q, [...centerOfMass]);
    return { center: plus(x, out), quaternion: q, velocity: plus(v, cross(w, out)), spin: w };
  });
}

/** Conserved quantities of bodies with the masses of the figure's bones; inertia about the bone's axes. */
export function judgeBodies(
  { bones }: FigureData,
  gravity: readonly number[],
  bodies: readonly BodyState[],
): Kept {
  let energy = 0;
  let angular = [0, 0, 0];
  bones.forEach(({ mass = 0, inertia = [0, 0, 0, 0, 0, 0] }, b) => {
    const { center, quaternion: q, velocity, spin } = bodies[b];
    const own = rotate([q[0], -q[1], -q[2], -q[3]], spin);
    const inside = own.map((each, k) => inertia[k] * each);
    energy += 0.5 * (mass * dot(velocity, velocity) + dot(own, inside)) - mass * dot(gravity, center);
    angular = plus(
      angular,
      plus(
        rotate(q, inside),
        cross(center, velocity).map((each) => mass * each),
      ),
    );
  });
  return { energy, angular };
}

/** Largest joint separation of a chain of balls, m: for engines with maximal coordinates. */
export function largestGap({ bones }: FigureData, bodies: readonly BodyState[]): number {
  let end = [0, 0, 0];
  let max = 0;
  bones.forEach(({ centerOfMass = [0, 0, 0] }, b) => {
    const { center, quaternion } = bodies[b];
    const at = (local: readonly number[]) =>
      plus(
        center,
        rotate(
          quaternion,
          plus(
            [...local],
            [...centerOfMass].map((x) => -x),
          ),
        ),
      );
    max = Math.max(max, Math.hypot(...at([0, 0, 0]).map((x, k) => x - end[k])));
    end = at([...(bones[b + 1]?.rest?.position ?? [0, 0, 0])]);
  });
  return max;
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

/** x rotated by q, of any length but zero. */
export function rotate(q: readonly number[], x: readonly number[]): number[] {
  const [w, ...u] = q;
  const square = w * w + dot(u, u);
  const once = cross(u, x);
  const twice = cross(u, once);
  return x.map((each, k) => each + (2 * (w * once[k] + twice[k])) / square);
}
