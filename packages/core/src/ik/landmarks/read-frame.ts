import { GoalError, nearestName } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { hasVisibility, type MediaPipeLandmark } from './mediapipe.js';

/** Positions of one frame: three numbers per landmark (empty: none observed), a record by name, or MediaPipe's list in Poise's axes. */
export type LandmarkPositions =
  | Numbers
  | Readonly<Record<string, Numbers | null | undefined>>
  | readonly (MediaPipeLandmark | null | undefined)[];

/** Positions and confidences in the order of the names. */
export function readFrame(
  names: readonly string[],
  frame: LandmarkPositions,
  confidences: Numbers | undefined,
): { readonly positions: Numbers; readonly confidences: Numbers | undefined } {
  if (typeof frame !== 'object' || frame === null) {
    throw new GoalError('wrong-size', `is ${String(frame)}.`, {
      path: 'frame',
      remedy: 'Give three numbers for each landmark, or { name: [x, y, z] }.',
    });
  }
  if (!isList(frame)) return readRecord(names, frame, confidences);
  // An empty list: no landmark is observed.
  if (frame.length === 0)
    return { positions: new Float64Array(3 * names.length).fill(Number.NaN), confidences: undefined };
  const first: unknown = Array.from(frame as ArrayLike<unknown>).find(
    (entry) => entry !== null && entry !== undefined,
  );
  if (typeof first !== 'object' && first !== undefined) return { positions: frame as Numbers, confidences };
  const list = frame as readonly (MediaPipeLandmark | null | undefined)[];
  const positions = Float64Array.from({ length: 3 * list.length }, (_, k) => {
    const landmark = list[Math.floor(k / 3)];
    return landmark?.[(['x', 'y', 'z'] as const)[k % 3]] ?? Number.NaN;
  });
  const withVisibility = hasVisibility(list);
  return {
    positions,
    confidences:
      confidences ?? Float64Array.from(list, (entry) => (withVisibility ? (entry?.visibility ?? 1) : 1)),
  };
}

function isList(frame: object): frame is Numbers | readonly (MediaPipeLandmark | null | undefined)[] {
  return Array.isArray(frame) || ArrayBuffer.isView(frame);
}

function readRecord(
  names: readonly string[],
  frame: Readonly<Record<string, Numbers | null | undefined>>,
  confidences: Numbers | undefined,
): { readonly positions: Numbers; readonly confidences: Numbers | undefined } {
  const positions = new Float64Array(3 * names.length).fill(Number.NaN);
  for (const [name, position] of Object.entries(frame)) {
    const m = names.indexOf(name);
    if (m < 0) {
      const near = nearestName(name, names);
      throw new GoalError('unknown-name', 'is not a landmark of this fit.', {
        path: `frame.${name}`,
        remedy: near === undefined ? `There are ${names.join(', ')}.` : `Did you mean '${near}'?`,
      });
    }
    if (position === null || position === undefined) continue;
    if (position.length !== 3) {
      throw new GoalError('wrong-size', `has ${position.length} numbers where 3 belong.`, {
        path: `frame.${name}`,
        remedy: 'Give [x, y, z].',
      });
    }
    for (let k = 0; k < 3; k++) positions[3 * m + k] = position[k];
  }
  return { positions, confidences };
}
