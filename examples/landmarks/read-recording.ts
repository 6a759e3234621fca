import { FormatError } from 'poise';
import { BODY_LANDMARKS, type MediaPipeLandmark } from 'poise/ik';
import type { Frame, Recording } from './recording.js';

const SIZE = BODY_LANDMARKS.length;
const USUAL_RATE = 30;
const SHAPE =
  'Give a list of results of the pose landmarker, or { "framesPerSecond": 30, "frames": [...] } with them.';

/**
 * Reads a recording of MediaPipe's pose landmarker: a list of its results as JSON, one a frame (`worldLandmarks`, or
 * `poseWorldLandmarks` of the older API), or a list of lists of 33 world landmarks; alone, or as `frames` of an object with
 * `framesPerSecond`. Of several people the first is taken; a frame with nobody in it is a gap. Times of frames in milliseconds
 * (`timestamp` or `timestampMs`) give the frame rate if `framesPerSecond` is missing.
 *
 * @throws FormatError with the file and the path in it.
 */
export function readRecording(text: string, name: string): Recording {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refusal(name, `its JSON does not parse: ${reason}.`, SHAPE, cause);
  }
  const list = isObject(data) ? data.frames : data;
  const path = isObject(data) ? `${name}#frames` : name;
  if (!Array.isArray(list)) throw refusal(path, 'is not a list of frames.', SHAPE);
  if (list.length === 0) throw refusal(path, 'has no frame.', SHAPE);
  const frames = list.map((frame, k) => readFrame(frame, `${path}[${k}]`));
  if (frames.every((frame) => frame === null)) {
    throw refusal(path, 'has nobody in it.', 'Record somebody who is in view.');
  }
  const given = isObject(data) ? data.framesPerSecond : undefined;
  if (given !== undefined && !(typeof given === 'number' && given > 0 && Number.isFinite(given))) {
    throw refusal(
      `${name}#framesPerSecond`,
      'is no positive number.',
      'Give frames a second, or leave it out.',
    );
  }
  return { name, frames, framesPerSecond: given ?? rateOf(list) ?? USUAL_RATE };
}

/** The text of a recording that {@link readRecording} reads. */
export function writeRecording({ frames, framesPerSecond }: Recording): string {
  const results = frames.map((frame) => ({ worldLandmarks: frame === null ? [] : [frame] }));
  return JSON.stringify({ framesPerSecond, frames: results });
}

function readFrame(frame: unknown, path: string): Frame {
  if (frame === null) return null;
  if (Array.isArray(frame)) return readPeople(frame, path);
  if (!isObject(frame)) throw refusal(path, 'is no frame.', SHAPE);
  for (const key of ['worldLandmarks', 'poseWorldLandmarks']) {
    if (frame[key] !== undefined) return readPeople(frame[key], `${path}.${key}`);
  }
  // In the older API a result without a person has no landmarks field.
  const hasPicture = frame.landmarks !== undefined || frame.poseLandmarks !== undefined;
  if (!hasPicture) return null;
  throw refusal(
    path,
    'has positions in the image only, not in metres.',
    "Keep the result's worldLandmarks, which are in metres.",
  );
}

/** The first person's points: a list of people, or one person's points themselves. */
function readPeople(list: unknown, path: string): Frame {
  if (!Array.isArray(list)) throw refusal(path, 'is no list of landmarks.', SHAPE);
  if (list.length === 0) return null;
  const isPeople = Array.isArray(list[0]);
  const points: unknown[] = isPeople ? list[0] : list;
  const where = isPeople ? `${path}[0]` : path;
  if (points.length !== SIZE) {
    throw refusal(where, `has ${points.length} landmarks.`, `A body has ${SIZE}, in MediaPipe's order.`);
  }
  return points.map((point, m) => readPoint(point, `${where}[${m}]`));
}

function readPoint(point: unknown, path: string): MediaPipeLandmark | null {
  if (point === null) return null;
  if (!isObject(point)) throw refusal(path, 'is no landmark.', 'Give { x, y, z, visibility }.');
  for (const key of ['x', 'y', 'z', 'visibility']) {
    const value = point[key];
    if (key === 'visibility' && value === undefined) continue;
    if (typeof value === 'number' && Number.isFinite(value)) continue;
    throw refusal(`${path}.${key}`, `is ${JSON.stringify(value) ?? 'not there'}.`, 'Give a finite number.');
  }
  const { x, y, z, visibility } = point as unknown as MediaPipeLandmark;
  return visibility === undefined ? { x, y, z } : { x, y, z, visibility };
}

/** Frame rate from the timestamps of the first and last frames that have one. */
function rateOf(frames: readonly unknown[]): number | undefined {
  const times = frames.flatMap((frame, k) => {
    const time = isObject(frame) ? (frame.timestampMs ?? frame.timestamp) : undefined;
    return typeof time === 'number' && Number.isFinite(time) ? [{ time, k }] : [];
  });
  if (times.length < 2) return undefined;
  const [first, last] = [times[0], times[times.length - 1]];
  const rate = (1000 * (last.k - first.k)) / (last.time - first.time);
  return rate > 0 && Number.isFinite(rate) ? rate : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refusal(path: string, what: string, remedy: string, cause?: unknown): FormatError {
  return new FormatError('invalid-file', what, { path, remedy, ...(cause !== undefined && { cause }) });
}
