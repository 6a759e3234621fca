/** State of a clip at one time, with first and second derivatives and rotations as rotation states: the operands of blends. */

import type { Figure } from '../../figure/model/figure.js';
import { findFreeRoots } from '../../figure/model/floating-base.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Quat } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import {
  type Curve,
  type CurvePoint,
  createCurvePoint,
  evaluateCurve,
  pieceAt,
  writePiece,
} from '../../motion/representation/curve.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  invertRotationState,
  logRotationState,
  type RotationState,
} from '../../motion/representation/rotation-state.js';

/** `figure.dof` numbers each; for rotation vectors `rotations` applies instead, one for each, in body axes. */
export interface ClipState {
  readonly value: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly rotations: readonly RotationState<Float64Array>[];
}

/** Left or right limit: at a key of a clip derivatives may jump. */
export type Side = 'before' | 'after';

export type ClipStateAt = (time: number, side: Side) => ClipState;

function createClipState(figure: Figure): ClipState {
  const zeros = (): Float64Array => new Float64Array(figure.dof);
  return {
    value: zeros(),
    first: zeros(),
    second: zeros(),
    rotations: Array.from(rotationVectors(figure), () => createRotationState()),
  };
}

/** The states of a clip; times outside are clamped. */
export function clipStates(figure: Figure, motion: Motion): ClipStateAt {
  const vectors = rotationVectors(figure);
  const length = motion.end - motion.start;
  return (time, side) => {
    const state = createClipState(figure);
    const inside = Math.max(motion.start, Math.min(motion.end, time));
    state.value.set(motion.base);
    for (const { coordinate, curve } of motion.tracks) {
      const part = (of: Float64Array): Float64Array => of.subarray(coordinate, coordinate + curve.size);
      const out = { value: part(state.value), first: part(state.first), second: part(state.second) };
      evaluateSide(curve, inside, side, length, out);
    }
    vectors.forEach((i, b) => {
      const vectorOf = (from: Float64Array): Float64Array => from.subarray(i, i + 3);
      expRotationState(
        { value: vectorOf(state.value), first: vectorOf(state.first), second: vectorOf(state.second) },
        state.rotations[b],
      );
    });
    return state;
  };
}

/**
 * A curve at a time, its left or right limit; outside its range it is extrapolated.
 *
 * @param length - Of the clip, s: times within a billionth of it from a key count as the key.
 */
export function evaluateSide(
  curve: Curve,
  time: number,
  side: Side,
  length: number,
  out: CurvePoint,
): CurvePoint {
  const { knots } = curve;
  const tolerance = 1e-9 * length;
  if (time < knots[0] || time > knots[knots.length - 1]) return evaluateCurve(curve, time, out);
  let piece = pieceAt(knots, time);
  if (side === 'before' && piece > 0 && time - knots[piece] <= tolerance) piece--;
  else if (side === 'after' && piece + 2 < knots.length && knots[piece + 1] - time <= tolerance) piece++;
  writePiece(curve, piece, time, out.value, out.first, out.second, 0);
  return out;
}

/** A scalar with its first and second derivative. */
export type Scalar = readonly [value: number, first: number, second: number];

/**
 * a + w (b - a), rotations as R_a exp(w log(R_a^-1 R_b)).
 *
 * @param near - R_a^-1 R_b at another time, by rotation: the logarithm is that nearest to it. Default: the shortest.
 */
export function blendStates(
  figure: Figure,
  a: ClipState,
  b: ClipState,
  w: Scalar,
  near?: readonly Quat[],
): ClipState {
  const out = createClipState(figure);
  for (let i = 0; i < figure.dof; i++) {
    const d = b.value[i] - a.value[i];
    const d1 = b.first[i] - a.first[i];
    const d2 = b.second[i] - a.second[i];
    out.value[i] = a.value[i] + w[0] * d;
    out.first[i] = a.first[i] + w[1] * d + w[0] * d1;
    out.second[i] = a.second[i] + w[2] * d + 2 * w[1] * d1 + w[0] * d2;
  }
  out.rotations.forEach((rotation, k) => {
    composeDisplacement(
      a.rotations[k],
      scaled(rotationDifference(a.rotations[k], b.rotations[k], near?.[k]), w),
      rotation,
    );
  });
  return out;
}

const between = /* @__PURE__ */ createRotationState();

/** log(R_a^-1 R_b) with derivatives, the shortest or that nearest to a rotation. */
function rotationDifference(a: RotationState, b: RotationState, near?: Quat): CurvePoint<Float64Array> {
  invertRotationState(a, between);
  composeRotationStates(between, b, between);
  return logOfBetween(near);
}

/** Largest angle of a difference, rad: a margin inside the shell at 2 pi. */
const MAX_DIFFERENCE = 1.75 * Math.PI;

/**
 * R_a^-1 R_b of two clips over a span, by rotation, with signs that follow each other from the middle of the span, where it is the shortest: a difference that
 * passes half a turn does not change to the other side. Within 1/8 turn of a whole one it does.
 */
