/**
 * The ball-and-socket joint of Grassia 1997, section 5, with three coordinates (r_s, r_t, twist): R = R_swing R_twist,
 * a = s x t. Partials, and the angular velocity Jacobian with its determinant sin(theta)/theta, theta the swing angle: gimbal
 * lock at swing = pi, contrary to the paper (docs/errata.md, erratum 7), so limits must keep the swing below pi.
 */
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../math/linear/types.js';
import { zeros } from '../../math/linear/unset.js';
import { createRotationCache } from '../rotation-vector/evaluate.js';
import { frameSign, type RotationFrame } from '../rotation-vector/frame.js';
import {
  evaluateSwing,
  matrixFromSwing,
  type SwingAxes,
  swingJacobian,
  swingMatrixPartials,
  swingMatrixSecondPartials,
} from './swing.js';
import { matrixFromTwist, twistMatrixPartial, twistMatrixSecondPartial } from './twist.js';

const scratch = /* @__PURE__ */ createRotationCache();

/** R = R_swing R_twist, nine numbers row by row; `coordinates` = (r_s, r_t, twist), rad. */
export function matrixFromBallAndSocket<T extends MutableNumbers = number[]>(
  coordinates: Numbers,
  axes: SwingAxes,
  out: T = zeros(9),
): T {
  const twist = matrixFromTwist(limbAxis(axes), coordinates[2]);
  return mat3.multiply(matrixFromSwing(coordinates, axes), twist, out);
}

/** dR/d(r_s, r_t, twist) at out[9 n ..], three matrices row by row (27 numbers). */
export function ballAndSocketMatrixPartials<T extends MutableNumbers = number[]>(
  coordinates: Numbers,
  axes: SwingAxes,
  out: T = zeros(27),
): T {
  const a = limbAxis(axes);
  const e = evaluateSwing(coordinates, axes, scratch);
  const swing = matrixFromSwing(e, axes);
  const swingPartials = swingMatrixPartials(e, axes);
  const twist = matrixFromTwist(a, coordinates[2]);
  const twistPartial = twistMatrixPartial(a, coordinates[2]);
  writeProduct(swingPartials, 0, twist, out, 0);
  writeProduct(swingPartials, 9, twist, out, 9);
  writeProduct(swing, 0, twistPartial, out, 18);
  return out;
}

/** d2R/dc_m dc_n at out[9 (3 m + n) ..], c = (r_s, r_t, twist), nine matrices row by row (81 numbers). */
export function ballAndSocketMatrixSecondPartials<T extends MutableNumbers = number[]>(
  coordinates: Numbers,
  axes: SwingAxes,
  out: T = zeros(81),
): T {
  const a = limbAxis(axes);
  const angle = coordinates[2];
  const e = evaluateSwing(coordinates, axes, scratch);
  const swing = matrixFromSwing(e, axes);
  const first = swingMatrixPartials(e, axes);
  const second = swingMatrixSecondPartials(e, axes);
  const twist = matrixFromTwist(a, angle);
  const twistPartial = twistMatrixPartial(a, angle);
  for (let m = 0; m < 2; m++) {
    for (let n = 0; n < 2; n++) writeProduct(second, 9 * (2 * m + n), twist, out, 9 * (3 * m + n));
    writeProduct(first, 9 * m, twistPartial, out, 9 * (3 * m + 2));
    writeProduct(first, 9 * m, twistPartial, out, 9 * (6 + m));
  }
  writeProduct(swing, 0, twistMatrixSecondPartial(a, angle), out, 72);
  return out;
}

/**
 * Angular velocity in the named axes = Jacobian (r_s', r_t', twist'), nine numbers row by row:
 * world [J_l s, J_l t, R_swing a]; body [R_twist^T J_r s, R_twist^T J_r t, a].
 */
export function ballAndSocketJacobian<T extends MutableNumbers = number[]>(
  coordinates: Numbers,
  axes: SwingAxes,
  frame: RotationFrame,
  out: T = zeros(9),
): T {
  const world = frameSign(frame, 'ballAndSocketJacobian(frame)') > 0;
  const a = limbAxis(axes);
  const angle = coordinates[2];
  const e = evaluateSwing(coordinates, axes, scratch);
  const columns = swingJacobian(e, axes, frame);
  const last = world ? mat3.multiplyVector(matrixFromSwing(e, axes), a) : a;
  mat3.set(
    columns[0],
    columns[1],
    last[0],
    columns[2],
    columns[3],
    last[1],
    columns[4],
    columns[5],
    last[2],
    out,
  );
  // R_twist^T a = a, so the product applies to all three columns.
  return world ? out : mat3.multiply(mat3.transpose(matrixFromTwist(a, angle)), out, out);
}

/** Determinant of {@link ballAndSocketJacobian}: sin(theta)/theta, theta = |(r_s, r_t)|; 1 at rest, 0 at swing = pi. */
export function ballAndSocketDeterminant(coordinates: Numbers): number {
  const theta = vec3.length(coordinates[0], coordinates[1], 0);
  return theta === 0 ? 1 : Math.sin(theta) / theta;
}

/**
 * (r_s', r_t', twist') from an angular velocity in the named axes. With u the angular velocity in the frame after the swing and
 * before the twist: S^T J_r S = A I + C r r^T, whose inverse is (I - C r r^T)/A, and a.u = twist' - B (r_s r_t' - r_t r_s').
 * Unbounded as swing -> pi (A = 0).
 */
export function ballAndSocketRateFromAngularVelocity<T extends MutableNumbers = number[]>(
  coordinates: Numbers,
  axes: SwingAxes,
  angularVelocity: Vec3,
  frame: RotationFrame,
  out: T = zeros(3),
): T {
  const world = frameSign(frame, 'ballAndSocketRateFromAngularVelocity(frame)') > 0;
  const a = limbAxis(axes);
  const e = evaluateSwing(coordinates, axes, scratch);
  const u = world
    ? mat3.transposeMultiplyVector(matrixFromSwing(e, axes), angularVelocity)
    : mat3.multiplyVector(matrixFromTwist(a, coordinates[2]), angularVelocity);
  const us = vec3.dot(axes.s, u);
  const ut = vec3.dot(axes.t, u);
  const [rs, rt] = [coordinates[0], coordinates[1]];
  const radial = e.C * (rs * us + rt * ut);
  const rateS = (us - radial * rs) / e.A;
  const rateT = (ut - radial * rt) / e.A;
  return vec3.set(rateS, rateT, vec3.dot(a, u) + e.B * (rs * rateT - rt * rateS), out);
}

/** a = s x t */
function limbAxis(axes: SwingAxes): number[] {
  return vec3.cross(axes.s, axes.t);
}

/** out[o..o+8] = m[i..i+8] n */
function writeProduct(m: Numbers, i: number, n: Numbers, out: MutableNumbers, o: number): void {
  for (let row = 0; row < 9; row += 3) {
    const x = m[i + row];
    const y = m[i + row + 1];
    const z = m[i + row + 2];
    for (let k = 0; k < 3; k++) out[o + row + k] = x * n[k] + y * n[3 + k] + z * n[6 + k];
  }
}
