import * as dual from './dual.js';
import {
  type Bone,
  coordinateStarts,
  type Goal,
  isLength,
  type Joint,
  type Problem,
  type Triple,
} from './types.js';

interface Frame {
  readonly rotation: dual.DualQuaternion;
  readonly position: dual.DualVector;
}

/** A problem ready for many evaluations: bones by index, constants settled. */
export interface Oracle {
  readonly problem: Problem;
  readonly starts: readonly number[];
  /** A quarter of the longest path along the bones from a root to an origin or tip at rest (1 where that is 0). */
  readonly lengthScale: number;
  readonly parents: readonly number[];
  readonly index: ReadonlyMap<string, number>;
  /** Length scale of a coordinate that is a length, 1 for an angle. */
  readonly scales: readonly number[];
  /** 1 for a coordinate of a locked bone. */
  readonly locked: readonly boolean[];
}

export function createOracle(problem: Problem): Oracle {
  const { bones } = problem;
  const index = new Map(bones.map(({ name }, k) => [name, k]));
  const parents = bones.map(({ parent }) => (parent === null ? -1 : (index.get(parent) ?? Number.NaN)));
  const alongs: number[] = [];
  let longest = 0;
  bones.forEach(({ rest, tip }, k) => {
    alongs[k] = parents[k] < 0 ? 0 : alongs[parents[k]] + Math.hypot(...rest.position);
    longest = Math.max(longest, alongs[k] + (tip === undefined ? 0 : Math.hypot(...tip)));
  });
  const lengthScale = 0.25 * (longest > 0 ? longest : 1);
  const starts = coordinateStarts(bones);
  const scales: number[] = [];
  const locked: boolean[] = [];
  for (const { joint, name } of bones) {
    const first = scales.length;
    while (scales.length < starts[index.get(name)! + 1]) {
      scales.push(isLength(joint, scales.length - first) ? lengthScale : 1);
      locked.push(problem.locked.includes(name));
    }
  }
  return { problem, starts, lengthScale, parents, index, scales, locked };
}

/** World frames of all bones at q, with their derivative along `rate`. World of a child = world of its parent, rest, joint. */
function framesOf(oracle: Oracle, q: ArrayLike<number>, rate: ArrayLike<number>): Frame[] {
  const frames: Frame[] = [];
  oracle.problem.bones.forEach(({ rest, joint }, k) => {
    const at = (n: number): [number, number] => [q[oracle.starts[k] + n], rate[oracle.starts[k] + n]];
    const parent = frames[oracle.parents[k]];
    let rotation = dual.quaternion(rest.rotation);
    let position = dual.vector(rest.position);
    position = dual.add(position, dual.rotate(rotation, slideOf(joint, at)));
    rotation = dual.multiply(rotation, turnOf(joint, at));
    if (parent !== undefined) {
      position = dual.add(parent.position, dual.rotate(parent.rotation, position));
      rotation = dual.multiply(parent.rotation, rotation);
    }
    frames.push({ rotation, position });
  });
  return frames;
}

type Coordinate = (n: number) => [number, number];

function slideOf(joint: Joint, at: Coordinate): dual.DualVector {
  if (joint.type === 'slider') return dual.along(at(0), unit(joint.axis));
  if (joint.type !== 'free') return dual.vector([0, 0, 0]);
  const [x, y, z] = [at(0), at(1), at(2)];
  return [x[0], y[0], z[0], x[1], y[1], z[1]];
}

function turnOf(joint: Joint, at: Coordinate): dual.DualQuaternion {
  switch (joint.type) {
    case 'hinge':
      return dual.exponential(dual.along(at(0), unit(joint.axis)));
    case 'ball':
      return dual.exponential(vectorOf(at, 0));
    case 'free':
      return dual.exponential(vectorOf(at, 3));
    case 'swing':
      return swingOf(joint.axis, joint.side, at);
    case 'ball-and-socket': {
      const twist = dual.exponential(dual.along(at(2), unit(joint.axis)));
      return dual.multiply(swingOf(joint.axis, joint.side, at), twist);
    }
    case 'euler': {
      // Intrinsic: 'XYZ' is R_x R_y R_z.
      const turns = Array.from(joint.order, (letter, n) =>
        dual.exponential(
          dual.along(
            at(n),
            [0, 1, 2].map((k) => (k === 'XYZ'.indexOf(letter) ? 1 : 0)),
          ),
        ),
      );
      return turns.reduce(dual.multiply);
    }
    default:
      return [0, 0, 0, 1, 0, 0, 0, 0];
  }
}

