import type { Model, ProblemSet, QuatWxyz, TargetPose, Vec3 } from './problems.js';

/*
 * Checks the results of every solver, ours and the peers', by its own forward kinematics on quaternions, written from the
 * problem files' description alone. It imports nothing from packages/.
 */

/**
 * A solver's answer: four numbers for each joint of the model, in its order.
 * Ball: quaternion x, y, z, w of the rotation after the joint's rest (`pos`, `quat`). Hinge: angle, 0, 0, 0.
 */
export interface JointSolution {
  readonly values: Float64Array;
  /** Filled by solvers of point positions; see {@link checkPoints}. */
  readonly points?: PointSolution;
}

/** World positions: three numbers for each joint, three for each effector. */
export interface PointSolution {
  readonly joints: Float64Array;
  readonly effectors: Float64Array;
}

export interface Verdict {
  readonly success: boolean;
  /** Largest distance of an effector from its target, m. */
  readonly positionError: number;
  /** Largest rotation between an effector and its target, rad; 0 in position sets. */
  readonly angleError: number;
  /** Largest excess over a joint limit, rad; 0 where unlimited. */
  readonly limitExcess: number;
}

/** Allowed above the tolerances for rounding in solver and judge: 1e-9 m, 1e-9 rad. */
export const ROUNDING = 1e-9;

type Triple = [number, number, number];
type Quat = [number, number, number, number];

