import { GoalError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeQuaternion } from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import type { VectorBlock } from './rotation-blocks.js';

/**
 * A way to write a rotation of three degrees of freedom: parameters p, and the rates x that a control then solves for in place of
 * the joint velocity, nu = B(p) x. There for comparisons (docs/differential.md, the paper's sections 2 and 3): whatever the form, goals,
 * singular values, damping, limits and rate limits are those of the control, taken over x.
 *
 * Numbers of one joint stand in `p` from `i` on, its rates in `x` from `j` on.
 */
export interface RotationForm {
  /** Numbers that hold the rotation. */
  readonly parameters: number;
  /** Unknowns of a joint. */
  readonly rates: number;
  /** Parameters of the rotation of a unit quaternion [x, y, z, w]. */
  start(q: Numbers, p: MutableNumbers, i: number): void;
  /** The rotation, a unit quaternion, to out[0..3]. */
  writeQuaternion(p: Numbers, i: number, out: MutableNumbers): void;
  /** B: angular velocity in the joint's own frame by rates, 3 x `rates` row by row, to `out`. */
  writeVelocityMap(p: Numbers, i: number, out: MutableNumbers): void;
  /** An explicit constraint a.x = b on the rates, 1/s, for forms that have one: a to out[o ..]. @returns b. */
  writeConstraint?(p: Numbers, i: number, out: MutableNumbers, o: number): number;
  /** p after `dt` seconds at the rates, in place, with what is done between steps. */
  advance(p: MutableNumbers, i: number, x: Numbers, j: number, dt: number): void;
}

/** The joints whose rates a control solves for in a form, and their memory. */
export interface FormJoints {
  readonly form: RotationForm;
  readonly joints: readonly FormJoint[];
  /** p and x of all joints, one after the other. */
  readonly parameters: Float64Array;
  readonly rates: Float64Array;
  /** Pose of each joint as last written: where the caller's differs, its parameters start anew. */
  readonly written: Float64Array;
}

/** One of them. */
export interface FormJoint {
  /** Its three columns against nu, and its first against x. */
  readonly from: number;
  readonly column: number;
  readonly coordinate: number;
  /** B, 3 x rates row by row. */
  readonly map: Float64Array;
}

/** Linear constraints a.x = b that a solution meets from the start: rows of a, `count` x columns. */
export interface Constraints {
  readonly count: number;
  readonly values: Float64Array;
}

/** What a control solves for: the scaled joint velocities, but for joints in a form its rates. */
export interface Unknowns {
  readonly columns: number;
  /** First column that each column of nu has become. */
  readonly columnOf: Int32Array;
  readonly inForm: FormJoints | undefined;
  readonly constraints: Constraints;
}

/** The unknowns of `columns` joint velocities. A form takes the rotation vectors that have no limit. */
export function createUnknowns(
  columns: number,
  vectors: readonly VectorBlock[],
  form: RotationForm | undefined,
): Unknowns {
  const columnOf = Int32Array.from({ length: columns }, (_, column) => column);
  const none = { count: 0, values: new Float64Array(0) };
  if (form === undefined) return { columns, columnOf, inForm: undefined, constraints: none };
  checkForm(form);
  const { parameters, rates } = form;
  const joints = vectors
    .filter(({ moves }) => moves === 'form')
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
    inForm: {
      form,
      joints,
      parameters: new Float64Array(parameters * joints.length),
      rates: new Float64Array(rates * joints.length),
      written: new Float64Array(3 * joints.length).fill(Number.NaN),
    },
    constraints: { count, values: new Float64Array(count * all) },
  };
}

const FUNCTIONS = ['start', 'writeQuaternion', 'writeVelocityMap', 'advance'] as const;

function checkForm(form: RotationForm): void {
  const fits = (size: number): boolean => Number.isInteger(size) && size >= 3 && size <= 9;
  const missing = FUNCTIONS.find((name) => typeof form?.[name] !== 'function');
  if (missing === undefined && fits(form.parameters) && fits(form.rates)) return;
  throw new GoalError(
    'unsupported',
    missing === undefined ? 'has sizes that do not fit.' : `has no ${missing}().`,
    {
      path: 'options.form',
      remedy: 'Give a RotationForm of 3 to 9 parameters and rates, or leave it out.',
    },
  );
}

