/** Swing-twist decomposition and composition, R = R_swing R_twist (Grassia 1997, section 5). */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers, Quat } from '../../math/linear/types.js';
import { unset3, unset4 } from '../../math/linear/unset.js';
import { quatFromSwing, type SwingAxes } from './swing.js';
import { quatFromTwist } from './twist.js';

/** A rotation as twist about s x t, then swing in the plane of s and t. */
export interface SwingTwist {
  /** (r_s, r_t), rad, |r| <= pi. */
  readonly swing: [number, number];
  /** Twist about s x t, rad, in [-pi, pi]. */
  twist: number;
  /**
   * True where the swing is pi to rounding. The twist is then undetermined, since every twist has a swing that completes the
   * rotation: it is 0, with the swing of that choice.
   */
  degenerate: boolean;
}

/**
 * cos(swing/2) below which the twist counts as undetermined: its error is eps / cos(swing/2), so it has fewer than about six
 * correct digits.
 */
export const DEGENERATE_COSINE = 1e-10;

const swingQuat = /* @__PURE__ */ unset4();
const axis = /* @__PURE__ */ unset3();

/** Unit quaternion of R_swing R_twist: twist (rad) about s x t, then swing (r_s, r_t), rad. */
export function quatFromSwingTwist<T extends MutableNumbers = number[]>(
  swing: Numbers,
  twist: number,
  axes: SwingAxes,
  out: T = unset4(),
): T {
  quatFromSwing(swing, axes, swingQuat);
  quatFromTwist(vec3.cross(axes.s, axes.t, axis), twist, out);
  return quat.multiply(swingQuat, out, out);
}

/**
 * Swing vector and twist of a nonzero quaternion of any length; the same for q and -q. Never NaN; at swing = pi
 * `degenerate` is set.
 *
 * With (a, b, p, w) the components of q along s, t, s x t and its scalar, h = |(p, w)|: the twist quaternion is (p, w)/h, the
 * swing quaternion q twist^-1 has scalar h and components (w a - p b, w b + p a)/h along s and t.
 */
export function decomposeSwingTwist(
  q: Quat,
  axes: SwingAxes,
  out: SwingTwist = { swing: [0, 0], twist: 0, degenerate: false },
): SwingTwist {
  const { s, t } = axes;
  // Written out: a hot kernel for arrays of several kinds, whose calls would not be inlined.
  const x = q[0];
  const y = q[1];
  const z = q[2];
  const sx = s[0];
  const sy = s[1];
  const sz = s[2];
  const tx = t[0];
  const ty = t[1];
  const tz = t[2];
  const size = (q[3] < 0 ? -1 : 1) * quat.norm(q);
  const a = (x * sx + y * sy + z * sz) / size;
  const b = (x * tx + y * ty + z * tz) / size;
  const p = (x * (sy * tz - sz * ty) + y * (sz * tx - sx * tz) + z * (sx * ty - sy * tx)) / size;
  const w = q[3] / size;
  const h = vec3.length(p, w, 0);
  const degenerate = !(h > DEGENERATE_COSINE);
  // Components of the swing quaternion along s and t; those of q where the twist is set to zero.
  const qs = degenerate ? a : (w * a - p * b) / h;
  const qt = degenerate ? b : (w * b + p * a) / h;
  const n = vec3.length(qs, qt, 0);
  const scale = n > 0 ? (2 * Math.atan2(n, h)) / n : 2;
  out.swing[0] = scale * qs;
  out.swing[1] = scale * qt;
  out.twist = degenerate ? 0 : 2 * Math.atan2(p, w);
  out.degenerate = degenerate;
  return out;
}
