import { type CurvePoint, createCurvePoint } from '../representation/curve.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
  invertRotationState,
  logRotationState,
  type RotationState,
} from '../representation/rotation-state.js';

/** A number that changes: value, first and second rate (per s, per s^2). */
export interface ScalarState {
  value: number;
  first: number;
  second: number;
}

const between = /* @__PURE__ */ createRotationState();
const way = /* @__PURE__ */ createCurvePoint(3);

/**
 * out = a exp(s log(a^-1 b)) for bodies that turn themselves and a share s that changes: slerp, with exact rates. The signs of the
 * quaternions say which way. `out` may be a or b.
 */
export function slerpStates(
  a: RotationState,
  b: RotationState,
  s: ScalarState,
  out: RotationState,
): RotationState {
  invertRotationState(a, between);
  composeRotationStates(between, b, between);
  scalePoint(logRotationState(between, way), s);
  expRotationState(way, between);
  return composeRotationStates(a, between, out);
}

/** v <- s v, with rates: (s v)' = s' v + s v', (s v)'' = s'' v + 2 s' v' + s v''. */
export function scalePoint({ value, first, second }: CurvePoint, s: ScalarState): void {
  for (let k = 0; k < value.length; k++) {
    second[k] = s.second * value[k] + 2 * s.first * first[k] + s.value * second[k];
    first[k] = s.first * value[k] + s.value * first[k];
    value[k] *= s.value;
  }
}
