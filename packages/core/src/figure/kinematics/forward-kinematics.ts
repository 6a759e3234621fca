import type { Numbers } from '../../math/linear/types.js';
import { cosHalfSeries, SERIES_LIMIT, s0Series } from '../../rotation/rotation-vector/coefficients.js';
import { updateJointCoordinates } from '../model/mimic-joints.js';
import { checkPoseSize } from '../model/pose.js';
import type { FigureState } from '../model/state.js';

/**
 * Forward kinematics: writes `state.parentFromBone` and `state.worldFromBone` for a pose of length `figure.dof`.
 * parentFromBone = rest T(q); worldFromBone = worldFromParent parentFromBone.
 *
 * Three passes: joint transforms by type, rest transforms other than the identity, world transforms down the tree.
 * Nothing is allocated. NaN gives NaN; validate poses with `checkPose`.
 *
 * @throws FigureError `wrong-size` for a pose of another length.
 */
export function forwardKinematics(state: FigureState, pose: Numbers): void {
  const { groups, parentFromBone } = state;
  checkPoseSize(state.figure, pose);
  const q = state.hasMimicJoints ? updateJointCoordinates(state, pose) : pose;
  for (let g = 0; g < groups.length; g++) {
    const { type, transformed } = groups[g];
    if (transformed.bones.length > 0) type.writeTransforms(transformed, q, parentFromBone);
  }
  applyRestRotations(state);
  applyRestTranslations(state);
  composeWorld(state.figure.parents, state.plainBall, q, parentFromBone, state.worldFromBone);
}

/** R = R_rest R_J for the rotating joints whose rest rotation is not the identity. */
function applyRestRotations({ restRotatedBones, restRotations, parentFromBone: m }: FigureState): void {
  for (let k = 0; k < restRotatedBones.length; k++) {
    const o = 12 * restRotatedBones[k];
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

/** p = p_rest + R_rest t for the joints with a translation t. */
function applyRestTranslations({
  translatingBones,
  translatingRests: r,
  parentFromBone: m,
}: FigureState): void {
  for (let k = 0; k < translatingBones.length; k++) {
    const o = 12 * translatingBones[k] + 9;
    const n = 12 * k;
    const x = m[o];
    const y = m[o + 1];
    const z = m[o + 2];
    m[o] = r[n + 9] + r[n] * x + r[n + 1] * y + r[n + 2] * z;
    m[o + 1] = r[n + 10] + r[n + 3] * x + r[n + 4] * y + r[n + 5] * z;
    m[o + 2] = r[n + 11] + r[n + 6] * x + r[n + 7] * y + r[n + 8] * z;
  }
}

/**
 * World transforms down the tree: R_world = R_parent R_local, p_world = p_parent + R_parent p_local; roots are copied.
 *
 * Plain balls (`plainBall`: coordinate, -1 for every other bone) are evaluated here, with `writeRotationMatrix` inlined, so that R
 * stays in registers. Most joints of most figures are plain balls: 25 of them take 0.46 us, 0.55 us with the call and its output
 * array, 0.57 us in a separate pass. The cosine form of B around pi is omitted: it would cost 0.07 us, and R is within 1e-15
 * without it.
 */
function composeWorld(
  parents: Int32Array,
  plainBall: Int32Array,
  q: Numbers,
  local: Float64Array,
  world: Float64Array,
): void {
  for (let bone = 0; bone < parents.length; bone++) {
    const o = 12 * bone;
    const i = plainBall[bone];
    let l0: number;
    let l1: number;
    let l2: number;
    let l3: number;
    let l4: number;
    let l5: number;
    let l6: number;
    let l7: number;
    let l8: number;
    if (i >= 0) {
      const vx = q[i];
      const vy = q[i + 1];
      const vz = q[i + 2];
      const xx = vx * vx;
      const yy = vy * vy;
      const zz = vz * vz;
      const t = xx + yy + zz;
      let s: number;
      let c: number;
      if (t <= SERIES_LIMIT) {
        s = s0Series(t);
        c = cosHalfSeries(t);
      } else {
        const theta = Math.sqrt(t);
        s = Math.sin(0.5 * theta) / theta;
        c = Math.cos(0.5 * theta);
      }
      const a = 2 * s * c;
      const b = 2 * s * s;
      const bx = b * vx;
      const xy = bx * vy;
      const xz = bx * vz;
      const yz = b * vy * vz;
      const ax = a * vx;
      const ay = a * vy;
      const az = a * vz;
      l0 = 1 - b * (yy + zz);
      l1 = xy - az;
      l2 = xz + ay;
      l3 = xy + az;
      l4 = 1 - b * (xx + zz);
      l5 = yz - ax;
      l6 = xz - ay;
      l7 = yz + ax;
      l8 = 1 - b * (xx + yy);
      local[o] = l0;
      local[o + 1] = l1;
      local[o + 2] = l2;
      local[o + 3] = l3;
      local[o + 4] = l4;
      local[o + 5] = l5;
      local[o + 6] = l6;
      local[o + 7] = l7;
      local[o + 8] = l8;
    } else {
      l0 = local[o];
      l1 = local[o + 1];
      l2 = local[o + 2];
      l3 = local[o + 3];
      l4 = local[o + 4];
      l5 = local[o + 5];
      l6 = local[o + 6];
      l7 = local[o + 7];
      l8 = local[o + 8];
    }
    const x = local[o + 9];
    const y = local[o + 10];
    const z = local[o + 11];
    const p = 12 * parents[bone];
    if (p < 0) {
      world[o] = l0;
      world[o + 1] = l1;
      world[o + 2] = l2;
      world[o + 3] = l3;
      world[o + 4] = l4;
      world[o + 5] = l5;
      world[o + 6] = l6;
      world[o + 7] = l7;
      world[o + 8] = l8;
      world[o + 9] = x;
      world[o + 10] = y;
      world[o + 11] = z;
      continue;
    }
    let r0 = world[p];
    let r1 = world[p + 1];
    let r2 = world[p + 2];
    world[o] = r0 * l0 + r1 * l3 + r2 * l6;
    world[o + 1] = r0 * l1 + r1 * l4 + r2 * l7;
    world[o + 2] = r0 * l2 + r1 * l5 + r2 * l8;
    world[o + 9] = world[p + 9] + r0 * x + r1 * y + r2 * z;
    r0 = world[p + 3];
    r1 = world[p + 4];
    r2 = world[p + 5];
    world[o + 3] = r0 * l0 + r1 * l3 + r2 * l6;
    world[o + 4] = r0 * l1 + r1 * l4 + r2 * l7;
    world[o + 5] = r0 * l2 + r1 * l5 + r2 * l8;
    world[o + 10] = world[p + 10] + r0 * x + r1 * y + r2 * z;
    r0 = world[p + 6];
    r1 = world[p + 7];
    r2 = world[p + 8];
    world[o + 6] = r0 * l0 + r1 * l3 + r2 * l6;
    world[o + 7] = r0 * l1 + r1 * l4 + r2 * l7;
    world[o + 8] = r0 * l2 + r1 * l5 + r2 * l8;
    world[o + 11] = world[p + 11] + r0 * x + r1 * y + r2 * z;
  }
}
