import { addCross } from '../../figure/joints/axes.js';
import { INERTIA_SIZE } from '../model/inertia.js';
import { addProduct, addScaled, addTransposed, clear, dot3, dotSpatial } from '../model/spatial-vectors.js';
import { writeAxisDerivative } from './joint-terms.js';
import type { DerivativeWorkspace, ForceDerivatives } from './workspace.js';

/** Derivatives of the force on the subtree, (couple, force), with respect to one coordinate, its velocity and its acceleration. */
const byPose = /* @__PURE__ */ new Float64Array(6);
const byVelocity = /* @__PURE__ */ new Float64Array(6);
const byAcceleration = /* @__PURE__ */ new Float64Array(6);
/**
 * Derivative of one coordinate's joint force with respect to a rotation of an ancestor: the Coriolis term, and the external forces, whose
 * directions are fixed in the world.
 */
const coriolisCovector = /* @__PURE__ */ new Float64Array(3);
const externalCovector = /* @__PURE__ */ new Float64Array(3);
const axis = /* @__PURE__ */ new Float64Array(3);
const scratch = /* @__PURE__ */ new Float64Array(3);

/**
 * Fills the derivatives of tau over all joints from the joint terms (`joint-terms.ts`) and the subtree sums (`subtree-sums.ts`). With F = (n, f)
 * the force on the subtree of coordinate i, I its composite inertia, p its momentum and N its Coriolis matrix,
 *
 *   dF/dq_i = j x* F + I zeta + (N eta, 2 eta x p)
 *
 * For each coordinate k of an ancestor, d tau_k/dq_i = s_k . dF/dq_i. For k in the subtree of i, force and axis s_k move rigidly together, so
 * d tau_k/dq_i = (I_k s_k) . zeta + (N_k^T a_k + 2 p_k x l_k) . eta. One walk from each coordinate to the root fills both halves.
 */
export function fillDerivatives(workspace: DerivativeWorkspace, out: ForceDerivatives): void {
  const { figure, state } = workspace.dynamics;
  const { columnStart, columnEnd } = state;
  out.byPose.fill(0);
  out.byVelocity.fill(0);
  out.byAcceleration.fill(0);
  for (let b = 0; b < figure.parents.length; b++) {
    for (let i = columnStart[b]; i < columnEnd[b]; i++) {
      writeForceChanges(workspace, b, i);
      fillJointBlock(workspace, b, i, out);
      fillAncestors(workspace, b, i, out);
    }
  }
}

function writeForceChanges(workspace: DerivativeWorkspace, b: number, i: number): void {
  const { dynamics, columns, directions, velocityByPose, accelerationByPose, accelerationByVelocity } =
    workspace;
  const { momentum, coriolis, externalForce, externalCouple, externalMoment } = workspace;
  const { force, couple } = dynamics;
  const c = 6 * i;
  const o = 3 * b;
  clear(byPose);
  addInertia(dynamics.compositeInertia, b, accelerationByPose, c, byPose);
  addProduct(coriolis, 9 * b, velocityByPose, 3 * i, byPose, 0);
  addCross(velocityByPose, 3 * i, momentum, o, 2, byPose, 3);
  // j x* F: the force moves with the subtree.
  addCross(directions, c, couple, o, 1, byPose, 0);
  addCross(directions, c + 3, force, o, 1, byPose, 0);
  addCross(directions, c, force, o, 1, byPose, 3);
  // External forces keep their direction; their points move with the bones.
  addCross(directions, c + 3, externalForce, o, -1, byPose, 0);
  clear(scratch);
  addProduct(externalMoment, 9 * b, directions, c, scratch, 0);
  addScaled(scratch, 0, -1, byPose, 0);

  clear(byVelocity);
  addInertia(dynamics.compositeInertia, b, accelerationByVelocity, c, byVelocity);
  addProduct(coriolis, 9 * b, columns, c, byVelocity, 0);
  addCross(columns, c, momentum, o, 2, byVelocity, 3);

  clear(byAcceleration);
  addInertia(dynamics.compositeInertia, b, columns, c, byAcceleration);

  clear(coriolisCovector);
  addTransposed(coriolis, 9 * b, columns, c, 1, coriolisCovector, 0);
  addCross(momentum, o, columns, c + 3, 2, coriolisCovector, 0);
  clear(externalCovector);
  addCross(externalCouple, o, columns, c, 1, externalCovector, 0);
  addCross(externalForce, o, columns, c + 3, 1, externalCovector, 0);
  addTransposed(externalMoment, 9 * b, columns, c, -1, externalCovector, 0);
}

/** (I a + h x l, m l + a x h). */
function addInertia(composite: Float64Array, b: number, x: Float64Array, c: number, out: Float64Array): void {
  const i = INERTIA_SIZE * b;
  const a0 = x[c];
  const a1 = x[c + 1];
  const a2 = x[c + 2];
  out[0] += composite[i + 4] * a0 + composite[i + 7] * a1 + composite[i + 8] * a2;
  out[1] += composite[i + 7] * a0 + composite[i + 5] * a1 + composite[i + 9] * a2;
  out[2] += composite[i + 8] * a0 + composite[i + 9] * a1 + composite[i + 6] * a2;
  addCross(composite, i + 1, x, c + 3, 1, out, 0);
  addScaled(x, c + 3, composite[i], out, 3);
  addCross(x, c, composite, i + 1, 1, out, 3);
}