const turn = /* @__PURE__ */ new Float64Array(4);
const vector = /* @__PURE__ */ new Float64Array(3);

/** Starts the parameters of joints whose pose is not the one that the control last wrote. */
export function readPose({ form, joints, parameters, written }: FormJoints, pose: Float64Array): void {
  for (let n = 0; n < joints.length; n++) {
    const i = joints[n].coordinate;
    const o = 3 * n;
    if (pose[i] === written[o] && pose[i + 1] === written[o + 1] && pose[i + 2] === written[o + 2]) continue;
    writeQuaternion(pose[i], pose[i + 1], pose[i + 2], turn, 0);
    form.start(turn, parameters, n * form.parameters);
    for (let k = 0; k < 3; k++) written[o + k] = pose[i + k];
  }
}

/**
 * B and the constraints at the parameters, and to `x` the least rates that meet the constraints.
 *
 * @param unit - Rates are counted per so many seconds.
 */
export function updateForm({ inForm, constraints, columns }: Unknowns, unit: number, x: Float64Array): void {
  if (inForm === undefined) return;
  const { form, joints, parameters } = inForm;
  const { values } = constraints;
  for (let n = 0; n < joints.length; n++) {
    const { column, map } = joints[n];
    form.writeVelocityMap(parameters, n * form.parameters, map);
    if (form.writeConstraint === undefined) continue;
    const o = n * columns + column;
    const wanted = unit * form.writeConstraint(parameters, n * form.parameters, values, o);
    let square = 0;
    for (let k = 0; k < form.rates; k++) square += values[o + k] * values[o + k];
    for (let k = 0; k < form.rates; k++) x[column + k] = (wanted / square) * values[o + k];
  }
}

/** Rows against nu become rows against x: the columns of each joint in the form times its B. */
export function writeRows(
  { inForm, columnOf, columns }: Unknowns,
  rows: number,
  from: Float64Array,
  out: Float64Array,
): void {
  if (inForm === undefined) return;
  const { form, joints } = inForm;
  const width = columnOf.length;
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < width; c++) out[r * columns + columnOf[c]] = from[r * width + c];
    for (let n = 0; n < joints.length; n++) {
      const { from: first, column, map } = joints[n];
      const o = r * width + first;
      for (let k = 0; k < form.rates; k++) {
        let sum = 0;
        for (let e = 0; e < 3; e++) sum += from[o + e] * map[e * form.rates + k];
        out[r * columns + column + k] = sum;
      }
    }
  }
}

/** nu = B x of the joints in the form, to their coordinates of `velocity`; x is kept. */
export function takeRates(
  { form, joints, rates }: FormJoints,
  x: Float64Array,
  velocity: Float64Array,
): void {
  for (let n = 0; n < joints.length; n++) {
    const { column, coordinate, map } = joints[n];
    for (let e = 0; e < 3; e++) velocity[coordinate + e] = 0;
    for (let k = 0; k < form.rates; k++) {
      const rate = x[column + k];
      rates[n * form.rates + k] = rate;
      for (let e = 0; e < 3; e++) velocity[coordinate + e] += map[e * form.rates + k] * rate;
    }
  }
}

/** Moves the parameters on by `dt` and the pose with them. */
export function advanceForm(inForm: FormJoints, pose: Float64Array, dt: number): void {
  const { form, joints, parameters, rates, written } = inForm;
  for (let n = 0; n < joints.length; n++) {
    form.advance(parameters, n * form.parameters, rates, n * form.rates, dt);
    form.writeQuaternion(parameters, n * form.parameters, turn);
    rotationVectorFromQuat(turn, undefined, vector);
    for (let k = 0; k < 3; k++) {
      pose[joints[n].coordinate + k] = vector[k];
      written[3 * n + k] = vector[k];
    }
  }
}
