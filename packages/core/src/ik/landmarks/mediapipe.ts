import { GoalError } from '../../errors.js';

/** A landmark as MediaPipe's tasks give it. */
export interface MediaPipeLandmark {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Probability of being in view, 0 to 1. Left out, or 0 for all landmarks as a hand's are: 1. */
  readonly visibility?: number;
}

/** Positions and confidences of one frame, as trackers take them. */
export interface LandmarkFrame {
  /** Three numbers a landmark, m, NaN where it is missing. */
  readonly positions: Float64Array;
  /** One number a landmark. */
  readonly confidences: Float64Array;
}

/**
 * MediaPipe's world landmarks (`worldLandmarks`: metres, x to the right of the picture, y down, z away from the camera) in
 * Poise's axes: (x, -y, -z), half a turn about x. A person who faces the camera then faces +Z, as figures do at rest. The origin stays
 * MediaPipe's own: the middle of the hips for a body, the middle of a hand for a hand.
 *
 * @param landmarks - undefined, as MediaPipe has it where nobody is in view, for nothing seen: no numbers.
 * @param names - The landmark names of a fit, where it uses only some: picked from `all` by name.
 * @param all - Names of the landmarks given, in order; needed where `names` is.
 * @throws GoalError `wrong-size` for a list that is none; `unknown-name` for a name that is not in `all`.
 */
export function fromMediaPipe(
  landmarks: readonly (MediaPipeLandmark | null | undefined)[] | undefined,
  names?: readonly string[],
  all?: readonly string[],
): LandmarkFrame {
  if (landmarks === undefined) return { positions: new Float64Array(), confidences: new Float64Array() };
  if (!Array.isArray(landmarks)) {
    throw new GoalError('wrong-size', 'is not a list of landmarks.', {
      path: 'landmarks',
      remedy: 'Give result.worldLandmarks[0].',
    });
  }
  const picked =
    names === undefined || all === undefined
      ? landmarks
      : names.map((name) => {
          const k = all.indexOf(name);
          if (k >= 0) return landmarks[k];
          throw new GoalError('unknown-name', `'${name}' is none of the landmarks given.`, {
            path: 'names',
            remedy: `There are ${all.join(', ')}.`,
          });
        });
  const positions = new Float64Array(3 * picked.length).fill(Number.NaN);
  const confidences = new Float64Array(picked.length);
  const seenAtAll = hasVisibility(landmarks);
  picked.forEach((landmark, m) => {
    if (landmark === null || landmark === undefined) return;
    positions[3 * m] = landmark.x;
    positions[3 * m + 1] = -landmark.y;
    positions[3 * m + 2] = -landmark.z;
    const visibility = seenAtAll ? (landmark.visibility ?? 1) : 1;
    confidences[m] = Number.isFinite(visibility) ? Math.min(1, Math.max(0, visibility)) : 0;
  });
  return { positions, confidences };
}

/** Whether a list tells what is in view: MediaPipe's hands leave it at 0 for all of their landmarks. */
export function hasVisibility(landmarks: readonly (MediaPipeLandmark | null | undefined)[]): boolean {
  return landmarks.some((landmark) => landmark?.visibility !== undefined && landmark.visibility !== 0);
}