function multiply(a: Quat, b: Quat): Quat {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

function rotate(q: Quat, v: Vec3): Triple {
  // v + 2 u x (u x v + w v), u the vector part
  const [x, y, z, w] = q;
  const cx = y * v[2] - z * v[1] + w * v[0];
  const cy = z * v[0] - x * v[2] + w * v[1];
  const cz = x * v[1] - y * v[0] + w * v[2];
  return [v[0] + 2 * (y * cz - z * cy), v[1] + 2 * (z * cx - x * cz), v[2] + 2 * (x * cy - y * cx)];
}

function quaternionAt(values: ArrayLike<number>, j: number): Quat {
  return [values[4 * j], values[4 * j + 1], values[4 * j + 2], values[4 * j + 3]];
}

function fromWxyz(q: QuatWxyz): Quat {
  return [q[1], q[2], q[3], q[0]];
}

/** Rotation angle in [0, pi] of a unit quaternion, exact near 0 and near pi. */
function angleOf(q: Quat): number {
  return 2 * Math.atan2(Math.hypot(q[0], q[1], q[2]), Math.abs(q[3]));
}

export interface WorldPose {
  readonly jointPositions: Triple[];
  readonly jointRotations: Quat[];
  readonly effectorPositions: Triple[];
  readonly effectorRotations: Quat[];
}

/** World frames of all joints and effectors. */
export function forward(model: Model, values: ArrayLike<number>): WorldPose {
  const jointPositions: Triple[] = [];
  const jointRotations: Quat[] = [];
  model.joints.forEach((joint, j) => {
    const v = quaternionAt(values, j);
    let local: Quat;
    if (joint.type === 'ball') {
      local = v;
    } else {
      const s = Math.sin(v[0] / 2);
      const { axis } = joint;
      local = [s * axis[0], s * axis[1], s * axis[2], Math.cos(v[0] / 2)];
    }
    const rest = multiply(fromWxyz(joint.quat), local);
    if (joint.parent < 0) {
      jointPositions.push([...joint.pos]);
      jointRotations.push(rest);
    } else {
      const p = jointPositions[joint.parent];
      const q = jointRotations[joint.parent];
      const offset = rotate(q, joint.pos);
      jointPositions.push([p[0] + offset[0], p[1] + offset[1], p[2] + offset[2]]);
      jointRotations.push(multiply(q, rest));
    }
  });
  const effectorPositions: Triple[] = [];
  const effectorRotations: Quat[] = [];
  for (const effector of model.effectors) {
    const p = jointPositions[effector.joint];
    const q = jointRotations[effector.joint];
    const offset = rotate(q, effector.pos);
    effectorPositions.push([p[0] + offset[0], p[1] + offset[1], p[2] + offset[2]]);
    effectorRotations.push(multiply(q, fromWxyz(effector.quat)));
  }
  return { jointPositions, jointRotations, effectorPositions, effectorRotations };
}

function limitExcess(set: ProblemSet, values: ArrayLike<number>): number {
  if (!set.limited) return 0;
  let worst = 0;
  set.model.joints.forEach((joint, j) => {
    if (joint.type === 'ball') {
      const q = quaternionAt(values, j);
      worst = Math.max(worst, angleOf(q) - joint.theta);
    } else {
      const angle = values[4 * j];
      worst = Math.max(worst, joint.lo - angle, angle - joint.hi);
    }
  });
  return worst;
}

/** Is the answer a solution? Every effector within the set's tolerance and every joint within its limit. */
export function check(set: ProblemSet, target: readonly TargetPose[], solution: JointSolution): Verdict {
  const { values } = solution;
  for (let j = 0; j < set.model.joints.length; j++) {
    // A non-unit quaternion would scale the bone, so it is no solution.
    const n = Math.hypot(...quaternionAt(values, j));
    const unit = set.model.joints[j].type === 'hinge' || Math.abs(n - 1) < 1e-6;
    if (!unit || !Number.isFinite(n)) {
      return { success: false, positionError: Infinity, angleError: Infinity, limitExcess: Infinity };
    }
  }
  const pose = forward(set.model, values);
  let positionError = 0;
  let angleError = 0;
  target.forEach((goal, e) => {
    const p = pose.effectorPositions[e];
    positionError = Math.max(positionError, Math.hypot(p[0] - goal.p[0], p[1] - goal.p[1], p[2] - goal.p[2]));
    if (set.kind === 'pose') {
      const q = pose.effectorRotations[e];
      const back: Quat = [-q[0], -q[1], -q[2], q[3]];
      angleError = Math.max(angleError, angleOf(multiply(back, fromWxyz(goal.q))));
    }
  });
  const excess = limitExcess(set, values);
  const success =
    positionError <= set.tolerance.position + ROUNDING &&
    angleError <= set.tolerance.angle + ROUNDING &&
    excess <= ROUNDING;
  return { success, positionError, angleError, limitExcess: excess };
}

/**
 * The relaxed question for a solver of points: is every effector within tolerance with every distance from a
 * joint to its children and effectors kept to 1 mm? Rigid angles between the branches of a bone and
 * joint limits are not asked for, so this is less than the problem; the report says where it is used.
 */
export function checkPoints(set: ProblemSet, target: readonly TargetPose[], points: PointSolution): boolean {
  const at = (array: Float64Array, i: number): Vec3 => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];
  const distance = (a: Vec3, b: Vec3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  const tolerance = set.tolerance.position + ROUNDING;
  const kept = (parent: Vec3, child: Vec3, offset: Vec3): boolean =>
    Math.abs(distance(parent, child) - Math.hypot(...offset)) <= tolerance;
  return (
    target.every((goal, e) => distance(at(points.effectors, e), goal.p) <= tolerance) &&
    set.model.joints.every((joint, j) =>
      joint.parent < 0
        ? distance(at(points.joints, j), joint.pos) <= tolerance
        : kept(at(points.joints, joint.parent), at(points.joints, j), joint.pos),
    ) &&
    set.model.effectors.every((effector, e) =>
      kept(at(points.joints, effector.joint), at(points.effectors, e), effector.pos),
    )
  );
}

/** Quaternion x, y, z, w of a rotation vector, for solvers that answer in rotation vectors. */
export function quaternionFromVector(x: number, y: number, z: number): Quat {
  const angle = Math.hypot(x, y, z);
  // sin(a/2)/a is 1/2 to double precision below 1e-8.
  const s = angle < 1e-8 ? 0.5 : Math.sin(angle / 2) / angle;
  return [s * x, s * y, s * z, Math.cos(angle / 2)];
}
