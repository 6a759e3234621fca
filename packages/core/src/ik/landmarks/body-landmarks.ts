import { requireFields, requireNumbers } from '../../checks.js';
import { FigureError } from '../../errors.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Marker } from '../markers/types.js';
import { type LandmarkBones, lookUpBones, noBones } from './landmark-bones.js';

/** The 33 points of MediaPipe's pose landmarker (BlazePose), in its order. */
export const BODY_LANDMARKS = [
  'nose',
  'left_eye_inner',
  'left_eye',
  'left_eye_outer',
  'right_eye_inner',
  'right_eye',
  'right_eye_outer',
  'left_ear',
  'right_ear',
  'mouth_left',
  'mouth_right',
  'left_shoulder',
  'right_shoulder',
  'left_elbow',
  'right_elbow',
  'left_wrist',
  'right_wrist',
  'left_pinky',
  'right_pinky',
  'left_index',
  'right_index',
  'left_thumb',
  'right_thumb',
  'left_hip',
  'right_hip',
  'left_knee',
  'right_knee',
  'left_ankle',
  'right_ankle',
  'left_heel',
  'right_heel',
  'left_foot_index',
  'right_foot_index',
] as const;

/** Options of {@link bodyLandmarks} for figures other than the built-in human. */
export interface BodyLandmarkOptions {
  /**
   * Bones of the figure by their VRM names: `{ leftUpperArm: 'mixamorig:LeftArm' }`, `vrmHumanoid(rig)`, `findHumanoid(figure)?.bones`. Bones
   * left out are those named so, else those that `findHumanoid` recognises.
   */
  readonly bones?: LandmarkBones;
  /** Facing and up direction of the figure at rest, unit vectors in world axes. Default as `findHumanoid` measures it (+Z), and `figure.up`. */
  readonly forward?: readonly [number, number, number];
  readonly up?: readonly [number, number, number];
}

/** Placement of a landmark: its bone by VRM name, and the offset from the bone's origin, in statures: to the figure's left, up, forward. */
interface Placement {
  readonly bone: string;
  readonly offset: readonly [left: number, up: number, forward: number];
  readonly weight: number;
}

/** Landmarks at joints, without an offset. */
const JOINTS: Readonly<Record<string, string>> = {
  shoulder: 'UpperArm',
  elbow: 'LowerArm',
  wrist: 'Hand',
  hip: 'UpperLeg',
  knee: 'LowerLeg',
  ankle: 'Foot',
};

/** Eleven landmarks of one head are not independent: together they weigh about as much as two joints. */
const FACE_WEIGHT = 0.2;
const HAND_WEIGHT = 0.3;

/**
 * Offsets of the left-hand landmarks that are not joints, statures from the bone: estimates for an adult (eyes 0.064 below the vertex, pupils
 * 63 mm and ears 145 mm apart for 1.75 m; knuckles half a hand from the wrist). Hands: along the hand, up, towards the thumb.
 */
const FACE: Readonly<Record<string, readonly [number, number, number]>> = {
  nose: [0, 0.005, 0.066],
  eye_inner: [0.009, 0.024, 0.052],
  eye: [0.018, 0.024, 0.05],
  eye_outer: [0.026, 0.024, 0.045],
  ear: [0.041, 0.016, 0],
  mouth: [0.0145, -0.012, 0.052],
};
const HAND: Readonly<Record<string, readonly [number, number, number]>> = {
  pinky: [0.047, 0, -0.022],
  index: [0.053, 0, 0.015],
  thumb: [0.035, -0.005, 0.03],
};
/** Heel from the ankle, tip of the big toe from the ball of the foot; the same from the ankle for a figure without toes. */
const FOOT = { heel: [0, -0.03, -0.028], tip: [0, -0.004, 0.04], tipFromAnkle: [0, -0.031, 0.114] } as const;

/** Segment lengths over stature, from which the stature is estimated (de Leva 1996, male sample): thigh and shank, upper arm and forearm. */
const LEG = (422.2 + 440.3) / 1741;
const ARM = (281.7 + 268.9) / 1741;

/**
 * The 33 body landmarks on a figure with humanoid bones, for `createLandmarkFit` and `createMarkerTracker`. Shoulders, elbows, wrists, hips,
 * knees and ankles are joints; landmarks of face, hands and feet are offset as on an adult of the figure's stature, which is estimated from
 * its legs (or its arms). For any rest pose and bone axes: offsets are taken at rest, along the figure's left, up and forward. Landmarks of
 * missing bones are left out.
 *
 * @throws FigureError `unknown-name` for a name in `bones` that the figure does not have, or a figure without any such bone; `out-of-range`
 *   where `forward` is along `up`.
 */
