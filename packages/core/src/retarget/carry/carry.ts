/** Orientations of the source as orientations of the bones of the target. */
import * as quat from '../../math/geometry/quat.js';
import { unset4 } from '../../math/linear/unset.js';
import { copyAt, multiplyAt } from '../kernel/rotations.js';
import type { CarryPlan } from './plan.js';

export interface Carrier {
  readonly plan: CarryPlan;
  /** World of the target from the axes of each source bone as the source has it, nine numbers each. */
  readonly human: Float64Array;
  readonly boneFromHuman: Float64Array;
  readonly humanFromBone: Float64Array;
}

export function createCarrier(plan: CarryPlan): Carrier {
  return {
    plan,
    human: new Float64Array(9 * plan.sources.length),
    boneFromHuman: Float64Array.from(plan.sources.flatMap(({ boneFromHuman }) => [...boneFromHuman])),
    humanFromBone: Float64Array.from(plan.segments.flatMap(({ humanFromBone }) => [...humanFromBone])),
  };
}

const world = /* @__PURE__ */ new Float64Array(9);
const between = /* @__PURE__ */ new Float64Array(9);
const low = /* @__PURE__ */ unset4();
const high = /* @__PURE__ */ unset4();

/**
 * World orientation of each segment of the target: R_target = U R_source B_source B_target^T, U the rotation between the worlds, B the axes of the
 * human bone in those of the bone.
 *
 * @param worldFromBone - Of the source, twelve numbers a bone.
 * @param out - Nine numbers a segment from `o`.
 */
export function carryOrientations(
  { plan, human, boneFromHuman, humanFromBone }: Carrier,
  worldFromBone: Float64Array,
  out: Float64Array,
  o: number,
): void {
  const { sources, segments, worldFromSource } = plan;
  for (let k = 0; k < sources.length; k++) {
    multiplyAt(worldFromSource, 0, worldFromBone, 12 * sources[k].bone, world, 0);
    multiplyAt(world, 0, boneFromHuman, 9 * k, human, 9 * k);
  }
  for (let s = 0; s < segments.length; s++) {
    const { source, below, share } = segments[s];
    if (share === 1) multiplyAt(human, 9 * source, humanFromBone, 9 * s, out, o + 9 * s);
    else {
      writeInterpolated(human, 9 * below, 9 * source, share);
      multiplyAt(between, 0, humanFromBone, 9 * s, out, o + 9 * s);
    }
  }
}

/** Slerp between two orientations, to `between`. */
function writeInterpolated(from: Float64Array, i: number, j: number, share: number): void {
  copyAt(from, i, world, 0, 9);
  quat.fromMatrix(world, low);
  copyAt(from, j, world, 0, 9);
  quat.fromMatrix(world, high);
  let cosine = quat.dot(low, high);
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(1, sign * cosine);
  const angle = Math.acos(cosine);
  const sine = Math.sin(angle);
  const a = sine > 1e-6 ? Math.sin((1 - share) * angle) / sine : 1 - share;
  const b = sign * (sine > 1e-6 ? Math.sin(share * angle) / sine : share);
  for (let k = 0; k < 4; k++) low[k] = a * low[k] + b * high[k];
  quat.normalize(low, low);
  quat.toMatrix(low, between);
}
