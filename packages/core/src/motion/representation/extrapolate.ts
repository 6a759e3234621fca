/**
 * Extrapolation of clips: coordinates that are rotation vectors are extrapolated as rotations, not number by number.
 */

import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { unset3, unset4 } from '../../math/linear/unset.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { writeLeftJacobian, writeLeftJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import { createCurvePoint } from './curve.js';
import { createRotationState, expRotationState, logRotationState } from './rotation-state.js';

/** A rotation vector within the pose. */
export interface RotationBlock {
  /** Pose index of its first component. */
  readonly vector: number;
  /** Pose index of the position of the same free joint, -1 for other joints. */
  readonly position: number;
}

export function rotationBlocks(figure: Figure): RotationBlock[] {
  return figure.bones.flatMap(({ joint, coordinate, dof }) => {
    const { rotationVector, translations } = jointTypes[joint.type];
    if (rotationVector < 0 || dof === 0) return [];
    return [{ vector: coordinate + rotationVector, position: translations === 3 ? coordinate : -1 }];
  });
}

/** Displacement of one cycle, from a clip's start to its end. */
export interface CycleOffset {
  /** End minus start, coordinate by coordinate. */
  readonly difference: Float64Array;
  /** For each block the rotation vector w of R_end R_start^-1, in the axes of the joint's parent frame. */
  readonly rotations: Float64Array;
  /** For each block u = J_l(w)^-1 d, d the displacement of the rigid motion from start to end: its twist is (w, u). */
  readonly translations: Float64Array;
}

const rotation = /* @__PURE__ */ unset4();
const other = /* @__PURE__ */ unset4();
const vector = /* @__PURE__ */ unset3();
const position = /* @__PURE__ */ unset3();
const jacobian = /* @__PURE__ */ new Float64Array(9);
const point = /* @__PURE__ */ createCurvePoint(3);
const state = /* @__PURE__ */ createRotationState();

export function cycleOffsetOf(blocks: readonly RotationBlock[], start: Numbers, end: Numbers): CycleOffset {
  const difference = Float64Array.from(start, (value, i) => end[i] - value);
  const rotations = new Float64Array(3 * blocks.length);
  const translations = new Float64Array(3 * blocks.length);
  for (const [b, { vector: v, position: p }] of blocks.entries()) {
    quatFromRotationVector(read(start, v, vector), rotation);
    quat.multiply(
      quatFromRotationVector(read(end, v, vector), other),
      quat.conjugate(rotation, rotation),
      rotation,
    );
    rotationVectorFromQuat(rotation, undefined, vector);
    rotations.set(vector, 3 * b);
    if (p < 0) continue;
    quat.rotate(quatFromRotationVector(vector, rotation), read(start, p, position), position);
    vec3.subtract(read(end, p, other), position, position);
    writeLeftJacobianInverse(vector[0], vector[1], vector[2], jacobian, 0);
    translations.set(multiplyJacobian(position), 3 * b);
  }
  return { difference, rotations, translations };
}

/**
 * Applies `cycles` cycles (any sign) to the pose. A rotation block is multiplied by exp(n w) from the left, its position moved by
 * the n-th power of the rigid motion, exp(n (w, u)) = (exp(n w), J_l(n w) n u). Rates follow; afterwards |v| <= pi.
 */
export function repeatWithOffset(
  blocks: readonly RotationBlock[],
  offset: CycleOffset,
  cycles: number,
  pose: MutableNumbers,
  rates: MutableNumbers,
  secondRates: MutableNumbers,
): void {
  for (const [b, { vector: v, position: p }] of blocks.entries()) {
    for (let k = 0; k < 3; k++) vector[k] = cycles * offset.rotations[3 * b + k];
    quatFromRotationVector(vector, rotation);
    readState(v, pose, rates, secondRates);
    quat.multiply(rotation, state.quaternion, state.quaternion);
    writeState(v, pose, rates, secondRates);
    if (p < 0) continue;
    writeLeftJacobian(vector[0], vector[1], vector[2], jacobian, 0);
    for (let k = 0; k < 3; k++) position[k] = cycles * offset.translations[3 * b + k];
    const add = multiplyJacobian(position);
    for (const [numbers, offset] of [
      [pose, add],
      [rates, undefined],
      [secondRates, undefined],
    ] as const) {
      quat.rotate(rotation, read(numbers, p, position), position);
      for (let k = 0; k < 3; k++) numbers[p + k] = position[k] + (offset?.[k] ?? 0);
    }
  }
  const inBlocks = blockCoordinates(blocks, offset.difference.length);
  for (let i = 0; i < offset.difference.length; i++)
    if (inBlocks[i] === 0) pose[i] += cycles * offset.difference[i];
}

/**
 * Extrapolates linearly by `beyond` s with the velocity in `rates`; rotation blocks with constant angular velocity.
 * Afterwards |v| <= pi.
 */
export function extrapolateLinearly(
  blocks: readonly RotationBlock[],
  beyond: number,
  pose: MutableNumbers,
  rates: MutableNumbers,
  secondRates: MutableNumbers,
): void {
  const inVectors = blockCoordinates(
    blocks.map(({ vector: v }) => ({ vector: v, position: -1 })),
    pose.length,
  );
  for (let i = 0; i < pose.length; i++) {
    if (inVectors[i] === 1) continue;
    pose[i] += beyond * rates[i];
    secondRates[i] = 0;
  }
  for (const { vector: v } of blocks) {
    readState(v, pose, rates, secondRates);
    quatFromRotationVector(vec3.scale(state.angularVelocity, beyond, vector), rotation);
    quat.multiply(state.quaternion, rotation, state.quaternion);
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

/** The matrix in `jacobian` times a vector. */
function multiplyJacobian([x, y, z]: readonly number[]): number[] {
  return [0, 3, 6].map((row) => jacobian[row] * x + jacobian[row + 1] * y + jacobian[row + 2] * z);
}
