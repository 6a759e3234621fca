import { requireFields, requireOneOf } from '../../checks.js';
import { GoalError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Marker } from '../markers/types.js';
import { BODY_LANDMARKS, type BodyLandmarkOptions, bodyLandmarks } from './body-landmarks.js';
import { HAND_LANDMARKS, markersOfHand } from './hand-landmarks.js';
import { lookUpBones } from './landmark-bones.js';
import { fromMediaPipe, type LandmarkFrame, type MediaPipeLandmark } from './mediapipe.js';

const SIDES = ['left', 'right'] as const;

/**
 * The 75 points of MediaPipe's holistic landmarker without the face mesh: 33 of the body, then 21 of the left and 21 of the right hand, whose
 * names begin with `left_hand_` and `right_hand_`.
 */
export const HOLISTIC_LANDMARKS: readonly string[] = [
  ...BODY_LANDMARKS,
  ...SIDES.flatMap((side) => HAND_LANDMARKS.map((name) => `${side}_hand_${name}`)),
];

/**
 * Weight of a hand's landmark relative to its weight in `handLandmarks`: 21 points of one hand share the error of one wrist, so together they
 * weigh about as much as two joints.
 */
const HAND_WEIGHT = 0.1;

/**
 * The landmarks of body and both hands on a figure, for one `createLandmarkFit`: `bodyLandmarks`, and `handLandmarks` of each hand that has
 * finger bones, a tenth as heavy. Landmarks whose bone is missing are left out.
 *
 * @throws FigureError as {@link bodyLandmarks}.
 */
export function holisticLandmarks(figure: Figure, options: BodyLandmarkOptions = {}): Marker[] {
  const markers = bodyLandmarks(figure, options);
  const lookup = lookUpBones(figure, options.bones ?? {}, options.up);
  for (const side of SIDES) {
    for (const { name, weight = 1, ...marker } of markersOfHand(figure, lookup, side))
      markers.push({ ...marker, name: `${side}_hand_${name}`, weight: HAND_WEIGHT * weight });
  }
  return markers;
}

type MediaPipeList = readonly (MediaPipeLandmark | null | undefined)[];

/** The world landmarks of a result of MediaPipe's holistic landmarker: one list, or one for each person, of whom the first counts. */
export interface HolisticResult {
  readonly poseWorldLandmarks?: MediaPipeList | readonly MediaPipeList[];
  readonly leftHandWorldLandmarks?: MediaPipeList | readonly MediaPipeList[];
  readonly rightHandWorldLandmarks?: MediaPipeList | readonly MediaPipeList[];
}

/**
 * Converts the world landmarks of MediaPipe's holistic landmarker to Poise's axes, as {@link fromMediaPipe}. A hand's landmarks have their
 * origin in the hand: they are moved so that its wrist is at the wrist of the body, and are missing where that is.
 *
 * @param names - The landmark names of the fit, `fit.names`; default {@link HOLISTIC_LANDMARKS}.
 * @throws GoalError `wrong-size` for a body of other than 33 or a hand of other than 21 landmarks; `unknown-name` for a name that is not one of
 *   the 75.
 */
export function fromHolistic(
  result: HolisticResult,
  names: readonly string[] = HOLISTIC_LANDMARKS,
): LandmarkFrame {
  const positions = new Float64Array(3 * HOLISTIC_LANDMARKS.length).fill(Number.NaN);
  const confidences = new Float64Array(HOLISTIC_LANDMARKS.length);
  const body = read(result, 'poseWorldLandmarks', BODY_LANDMARKS.length);
  positions.set(body.positions);
  confidences.set(body.confidences);
  SIDES.forEach((side, n) => {
    const hand = read(result, `${side}HandWorldLandmarks`, HAND_LANDMARKS.length);
    const first = BODY_LANDMARKS.length + n * HAND_LANDMARKS.length;
    const wrist = 3 * BODY_LANDMARKS.indexOf(`${side}_wrist`);
    hand.positions.forEach((x, k) => {
      positions[3 * first + k] = x - hand.positions[k % 3] + positions[wrist + (k % 3)];
    });
    // As sure as the wrist that they hang on.
    hand.confidences.forEach((x, k) => {
      confidences[first + k] = x * confidences[wrist / 3];
    });
  });
  const picked = names.map((name) => {
    requireOneOf(name, HOLISTIC_LANDMARKS, 'names', GoalError);
    return HOLISTIC_LANDMARKS.indexOf(name);
  });
  return {
    positions: Float64Array.from(
      { length: 3 * picked.length },
      (_, k) => positions[3 * picked[Math.floor(k / 3)] + (k % 3)],
    ),
    confidences: Float64Array.from(picked, (m) => confidences[m]),
  };
}

function read(result: HolisticResult, key: keyof HolisticResult, size: number): LandmarkFrame {
  if (typeof result !== 'object' || result === null) requireFields(result, {}, 'result', GoalError);
  const given: unknown = result[key];
  const list = Array.isArray(given) && Array.isArray(given[0]) ? given[0] : given;
  const isNobody = list === undefined || list === null || (Array.isArray(list) && list.length === 0);
  const frame = fromMediaPipe(isNobody ? undefined : (list as MediaPipeList));
  if (isNobody || frame.confidences.length === size) return frame;
  throw new GoalError('wrong-size', `has ${frame.confidences.length} landmarks where ${size} belong.`, {
    path: `result.${key}`,
    remedy: "Give the result of MediaPipe's holistic landmarker.",
  });
}
