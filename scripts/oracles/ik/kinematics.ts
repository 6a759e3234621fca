import * as dual from './dual.js';
import { type Bone, coordinateStarts, isLength, type Joint, type Problem, type Triple } from './types.js';

export interface Frame {
  readonly rotation: dual.DualQuaternion;
  readonly position: dual.DualVector;
}

/** A problem prepared for many evaluations: bones by index, constants computed. */
export interface Oracle {
  readonly problem: Problem;
  readonly starts: readonly number[];
  /** A quarter of the longest path along the bones from a root, or a free joint below fixed bones, to an origin or tip at rest (1 where that is 0). */
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
  const moved: boolean[] = [];
  let longest = 0;
  bones.forEach(({ rest, tip, joint }, k) => {
    const isBelowJoint = moved[parents[k]] === true;
    moved[k] = isBelowJoint || joint.type !== 'fixed';
    const isRoot = parents[k] < 0 || (joint.type === 'free' && !isBelowJoint);
    alongs[k] = isRoot ? 0 : alongs[parents[k]] + Math.hypot(...rest.position);
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
export function framesOf(oracle: Oracle, q: ArrayLike<number>, rate: ArrayLike<number>): Frame[] {
  const frames: Frame[] = [];
  oracle.problem.bones.forEach(({ rest, joint }, k) => {
    const at = (n: number): [number, number] => [q[oracle.starts[k] + n], rate[oracle.starts[k] + n]];
    const parent = frames[oracle.parents[k]];
    let rotation = dual.quaternion(rest.rotation);
    let position = dual.vector(rest.position);
    position = dual.add(position, dual.rotate(rotation, slideOf(joint, at)));
    rotation = dual.multiply(rotation, rotationOf(joint, at));
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

function rotationOf(joint: Joint, at: Coordinate): dual.DualQuaternion {
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
      const rotations = Array.from(joint.order, (letter, n) =>
        dual.exponential(
          dual.along(
            at(n),
            [0, 1, 2].map((k) => (k === 'XYZ'.indexOf(letter) ? 1 : 0)),
          ),
        ),
      );
      return rotations.reduce(dual.multiply);
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
  const min = sizes.indexOf(Math.min(...sizes));
  const from = side === undefined ? [0, 1, 2].map((k) => (k === min ? 1 : 0)) : unit(side);
  const overlap = from[0] * a[0] + from[1] * a[1] + from[2] * a[2];
  const s = unit(from.map((x, k) => x - overlap * a[k]));
  const t = [a[1] * s[2] - a[2] * s[1], a[2] * s[0] - a[0] * s[2], a[0] * s[1] - a[1] * s[0]];
  return dual.exponential(dual.add(dual.along(at(0), s), dual.along(at(1), t)));
}

/** The direction of a vector, whatever its length. */
export function unit(v: ArrayLike<number>): number[] {
  // Over the largest entry first: squares of tiny or huge numbers would leave the range.
  const largest = Math.max(Math.abs(v[0]), Math.abs(v[1]), Math.abs(v[2]));
  const [x, y, z] = [v[0] / largest, v[1] / largest, v[2] / largest];
  const n = Math.hypot(x, y, z);
  return [x / n, y / n, z / n];
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
