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

function fillAncestors(workspace: DerivativeWorkspace, b: number, i: number, out: ForceDerivatives): void {
  const { dynamics, columns, directions, size } = workspace;
  const { velocityByPose, accelerationByPose, accelerationByVelocity } = workspace;
  const { figure, state, offsets } = dynamics;
  const { columnStart, columnEnd } = state;
  const row = i * size;
  let child = b;
  for (let p = figure.parents[b]; p >= 0; p = figure.parents[p]) {
    addCross(offsets, 3 * child, byPose, 3, 1, byPose, 0);
    addCross(offsets, 3 * child, byVelocity, 3, 1, byVelocity, 0);
    addCross(offsets, 3 * child, byAcceleration, 3, 1, byAcceleration, 0);
    child = p;
    for (let k = columnStart[p]; k < columnEnd[p]; k++) {
      const at = k * size + i;
      out.byPose[at] = dotSpatial(columns, 6 * k, byPose, 0);
      out.byVelocity[at] = dotSpatial(columns, 6 * k, byVelocity, 0);
      const mass = dotSpatial(columns, 6 * k, byAcceleration, 0);
      out.byAcceleration[at] = mass;
      out.byAcceleration[row + k] = mass;
      out.byPose[row + k] =
        dotSpatial(accelerationByPose, 6 * k, byAcceleration, 0) +
        dot3(velocityByPose, 3 * k, coriolisCovector, 0) +
        dot3(directions, 6 * k, externalCovector, 0);
      out.byVelocity[row + k] =
        dotSpatial(accelerationByVelocity, 6 * k, byAcceleration, 0) +
        dot3(columns, 6 * k, coriolisCovector, 0);
    }
  }
}
