import { boneIndex, clampToLimits, createState, type Figure, forwardKinematics } from 'poise/figure';
import type { Goal } from 'poise/ik';

type V = readonly number[];

/**
 * f = 1/2 sum of weight/largest weight |r|^2 written down from the definitions of the goals, independent of the solver's code:
 * distances over `lengthScale`, angles by two-argument arctangents of vectors and of quaternions.
 */
export function objectiveOf(
  figure: Figure,
  goals: readonly Goal[],
  pose: Float64Array,
  lengthScale: number,
): number {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const world = state.worldFromBone;
  const place = (bone: string | number, point: ArrayLike<number> = [0, 0, 0]): number[] => {
    const o = 12 * boneIndex(figure, bone);
    return [0, 1, 2].map(
      (r) =>
        world[o + 9 + r] +
        world[o + 3 * r] * point[0] +
        world[o + 3 * r + 1] * point[1] +
        world[o + 3 * r + 2] * point[2],
    );
  };
  const targetPosition = (
    target: ArrayLike<number> | { bone: string | number; point?: ArrayLike<number> },
  ): number[] => ('bone' in target ? place(target.bone, target.point) : Array.from(target));
  const largest = Math.max(...goals.map((goal) => goal.weight ?? 1));
  let f = 0;
  for (const goal of goals) {
    const share = (goal.weight ?? 1) / largest;
    let r = 0;
    if (goal.type === 'position') {
      const target = targetPosition(goal.target);
      r = Math.hypot(...place(goal.bone, goal.point).map((x, k) => x - target[k])) / lengthScale;
    } else if (goal.type === 'points-at') {
      const origin = place(goal.bone, goal.origin);
      const sight = targetPosition(goal.target).map((x, k) => x - origin[k]);
      const ahead = place(
        goal.bone,
        Array.from(goal.axis, (x, k) => x + (goal.origin?.[k] ?? 0)),
      );
      r = angleBetween(
        ahead.map((x, k) => x - origin[k]),
        sight,
      );
    } else if (goal.type !== 'orientation') {
      throw new Error(`write down the objective of ${goal.type}`);
    } else {
      const rotationOf = (bone: string | number, offset: ArrayLike<number> = [0, 0, 0, 1]): V[] => {
        const o = place(bone);
        return [0, 1, 2].map((axis) => {
          const e = rotate(
            offset,
            [0, 1, 2].map((k) => (k === axis ? 1 : 0)),
          );
          return place(bone, e).map((x, k) => x - o[k]);
        });
      };
      const bone = rotationOf(goal.bone, goal.offset);
      const target =
        'bone' in goal.target
          ? rotationOf(goal.target.bone, goal.target.offset)
          : [0, 1, 2].map((axis) =>
              rotate(
                goal.target as ArrayLike<number>,
                [0, 1, 2].map((k) => (k === axis ? 1 : 0)),
              ),
            );
      // |A - B|_F^2 = 8 sin^2(theta/2), |A + B|_F^2 = 4 + 8 cos^2(theta/2) for rotations A, B theta apart.
      const apart = Math.sqrt(sum(bone, target, -1) / 8);
      const along = Math.sqrt(Math.max(0, sum(bone, target, 1) - 4) / 8);
      r = 2 * Math.atan2(apart, along);
    }
    f += 0.5 * share * r * r;
  }
  return f;
}

/**
 * |P(q - grad f) - q| over every coordinate that is not locked, translations in length scales, the gradient by differences of
 * {@link objectiveOf}: at most 1e-8 where a status says stationary.
 */
export function stationarityOf(
  figure: Figure,
  goals: readonly Goal[],
  pose: Float64Array,
  lengthScale: number,
  locked: readonly string[] = [],
): number {
  const moved = pose.slice();
  const free = Array.from(pose.keys()).filter(
    (i) => !locked.includes(figure.bones[figure.boneOfCoordinate[i]].name),
  );
  for (const i of free) {
    const scale = isTranslation(figure, i) ? lengthScale : 1;
    const at = (h: number): number => {
      const q = pose.slice();
      q[i] += scale * h;
      return objectiveOf(figure, goals, q, lengthScale);
    };
    const central = (h: number): number => (at(h) - at(-h)) / (2 * h);
    // Richardson twice: error about h^6.
    const [a, b, c] = [central(4e-3), central(2e-3), central(1e-3)];
    const [ab, bc] = [(4 * b - a) / 3, (4 * c - b) / 3];
    moved[i] -= (scale * (16 * bc - ab)) / 15;
  }
  clampToLimits(figure, moved);
  return Math.hypot(...free.map((i) => (moved[i] - pose[i]) / (isTranslation(figure, i) ? lengthScale : 1)));
}

function isTranslation(figure: Figure, i: number): boolean {
  const { joint, coordinate } = figure.bones[figure.boneOfCoordinate[i]];
  return joint.type === 'slider' || (joint.type === 'free' && i - coordinate < 3);
}

function sum(a: readonly V[], b: readonly V[], sign: number): number {
  return a.reduce(
    (total, column, n) => total + column.reduce((s, x, k) => s + (x + sign * b[n][k]) ** 2, 0),
    0,
  );
}

function angleBetween(a: V, b: V): number {
  const cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  return Math.atan2(
    Math.hypot(...cross),
    a.reduce((s, x, k) => s + x * b[k], 0),
  );
}

/** v' = q v q^-1 for a quaternion of any length, as a matrix of its entries. */
function rotate(q: ArrayLike<number>, v: V): V {
  const n = Math.hypot(q[0], q[1], q[2], q[3]);
  const [x, y, z, w] = [q[0] / n, q[1] / n, q[2] / n, q[3] / n];
  return [
    (1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2],
    2 * (x * y + w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - w * x) * v[2],
    2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (1 - 2 * (x * x + y * y)) * v[2],
  ];
}
