import { GoalError } from '../../../errors.js';
import { worldPoint } from '../../../figure/kinematics/points.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import type { FigureState } from '../../../figure/model/state.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { targetPoint } from '../residuals/point-jacobian.js';
import { addRelativePointsHessian, addRelativePointsRows } from '../residuals/relative-points.js';
import { BONE_POINT, checkWorldPoint, resolveTarget, toleranceOf } from '../types/checks.js';
import { type BonePoint, isCarried, type PoleGoal } from '../types/goal.js';
import { componentOf, type GoalHessian, type GoalType, type ResidualFunction } from '../types/goal-type.js';

interface PoleData {
  /** The bones at whose origins the limb starts, bends and ends. */
  readonly start: number;
  readonly middle: number;
  readonly target: Vec3 | BonePoint;
  /** Distance (m) below which a limb is straight or a pole lies on its line. */
  readonly minLength: number;
}

/** Distance relative to the limb's length below which it is degenerate: start and end coincide, or the limb is straight. */
const MIN_LENGTH = 1e-7;

/** World positions: start, end, middle, pole. */
const positions = /* @__PURE__ */ new Float64Array(12);
/** L = end - start, B = middle - start, Q = pole - start. */
const vectors = /* @__PURE__ */ new Float64Array(9);
const residualGradient = /* @__PURE__ */ new Float64Array(9);
const force = /* @__PURE__ */ new Float64Array(9);
const curvature = /* @__PURE__ */ new Float64Array(81);
/** Gradients and second derivatives with respect to (L, B, Q) of V(B, B), V(B, Q), V(Q, Q); see below. */
const gradients = /* @__PURE__ */ new Float64Array(27);
const hessians = /* @__PURE__ */ new Float64Array(243);
/** u, v, w, t, |L|^2. */
const values = /* @__PURE__ */ new Float64Array(5);

/**
 * Pole vector goal. With V(X, Y) = X.Y - (L.X)(L.Y)/(L.L), the product of the components of two vectors normal to the line of the limb: u = V(B, B) =
 * |e|^2, v = V(B, Q) = |e| |p| cos(swivel), w = V(Q, Q) = |p|^2, and t = L.(B x Q). In the plane normal to the line,
 *
 *   a = e.p/|p| = v/sqrt(w),  b = e.(n x p)/|p| = t/sqrt(L.L w),  phi = atan2(b, a),
 *   r = 2 |e| sin(phi/2),  dr = cos(phi/2) db - sin(phi/2) d(a - |e|),  f = 1/2 r^2 = u - sqrt(u/w) v.
 *
 * All are functions of three vectors, and so of four points. Where the limb is straight, or the pole lies on its line, r = 0.
 */
export const poleResidual: ResidualFunction<PoleData> = {
  evaluate(state, { bone, targetBone, data }, out, o) {
    writeVectors(state, bone, targetBone, data);
    const { u, v, w, t, line } = scalars();
    if (line <= data.minLength ** 2 || w <= data.minLength ** 2) {
      out[o] = 0;
      return 0;
    }
    out[o] = 2 * Math.sqrt(u) * Math.sin(0.5 * swivel(v, w, t, line));
    return Math.abs(out[o]);
  },
  jacobian(state, { bone, targetBone, data, rowScale, firstRow }, _residual, out) {
    writeVectors(state, bone, targetBone, data);
    if (!writeResidualGradient(data)) return;
    addRelativePointsRows(
      state,
      carriers(bone, targetBone, data),
      positions,
      residualGradient,
      1,
      rowScale,
      firstRow,
      out,
    );
  },
  check: ({ target }, path) => checkWorldPoint(target, `${path}.target`),
  generic: (data, random) =>
    isCarried(data.target) ? data : { ...data, target: [2 + random(), random(), random()] },
};

