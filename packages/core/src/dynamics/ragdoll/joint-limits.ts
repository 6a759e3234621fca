import type { JointData, LimitData, QuadEllipseLimit, Triple } from '../../figure/data/types.js';
import { createHumanFigure } from '../../humanoid/human.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import { triple } from './body/rest-pose.js';
import type { Segment } from './body/segments.js';

/** Largest turn of a ball that no table names and that has no limit: fingers, hair, tails. */
export const LOOSE_LIMIT: LimitData = { type: 'angle', max: Math.PI / 3 };

/** How far a hinge may turn off its plane where another joint stands for it, rad. */
const PLAY = Math.PI / 18;
/** A limb bent further than this at rest shows the axis of its hinge, rad. */
const BENT = Math.PI / 18;
/** Rest is at least so far inside of the limits of a swing, rad. */
const INSIDE = Math.PI / 60;

/** A joint and its limit as the built-in human has them. */
interface Joint {
  readonly joint: JointData;
  readonly limit: LimitData;
}

/** Joints of the built-in human that have limits, by bone name. */
export function humanJoints(): ReadonlyMap<string, Joint> {
  const limited = createHumanFigure().bones.flatMap(({ name, joint, limit }) =>
    limit ? [[name, { joint, limit }] as const] : [],
  );
  return new Map(limited);
}

/**
 * The joint of the built-in human in the axes of a segment's bone: hinges for elbows and knees, swing and twist apart elsewhere. Its limits are
 * those from the T-pose, less what arms and legs are turned away from it at rest. undefined for the hips.
 */
export function anatomicalJoint(reference: Joint | undefined, segment: Segment): Joint | undefined {
  if (!reference) return undefined;
  const { joint, limit } = reference;
  const turned = (axis: Triple): Triple => triple(mat3.multiplyVector(segment.turn, axis));
  const away = turnedAway(segment);
  if (joint.type === 'hinge' && limit.type === 'interval') {
    const angle = vec3.norm(away);
    const elbow = segment.human.endsWith('LowerArm');
    const bent = angle > BENT && (elbow || vec3.dot(away, joint.axis) > 0.7 * angle);
    const axis = bent ? vec3.scale(away, 1 / angle) : joint.axis;
    const at = bent ? angle : vec3.dot(away, joint.axis);
    const min = Math.min((limit.min ?? 0) - at, 0);
    const max = Math.max((limit.max ?? 0) - at, 0);
    return { joint: { type: 'hinge', axis: turned(triple(axis)) }, limit: { type: 'interval', min, max } };
  }
  if (joint.type === 'swing' && limit.type === 'quad-ellipse') {
    const side = joint.side as Triple;
    return {
      joint: { type: 'swing', axis: turned(joint.axis), side: turned(side) },
      limit: lessThan(limit, joint.axis, side, away),
    };
  }
  if (joint.type === 'ball-and-socket' && limit.type === 'swing-twist') {
    const { swing, twist } = limit;
    if (swing?.type !== 'quad-ellipse' || !twist) return undefined;
    return socket(segment, joint.axis, joint.side as Triple, swing, twist, away);
  }
  if (joint.type !== 'euler' || limit.type !== 'box') return undefined;
  // The hand, about x, z, y: twist about x, swing about z and -y = x cross z.
  const [x, z, y] = limit.min.map((least, k) => [least ?? 0, limit.max[k] ?? 0] as const);
  const swing: QuadEllipseLimit = { type: 'quad-ellipse', s: z, t: [-y[1], -y[0]] };
  return socket(segment, [1, 0, 0], [0, 0, 1], swing, { min: x[0], max: x[1] }, away);
}

function socket(
  { turn }: Segment,
  axis: Triple,
  side: Triple,
  swing: QuadEllipseLimit,
  twist: { readonly min: number; readonly max: number },
  away: readonly number[],
): Joint {
  const at = vec3.dot(away, axis);
  const turned = (v: Triple): Triple => triple(mat3.multiplyVector(turn, v));
  return {
    joint: { type: 'ball-and-socket', axis: turned(axis), side: turned(side) },
    limit: {
      type: 'swing-twist',
      swing: lessThan(swing, axis, side, away),
      twist: { min: Math.min(twist.min - at, 0), max: Math.max(twist.max - at, 0) },
    },
  };
}

/** The limit seen from a rest that is turned away from the T-pose: to first order in the turn. */
function lessThan(
  { s, t }: QuadEllipseLimit,
  axis: Triple,
  side: Triple,
  away: readonly number[],
): QuadEllipseLimit {
  const moved = ([least, most]: readonly [number, number], by: number): readonly [number, number] => [
    Math.min(least - by, -INSIDE),
    Math.max(most - by, INSIDE),
  ];
  return {
    type: 'quad-ellipse',
    s: moved(s, vec3.dot(away, side)),
    t: moved(t, vec3.dot(away, vec3.cross(axis, side))),
  };
}

/**
 * How a limb is turned at rest against what carries it, from the T-pose: a rotation vector in the axes of the built-in human, normal to the bone.
 * Zero for trunk, shoulders and feet: their rigs differ in build, not in posture.
 */
function turnedAway({ human: name, base, lean }: Segment): number[] {
  if (!/UpperArm|LowerArm|Hand|UpperLeg|LowerLeg/.test(name)) return [0, 0, 0];
  return rotationVectorFromMatrix(mat3.multiply(mat3.transpose(base), lean), [0, 0, 0], [0, 0, 0]);
}

/**
 * A limit that a joint without one takes, wide enough for all that the built-in human's joint reaches: a ball's angle, a cone, an interval.
 * undefined for joints that take none of these.
 */
export function fittingLimit(
  reference: Joint | undefined,
  joint: JointData,
  segment: Segment,
): LimitData | undefined {
  if (!reference) return undefined;
  const { swing, twist } = reachOf(reference.limit);
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
      const most = Math.max(swing, twist);
      return { type: 'box', min: [-most, -most, -most], max: [most, most, most] };
    }
    case 'hinge': {
      const { limit } = reference;
      if (reference.joint.type !== 'hinge' || limit.type !== 'interval') {
        return { type: 'interval', min: -swing, max: swing };
      }
      const flexion = mat3.multiplyVector(segment.turn, reference.joint.axis);
      const [min, max] = [limit.min ?? 0, limit.max ?? 0];
      return vec3.dot(flexion, joint.axis) >= 0
        ? { type: 'interval', min, max }
        : { type: 'interval', min: -max, max: -min };
    }
    default:
      return undefined;
  }
}

/** How far a limit lets swing and twist go, rad. */
function reachOf(limit: LimitData): { readonly swing: number; readonly twist: number } {
  const most = (...angles: (number | null)[]): number =>
    angles.reduce<number>((greatest, angle) => Math.max(greatest, Math.abs(angle ?? Math.PI)), 0);
  switch (limit.type) {
    case 'interval':
      return { swing: most(limit.min, limit.max), twist: PLAY };
    case 'quad-ellipse':
      return { swing: most(...limit.s, ...limit.t), twist: PLAY };
    case 'swing-twist': {
      const swing = limit.swing?.type === 'quad-ellipse' ? most(...limit.swing.s, ...limit.swing.t) : PLAY;
      return { swing, twist: limit.twist ? most(limit.twist.min, limit.twist.max) : PLAY };
    }
    case 'box':
      return {
        swing: most(...limit.min.slice(1), ...limit.max.slice(1)),
        twist: most(limit.min[0], limit.max[0]),
      };
    default:
      return { swing: PLAY, twist: PLAY };
  }
}
