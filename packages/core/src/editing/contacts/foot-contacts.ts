/** Contacts of the feet of a humanoid, found in a clip. */
import { findFootPoints } from '../../dynamics/ragdoll/foot-points.js';
import { FigureError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import type { Figure } from '../../figure/model/figure.js';
import { findFreeRoots } from '../../figure/model/floating-base.js';
import { createState } from '../../figure/model/state.js';
import { findHumanoid } from '../../humanoid/find-humanoid.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import type { PhysicalContact, PhysicalOptions } from '../clips/physical-options.js';
import { type ContactOptions, type ContactPoints, contactSpansOn } from './detect-contacts.js';

/** The contacts given, or those found in a clip of a figure with a free root. */
export function contactsOf(
  figure: Figure,
  motion: Motion,
  options: PhysicalOptions & { readonly detect?: ContactOptions },
): readonly PhysicalContact[] {
  const { contacts, gravity = vec3.scale(figure.up, -1), detect } = options;
  return contacts ?? (findFreeRoots(figure).length > 0 ? footContacts(figure, motion, gravity, detect) : []);
}

/**
 * The contacts of heels and balls of a humanoid's feet, by height and speed with hysteresis (`detectContacts`). A foot that is down at the
 * start or the end of the clip stays where it is then; others where they are in the middle of the span, level on the ground.
 *
 * @param gravity - Opposite to up, world. Without gravity nothing rests on the ground.
 * @returns none for a figure that is not a humanoid.
 * @throws FigureError `unsupported` for a humanoid without feet.
 */
function footContacts(
  figure: Figure,
  motion: Motion,
  gravity: Vec3,
  detect?: ContactOptions,
): PhysicalContact[] {
  if (!(vec3.norm(gravity) > 0)) return [];
  const up = vec3.normalize(detect?.up ?? vec3.scale(gravity, -1)) as unknown as Vec3;
  const soles = solesOf(figure, up);
  const found = contactSpansOn(figure, motion, soles, { ...detect, up }, true);
  const { ground } = found;
  // The last sample may miss the end by rounding.
  const tolerance = 1e-9 * (motion.end - motion.start);
  const spans = found.spans.map((span) => ({
    ...span,
    over: [span.over[0], span.over[1] > motion.end - tolerance ? motion.end : span.over[1]] as const,
  }));
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  return spans.map((span): PhysicalContact => {
    const together = overlapping(span, spans);
    const end = [motion.start, motion.end].find((time) =>
      together.some(({ over: [from, to] }) => from <= time && time <= to),
    );
    if (end === undefined) return { ...span, normal: up, height: ground };
    forwardKinematics(state, samplePose(sampler, end, new Float64Array(figure.dof)));
    const positions = span.points.map((point): Vec3 => worldPoint(state, span.bone, point, [0, 0, 0]));
    return { ...span, normal: up, height: ground, positions };
  });
}

/** Middle of the heel and both ends of the ball of each foot: three points carry a foot, and a fourth would be redundant. */
function solesOf(figure: Figure, up: Vec3): ContactPoints[] {
  const humanoid = findHumanoid(figure, { up });
  if (!humanoid) return [];
  const feet = [humanoid.bones.leftFoot, humanoid.bones.rightFoot].filter((foot) => foot !== undefined);
  if (feet.length === 0) {
    throw new FigureError(
      'unsupported',
      'is a humanoid without feet, so what touches the ground is not found.',
      {
        path: `figure ${figure.name}`,
        remedy: 'Name what touches in `contacts`, or give `contacts: []` for a flight.',
      },
    );
  }
  return feet.flatMap((foot): ContactPoints[] => {
    const bone = figure.bones[foot].name;
    const [heelLeft, heelRight, ballLeft, ballRight] = findFootPoints(figure, foot, { up });
    return [
      { bone, points: [vec3.lerp(heelLeft, heelRight, 0.5) as unknown as Vec3] },
      { bone, points: [ballLeft, ballRight] },
    ];
  });
}

/** Spans of the same bone that overlap this one, directly or through others: heel and ball of a foot on the ground. */
function overlapping(span: PhysicalContact, spans: readonly PhysicalContact[]): PhysicalContact[] {
  const group = [span];
  for (const one of group) {
    for (const other of spans) {
      if (other.bone !== span.bone || group.includes(other)) continue;
      if (other.over[0] <= one.over[1] && one.over[0] <= other.over[1]) group.push(other);
    }
  }
  return group;
}