function vectorOf(at: Coordinate, first: number): dual.DualVector {
  const [x, y, z] = [at(first), at(first + 1), at(first + 2)];
  return [x[0], y[0], z[0], x[1], y[1], z[1]];
}

/** exp(r_s s + r_t t), t = axis x s; s is the side made normal to the axis, by default the coordinate axis least along it. */
function swingOf(axis: Triple, side: Triple | undefined, at: Coordinate): dual.DualQuaternion {
  const a = unit(axis);
  const sizes = a.map(Math.abs);
  const least = sizes.indexOf(Math.min(...sizes));
  const from = side === undefined ? [0, 1, 2].map((k) => (k === least ? 1 : 0)) : unit(side);
  const overlap = from[0] * a[0] + from[1] * a[1] + from[2] * a[2];
  const s = unit(from.map((x, k) => x - overlap * a[k]));
  const t = [a[1] * s[2] - a[2] * s[1], a[2] * s[0] - a[0] * s[2], a[0] * s[1] - a[1] * s[0]];
  return dual.exponential(dual.add(dual.along(at(0), s), dual.along(at(1), t)));
}

function unit(v: ArrayLike<number>): number[] {
  // Over the largest entry first: squares of tiny or huge numbers would leave the range.
  const largest = Math.max(Math.abs(v[0]), Math.abs(v[1]), Math.abs(v[2]));
  const [x, y, z] = [v[0] / largest, v[1] / largest, v[2] / largest];
  const n = Math.hypot(x, y, z);
  return [x / n, y / n, z / n];
}

/** One goal: its distance (m) or angle (rad), and half the square of the normalized residual with its derivative. */
interface GoalValue {
  readonly value: number;
  readonly half: [number, number];
  /** How much of the rounding of places the slope of a points-at goal shows: (L / distance)^2. */
  readonly sharpness?: number;
}

function goalValue(oracle: Oracle, frames: readonly Frame[], goal: Goal): GoalValue {
  const frame = (bone: string): Frame => frames[oracle.index.get(bone) ?? -1];
  const place = (bone: string, point: Triple = [0, 0, 0]): dual.DualVector =>
    dual.add(frame(bone).position, dual.rotate(frame(bone).rotation, dual.vector(point)));
  switch (goal.type) {
    case 'position': {
      const target =
        'bone' in goal.target ? place(goal.target.bone, goal.target.point) : dual.vector(goal.target);
      const r = dual.subtract(place(goal.bone, goal.point), target).map((x) => x / oracle.lengthScale);
      const [square, slope] = dual.dot(r, r);
      return { value: oracle.lengthScale * Math.sqrt(square), half: [0.5 * square, 0.5 * slope] };
    }
    case 'orientation': {
      const own = dual.multiply(frame(goal.bone).rotation, dual.quaternion(goal.offset ?? [0, 0, 0, 1]));
      const target =
        'bone' in goal.target
          ? dual.multiply(
              frame(goal.target.bone).rotation,
              dual.quaternion(goal.target.offset ?? [0, 0, 0, 1]),
            )
          : dual.quaternion(goal.target);
      return rotationAngle(dual.multiply(dual.conjugate(target), own));
    }
    default: {
      const target =
        'bone' in goal.target ? place(goal.target.bone, goal.target.point) : dual.vector(goal.target);
      const sight = dual.subtract(target, place(goal.bone, goal.origin));
      // A target at the origin of the sight has no direction: missed by pi, and no joint can help.
      if (Math.hypot(sight[0], sight[1], sight[2]) === 0)
        return { value: Math.PI, half: [Math.PI ** 2 / 2, 0] };
      const angle = angleBetween(dual.rotate(frame(goal.bone).rotation, dual.vector(unit(goal.axis))), sight);
      const distance = Math.hypot(sight[0], sight[1], sight[2]);
      return { ...angle, sharpness: (oracle.lengthScale / distance) ** 2 };
    }
  }
}

