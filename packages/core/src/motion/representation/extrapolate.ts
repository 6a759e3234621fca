/** How a clip goes on outside its range where its coordinates are rotation vectors: as rotations, not number by number. */

import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { writeLeftJacobian, writeLeftJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import { createCurvePoint } from './curve.js';
import { createRotationState, expRotationState, logRotationState } from './rotation-state.js';

/** Where the rotation vectors of a figure stand in its pose. */
export interface RotationBlock {
  /** Index of the first of its three numbers. */
  readonly vector: number;
  /** Index of the position that moves with it (free joints), -1 for none. */
  readonly position: number;
}

export function rotationBlocks(figure: Figure): RotationBlock[] {
  return figure.bones.flatMap(({ joint, coordinate, dof }) => {
    const { rotationVector, translations } = jointTypes[joint.type];
    if (rotationVector < 0 || dof === 0) return [];
    return [{ vector: coordinate + rotationVector, position: translations === 3 ? coordinate : -1 }];
  });
}

/** The way of one round, from a clip's start to its end. */
export interface Round {
  /** End less start, each coordinate by itself. */
  readonly way: Float64Array;
  /** For each block the rotation vector w of R_end R_start^-1, three numbers, in the axes that the joint turns in. */
  readonly turns: Float64Array;
  /** For each block J_l(w)^-1 d, d the displacement of the rigid motion from start to end: (w, this) is its twist. */
  readonly slides: Float64Array;
}

const turn: number[] = [0, 0, 0, 1];
const other: number[] = [0, 0, 0, 1];
const vector: number[] = [0, 0, 0];
const moved: number[] = [0, 0, 0];
const jacobian = /* @__PURE__ */ new Float64Array(9);
const point = /* @__PURE__ */ createCurvePoint(3);
const state = /* @__PURE__ */ createRotationState();

export function roundOf(blocks: readonly RotationBlock[], start: Numbers, end: Numbers): Round {
  const way = Float64Array.from(start, (value, i) => end[i] - value);
  const turns = new Float64Array(3 * blocks.length);
  const slides = new Float64Array(3 * blocks.length);
  for (const [b, { vector: v, position: p }] of blocks.entries()) {
    quatFromRotationVector(read(start, v, vector), turn);
    quat.multiply(quatFromRotationVector(read(end, v, vector), other), quat.conjugate(turn, turn), turn);
    rotationVectorFromQuat(turn, undefined, vector);
    turns.set(vector, 3 * b);
    if (p < 0) continue;
    quat.rotate(quatFromRotationVector(vector, turn), read(start, p, moved), moved);
    vec3.subtract(read(end, p, other), moved, moved);
    writeLeftJacobianInverse(vector[0], vector[1], vector[2], jacobian, 0);
    slides.set(timesJacobian(moved), 3 * b);
  }
  return { way, turns, slides };
}

/**
 * Makes `rounds` rounds (whole, any sign) before or after what stands in the pose. A rotation block goes on by exp(n w) from the left, its
 * position by the n-th power of the rigid motion, exp(n (w, u)) = (exp(n w), J_l(n w) n u). Rates follow; |v| <= pi afterwards.
 */
export function goRounds(
  blocks: readonly RotationBlock[],
  round: Round,
  rounds: number,
  pose: MutableNumbers,
  rates: MutableNumbers,
  secondRates: MutableNumbers,
): void {
  for (const [b, { vector: v, position: p }] of blocks.entries()) {
    for (let k = 0; k < 3; k++) vector[k] = rounds * round.turns[3 * b + k];
    quatFromRotationVector(vector, turn);
    readState(v, pose, rates, secondRates);
    quat.multiply(turn, state.quaternion, state.quaternion);
    writeState(v, pose, rates, secondRates);
    if (p < 0) continue;
    writeLeftJacobian(vector[0], vector[1], vector[2], jacobian, 0);
    for (let k = 0; k < 3; k++) moved[k] = rounds * round.slides[3 * b + k];
    const add = timesJacobian(moved);
    for (const [numbers, offset] of [
      [pose, add],
      [rates, undefined],
      [secondRates, undefined],
    ] as const) {
      quat.rotate(turn, read(numbers, p, moved), moved);
      for (let k = 0; k < 3; k++) numbers[p + k] = moved[k] + (offset?.[k] ?? 0);
    }
  }
  const inBlock = blockCoordinates(blocks, round.way.length);
  for (let i = 0; i < round.way.length; i++) if (inBlock[i] === 0) pose[i] += rounds * round.way[i];
}

/** Goes on for `beyond` s with the velocity that stands in the rates: rotation blocks with their angular velocity. |v| <= pi afterwards. */
export function goStraight(
  blocks: readonly RotationBlock[],
  beyond: number,
  pose: MutableNumbers,
  rates: MutableNumbers,
  secondRates: MutableNumbers,
): void {
  const inVector = blockCoordinates(
    blocks.map(({ vector: v }) => ({ vector: v, position: -1 })),
    pose.length,
  );
  for (let i = 0; i < pose.length; i++) {
    if (inVector[i] === 1) continue;
    pose[i] += beyond * rates[i];
    secondRates[i] = 0;
  }
  for (const { vector: v } of blocks) {
    readState(v, pose, rates, secondRates);
    quatFromRotationVector(vec3.scale(state.angularVelocity, beyond, vector), turn);
    quat.multiply(state.quaternion, turn, state.quaternion);
    vec3.set(0, 0, 0, state.angularAcceleration);
    writeState(v, pose, rates, secondRates);
  }
}

function blockCoordinates(blocks: readonly RotationBlock[], dof: number): Uint8Array {
  const marks = new Uint8Array(dof);
  for (const { vector: v, position: p } of blocks) {
    marks.fill(1, v, v + 3);
    if (p >= 0) marks.fill(1, p, p + 3);
  }
  return marks;
}

function readState(i: number, pose: Numbers, rates: Numbers, secondRates: Numbers): void {
  read(pose, i, point.value);
  read(rates, i, point.first);
  read(secondRates, i, point.second);
  expRotationState(point, state);
}

function writeState(
  i: number,
  pose: MutableNumbers,
  rates: MutableNumbers,
  secondRates: MutableNumbers,
): void {
  if (state.quaternion[3] < 0) quat.negate(state.quaternion, state.quaternion);
  logRotationState(state, point);
  for (let k = 0; k < 3; k++) {
    pose[i + k] = point.value[k];
    rates[i + k] = point.first[k];
    secondRates[i + k] = point.second[k];
  }
}

function read<T extends MutableNumbers>(from: Numbers, i: number, out: T): T {
  for (let k = 0; k < 3; k++) out[k] = from[i + k];
  return out;
}

/** The matrix in `jacobian` times v. */
function timesJacobian([x, y, z]: readonly number[]): number[] {
  return [0, 3, 6].map((row) => jacobian[row] * x + jacobian[row + 1] * y + jacobian[row + 2] * z);
}
