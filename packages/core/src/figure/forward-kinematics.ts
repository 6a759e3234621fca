import type { Numbers } from '../math/types.js';
import type { FigureState } from './state.js';

/**
 * Forward kinematics: fills `state.parentFromBone` and `state.worldFromBone` from a pose of length `figure.dof`.
 * parentFromBone = rest J(q); worldFromBone = worldFromParent parentFromBone (the notes' chain T R T R ...).
 *
 * Three passes without a branch in their loops: joints by type, rest transforms of those that have one, then the tree.
 * Nothing is allocated. NaN in gives NaN out; poses from outside are checked by `checkPose`.
 */
export function forwardKinematics(state: FigureState, pose: Numbers): void {
  const { groups, parentFromBone } = state;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    type.writeTransforms(batch, pose, parentFromBone);
  }
  applyRestRotations(state);
  applyRestTranslations(state);
  composeWorld(state.figure.parents, parentFromBone, state.worldFromBone);
}

/** R = R_rest R_J for the turning bones whose rest rotation is not the identity. */
function applyRestRotations({ restTurned, restRotations, parentFromBone: m }: FigureState): void {
  for (let k = 0; k < restTurned.length; k++) {
    const o = 12 * restTurned[k];
    const n = 9 * k;
    const a00 = restRotations[n];
    const a01 = restRotations[n + 1];
    const a02 = restRotations[n + 2];
    const a10 = restRotations[n + 3];
    const a11 = restRotations[n + 4];
    const a12 = restRotations[n + 5];
    const a20 = restRotations[n + 6];
    const a21 = restRotations[n + 7];
    const a22 = restRotations[n + 8];
    for (let c = 0; c < 3; c++) {
      const x = m[o + c];
      const y = m[o + c + 3];
      const z = m[o + c + 6];
      m[o + c] = a00 * x + a01 * y + a02 * z;
      m[o + c + 3] = a10 * x + a11 * y + a12 * z;
      m[o + c + 6] = a20 * x + a21 * y + a22 * z;
    }
  }
}

/** p = p_rest + R_rest t for the bones whose joint moves their origin by t. */
function applyRestTranslations({ moved, movedRest: r, parentFromBone: m }: FigureState): void {
  for (let k = 0; k < moved.length; k++) {
    const o = 12 * moved[k] + 9;
    const n = 12 * k;
    const x = m[o];
    const y = m[o + 1];
    const z = m[o + 2];
    m[o] = r[n + 9] + r[n] * x + r[n + 1] * y + r[n + 2] * z;
    m[o + 1] = r[n + 10] + r[n + 3] * x + r[n + 4] * y + r[n + 5] * z;
    m[o + 2] = r[n + 11] + r[n + 6] * x + r[n + 7] * y + r[n + 8] * z;
  }
}

/** World transforms down the tree; roots are copied. */
function composeWorld(parents: Int32Array, local: Float64Array, world: Float64Array): void {
  for (let b = 0; b < parents.length; b++) {
    const o = 12 * b;
    const p = 12 * parents[b];
    if (p < 0) {
      for (let k = 0; k < 12; k++) world[o + k] = local[o + k];
      continue;
    }
    const l0 = local[o];
    const l1 = local[o + 1];
    const l2 = local[o + 2];
    const l3 = local[o + 3];
    const l4 = local[o + 4];
    const l5 = local[o + 5];
    const l6 = local[o + 6];
    const l7 = local[o + 7];
    const l8 = local[o + 8];
    const x = local[o + 9];
    const y = local[o + 10];
    const z = local[o + 11];
    // R_world = R_parent R_local, p_world = p_parent + R_parent p_local, a row at a time.
    let a = world[p];
    let b1 = world[p + 1];
    let c = world[p + 2];
    world[o] = a * l0 + b1 * l3 + c * l6;
    world[o + 1] = a * l1 + b1 * l4 + c * l7;
    world[o + 2] = a * l2 + b1 * l5 + c * l8;
    world[o + 9] = world[p + 9] + a * x + b1 * y + c * z;
    a = world[p + 3];
    b1 = world[p + 4];
    c = world[p + 5];
    world[o + 3] = a * l0 + b1 * l3 + c * l6;
    world[o + 4] = a * l1 + b1 * l4 + c * l7;
    world[o + 5] = a * l2 + b1 * l5 + c * l8;
    world[o + 10] = world[p + 10] + a * x + b1 * y + c * z;
    a = world[p + 6];
    b1 = world[p + 7];
    c = world[p + 8];
    world[o + 6] = a * l0 + b1 * l3 + c * l6;
    world[o + 7] = a * l1 + b1 * l4 + c * l7;
    world[o + 8] = a * l2 + b1 * l5 + c * l8;
    world[o + 11] = world[p + 11] + a * x + b1 * y + c * z;
  }
}
