import { type BoneData, createFigure, createPose, type Figure } from 'poise/figure';
import type { OrientationGoal, PositionGoal } from 'poise/ik';
import { randomQuat, testRandom } from '../../support/random-figure.js';

type Triple = readonly [number, number, number];
type Quat = readonly [number, number, number, number];

/** A hinge of a chain: where it stands in the frame of the one before, and its axis. */
export interface Link {
  readonly position: Triple;
  readonly rotation?: Quat;
  readonly axis: Triple;
  readonly limit?: readonly [number, number];
}

const S = Math.SQRT1_2;
const X: Triple = [1, 0, 0];
const Y: Triple = [0, 1, 0];
const Z: Triple = [0, 0, 1];

/** Puma 560: shoulder offset, parallel elbow, spherical wrist (lengths of Corke's model). */
export const PUMA: readonly Link[] = [
  { position: [0, 0, 0.6718], axis: Z },
  { position: [0, 0.1397, 0], axis: Y },
  { position: [0.4318, 0, 0], axis: Y },
  { position: [0.0203, -0.0, -0.4331], axis: Z },
  { position: [0, 0, 0], axis: Y },
  { position: [0, 0, 0], axis: Z },
];

/** An industrial arm as most are built: the second axis stands off the first, the wrist off the elbow; turned rests. */
export const INDUSTRIAL: readonly Link[] = [
  { position: [0, 0, 0.4], axis: Z },
  { position: [0.15, 0, 0.05], rotation: [S, 0, 0, S], axis: Z },
  { position: [0.02, 0.6, 0], axis: [0, 0, -1] },
  { position: [0.62, 0.12, 0], rotation: [0, S, 0, S], axis: Z },
  { position: [0, 0, 0], rotation: [0, -S, 0, S], axis: Z },
  { position: [0, 0, 0], rotation: [0, S, 0, S], axis: Z },
];

/** Axes 1 and 2 meet, axis 3 is askew to both. */
export const MEETING_SHOULDER: readonly Link[] = [
  { position: [0.1, 0.2, 0.3], axis: Z },
  { position: [0, 0, 0], axis: [0.6, 0.8, 0] },
  { position: [0.3, 0.1, 0.2], axis: [0.48, 0.6, 0.64] },
  { position: [0.1, 0.4, -0.1], axis: X },
  { position: [0, 0, 0], axis: Y },
  { position: [0, 0, 0], axis: [0.6, 0, 0.8] },
];

/** UR5 by its published Denavit-Hartenberg lengths. */
export const UR5: readonly Link[] = [
  { position: [0, 0, 0], axis: Z },
  { position: [0, 0, 0.089159], rotation: [S, 0, 0, S], axis: Z },
  { position: [-0.425, 0, 0], axis: Z },
  { position: [-0.39225, 0, 0], axis: Z },
  { position: [0, 0, 0.10915], rotation: [S, 0, 0, S], axis: Z },
  { position: [0, 0, 0.09465], rotation: [-S, 0, 0, S], axis: Z },
];

export const ARMS: readonly (readonly [string, readonly Link[]])[] = [
  ['puma', PUMA],
  ['industrial', INDUSTRIAL],
  ['meeting-shoulder', MEETING_SHOULDER],
  ['ur5', UR5],
];

export interface TestArm {
  readonly figure: Figure;
  readonly position: PositionGoal & { readonly target: number[] };
  readonly orientation: OrientationGoal & { readonly target: number[] };
}

/** A chain on a base that is turned and off the origin, with a tip point and a goal frame of its own. */
export function armOf(links: readonly Link[], tolerance = 1e-9): TestArm {
  const bones: BoneData[] = [
    { name: 'base', parent: null, rest: { position: [0.3, -0.2, 0.1], rotation: [0.5, -0.1, 0.7, 0.5] } },
    ...links.map(({ position, rotation = [0, 0, 0, 1], axis, limit }, k): BoneData => {
      const bone: BoneData = {
        name: `j${k + 1}`,
        parent: k === 0 ? 'base' : `j${k}`,
        rest: { position, rotation },
        joint: { type: 'hinge', axis },
      };
      return limit ? { ...bone, limit: { type: 'interval', min: limit[0], max: limit[1] } } : bone;
    }),
  ];
  return {
    figure: createFigure({ bones }),
    position: {
      type: 'position',
      bone: `j${links.length}`,
      point: [0.02, 0.03, 0.1],
      target: [0, 0, 0],
      tolerance,
    },
    orientation: {
      type: 'orientation',
      bone: `j${links.length}`,
      offset: [0.1, 0.7, -0.1, 0.7],
      target: [0, 0, 0, 1],
      tolerance,
    },
  };
}

/** Points the goals of an arm at where a configuration has its tip. */
export function aimAt({ figure, position, orientation }: TestArm, angles: readonly number[]): void {
  const pose = createPose(figure);
  pose.set(angles);
  const { p, q } = tipOf(figure, position, orientation, pose);
  p.forEach((x, k) => {
    position.target[k] = x;
  });
  q.forEach((x, k) => {
    orientation.target[k] = x;
  });
}

type V = readonly number[];

