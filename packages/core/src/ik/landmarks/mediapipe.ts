import { GoalError } from '../../errors.js';

/** A landmark of MediaPipe's tasks. */
export interface MediaPipeLandmark {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Probability of being visible, 0 to 1. If left out, or 0 for all landmarks as for hands: 1. */
  readonly visibility?: number;
}

/** Positions and confidences of one frame. */
export interface LandmarkFrame {
  /** Three numbers per landmark, m, NaN if missing. */
  readonly positions: Float64Array;
  /** One number per landmark. */
  readonly confidences: Float64Array;
}

/**
 * Converts MediaPipe's world landmarks (`worldLandmarks`: metres, x to the right of the picture, y down, z away from the camera) to Poise's
 * axes: (x, -y, -z), a rotation by pi about x. A person facing the camera then faces +Z, as figures do at rest. The origin is MediaPipe's:
 * the middle of the hips for a body, the middle of a hand for a hand.
 *
 * @param landmarks - undefined, as from MediaPipe without a person in view, gives empty arrays.
 * @param names - The landmark names of a fit that uses only some: picked from `all` by name.
 * @param all - Names of the landmarks given, in order; required with `names`.
 * @throws GoalError `wrong-size` if `landmarks` is not a list; `unknown-name` for a name that is not in `all`.
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
          throw new GoalError('unknown-name', `'${name}' is not among the landmarks given.`, {
            path: 'names',
            remedy: `There are ${all.join(', ')}.`,
          });
        });
  const positions = new Float64Array(3 * picked.length).fill(Number.NaN);
  const confidences = new Float64Array(picked.length);
  const withVisibility = hasVisibility(landmarks);
  picked.forEach((landmark, m) => {
    if (landmark === null || landmark === undefined) return;
    positions[3 * m] = landmark.x;
    positions[3 * m + 1] = -landmark.y;
    positions[3 * m + 2] = -landmark.z;
    const visibility = withVisibility ? (landmark.visibility ?? 1) : 1;
    confidences[m] = Number.isFinite(visibility) ? Math.min(1, Math.max(0, visibility)) : 0;
  });
  return { positions, confidences };
}

/** Whether a list contains visibilities: for hands MediaPipe leaves all of them at 0. */
export function hasVisibility(landmarks: readonly (MediaPipeLandmark | null | undefined)[]): boolean {
  return landmarks.some((landmark) => landmark?.visibility !== undefined && landmark.visibility !== 0);
}
