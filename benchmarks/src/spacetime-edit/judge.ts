/** How well an edit did: how far its goals are missed, and how far feet come from where the clip has them. */

import { detectContacts } from 'poise/editing';
import { createState, forwardKinematics } from 'poise/figure';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import type { FootPoint, RealClip } from './clips.js';
import type { Edit } from './edits.js';

/** Moments looked at, s. */
const STEP = 1 / 120;

/** All in m. */
export interface Judgement {
  /** Farthest that a moved point is from where it was to come. */
  readonly miss: number;
  /** Farthest that an ankle or toe comes from where the clip has it, while its foot stands. */
  readonly standing: number;
  /** Likewise all along. */
  readonly anywhere: number;
}

export function judge(clip: RealClip, { moves }: Edit, result: Motion): Judgement {
  const miss = moves.flatMap(({ at, bone, by }) => {
    const [before, after] = [clip.motion, result].map((motion) =>
      positionOf(clip, motion, { bone, point: [0, 0, 0] }),
    );
    const [from, to] = typeof at === 'number' ? [at, at] : at;
    return [from, to].map((time) => {
      const was = before(time);
      const is = after(time);
      return Math.hypot(...is.map((x, k) => x - was[k] - by[k]));
    });
  });
  let standing = 0;
  let anywhere = 0;
  clip.toes.forEach((toe, foot) => {
    const spans = detectContacts(clip.figure, clip.motion, [{ bone: toe.bone, points: [toe.point] }]);
    for (const point of [clip.ankles[foot], toe]) {
      const [before, after] = [clip.motion, result].map((motion) => positionOf(clip, motion, point));
      for (let time = clip.motion.start; time <= clip.motion.end; time += STEP) {
        const was = before(time);
        const off = Math.hypot(...after(time).map((x, k) => x - was[k]));
        anywhere = Math.max(anywhere, off);
        if (spans.some(({ over }) => time >= over[0] && time <= over[1])) standing = Math.max(standing, off);
      }
    }
  });
  return { miss: Math.max(...miss), standing, anywhere };
}

/** Where a motion has a point, world, m. */
function positionOf(
  { figure }: RealClip,
  motion: Motion,
  { bone, point }: FootPoint,
): (time: number) => number[] {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const o = 12 * figure.bones.findIndex(({ name }) => name === bone);
  return (time) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    const w = state.worldFromBone;
    return [0, 1, 2].map(
      (r) =>
        w[o + 3 * r] * point[0] + w[o + 3 * r + 1] * point[1] + w[o + 3 * r + 2] * point[2] + w[o + 9 + r],
    );
  };
}