/** Tip position and orientation by quaternions (x, y, z, w) of the test's own. */
export function tipOf(
  figure: Figure,
  { point }: Pick<PositionGoal, 'point'>,
  { offset }: Pick<OrientationGoal, 'offset'>,
  pose: Float64Array,
): { readonly p: number[]; readonly q: number[] } {
  let p = [0, 0, 0];
  let q = [0, 0, 0, 1];
  for (const bone of figure.bones) {
    p = add(p, rotated(q, bone.rest.position));
    q = product(q, bone.rest.rotation);
    if (bone.joint.type !== 'hinge') continue;
    const half = pose[bone.coordinate] / 2;
    const { axis } = bone.joint;
    q = product(q, [...axis.map((x) => x * Math.sin(half)), Math.cos(half)]);
  }
  return {
    p: add(p, rotated(q, Array.from(point ?? [0, 0, 0]))),
    q: product(q, unit(Array.from(offset ?? [0, 0, 0, 1]))),
  };
}

function unit(q: V): number[] {
  const n = Math.hypot(...q);
  return q.map((x) => x / n);
}

function product([ax, ay, az, aw]: V, [bx, by, bz, bw]: V): number[] {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

function rotated(q: V, v: V): number[] {
  return product(product(q, [...v, 0]), [-q[0], -q[1], -q[2], q[3]]).slice(0, 3);
}

function add(a: V, b: V): number[] {
  return a.map((x, k) => x + b[k]);
}

/** Largest error of the tip against the targets: m, and rad of the whole turn. */
export function missOf({ figure, position, orientation }: TestArm, pose: Float64Array): number {
  const { p, q } = tipOf(figure, position, orientation, pose);
  const t = unit(orientation.target);
  const rotation = product([-t[0], -t[1], -t[2], t[3]], q);
  const angle = 2 * Math.atan2(Math.hypot(rotation[0], rotation[1], rotation[2]), Math.abs(rotation[3]));
  return Math.max(Math.hypot(...p.map((x, k) => x - position.target[k])), angle);
}

/**
 * Every solution with all angles in (-pi, pi], found by brute force: Newton with a Jacobian by differences of `tipOf`, from
 * many random starts. It knows nothing of axes that meet.
 */
export function bruteForce(arm: TestArm, starts: number, seed: number): number[][] {
  const random = testRandom(seed);
  const { figure, position, orientation } = arm;
  const found: number[][] = [];
  const residual = (angles: readonly number[]): number[] => {
    const pose = createPose(figure);
    pose.set(angles);
    const { p, q } = tipOf(figure, position, orientation, pose);
    const t = unit(orientation.target);
    const d = product(q, [-t[0], -t[1], -t[2], t[3]]);
    const sign = d[3] < 0 ? -2 : 2;
    return [...p.map((x, k) => x - position.target[k]), sign * d[0], sign * d[1], sign * d[2]];
  };
  for (let n = 0; n < starts; n++) {
    let angles = Array.from({ length: 6 }, () => Math.PI * (2 * random() - 1));
    let r = residual(angles);
    let damping = 0.1;
    for (let step = 0; step < 60 && Math.hypot(...r) > 1e-12; step++) {
      const h = 1e-6;
      const columns = angles.map((_, k) => {
        const at = (s: number): number[] => residual(angles.map((x, i) => (i === k ? x + s : x)));
        const [plus, minus] = [at(h), at(-h)];
        return plus.map((x, i) => (x - minus[i]) / (2 * h));
      });
      const square = columns.map((a, i) =>
        columns.map((b, j) => dot(a, b) + (i === j ? damping * dot(r, r) + 1e-14 : 0)),
      );
      const moved = solve(
        square,
        columns.map((c) => -dot(c, r)),
      );
      const next = angles.map((x, i) => x + moved[i]);
      const after = residual(next);
      if (Math.hypot(...after) < Math.hypot(...r)) {
        angles = next;
        r = after;
        damping *= 0.3;
      } else {
        damping = Math.max(1e-3, damping * 10);
      }
    }
    if (Math.hypot(...r) > 1e-10) continue;
    const plain = angles.map((x) => Math.atan2(Math.sin(x), Math.cos(x)));
    if (!found.some((other) => sameAngles(plain, other))) found.push(plain);
  }
  return found;
}

export function sameAngles(a: readonly number[], b: readonly number[], within = 1e-5): boolean {
  return a.every((x, k) => Math.abs(Math.atan2(Math.sin(x - b[k]), Math.cos(x - b[k]))) < within);
}

function dot(a: V, b: V): number {
  return a.reduce((sum, x, k) => sum + x * b[k], 0);
}

function solve(a: number[][], b: number[]): number[] {
  const n = b.length;
  for (let j = 0; j < n; j++) {
    let pivot = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(a[i][j]) > Math.abs(a[pivot][j])) pivot = i;
    [a[j], a[pivot]] = [a[pivot], a[j]];
    [b[j], b[pivot]] = [b[pivot], b[j]];
    for (let i = j + 1; i < n; i++) {
      const f = a[i][j] / a[j][j];
      for (let k = j; k < n; k++) a[i][k] -= f * a[j][k];
      b[i] -= f * b[j];
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

/** The chain with every rest frame turned about at random: the same robot, other frames. */
export function reframed(links: readonly Link[], seed: number): readonly Link[] {
  const random = testRandom(seed);
  let before: number[] = [0, 0, 0, 1];
  return links.map(({ position, rotation = [0, 0, 0, 1], axis, ...rest }) => {
    const after = Array.from(randomQuat(random));
    const inverse = [-before[0], -before[1], -before[2], before[3]];
    const back = [-after[0], -after[1], -after[2], after[3]];
    const link = {
      ...rest,
      position: rotated(inverse, position) as unknown as Triple,
      rotation: product(product(inverse, rotation), after) as unknown as Quat,
      axis: rotated(back, axis) as unknown as Triple,
    };
    before = after;
    return link;
  });
}
