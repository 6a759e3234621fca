import type { JointData, LimitData, QuadEllipseLimit, Triple } from '../../figure/data/types.js';
import { triple } from '../../figure/kinematics/rest-pose.js';
import type { Figure } from '../../figure/model/figure.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import type { SegmentAxes } from './segment-axes.js';

/** Limit of balls without one, at bones that the human lacks: hair, tails. */
export const LOOSE_LIMIT: LimitData = { type: 'angle', max: Math.PI / 3 };

/** Range about the other axes where a joint of another type replaces a hinge, rad. */
const HINGE_PLAY = Math.PI / 18;
/** Bend of a limb at rest from which the axis of its hinge is taken, rad. */
const MIN_BENT_ANGLE = Math.PI / 18;
/** Minimum distance of the rest pose from the limits of a swing, and of those from a half turn, rad. */
const MIN_MARGIN = Math.PI / 60;

/** A joint of the built-in human and its limit. */
interface LimitedJoint {
  readonly joint: JointData;
  readonly limit: LimitData;
}

/** Joints with limits of a figure, the built-in human, by bone name. */
export function humanJoints({ bones }: Figure): ReadonlyMap<string, LimitedJoint> {
  const limited = bones.flatMap(({ name, joint, limit }) =>
    limit ? [[name, { joint, limit }] as const] : [],
  );
  return new Map(limited);
}

/**
 * The joint of the built-in human in the axes of a segment's bone: hinges for elbows and knees, swing and twist joints elsewhere. Its limits, which
 * are relative to the T-pose, are shifted by the deviation of the rest pose from it. undefined for the hips.
 */
export function anatomicalJoint(
  reference: LimitedJoint | undefined,
  segment: SegmentAxes,
): LimitedJoint | undefined {
  if (!reference) return undefined;
  const { joint, limit } = reference;
  const toBone = (axis: Triple): Triple => triple(mat3.multiplyVector(segment.boneFromHuman, axis));
  const deviation = restDeviation(segment);
  if (joint.type === 'hinge' && limit.type === 'interval') {
    const angle = vec3.norm(deviation);
    const elbow = segment.human.endsWith('LowerArm');
    const bent = angle > MIN_BENT_ANGLE && (elbow || vec3.dot(deviation, joint.axis) > 0.7 * angle);
    const axis = bent ? vec3.scale(deviation, 1 / angle) : joint.axis;
    const at = bent ? angle : vec3.dot(deviation, joint.axis);
    const min = Math.min((limit.min ?? 0) - at, 0);
    const max = Math.max((limit.max ?? 0) - at, 0);
    return { joint: { type: 'hinge', axis: toBone(triple(axis)) }, limit: { type: 'interval', min, max } };
  }
  if (joint.type === 'swing' && limit.type === 'quad-ellipse') {
    const side = joint.side as Triple;
    return {
      joint: { type: 'swing', axis: toBone(joint.axis), side: toBone(side) },
      limit: shiftLimit(limit, joint.axis, side, deviation),
    };
  }
  if (joint.type === 'ball-and-socket' && limit.type === 'swing-twist') {
    const { swing, twist } = limit;
    if (swing?.type !== 'quad-ellipse' || !twist) return undefined;
    return socket(segment, joint.axis, joint.side as Triple, swing, twist, deviation);
  }
  if (joint.type !== 'euler' || limit.type !== 'box') return undefined;
  // The hand, about x, z, y: twist about x, swing about z and -y = x cross z.
  const [x, z, y] = limit.min.map((min, k) => [min ?? 0, limit.max[k] ?? 0] as const);
  const swing: QuadEllipseLimit = { type: 'quad-ellipse', s: z, t: [-y[1], -y[0]] };
  return socket(segment, [1, 0, 0], [0, 0, 1], swing, { min: x[0], max: x[1] }, deviation);
}

function socket(
  { boneFromHuman }: SegmentAxes,
  axis: Triple,
  side: Triple,
  swing: QuadEllipseLimit,
  twist: { readonly min: number; readonly max: number },
  deviation: readonly number[],
): LimitedJoint {
  const at = vec3.dot(deviation, axis);
  const toBone = (v: Triple): Triple => triple(mat3.multiplyVector(boneFromHuman, v));
  return {
    joint: { type: 'ball-and-socket', axis: toBone(axis), side: toBone(side) },
    limit: {
      type: 'swing-twist',
      swing: shiftLimit(swing, axis, side, deviation),
      twist: { min: Math.min(twist.min - at, 0), max: Math.max(twist.max - at, 0) },
    },
  };
}

