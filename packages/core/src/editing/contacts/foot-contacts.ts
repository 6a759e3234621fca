/** Contacts of the feet of a humanoid, found in a clip. */
import { findFootPoints } from '../../dynamics/ragdoll/foot-points.js';
import { FigureError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import type { Figure } from '../../figure/model/figure.js';
import { findFreeRoots } from '../../figure/model/floating-base.js';
import { createState } from '../../figure/model/state.js';
import { type FindHumanoidOptions, findHumanoid } from '../../humanoid/find-humanoid.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import { humanScaleOf } from '../clips/human-scale.js';
import type { PhysicalContact, PhysicalOptions } from '../clips/physical-options.js';
import { NOISE_FREE_RATE, noiseFreeClip } from '../clips/smooth-clip.js';
import {
  type ContactOptions,
  type ContactPoints,
  type ContactSpan,
  contactSpans,
  contactSpansOn,
} from './detect-contacts.js';
import { clipPaths } from './point-paths.js';

/**
 * The contacts given, or those found in a clip of a figure with a free root.
 *
 * @param isRecorded - Whether the clip may be noisy; then contacts are found in what is left without the noise.
 * @param bones - Of the humanoid. Default: those that are recognised.
 */
export function contactsOf(
  figure: Figure,
  motion: Motion,
  options: PhysicalOptions & { readonly detect?: ContactOptions },
  isRecorded = false,
  bones: FindHumanoidOptions['bones'] = {},
): readonly PhysicalContact[] {
  const { contacts, gravity = vec3.scale(figure.up, -1), detect } = options;
  if (contacts !== undefined) return contacts;
  if (findFreeRoots(figure).length === 0 || !(vec3.norm(gravity) > 0)) return [];
  const up = vec3.normalize(detect?.up ?? vec3.scale(gravity, -1)) as unknown as Vec3;
  const soles = solesOf(figure, { up, bones });
  const quiet = isRecorded ? withoutNoise(figure, motion, soles) : motion;
  if (quiet === motion) return footContacts(figure, motion, soles, { ...detect, up });
  // Where they are in the middle of their spans, not at a moment of the noise.
  return footContacts(figure, quiet, soles, { ...detect, up }).map(({ positions: _, over, ...contact }) => ({
    ...contact,
    over: overWithoutNoise(over, motion),
  }));
}

/** A span of a clip without noise in the time of the clip. What begins or ends within an interval of its knots of an end of the clip does so there. */
function overWithoutNoise(
  [from, to]: readonly [number, number],
  { start, end }: Motion,
): readonly [number, number] {
  const blur = 1 / NOISE_FREE_RATE;
  return [from < blur ? start : start + from, start + to > end - blur ? end : start + to];
}

/**
 * Contacts of points, found in what is left of a clip without its noise.
 *
 * @param detect - As of `detectContacts`.
 */
export function spansWithoutNoise(
  figure: Figure,
  motion: Motion,
  points: readonly ContactPoints[],
  detect: ContactOptions = {},
): ContactSpan[] {
  const quiet = withoutNoise(figure, motion, points);
  if (quiet === motion) return contactSpans(figure, motion, points, detect);
  return contactSpansOn(figure, quiet, points, detect, true).spans.map(({ over, ...span }) => ({
    ...span,
    over: overWithoutNoise(over, motion),
  }));
}

/** Noise of a point's velocity from which on contacts are not found in the clip itself, m/s for a figure of human size. */
const NOISE_SPEED = 0.2;
/** Step at which velocities are compared, s. */
const SAMPLE_STEP = 1 / 60;

/** The clip itself, or without its noise (starting at time 0) where that moves the points faster than contacts allow. */
function withoutNoise(figure: Figure, motion: Motion, points: readonly ContactPoints[]): Motion {
  if (points.length === 0) return motion;
  const quiet = noiseFreeClip(figure, motion);
  const length = motion.end - motion.start;
  const count = Math.max(2, Math.ceil(length / SAMPLE_STEP));
  const [own, other] = [clipPaths(figure, motion), clipPaths(figure, quiet)];
  let sum = 0;
  let samples = 0;
  for (const { bone, points: [point] = [[0, 0, 0] as Vec3] } of points) {
    const [a, b] = [own(bone, point), other(bone, point)];
    let before: number[] | undefined;
    for (let k = 0; k <= count; k++) {
      const time = (length * k) / count;
      const difference = vec3.subtract(a(motion.start + time), b(time));
      if (before !== undefined) sum += vec3.distance(difference, before) ** 2;
      samples++;
      before = difference;
    }
  }
  const speed = Math.sqrt(sum / samples) / (length / count);
  return speed > NOISE_SPEED * humanScaleOf(figure) ? quiet : motion;
}

/**
 * The contacts of heels and balls of a humanoid's feet, by height and speed with hysteresis (`detectContacts`). A foot that is down at the
 * start or the end of the clip stays where it is then; others where they are in the middle of the span, level on the ground.
 *
 * @param soles - None for a figure that is not a humanoid.
 */
function footContacts(
  figure: Figure,
  motion: Motion,
  soles: readonly ContactPoints[],
  detect: ContactOptions & { readonly up: Vec3 },
): PhysicalContact[] {
  const { up } = detect;
  const found = contactSpansOn(figure, motion, soles, detect, true);
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

/**
 * Middle of the heel and both ends of the ball of each foot: three points carry a foot, and a fourth would be redundant. None for a figure that
 * is not a humanoid.
 *
 * @throws FigureError `unsupported` for a humanoid without feet.
 */
function solesOf(figure: Figure, options: FindHumanoidOptions): ContactPoints[] {
  const humanoid = findHumanoid(figure, options);
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
    const [heelLeft, heelRight, ballLeft, ballRight] = findFootPoints(figure, foot, options);
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