export function bodyLandmarks(figure: Figure, options: BodyLandmarkOptions = {}): Marker[] {
  requireFields(options, { bones: true, forward: true, up: true }, 'options', FigureError);
  const { bones = {}, up = figure.up } = options;
  requireNumbers(up, 3, 'options.up', FigureError);
  const lookup = lookUpBones(figure, bones, up);
  const { indexOf } = lookup;
  const forward = options.forward ?? lookup.forward() ?? [0, 0, 1];
  requireNumbers(forward, 3, 'options.forward', FigureError);
  const left = vec3.cross(up, forward);
  if (!(vec3.norm(left) > 1e-6)) {
    throw new FigureError('out-of-range', 'is along the up direction of the figure.', {
      path: 'options.forward',
      remedy: 'Give the direction that the figure faces, `findHumanoid(figure).forward`.',
    });
  }
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const world = state.worldFromBone;
  const originOf = (bone: number): number[] => Array.from(world.subarray(12 * bone + 9, 12 * bone + 12));
  const stature = statureOf(indexOf, originOf);
  const markers = BODY_LANDMARKS.flatMap((name): Marker[] => {
    const placement = placementOf(name, indexOf('leftToes') >= 0);
    const bone = indexOf(placement.bone);
    if (bone < 0) return [];
    const [a, b, c] = placement.offset;
    const direction = handDirectionOf(name, indexOf, originOf) ?? left;
    const offset = [0, 1, 2].map((k) => stature * (a * direction[k] + b * up[k] + c * forward[k]));
    const o = 12 * bone;
    const point = [0, 1, 2].map(
      (k) => world[o + k] * offset[0] + world[o + 3 + k] * offset[1] + world[o + 6 + k] * offset[2],
    );
    return [{ name, bone, point, weight: placement.weight }];
  });
  if (markers.length > 0) return markers;
  throw noBones(figure, 'humanoid', '{ hips: ..., leftUpperArm: ... }');
}

function placementOf(name: string, hasToes: boolean): Placement {
  const side = name.includes('right') ? 'right' : 'left';
  const sign = side === 'right' ? -1 : 1;
  const landmark = name.replace(/_?(left|right)_?/, '');
  if (Object.hasOwn(FACE, landmark)) {
    const [a, b, c] = FACE[landmark];
    return { bone: 'head', offset: [sign * a, b, c], weight: FACE_WEIGHT };
  }
  if (Object.hasOwn(JOINTS, landmark))
    return { bone: `${side}${JOINTS[landmark]}`, offset: [0, 0, 0], weight: 1 };
  if (Object.hasOwn(HAND, landmark))
    return { bone: `${side}Hand`, offset: HAND[landmark], weight: HAND_WEIGHT };
  if (landmark === 'heel') return { bone: `${side}Foot`, offset: FOOT.heel, weight: 1 };
  return hasToes
    ? { bone: `${side}Toes`, offset: FOOT.tip, weight: 1 }
    : { bone: `${side}Foot`, offset: FOOT.tipFromAnkle, weight: 1 };
}

/** For a landmark of a hand: the direction from elbow to wrist at rest. */
function handDirectionOf(
  name: string,
  indexOf: (vrm: string) => number,
  originOf: (bone: number) => number[],
): number[] | undefined {
  if (!/pinky|index|thumb/.test(name) || name.includes('foot')) return undefined;
  const side = name.startsWith('right') ? 'right' : 'left';
  const elbow = indexOf(`${side}LowerArm`);
  const wrist = indexOf(`${side}Hand`);
  if (elbow < 0 || wrist < 0) return undefined;
  const from = originOf(elbow);
  const direction = originOf(wrist).map((x, k) => x - from[k]);
  const length = Math.hypot(...direction);
  return length > 0 ? direction.map((x) => x / length) : undefined;
}

function statureOf(indexOf: (vrm: string) => number, originOf: (bone: number) => number[]): number {
  const chain = (names: readonly string[]): number => {
    const indices = names.map(indexOf);
    if (indices.some((bone) => bone < 0)) return 0;
    return indices.slice(1).reduce((sum, bone, k) => {
      const from = originOf(indices[k]);
      return sum + Math.hypot(...originOf(bone).map((x, c) => x - from[c]));
    }, 0);
  };
  const leg = chain(['leftUpperLeg', 'leftLowerLeg', 'leftFoot']);
  if (leg > 0) return leg / LEG;
  const arm = chain(['leftUpperArm', 'leftLowerArm', 'leftHand']);
  return arm > 0 ? arm / ARM : 1.75;
}
