/** A figure at a moment of a clip with first and second rates, rotations as rotations that turn: what clips are blended with. */

import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import * as quat from '../../math/geometry/quat.js';
import type { Quat } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import {
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

/** `figure.dof` numbers each; what stands in the places of rotation vectors is for `turns` to say, one for each, in body axes. */
export interface BodyState {
  readonly value: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly turns: readonly RotationState<Float64Array>[];
}

/** Just before a moment or just after it: at a key of a clip, rates may differ. */
export type Side = 'before' | 'after';

export type States = (time: number, side: Side) => BodyState;

function createBodyState(figure: Figure): BodyState {
  const room = (): Float64Array => new Float64Array(figure.dof);
  return {
    value: room(),
    first: room(),
    second: room(),
    turns: Array.from(rotationVectors(figure), () => createRotationState()),
  };
}

/** A clip's states. Times outside are its ends. */
export function clipStates(figure: Figure, motion: Motion): States {
  const vectors = rotationVectors(figure);
  // A key that rounding has moved is still that key.
  const least = 1e-9 * (motion.end - motion.start);
  return (time, side) => {
    const state = createBodyState(figure);
    const inside = Math.max(motion.start, Math.min(motion.end, time));
    state.value.set(motion.base);
    for (const { coordinate, curve } of motion.tracks) {
      const { size, knots } = curve;
      const value = state.value.subarray(coordinate, coordinate + size);
      const first = state.first.subarray(coordinate, coordinate + size);
      const second = state.second.subarray(coordinate, coordinate + size);
      if (inside < knots[0] || inside > knots[knots.length - 1]) {
        evaluateCurve(curve, inside, { value, first, second });
        continue;
      }
      let piece = pieceAt(knots, inside);
      if (side === 'before' && piece > 0 && inside - knots[piece] <= least) piece--;
      else if (side === 'after' && piece + 2 < knots.length && knots[piece + 1] - inside <= least) piece++;
      writePiece(curve, piece, inside, value, first, second, 0);
    }
    vectors.forEach((i, b) => {
      const part = (from: Float64Array): Float64Array => from.subarray(i, i + 3);
      expRotationState(
        { value: part(state.value), first: part(state.first), second: part(state.second) },
        state.turns[b],
      );
    });
    return state;
  };
}

/** A number with its rates. */
export type Scalar = readonly [value: number, first: number, second: number];

/** a + w (b - a), rotations as exp(w log(R_a^-1 R_b)) from R_a on. */
export function mix(figure: Figure, a: BodyState, b: BodyState, w: Scalar): BodyState {
  const out = createBodyState(figure);
  for (let i = 0; i < figure.dof; i++) {
    const d = b.value[i] - a.value[i];
    const d1 = b.first[i] - a.first[i];
    const d2 = b.second[i] - a.second[i];
    out.value[i] = a.value[i] + w[0] * d;
    out.first[i] = a.first[i] + w[1] * d + w[0] * d1;
    out.second[i] = a.second[i] + w[2] * d + 2 * w[1] * d1 + w[0] * d2;
  }
  out.turns.forEach((turn, k) => {
    addTurn(a.turns[k], scaled(differenceOf(a.turns[k], b.turns[k]), w), turn);
  });
  return out;
}

const between = /* @__PURE__ */ createRotationState();

/** log(R_a^-1 R_b) with rates, of length pi at most. */
export function differenceOf(a: RotationState, b: RotationState): CurvePoint<Float64Array> {
  invertRotationState(a, between);
  composeRotationStates(between, b, between);
  if (between.quaternion[3] < 0) quat.negate(between.quaternion, between.quaternion);
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
export function addTurn(a: RotationState, d: CurvePoint, out: RotationState): void {
  expRotationState(d, between);
  composeRotationStates(a, between, out);
}

/** A turn about the vertical and a slide, for each free root in its rest axes: x -> Y x + c, R -> Y R. */
export interface PlanarMove {
  readonly roots: readonly {
    readonly position: number;
    readonly turn: number;
    readonly yaw: Quat;
    readonly shift: readonly number[];
  }[];
}

export function moved(figure: Figure, state: BodyState, { roots }: PlanarMove): BodyState {
  const out = createBodyState(figure);
  out.value.set(state.value);
  out.first.set(state.first);
  out.second.set(state.second);
  state.turns.forEach((turn, k) => {
    out.turns[k].quaternion.set(turn.quaternion);
    out.turns[k].angularVelocity.set(turn.angularVelocity);
    out.turns[k].angularAcceleration.set(turn.angularAcceleration);
  });
  for (const { position: p, turn, yaw, shift } of roots) {
    for (const part of [out.value, out.first, out.second]) {
      part.set(quat.rotate(yaw, [part[p], part[p + 1], part[p + 2]]), p);
    }
    for (let k = 0; k < 3; k++) out.value[p + k] += shift[k];
    out.turns[turn].quaternion.set(quat.multiply(yaw, state.turns[turn].quaternion));
  }
  return out;
}

/** Free joints of roots: where their position stands, and which rotation is theirs. */
export function freeRoots(
  figure: Figure,
): { readonly bone: number; readonly position: number; readonly turn: number }[] {
  const vectors = Array.from(rotationVectors(figure));
  return figure.bones.flatMap(({ index, parent, joint, dof, coordinate }) => {
    const { rotationVector } = jointTypes[joint.type];
    if (parent >= 0 || joint.type !== 'free' || dof === 0) return [];
    return [{ bone: index, position: coordinate, turn: vectors.indexOf(coordinate + rotationVector) }];
  });
}
