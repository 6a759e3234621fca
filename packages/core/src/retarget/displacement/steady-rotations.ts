/** Quick changes of rotations that a longer lever would make larger, subtracted: of the pelvis as far as its lever is longer, of feet that are pinned. */
import { originOf } from '../../figure/kinematics/rest-pose.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import { matrixFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import type { Body } from '../body/body.js';
import type { Clip } from '../clip/clip.js';
import { copyAt, multiplyAt, multiplyTransposedAt } from '../kernel/rotations.js';
import type { FootPath } from './foot-paths.js';
import { fitDisplacement } from './smooth.js';

/** Time within which changes are quick, s: of what oscillates at 16 Hz half is subtracted. Bodies move slower, markers tremble faster. */
const QUICK_TIME = 0.01;
/** Rotation by which the pelvis is displaced at most, rad: 0.06 degrees. It stays oriented as the clip has it. */
const MAX_ROTATION = 1e-3;
/** Share of a contact that is none. */
const NOT_NEAR = 1e-3;

const vector = /* @__PURE__ */ unset3();
const scratch = /* @__PURE__ */ new Float64Array(9);
const product = /* @__PURE__ */ new Float64Array(9);

/**
 * The pelvis of a body whose spine begins higher than that of the source. Quick changes of the pelvis that the spine takes back move the trunk by the height
 * of the joint between them: they are smaller by the ratio of the heights, so that the trunk moves as in the clip.
 */
export function steadyPelvis({ alignment, count, row, orientations, step }: Clip): void {
  const { source, target, plan } = alignment;
  const spine = plan.segmentOf.spine ?? plan.segmentOf.chest ?? plan.segmentOf.upperChest;
  if (spine === undefined) return;
  const own = heightOfSpine(target);
  const given = Math.max(0, heightOfSpine(source));
  if (!(own > given)) return;
  const pelvis = 9 * (plan.segmentOf.hips as number);
  const path = new Float64Array(3 * count);
  addRotations(orientations, row, pelvis, 1, path);
  addRotations(orientations, row, 9 * spine, -1, path);
  subtractQuick(path, new Float64Array(count).fill(1), step);
  for (let f = 0; f < count; f++) {
    const angle = Math.hypot(path[3 * f], path[3 * f + 1], path[3 * f + 2]);
    const share = Math.min(1 - given / own, MAX_ROTATION / angle);
    if (angle > 0) rotateBy(path, f, share, orientations, row * f + pelvis);
  }
}

/** A foot in contact, and near one. Pinned it would hand quick changes of its rotation on to the ankle, which has none of them in the clip: there the toes have them. */
export function steadyFoot({ rotations, heel, ball, heelNear, ballNear }: FootPath, step: number): void {
  const count = heel.length;
  if (!heel.includes(1) && !ball.includes(1)) return;
  const path = new Float64Array(3 * count);
  addRotations(rotations, 9, 0, 1, path);
  const weights = heelNear.map((near, f) => Math.max(near, ballNear[f], NOT_NEAR) ** -4);
  subtractQuick(path, weights, step);
  for (let f = 0; f < count; f++) rotateBy(path, f, 1, rotations, 9 * f);
}

/** Height of the first joint of the spine over the hip joints, over that of the head; 0 where there is none. */
function heightOfSpine({ rest, humanoid: { bones }, axes, legs }: Body): number {
  const spine = bones.spine ?? bones.chest ?? bones.upperChest;
  if (spine === undefined || bones.head === undefined) return 0;
  const hips = vec3.lerp(originOf(rest, legs[0].upper), originOf(rest, legs[1].upper), 0.5);
  const up = [axes[1], axes[4], axes[7]];
  const [low, high] = [spine, bones.head].map((bone) =>
    vec3.dot(vec3.subtract(originOf(rest, bone), hips), up),
  );
  return low / high;
}

/**
 * Adds the rotations from frame to frame, summed up.
 *
 * @param r - Orientations, `row` numbers a frame, from `o`.
 * @param path - Rotation vectors, world, three numbers a frame.
 */
function addRotations(r: Float64Array, row: number, o: number, sign: number, path: Float64Array): void {
  const sum = new Float64Array(3);
  for (let f = 1; 3 * f < path.length; f++) {
    multiplyTransposedAt(r, row * f + o, r, row * (f - 1) + o, scratch, 0);
    rotationVectorFromMatrix(scratch, undefined, vector);
    for (let k = 0; k < 3; k++) {
      sum[k] += sign * vector[k];
      path[3 * f + k] += sum[k];
    }
  }
}

/** Makes of a path the displacement that subtracts its quick changes. */
function subtractQuick(path: Float64Array, weights: Float64Array, step: number): void {
  const count = weights.length;
  const channel = new Float64Array(count);
  for (let k = 0; k < 3; k++) {
    for (let f = 0; f < count; f++) channel[f] = path[3 * f + k];
    fitDisplacement(channel, weights, step, QUICK_TIME, 0);
    for (let f = 0; f < count; f++) path[3 * f + k] = channel[f] - path[3 * f + k];
  }
}

function rotateBy(displacement: Float64Array, f: number, share: number, r: Float64Array, o: number): void {
  for (let k = 0; k < 3; k++) vector[k] = share * displacement[3 * f + k];
  matrixFromRotationVector(vector, scratch);
  multiplyAt(scratch, 0, r, o, product, 0);
  copyAt(product, 0, r, o, 9);
}