export function continuousDifferences(
  a: (time: number) => ClipState,
  b: (time: number) => ClipState,
  [from, to]: readonly [number, number],
): (time: number) => readonly Quat[] {
  const differenceAt = (k: number, near?: readonly Quat[]): Quat[] => {
    const time = from + (k / DIFFERENCE_SAMPLES) * (to - from);
    const [first, second] = [a(time), b(time)];
    return first.rotations.map(({ quaternion }, r) => {
      const q = quat.multiply(quat.conjugate(quaternion), second.rotations[r].quaternion);
      return isFarther(q, near?.[r]) ? quat.negate(q) : q;
    });
  };
  const middle = DIFFERENCE_SAMPLES / 2;
  const table: Quat[][] = [];
  table[middle] = differenceAt(middle);
  for (let k = 1; k <= middle; k++) {
    table[middle - k] = differenceAt(middle - k, table[middle - k + 1]);
    table[middle + k] = differenceAt(middle + k, table[middle + k - 1]);
  }
  return (time) => {
    const k = Math.round((DIFFERENCE_SAMPLES * (time - from)) / (to - from));
    return table[Math.max(0, Math.min(DIFFERENCE_SAMPLES, k))];
  };
}

/** Samples of a span, even: a rotation between two of them is far below half a turn. */
const DIFFERENCE_SAMPLES = 64;

/** Whether -q is the one to take. @param near - Default: the identity. */
function isFarther(q: Quat, near: Quat | undefined): boolean {
  const isOpposite =
    (near === undefined ? q[3] : q[0] * near[0] + q[1] * near[1] + q[2] * near[2] + q[3] * near[3]) < 0;
  const scalar = isOpposite ? -q[3] : q[3];
  return scalar < Math.cos(0.5 * MAX_DIFFERENCE) ? !isOpposite : isOpposite;
}

/** log(R_b R_a^-1) with derivatives, of length pi at most. */
export function rotationOffset(a: RotationState, b: RotationState): CurvePoint<Float64Array> {
  invertRotationState(a, between);
  composeRotationStates(b, between, between);
  return logOfBetween();
}

function logOfBetween(near?: Quat): CurvePoint<Float64Array> {
  if (isFarther(between.quaternion, near)) quat.negate(between.quaternion, between.quaternion);
  return logRotationState(between, createCurvePoint(3)) as CurvePoint<Float64Array>;
}

function scaled(d: CurvePoint, w: Scalar): CurvePoint {
  const out = createCurvePoint(3);
  for (let k = 0; k < 3; k++) {
    out.value[k] = w[0] * d.value[k];
    out.first[k] = w[1] * d.value[k] + w[0] * d.first[k];
    out.second[k] = w[2] * d.value[k] + 2 * w[1] * d.first[k] + w[0] * d.second[k];
  }
  return out;
}

/** out = R exp(d). */
function composeDisplacement(a: RotationState, d: CurvePoint, out: RotationState): void {
  expRotationState(d, between);
  composeRotationStates(a, between, out);
}

/** out = exp(d) R: a bone that twists about itself does not turn the offset of its direction along. */
export function composeOffset(d: CurvePoint, a: RotationState, out: RotationState): void {
  expRotationState(d, between);
  composeRotationStates(between, a, out);
}

/** Rotation about the vertical and translation of each free root, in its rest axes: x -> Y x + c, R -> Y R. */
export interface RootTransforms {
  readonly roots: readonly {
    readonly position: number;
    readonly rotation: number;
    readonly yaw: Quat;
    readonly shift: readonly number[];
  }[];
}

export function transformState(figure: Figure, state: ClipState, { roots }: RootTransforms): ClipState {
  const out = createClipState(figure);
  out.value.set(state.value);
  out.first.set(state.first);
  out.second.set(state.second);
  state.rotations.forEach((rotation, k) => {
    out.rotations[k].quaternion.set(rotation.quaternion);
    out.rotations[k].angularVelocity.set(rotation.angularVelocity);
    out.rotations[k].angularAcceleration.set(rotation.angularAcceleration);
  });
  for (const { position: p, rotation, yaw, shift } of roots) {
    for (const vectorOf of [out.value, out.first, out.second]) {
      vectorOf.set(quat.rotate(yaw, [vectorOf[p], vectorOf[p + 1], vectorOf[p + 2]]), p);
    }
    for (let k = 0; k < 3; k++) out.value[p + k] += shift[k];
    out.rotations[rotation].quaternion.set(quat.multiply(yaw, state.rotations[rotation].quaternion));
  }
  return out;
}

/** Free roots: the index of their position and of their rotation. */
export function freeRoots(
  figure: Figure,
): { readonly bone: number; readonly position: number; readonly rotation: number }[] {
  const vectors = Array.from(rotationVectors(figure));
  return findFreeRoots(figure).map((bone) => {
    const { coordinate } = figure.bones[bone];
    return { bone, position: coordinate, rotation: vectors.indexOf(coordinate + 3) };
  });
}

/** Rest frame of a free root in the world; the bones above it are fixed. */
export function worldFromRest({ bones }: Figure, bone: number): { rotation: Quat; position: number[] } {
  const { parent, rest } = bones[bone];
  const rotation = Array.from(rest.rotation);
  const position = Array.from(rest.position);
  for (let b = parent; b >= 0; b = bones[b].parent) {
    quat.multiply(bones[b].rest.rotation, rotation, rotation);
    vec3.add(quat.rotate(bones[b].rest.rotation, position, position), bones[b].rest.position, position);
  }
  return { rotation: [rotation[0], rotation[1], rotation[2], rotation[3]], position };
}