/** The limit relative to a rest pose that deviates from the T-pose, to first order in the deviation. */
function shiftLimit(
  { s, t }: QuadEllipseLimit,
  axis: Triple,
  side: Triple,
  deviation: readonly number[],
): QuadEllipseLimit {
  const shifted = ([min, max]: readonly [number, number], by: number): readonly [number, number] => [
    Math.max(Math.min(min - by, -MIN_MARGIN), MIN_MARGIN - Math.PI),
    Math.min(Math.max(max - by, MIN_MARGIN), Math.PI - MIN_MARGIN),
  ];
  return {
    type: 'quad-ellipse',
    s: shifted(s, vec3.dot(deviation, side)),
    t: shifted(t, vec3.dot(deviation, vec3.cross(axis, side))),
  };
}

/**
 * Rotation of a limb at rest relative to its parent, from the T-pose: a rotation vector in the axes of the built-in human, perpendicular to the bone.
 * Zero for trunk, shoulders and feet, where rigs differ in proportions, not in posture.
 */
function restDeviation({ human: name, tPose, worldFromHuman }: SegmentAxes): number[] {
  if (!/UpperArm|LowerArm|Hand|UpperLeg|LowerLeg/.test(name)) return [0, 0, 0];
  return rotationVectorFromMatrix(mat3.multiply(mat3.transpose(tPose), worldFromHuman), [0, 0, 0], [0, 0, 0]);
}

/**
 * A limit for a joint without one that contains the range of the built-in human's joint: a ball's angle, a cone, an interval. undefined for joint
 * types without such limits.
 */
export function fittingLimit(
  reference: LimitedJoint | undefined,
  joint: JointData,
  segment: SegmentAxes,
): LimitData | undefined {
  if (!reference) return undefined;
  const { swing, twist } = rangeOf(reference.limit);
  switch (joint.type) {
    case 'ball':
      return { type: 'angle', max: Math.max(swing, twist) };
    case 'ball-and-socket':
      return {
        type: 'swing-twist',
        swing: { type: 'cone', halfAngle: swing },
        twist: { min: -twist, max: twist },
      };
    case 'swing':
      return { type: 'cone', halfAngle: swing };
    case 'euler': {
      const max = Math.max(swing, twist);
      return { type: 'box', min: [-max, -max, -max], max: [max, max, max] };
    }
    case 'hinge': {
      const { limit } = reference;
      if (reference.joint.type !== 'hinge' || limit.type !== 'interval') {
        return { type: 'interval', min: -swing, max: swing };
      }
      const flexion = mat3.multiplyVector(segment.boneFromHuman, reference.joint.axis);
      const [min, max] = [limit.min ?? 0, limit.max ?? 0];
      return vec3.dot(flexion, joint.axis) >= 0
        ? { type: 'interval', min, max }
        : { type: 'interval', min: -max, max: -min };
    }
    default:
      return undefined;
  }
}

/** Largest swing and twist that a limit allows, rad. */
function rangeOf(limit: LimitData): { readonly swing: number; readonly twist: number } {
  const maxAngle = (...angles: (number | null)[]): number =>
    angles.reduce<number>((greatest, angle) => Math.max(greatest, Math.abs(angle ?? Math.PI)), 0);
  switch (limit.type) {
    case 'interval':
      return { swing: maxAngle(limit.min, limit.max), twist: HINGE_PLAY };
    case 'quad-ellipse':
      return { swing: maxAngle(...limit.s, ...limit.t), twist: HINGE_PLAY };
    case 'swing-twist': {
      const swing =
        limit.swing?.type === 'quad-ellipse' ? maxAngle(...limit.swing.s, ...limit.swing.t) : HINGE_PLAY;
      return { swing, twist: limit.twist ? maxAngle(limit.twist.min, limit.twist.max) : HINGE_PLAY };
    }
    case 'box':
      return {
        swing: maxAngle(...limit.min.slice(1), ...limit.max.slice(1)),
        twist: maxAngle(limit.min[0], limit.max[0]),
      };
    default:
      return { swing: HINGE_PLAY, twist: HINGE_PLAY };
  }
}
