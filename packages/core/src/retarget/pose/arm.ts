/** Arms whose elbow is a hinge: the upper arm is rolled so that the hinge bends the forearm to where it belongs. */
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Body } from '../body/body.js';
import type { CarryPlan } from '../carry/plan.js';
import { copyAt, multiplyTransposedAt, rotateAt, writeFrame } from '../kernel/rotations.js';
import { cross, dot } from '../kernel/vectors.js';

export interface HingedArm {
  readonly upper: number;
  readonly upperSegment: number;
  readonly lowerSegment: number;
  /** Elbow in the frame of the upper arm, and the hinge's axis in it, of positive flexion; unit. */
  readonly elbow: readonly number[];
  readonly axis: readonly number[];
  /** Columns elbow, axis and their product. */
  readonly frame: Float64Array;
  /** Direction of the forearm in its own frame, unit. */
  readonly forearm: readonly number[];
}

/** Sine of the bend of an elbow from which its plane alone counts. */
const MIN_BEND = 0.25;

export function hingedArmsOf(body: Body, plan: CarryPlan): HingedArm[] {
  const { bones } = body.humanoid;
  const world = (bone: number) => body.rest.worldFromBone.subarray(12 * bone, 12 * bone + 9);
  const at = (bone: number) => body.rest.worldFromBone.subarray(12 * bone + 9, 12 * bone + 12);
  return (['left', 'right'] as const).flatMap((side): HingedArm[] => {
    const [upper, lower] = [bones[`${side}UpperArm`], bones[`${side}LowerArm`]];
    const [upperSegment, lowerSegment] = [
      plan.segmentOf[`${side}UpperArm`],
      plan.segmentOf[`${side}LowerArm`],
    ];
    if (
      upper === undefined ||
      lower === undefined ||
      upperSegment === undefined ||
      lowerSegment === undefined
    )
      return [];
    const { joint } = body.figure.bones[lower];
    const axes = body.restAxes[`${side}LowerArm`];
    const upperAxes = body.restAxes[`${side}UpperArm`];
    if (joint.type !== 'hinge' || axes === undefined || upperAxes === undefined) return [];
    // Of the built-in human: the forearm flexes about -y on the left, y on the right; it is along x and -x.
    const outward = side === 'left' ? 1 : -1;
    const flexion = vec3.scale([upperAxes[1], upperAxes[4], upperAxes[7]], -outward);
    const hinge = mat3.multiplyVector(world(lower), joint.axis);
    const sign = vec3.dot(hinge, flexion) < 0 ? -1 : 1;
    const elbow = mat3.transposeMultiplyVector(
      world(upper),
      vec3.normalize(vec3.subtract(at(lower), at(upper))),
    );
    const inUpper = mat3.transposeMultiplyVector(world(upper), vec3.scale(hinge, sign));
    const frame = new Float64Array(9);
    writeFrame(Float64Array.from(elbow), Float64Array.from(inUpper), frame, 0);
    return [
      {
        upper,
        upperSegment,
        lowerSegment,
        elbow,
        axis: inUpper,
        frame,
        forearm: mat3.transposeMultiplyVector(world(lower), vec3.scale([axes[0], axes[3], axes[6]], outward)),
      },
    ];
  });
}

const along = /* @__PURE__ */ new Float64Array(3);
const forearm = /* @__PURE__ */ new Float64Array(3);
const axis = /* @__PURE__ */ new Float64Array(3);
const across = /* @__PURE__ */ new Float64Array(3);
const to = /* @__PURE__ */ new Float64Array(9);

/** Rolls the orientation of the upper arm among those at orientations[o..]. */
export function rollUpperArm(arm: HingedArm, orientations: Float64Array, o: number): void {
  const u = o + 9 * arm.upperSegment;
  rotateAt(orientations, u, arm.elbow, 0, along, 0);
  rotateAt(orientations, u, arm.axis, 0, axis, 0);
  rotateAt(orientations, o + 9 * arm.lowerSegment, arm.forearm, 0, forearm, 0);
  cross(along, forearm, across);
  // The plane of the bent arm; as it is straight, or bent backwards, the axis that is carried.
  const bend = dot(across, axis);
  const share = 1 - Math.min(1, Math.max(0, bend / MIN_BEND));
  for (let k = 0; k < 3; k++) axis[k] = across[k] + MIN_BEND * share * axis[k];
  writeFrame(along, axis, to, 0);
  multiplyTransposedAt(to, 0, arm.frame, 0, rotation, 0);
  copyAt(rotation, 0, orientations, u, 9);
}

const rotation = /* @__PURE__ */ new Float64Array(9);