const poleHessian: GoalHessian<PoleData> = {
  residualFunction: poleResidual,
  add(state, { bone, targetBone, data, rowScale }, _residual, columns, out) {
    writeVectors(state, bone, targetBone, data);
    const { u, v, w, line } = scalars();
    if (line <= data.minLength ** 2 || w <= data.minLength ** 2) return;
    const square = rowScale * rowScale;
    if (u <= data.minLength ** 2) {
      // Straight, f = |e|^2 (1 - cos(swivel)) has a kink; the Gauss-Newton Hessian lets the limb bend towards the pole.
      writeResidualGradient(data);
      for (let i = 0; i < 9; i++) {
        force[i] = 0;
        for (let j = 0; j < 9; j++) curvature[9 * i + j] = square * residualGradient[i] * residualGradient[j];
      }
      addRelativePointsHessian(
        state,
        carriers(bone, targetBone, data),
        positions,
        force,
        curvature,
        columns,
        out,
      );
      return;
    }
    // f = u - sqrt(u/w) v
    const ratio = Math.sqrt(u / w);
    const fu = 1 - (0.5 * v * ratio) / u;
    const fv = -ratio;
    const fw = (0.5 * v * ratio) / w;
    const fuu = (0.25 * v * ratio) / (u * u);
    const fuv = (-0.5 * ratio) / u;
    const fuw = (0.25 * v * ratio) / (u * w);
    const fvw = (0.5 * ratio) / w;
    const fww = (-0.75 * v * ratio) / (w * w);
    for (let i = 0; i < 9; i++) {
      const [ui, vi, wi] = [gradients[i], gradients[9 + i], gradients[18 + i]];
      force[i] = square * (fu * ui + fv * vi + fw * wi);
      for (let j = 0; j < 9; j++) {
        const k = 9 * i + j;
        const [uj, vj, wj] = [gradients[j], gradients[9 + j], gradients[18 + j]];
        const curvatureTerm = fu * hessians[k] + fv * hessians[81 + k] + fw * hessians[162 + k];
        const productTerm =
          fuu * ui * uj +
          fuv * (ui * vj + vi * uj) +
          fuw * (ui * wj + wi * uj) +
          fvw * (vi * wj + wi * vj) +
          fww * wi * wj;
        curvature[k] = square * (curvatureTerm + productTerm);
      }
    }
    addRelativePointsHessian(
      state,
      carriers(bone, targetBone, data),
      positions,
      force,
      curvature,
      columns,
      out,
    );
  },
};

/** The bones that carry start, end, middle and pole. */
function carriers(bone: number, targetBone: number, { start, middle }: PoleData): readonly number[] {
  return [start, bone, middle, targetBone];
}

function scalars(): { u: number; v: number; w: number; t: number; line: number } {
  return { u: values[0], v: values[1], w: values[2], t: values[3], line: values[4] };
}

function writeVectors(state: FigureState, bone: number, targetBone: number, data: PoleData): void {
  const at = (n: number): Float64Array => positions.subarray(3 * n, 3 * n + 3);
  worldPoint(state, data.start, undefined, at(0));
  worldPoint(state, bone, undefined, at(1));
  worldPoint(state, data.middle, undefined, at(2));
  targetPoint(state, targetBone, data.target, at(3));
  for (let n = 0; n < 3; n++) {
    for (let k = 0; k < 3; k++) vectors[3 * n + k] = positions[3 * (n + 1) + k] - positions[k];
  }
  writeNormalProduct(1, 1, 0);
  writeNormalProduct(1, 2, 1);
  writeNormalProduct(2, 2, 2);
  values[3] =
    vectors[0] * (vectors[4] * vectors[8] - vectors[5] * vectors[7]) +
    vectors[1] * (vectors[5] * vectors[6] - vectors[3] * vectors[8]) +
    vectors[2] * (vectors[3] * vectors[7] - vectors[4] * vectors[6]);
  values[4] = vectors[0] * vectors[0] + vectors[1] * vectors[1] + vectors[2] * vectors[2];
}

/**
 * V(X, Y) with its first and second derivatives with respect to (L, B, Q), X and Y being vectors x and y. With k = 1/(L.L), a = L.X,
 * b = L.Y:
 *
 *   V_X = Y - k b L,  V_L = -k (b X + a Y) + 2 k^2 a b L,  V_XY = I - k L L^T,
 *   V_LX = -(k b I + (k Y - 2 k^2 b L) L^T),
 *   V_LL = -k (X Y^T + Y X^T) + 2 k^2 ((b X + a Y) L^T + L (b X + a Y)^T + a b I) - 8 k^3 a b L L^T
 */
