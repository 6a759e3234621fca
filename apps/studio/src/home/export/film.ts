/** What a video shows: a pose at each time. */
import { createMotionSampler, samplePose } from 'poise/motion';
import { clipFor, hasKeys } from '../../animate/clip/clip.js';
import { frameTimes, poseAt } from '../../animate/clip/clip-motion.js';
import { session, useStudio } from '../../session/store.js';

export interface Film {
  /** Name of its file, without ending. */
  readonly name: string;
  /** Frames a second. */
  readonly rate: number;
  /** s, one a frame. */
  readonly times: readonly number[];
  poseAt(time: number): ArrayLike<number>;
}

/** Frames a second of a fall. */
const FALL_RATE = 60;

/** The clip; undefined where it has no keys. Its last frame is the one before its end, at which a loop begins anew. */
export function clipFilm(): Film | undefined {
  const { document, character } = useStudio.getState();
  const clip = clipFor(document.clip, character);
  if (clip === undefined || !hasKeys(clip)) return undefined;
  return {
    name: 'clip',
    rate: clip.rate,
    times: frameTimes(clip).slice(0, -1),
    poseAt: (time) => poseAt(clip, character, time),
  };
}

/** What fell since it was dropped; undefined where nothing did. */
export async function fallFilm(): Promise<Film | undefined> {
  if (useStudio.getState().mode !== 'fall') return undefined;
  const { falling } = await import('../../fall/falling.js');
  const motion = falling.fall?.motion('fall');
  if (motion === undefined) return undefined;
  const { figure } = session.character;
  const sampler = createMotionSampler(figure, motion);
  const pose = new Float64Array(figure.dof);
  const count = Math.max(1, Math.floor((motion.end - motion.start) * FALL_RATE + 1e-6) + 1);
  return {
    name: 'fall',
    rate: FALL_RATE,
    times: Array.from({ length: count }, (_, frame) => motion.start + frame / FALL_RATE),
    poseAt: (time) => samplePose(sampler, Math.min(time, motion.end), pose),
  };
}
