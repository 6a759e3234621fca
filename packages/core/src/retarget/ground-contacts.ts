/** The contacts that a retargeted clip keeps, as points on its bones: what physics needs to know of them. */
import { FigureError } from '../errors.js';
import { triple } from '../figure/kinematics/rest-pose.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Vec3 } from '../math/linear/types.js';
import type { BodyLeg } from './body/body.js';
import type { RetargetReport } from './report/report.js';
import type { Retargeter } from './retargeter.js';

/** Points of a bone that stay on the ground: a contact as `contacts` of `cleanMotion` has it. */
export interface GroundContact {
  /** Of `retargeter.target`. */
  readonly bone: string;
  /** In the bone's frame, m. */
  readonly points: readonly Vec3[];
  /** In the clip's time, s. */
  readonly over: readonly [from: number, to: number];
  /** Up, world. */
  readonly normal: Vec3;
  /** Of the ground along it, m. */
  readonly height: number;
}

/**
 * The contacts of a retargeted clip as points of the target: the middle of a heel, both ends of the line across a ball, the middle of a palm. A frame stands
 * for the time around it: a contact begins and ends half a frame beside its first and last one.
 *
 * @param report - Of `retargetMotion` with this retargeter.
 * @throws FigureError `unsupported` for a robot whose joints are hinges in series.
 */
export function groundContacts(
  { target, ground, alignment }: Retargeter,
  { times, contacts }: Pick<RetargetReport, 'times' | 'contacts'>,
): GroundContact[] {
  if (alignment.serial !== undefined) {
    throw new FigureError('unsupported', 'is a robot: its palms and soles are not points of its links.', {
      path: `figure ${target.name}`,
      remedy: 'Give the contacts of its links yourself.',
    });
  }
  const last = times.length - 1;
  const half = 0.5 * (times[1] - times[0]);
  return contacts.flatMap((contact): GroundContact[] => {
    const touching =
      'foot' in contact ? solePoints(alignment.target.legs, contact) : palmPoint(alignment, contact);
    if (touching === undefined) return [];
    return contact.spans.map(([from, to]) => ({
      bone: target.bones[touching.bone].name,
      points: touching.points,
      over: [Math.max(times[0], times[from] - half), Math.min(times[last], times[to] + half)],
      normal: triple(target.up),
      height: ground,
    }));
  });
}

interface Touching {
  readonly bone: number;
  readonly points: readonly Vec3[];
}

function solePoints(
  legs: readonly BodyLeg[],
  { foot, point }: { readonly foot: string; readonly point: 'heel' | 'ball' },
): Touching | undefined {
  const leg = legs.find(({ name }) => name === foot);
  if (leg === undefined) return undefined;
  if (point === 'heel') return { bone: leg.foot, points: [triple(leg.heel)] };
  // As wide as the front of the sole.
  const across = vec3.scale(vec3.subtract(leg.corners[2], leg.corners[3]), 0.5);
  return {
    bone: leg.foot,
    points: [triple(vec3.add(leg.ball, across)), triple(vec3.subtract(leg.ball, across))],
  };
}

function palmPoint(
  { arms }: Retargeter['alignment'],
  { hand }: { readonly hand: string },
): Touching | undefined {
  const arm = arms.find(({ name }) => name === hand);
  return arm && { bone: arm.hand, points: [triple(arm.palm)] };
}
