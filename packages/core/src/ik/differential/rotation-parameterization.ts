import { GoalError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeQuaternion } from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import type { RotationVectorBlock } from './rotation-blocks.js';

/**
 * A parameterization of 3-DOF rotations: parameters p and their rates x, v = B(p) x. The control then solves for x instead of the
 * joint velocity v; goals, singular values, damping, limits and rate limits are the same, taken over x. For comparisons of
 * parameterizations (docs/differential.md; Grassia 1997, sections 2 and 3).
 *
 * The parameters of a joint begin at `p[i]`, its rates at `x[j]`.
 */
export interface RotationParameterization {
  /** Number of parameters. */
  readonly parameters: number;
  /** Number of rates: the joint's unknowns. */
  readonly rates: number;
  /** Writes the parameters of a unit quaternion [x, y, z, w]. */
  fromQuaternion(q: Numbers, p: MutableNumbers, i: number): void;
  /** Writes the rotation as a unit quaternion to out[0..3]. */
  writeQuaternion(p: Numbers, i: number, out: MutableNumbers): void;
  /** Writes B, the map from rates to angular velocity in the joint's own frame, to `out`: 3 x `rates`, row by row. */
  writeVelocityMap(p: Numbers, i: number, out: MutableNumbers): void;
  /** Optional constraint a.x = b on the rates, 1/s: writes a to out[o ..]. @returns b. */
  writeConstraint?(p: Numbers, i: number, out: MutableNumbers, o: number): number;
  /** Integrates p over `dt` seconds at the rates, in place, and normalizes it. */
  integrate(p: MutableNumbers, i: number, x: Numbers, j: number, dt: number): void;
}

/** The joints with a rotation parameterization, and their state. */
export interface ParameterizedJoints {
  readonly parameterization: RotationParameterization;
  readonly joints: readonly ParameterizedJoint[];
  /** p and x of all joints, concatenated. */
  readonly parameters: Float64Array;
  readonly rates: Float64Array;
  /** Last pose written of each joint. Where the caller's pose differs, the parameters are computed anew. */
  readonly lastPose: Float64Array;
}

/** One joint with a rotation parameterization. */
export interface ParameterizedJoint {
  /** First of its three columns over v, and its first column over the unknowns. */
  readonly from: number;
  readonly column: number;
  readonly coordinate: number;
  /** B, 3 x rates row by row. */
  readonly map: Float64Array;
}

/** Linear equality constraints a.x = b, met by the initial unknowns: rows of a, `count` x columns. */
export interface Constraints {
  readonly count: number;
  readonly values: Float64Array;
}

/** The unknowns: scaled joint velocities, or rates x for the joints with a rotation parameterization. */
export interface Unknowns {
  readonly columns: number;
  /** First column over the unknowns of each column over v. */
  readonly columnOf: Int32Array;
  readonly parameterized: ParameterizedJoints | undefined;
  readonly constraints: Constraints;
}

/** The unknowns of `columns` joint velocities. The parameterization applies to rotation vectors without a limit. */
export function createUnknowns(
  columns: number,
  vectors: readonly RotationVectorBlock[],
  form: RotationParameterization | undefined,
): Unknowns {
  const columnOf = Int32Array.from({ length: columns }, (_, column) => column);
  const none = { count: 0, values: new Float64Array(0) };
  if (form === undefined) return { columns, columnOf, parameterized: undefined, constraints: none };
  checkParameterization(form);
  const { parameters, rates } = form;
  const joints = vectors
    .filter(({ integration }) => integration === 'parameterization')
    .map(({ column: from, coordinate }, n) => ({
      from,
      column: from + n * (rates - 3),
      coordinate,
      map: new Float64Array(3 * rates),
    }));
  for (const { from } of joints) for (let k = from + 3; k < columns; k++) columnOf[k] += rates - 3;
  const all = columns + joints.length * (rates - 3);
  const count = form.writeConstraint === undefined ? 0 : joints.length;
  return {
    columns: all,
    columnOf,
    parameterized: {
      parameterization: form,
      joints,
      parameters: new Float64Array(parameters * joints.length),
      rates: new Float64Array(rates * joints.length),
      lastPose: new Float64Array(3 * joints.length).fill(Number.NaN),
    },
    constraints: { count, values: new Float64Array(count * all) },
  };
}

const FUNCTIONS = ['fromQuaternion', 'writeQuaternion', 'writeVelocityMap', 'integrate'] as const;