function writeNormalProduct(x: number, y: number, n: number): void {
  const X = vectors.subarray(3 * x, 3 * x + 3);
  const Y = vectors.subarray(3 * y, 3 * y + 3);
  const L = vectors.subarray(0, 3);
  const line = L[0] * L[0] + L[1] * L[1] + L[2] * L[2];
  const k = line > 0 ? 1 / line : 0;
  const a = L[0] * X[0] + L[1] * X[1] + L[2] * X[2];
  const b = L[0] * Y[0] + L[1] * Y[1] + L[2] * Y[2];
  // As the product of the normal components: X.Y - k a b would cancel for a nearly straight limb.
  let value = 0;
  for (let i = 0; i < 3; i++) value += (X[i] - k * a * L[i]) * (Y[i] - k * b * L[i]);
  values[n] = value;
  const g = gradients.subarray(9 * n, 9 * n + 9);
  const h = hessians.subarray(81 * n, 81 * n + 81);
  g.fill(0);
  h.fill(0);
  for (let i = 0; i < 3; i++) {
    const mixed = b * X[i] + a * Y[i];
    g[i] += -k * mixed + 2 * k * k * a * b * L[i];
    g[3 * x + i] += Y[i] - k * b * L[i];
    g[3 * y + i] += X[i] - k * a * L[i];
    for (let j = 0; j < 3; j++) {
      const same = i === j ? 1 : 0;
      const other = b * X[j] + a * Y[j];
      h[9 * i + j] +=
        -k * (X[i] * Y[j] + Y[i] * X[j]) +
        2 * k * k * (mixed * L[j] + L[i] * other + same * a * b) -
        8 * k * k * k * a * b * L[i] * L[j];
      const projection = same - k * L[i] * L[j];
      h[9 * (3 * x + i) + 3 * y + j] += projection;
      h[9 * (3 * y + i) + 3 * x + j] += projection;
      // V_LX and V_LY with their transposes.
      const lx = -(same * k * b + (k * Y[i] - 2 * k * k * b * L[i]) * L[j]);
      const ly = -(same * k * a + (k * X[i] - 2 * k * k * a * L[i]) * L[j]);
      h[9 * i + 3 * x + j] += lx;
      h[9 * (3 * x + j) + i] += lx;
      h[9 * i + 3 * y + j] += ly;
      h[9 * (3 * y + j) + i] += ly;
    }
  }
}

/** phi. */
function swivel(v: number, w: number, t: number, line: number): number {
  return Math.atan2(t / Math.sqrt(line * w), v / Math.sqrt(w));
}

/** Writes dr by (L, B, Q); false where the line or the pole's direction is undefined. */
function writeResidualGradient({ minLength }: PoleData): boolean {
  const { u, v, w, t, line } = scalars();
  if (line <= minLength ** 2 || w <= minLength ** 2) return false;
  const rootW = Math.sqrt(w);
  const area = Math.sqrt(line * w);
  const straight = u <= minLength ** 2;
  const half = straight ? 0 : 0.5 * swivel(v, w, t, line);
  const c = Math.cos(half);
  const s = Math.sin(half);
  for (let i = 0; i < 9; i++) {
    // t by L, B, Q: B x Q, Q x L, L x B.
    const n = Math.floor(i / 3);
    const [p, q] = [3 * ((n + 1) % 3), 3 * ((n + 2) % 3)];
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    const dt = vectors[p + j] * vectors[q + k] - vectors[p + k] * vectors[q + j];
    const dLine = n === 0 ? 2 * vectors[i] : 0;
    const dSquaredArea = line * gradients[18 + i] + w * dLine;
    const db = dt / area - (0.5 * t * dSquaredArea) / (area * area * area);
    const dOffset = straight ? 0 : (0.5 * gradients[i]) / Math.sqrt(u);
    const da = gradients[9 + i] / rootW - (0.5 * v * gradients[18 + i]) / (w * rootW) - dOffset;
    residualGradient[i] = c * db - s * da;
  }
  return true;
}

/** The Hessians of pole goals. */
export const poleHessians: readonly GoalHessian[] = [poleHessian];

export const poleGoal: GoalType<PoleGoal> = {
  fields: { bone: true, middle: true, start: true, target: BONE_POINT, tolerance: true },
  components(figure, goal, path) {
    const bone = boneIndex(figure, goal.bone, `${path}.bone`);
    const middle =
      goal.middle === undefined
        ? parentOf(figure, bone, `${path}.bone`)
        : boneIndex(figure, goal.middle, `${path}.middle`);
    const start =
      goal.start === undefined
        ? parentOf(figure, middle, `${path}.middle`)
        : boneIndex(figure, goal.start, `${path}.start`);
    if (new Set([bone, middle, start]).size < 3) {
      throw new GoalError('unsupported', 'names one bone twice.', {
        path,
        remedy: 'Give three joints of a limb: start, middle and bone.',
      });
    }
    const { target, targetBone } = resolveTarget(figure, goal.target, `${path}.target`);
    const { position } = figure.bones[bone].rest;
    return [
      componentOf({
        residualFunction: poleResidual,
        data: { start, middle, target, minLength: MIN_LENGTH * (Math.hypot(...position) || 1) },
        rows: 1,
        unit: 'length',
        bone,
        targetBone,
        otherBones: [middle, start],
        tolerance: toleranceOf(goal.tolerance, path, 1e-3),
      }),
    ];
  },
};

function parentOf(figure: Figure, bone: number, path: string): number {
  const { parent, name } = figure.bones[bone];
  if (parent >= 0) return parent;
  throw new GoalError('unsupported', `'${name}' has no parent for the limb to start from.`, {
    path,
    remedy: 'Name the bones of the limb: start, middle and bone.',
  });
}
