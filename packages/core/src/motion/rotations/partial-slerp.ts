import { type CurvePoint, createCurvePoint } from '../representation/curve.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  invertRotationState,
  logRotationState,
  type RotationState,
} from '../representation/rotation-state.js';

/** A scalar with first and second rate (per s, per s^2). */
export interface ScalarState {
  value: number;
  first: number;
  second: number;
}

const relative = /* @__PURE__ */ createRotationState();
const vector = /* @__PURE__ */ createCurvePoint(3);

/**
 * out = a exp(s log(a^-1 b)) for moving states and a time-dependent parameter s: partial slerp with exact rates. The signs of the
 * quaternions select the arc. `out` may be a or b.
 */
export function slerpStates(
  a: RotationState,
  b: RotationState,
  s: ScalarState,
  out: RotationState,
): RotationState {
  invertRotationState(a, relative);
  composeRotationStates(relative, b, relative);
  scalePoint(logRotationState(relative, vector), s);
  expRotationState(vector, relative);
  return composeRotationStates(a, relative, out);
}

/** v <- s v, with rates: (s v)' = s' v + s v', (s v)'' = s'' v + 2 s' v' + s v''. */
export function scalePoint({ value, first, second }: CurvePoint, s: ScalarState): void {
  for (let k = 0; k < value.length; k++) {
    second[k] = s.second * value[k] + 2 * s.first * first[k] + s.value * second[k];
    first[k] = s.first * value[k] + s.value * first[k];
    value[k] *= s.value;
  }
}