function checkParameterization(form: RotationParameterization): void {
  const isSize = (size: number): boolean => Number.isInteger(size) && size >= 3 && size <= 9;
  const missing = FUNCTIONS.find((name) => typeof form?.[name] !== 'function');
  if (missing === undefined && isSize(form.parameters) && isSize(form.rates)) return;
  throw new GoalError(
    'unsupported',
    missing === undefined ? 'has sizes that do not fit.' : `has no ${missing}().`,
    {
      path: 'options.parameterization',
      remedy: 'Give a RotationParameterization of 3 to 9 parameters and rates, or leave it out.',
    },
  );
}

const quaternion = /* @__PURE__ */ new Float64Array(4);
const vector = /* @__PURE__ */ new Float64Array(3);

/** Computes the parameters anew for joints whose pose is not the last one written. */
export function updateParameters(
  { parameterization, joints, parameters, lastPose }: ParameterizedJoints,
  pose: Float64Array,
): void {
  for (let n = 0; n < joints.length; n++) {
    const i = joints[n].coordinate;
    const o = 3 * n;
    if (pose[i] === lastPose[o] && pose[i + 1] === lastPose[o + 1] && pose[i + 2] === lastPose[o + 2])
      continue;
    writeQuaternion(pose[i], pose[i + 1], pose[i + 2], quaternion, 0);
    parameterization.fromQuaternion(quaternion, parameters, n * parameterization.parameters);
    for (let k = 0; k < 3; k++) lastPose[o + k] = pose[i + k];
  }
}

/**
 * Evaluates B and the constraints, and writes the minimum-norm rates that meet the constraints to `x`.
 *
 * @param unit - Unit of time of the rates, s.
 */
export function updateVelocityMaps(
  { parameterized, constraints, columns }: Unknowns,
  unit: number,
  x: Float64Array,
): void {
  if (parameterized === undefined) return;
  const { parameterization, joints, parameters } = parameterized;
  const { values } = constraints;
  for (let n = 0; n < joints.length; n++) {
    const { column, map } = joints[n];
    parameterization.writeVelocityMap(parameters, n * parameterization.parameters, map);
    if (parameterization.writeConstraint === undefined) continue;
    const o = n * columns + column;
    const wanted =
      unit * parameterization.writeConstraint(parameters, n * parameterization.parameters, values, o);
    let square = 0;
    for (let k = 0; k < parameterization.rates; k++) square += values[o + k] * values[o + k];
    for (let k = 0; k < parameterization.rates; k++) x[column + k] = (wanted / square) * values[o + k];
  }
}

/** Converts rows over v to rows over the unknowns: the columns of each parameterized joint times its B. */
export function toUnknowns(
  { parameterized, columnOf, columns }: Unknowns,
  rows: number,
  from: Float64Array,
  out: Float64Array,
): void {
  if (parameterized === undefined) return;
  const { parameterization, joints } = parameterized;
  const width = columnOf.length;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < width; c++) out[r * columns + columnOf[c]] = from[r * width + c];
    for (let n = 0; n < joints.length; n++) {
      const { from: first, column, map } = joints[n];
      const o = r * width + first;
      for (let k = 0; k < parameterization.rates; k++) {
        let sum = 0;
        for (let e = 0; e < 3; e++) sum += from[o + e] * map[e * parameterization.rates + k];
        out[r * columns + column + k] = sum;
      }
    }
  }
}

/** Writes v = B x of the parameterized joints to `velocity`, and stores x. */
export function writeJointVelocities(
  { parameterization, joints, rates }: ParameterizedJoints,
  x: Float64Array,
  velocity: Float64Array,
): void {
  for (let n = 0; n < joints.length; n++) {
    const { column, coordinate, map } = joints[n];
    for (let e = 0; e < 3; e++) velocity[coordinate + e] = 0;
    for (let k = 0; k < parameterization.rates; k++) {
      const rate = x[column + k];
      rates[n * parameterization.rates + k] = rate;
      for (let e = 0; e < 3; e++) velocity[coordinate + e] += map[e * parameterization.rates + k] * rate;
    }
  }
}

/** Integrates the parameters over `dt` and writes the pose of their joints. */
export function integrateParameters(
  parameterized: ParameterizedJoints,
  pose: Float64Array,
  dt: number,
): void {
  const { parameterization, joints, parameters, rates, lastPose } = parameterized;
  for (let n = 0; n < joints.length; n++) {
    parameterization.integrate(
      parameters,
      n * parameterization.parameters,
      rates,
      n * parameterization.rates,
      dt,
    );
    parameterization.writeQuaternion(parameters, n * parameterization.parameters, quaternion);
    rotationVectorFromQuat(quaternion, undefined, vector);
    for (let k = 0; k < 3; k++) {
      pose[joints[n].coordinate + k] = vector[k];
      lastPose[3 * n + k] = vector[k];
    }
  }
}
