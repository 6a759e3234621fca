/** Rotations of the reference as smooth as the unknowns that displace them. */
import * as quat from '../../math/geometry/quat.js';
import { createCurvePoint } from '../../motion/representation/curve.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  type RotationState,
  stationaryState,
} from '../../motion/representation/rotation-state.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import type { Parameterization } from './parameterization.js';
import type { Reference } from './reference.js';
import { ORDERS, type SplineBasis, writeBasis } from './spline-basis.js';

/** Largest rotation of the reference from one control point to the next, rad: beyond, its direction between them is a guess. */
const MAX_TURN = 0.5 * Math.PI;

/**
 * The reference with the displaced rotations, R = R_ref exp(d), that are splines of their own: cumulative B-splines (Kim, Kim, Shin 1995) of
 * the degree of `basis`, along control rotations of the reference. Where R_ref had a kink, as at a key, no smooth d could undo it: the motion
 * would have jumps of its acceleration that no collocation point sees. Poses of the reference stay as they are.
 */
export function smoothRotations(
  reference: Reference,
  { rotations, columnOf }: Parameterization,
  basis: SplineBasis,
): Reference {
  const splines = rotations.map(({ coordinate, displaced }, b) =>
    displaced !== undefined && columnOf[coordinate] >= 0 ? rotationSpline(reference, b, basis) : undefined,
  );
  if (splines.every((spline) => spline === undefined)) return reference;
  return (time) => {
    const state = reference(time);
    return { ...state, rotations: state.rotations.map((own, b) => splines[b]?.(time) ?? own) };
  };
}

/** One rotation; undefined where it stands still, or turns too fast for the knots. */
function rotationSpline(
  reference: Reference,
  b: number,
  basis: SplineBasis,
): ((time: number) => RotationState) | undefined {
  const quaternions = Array.from(basis.centers, (time) => reference(time).rotations[b].quaternion);
  // log(q_(i-1)^-1 q_i) of each control rotation but the first.
  const turns = quaternions.slice(1).map((q, i) => {
    const turn = [0, 0, 0];
    rotationVectorFromQuat(quat.multiply(quat.conjugate(quaternions[i]), q), undefined, turn);
    return turn;
  });
  const largest = Math.max(...turns.map(([x, y, z]) => Math.hypot(x, y, z)));
  if (largest === 0 || largest > MAX_TURN) return undefined;
  const width = basis.degree + 1;
  const row = new Float64Array(ORDERS * width);
  const vector = createCurvePoint(3);
  const rotation = createRotationState();
  return (time) => {
    const first = writeBasis(basis, time, row);
    const out = stationaryState(quaternions[first], createRotationState());
    for (let j = 1; j < width; j++) {
      // The sum of the basis functions from j on, and its derivatives.
      const weights = [0, 0, 0];
      for (let r = 0; r < 3; r++) for (let m = j; m < width; m++) weights[r] += row[r * width + m];
      const turn = turns[first + j - 1];
      for (let k = 0; k < 3; k++) {
        vector.value[k] = weights[0] * turn[k];
        vector.first[k] = weights[1] * turn[k];
        vector.second[k] = weights[2] * turn[k];
      }
      composeRotationStates(out, expRotationState(vector, rotation), out);
    }
    return out;
  };
}