/** theta = 2 atan2(|v|, |w|) of a quaternion (v, w); half of theta^2 with its derivative, smooth at 0, with a crest at pi. */
function rotationAngle(q: dual.DualQuaternion): GoalValue {
  const sign = q[3] < 0 ? -1 : 1;
  const [x, y, z, w, dx, dy, dz, dw] = q.map((c) => sign * c);
  const s = Math.hypot(x, y, z);
  const theta = 2 * Math.atan2(s, w);
  // theta' = 2 (w s' - s w') / |q|^2 and s' = v.v'/s; theta/s stays finite at 0.
  const ratio = s < 1e-9 ? 2 / w : theta / s;
  const size = s * s + w * w;
  const slope = (2 * ratio * (w * (x * dx + y * dy + z * dz) - s * s * dw)) / size;
  return { value: theta, half: [0.5 * theta * theta, slope] };
}

/** theta = atan2(|d x l|, d.l). */
function angleBetween(d: dual.DualVector, l: dual.DualVector): GoalValue {
  // The angle does not depend on the length; lengths of 1e-6 and 1e6 are brought to 1.
  const length = Math.hypot(l[0], l[1], l[2]);
  const u = l.map((x) => x / length);
  const normal = dual.cross(d, u);
  const s = Math.hypot(normal[0], normal[1], normal[2]);
  const [c, dc] = dual.dot(d, u);
  const theta = Math.atan2(s, c);
  if (s < 1e-12 && c < 0) {
    // Straight behind: a crest, f falls by pi |n'| whichever way n grows.
    return {
      value: theta,
      half: [0.5 * theta * theta, -Math.PI * Math.hypot(normal[3], normal[4], normal[5])],
    };
  }
  const ratio = s < 1e-12 ? 1 / c : theta / s;
  const turning = normal[0] * normal[3] + normal[1] * normal[4] + normal[2] * normal[5];
  return {
    value: theta,
    half: [0.5 * theta * theta, (ratio * (c * turning - s * s * dc)) / (s * s + c * c)],
  };
}

/**
 * f = 1/2 sum of weight / largest weight |r|^2 and the distance or angle of each goal; `rounding`, what doubles leave open of f
 * and of its gradient: angles of a thousand turns are known to a thousand eps, a place to eps of the distances added up, a
 * direction to eps L / distance, its slope to the square.
 */
export function objectiveOf(
  oracle: Oracle,
  q: ArrayLike<number>,
): { readonly f: number; readonly values: readonly number[]; readonly rounding: number } {
  const frames = framesOf(oracle, q, new Float64Array(q.length));
  const goals = oracle.problem.goals.map((goal) => goalValue(oracle, frames, goal));
  const shares = sharesOf(oracle.problem.goals);
  const f = goals.reduce((sum, { half }, n) => sum + shares[n] * half[0], 0);
  const turns = oracle.scales.reduce((most, scale, i) => Math.max(most, Math.abs(q[i]) / scale), 1);
  const spread = frames.reduce(
    (most, { position: [x, y, z] }) => Math.max(most, Math.hypot(x, y, z) / oracle.lengthScale),
    1,
  );
  const sharpest = Math.max(1, ...goals.map(({ sharpness }) => sharpness ?? 1));
  return {
    f,
    values: goals.map(({ value }) => value),
    rounding: 16 * Number.EPSILON * (1 + f + sharpest * spread) * turns,
  };
}

/** df/dy, y = q over `oracle.scales`; zero for locked coordinates. */
export function gradientOf(oracle: Oracle, q: ArrayLike<number>): number[] {
  const shares = sharesOf(oracle.problem.goals);
  return oracle.scales.map((scale, i) => {
    if (oracle.locked[i]) return 0;
    const rate = new Float64Array(q.length);
    rate[i] = scale;
    const frames = framesOf(oracle, q, rate);
    return oracle.problem.goals.reduce(
      (sum, goal, n) => sum + shares[n] * goalValue(oracle, frames, goal).half[1],
      0,
    );
  });
}

function sharesOf(goals: readonly Goal[]): number[] {
  const largest = Math.max(...goals.map(({ weight }) => weight ?? 1));
  return goals.map(({ weight }) => (weight ?? 1) / largest);
}

/** World rotations and positions, for comparing with another kinematics. */
export function kinematicsOf(
  oracle: Oracle,
  q: ArrayLike<number>,
): readonly {
  readonly bone: Bone;
  readonly rotation: readonly number[];
  readonly position: readonly number[];
}[] {
  return framesOf(oracle, q, new Float64Array(q.length)).map(({ rotation, position }, k) => ({
    bone: oracle.problem.bones[k],
    rotation: rotation.slice(0, 4),
    position: position.slice(0, 3),
  }));
}