/** With respect to the coordinates of the same joint, whose axes change too: d tau_k/dq_i = s_k . dF/dq_i + ds_k/dq_i . F. */
function fillJointBlock(workspace: DerivativeWorkspace, b: number, i: number, out: ForceDerivatives): void {
  const { dynamics, columns, directions, size, externalForce, externalCouple } = workspace;
  const { state, force, couple, hasVaryingAxes } = dynamics;
  const { columnStart, columnEnd } = state;
  const o = 3 * b;
  for (let k = columnStart[b]; k < columnEnd[b]; k++) {
    const at = k * size + i;
    out.byVelocity[at] = dotSpatial(columns, 6 * k, byVelocity, 0);
    out.byAcceleration[at] = dotSpatial(columns, 6 * k, byAcceleration, 0);
    if (hasVaryingAxes[b] === 1) writeAxisDerivative(dynamics, k, i, axis);
    else {
      clear(axis);
      addCross(directions, 6 * i, columns, 6 * k, 1, axis, 0);
    }
    let sum = dotSpatial(columns, 6 * k, byPose, 0);
    sum += dot3(axis, 0, couple, o) - dot3(axis, 0, externalCouple, o);
    if (state.hasTranslation[b] === 1) {
      clear(scratch);
      addCross(directions, 6 * i + 3, columns, 6 * k, 1, scratch, 0);
      sum += dot3(scratch, 0, force, o) - dot3(scratch, 0, externalForce, o);
    }
    out.byPose[at] = sum;
  }
}

/** The forces and covectors of coordinate i are in variables, in registers as far as there are any: they change with each bone of the walk. */
function fillAncestors(workspace: DerivativeWorkspace, b: number, i: number, out: ForceDerivatives): void {
  const { dynamics, columns, directions, size } = workspace;
  const { velocityByPose, accelerationByPose, accelerationByVelocity } = workspace;
  const { figure, state, offsets } = dynamics;
  const { columnStart, columnEnd } = state;
  const { parents } = figure;
  const { byPose: pose, byVelocity: velocity, byAcceleration: mass } = out;
  let p0 = byPose[0];
  let p1 = byPose[1];
  let p2 = byPose[2];
  const p3 = byPose[3];
  const p4 = byPose[4];
  const p5 = byPose[5];
  let v0 = byVelocity[0];
  let v1 = byVelocity[1];
  let v2 = byVelocity[2];
  const v3 = byVelocity[3];
  const v4 = byVelocity[4];
  const v5 = byVelocity[5];
  let m0 = byAcceleration[0];
  let m1 = byAcceleration[1];
  let m2 = byAcceleration[2];
  const m3 = byAcceleration[3];
  const m4 = byAcceleration[4];
  const m5 = byAcceleration[5];
  const c0 = coriolisCovector[0];
  const c1 = coriolisCovector[1];
  const c2 = coriolisCovector[2];
  const e0 = externalCovector[0];
  const e1 = externalCovector[1];
  const e2 = externalCovector[2];
  const row = i * size;
  let child = 3 * b;
  for (let p = parents[b]; p >= 0; p = parents[p]) {
    const x = offsets[child];
    const y = offsets[child + 1];
    const z = offsets[child + 2];
    p0 += y * p5 - z * p4;
    p1 += z * p3 - x * p5;
    p2 += x * p4 - y * p3;
    v0 += y * v5 - z * v4;
    v1 += z * v3 - x * v5;
    v2 += x * v4 - y * v3;
    m0 += y * m5 - z * m4;
    m1 += z * m3 - x * m5;
    m2 += x * m4 - y * m3;
    child = 3 * p;
    const end = columnEnd[p];
    for (let k = columnStart[p]; k < end; k++) {
      const c = 6 * k;
      const s0 = columns[c];
      const s1 = columns[c + 1];
      const s2 = columns[c + 2];
      const s3 = columns[c + 3];
      const s4 = columns[c + 4];
      const s5 = columns[c + 5];
      const at = k * size + i;
      pose[at] = s0 * p0 + s1 * p1 + s2 * p2 + s3 * p3 + s4 * p4 + s5 * p5;
      velocity[at] = s0 * v0 + s1 * v1 + s2 * v2 + s3 * v3 + s4 * v4 + s5 * v5;
      const entry = s0 * m0 + s1 * m1 + s2 * m2 + s3 * m3 + s4 * m4 + s5 * m5;
      mass[at] = entry;
      mass[row + k] = entry;
      const o = 3 * k;
      pose[row + k] =
        accelerationByPose[c] * m0 +
        accelerationByPose[c + 1] * m1 +
        accelerationByPose[c + 2] * m2 +
        accelerationByPose[c + 3] * m3 +
        accelerationByPose[c + 4] * m4 +
        accelerationByPose[c + 5] * m5 +
        (velocityByPose[o] * c0 + velocityByPose[o + 1] * c1 + velocityByPose[o + 2] * c2) +
        (directions[c] * e0 + directions[c + 1] * e1 + directions[c + 2] * e2);
      velocity[row + k] =
        accelerationByVelocity[c] * m0 +
        accelerationByVelocity[c + 1] * m1 +
        accelerationByVelocity[c + 2] * m2 +
        accelerationByVelocity[c + 3] * m3 +
        accelerationByVelocity[c + 4] * m4 +
        accelerationByVelocity[c + 5] * m5 +
        (s0 * c0 + s1 * c1 + s2 * c2);
    }
  }
}
