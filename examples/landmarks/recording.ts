/**
 * A recording as a webcam's pose landmarker would make it, made by code: a person who moves, seen as 33 points, in MediaPipe's own axes
 * (x to the right of the picture, y down, z away from the camera, origin between the hips), with noise, and points that are not seen.
 */
import {
  boneIndex,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  humanFigure,
} from 'poise/figure';
import { bodyLandmarks, createIk, type MediaPipeLandmark, solveIk } from 'poise/ik';
import { rigid } from 'poise/math';

export const FRAMES_PER_SECOND = 30;
const SECONDS = 8;

/** One frame without noise, three numbers a landmark, MediaPipe's axes, m. */
export interface Recording {
  readonly frames: readonly Float64Array[];
}

/** The person is smaller than the character that copies it. */
const PERSON = /* @__PURE__ */ humanFigure({ height: 1.62 });

/** Records eight seconds that join end to end: arms up and down, a wave, bends of the knees, looks to the side. */
export function record(): Recording {
  const state = createState(PERSON);
  const pose = createPose(PERSON);
  const markers = bodyLandmarks(PERSON);
  const bones = markers.map(({ bone }) => boneIndex(PERSON, bone));
  const feet = (['left', 'right'] as const).flatMap((side) => {
    forwardKinematics(state, pose);
    const foot = boneFrame(PERSON, state.worldFromBone, `${side}Foot`);
    return [
      { type: 'position' as const, bone: `${side}Foot`, target: rigid.toPosition(foot) },
      { type: 'orientation' as const, bone: `${side}Foot`, target: [0, 0, 0, 1] },
    ];
  });
  const ik = createIk(PERSON, feet, { locked: ['hips'], restarts: 0 });
  const frames = Array.from({ length: SECONDS * FRAMES_PER_SECOND }, (_, k) => {
    movePerson(pose, k / FRAMES_PER_SECOND);
    solveIk(ik, pose);
    forwardKinematics(state, pose);
    const hips = (['left', 'right'] as const).map((side) =>
      rigid.toPosition(boneFrame(PERSON, state.worldFromBone, `${side}UpperLeg`)),
    );
    const middle = hips[0].map((x, n) => (x + hips[1][n]) / 2);
    const frame = new Float64Array(3 * markers.length);
    markers.forEach(({ point = [0, 0, 0] }, m) => {
      const o = 12 * bones[m];
      const [x, y, z] = rigid.transformPoint(state.worldFromBone.subarray(o, o + 12), point);
      frame.set([x - middle[0], -(y - middle[1]), -(z - middle[2])], 3 * m);
    });
    return frame;
  });
  return { frames };
}

/** What the landmarker would say of a frame: `noise` m along each axis, and this share of the points out of sight. */
export function observe(
  frame: Float64Array,
  noise: number,
  missing: number,
  seed: number,
): MediaPipeLandmark[] {
  const random = randomOf(seed);
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: frame.length / 3 }, (_, m) => ({
    x: frame[3 * m] + noise * gauss(),
    y: frame[3 * m + 1] + noise * gauss(),
    z: frame[3 * m + 2] + noise * gauss(),
    visibility: random() < missing ? 0 : 1,
  }));
}

/** Coordinates of the person at a time, s: see the table of docs/figure.md. */
function movePerson(pose: Float64Array, seconds: number): void {
  const turn = (2 * Math.PI * seconds) / SECONDS;
  const set = (bone: string, ...values: number[]) => {
    pose.set(values, PERSON.bones[boneIndex(PERSON, bone)].coordinate);
  };
  const lift = 0.5 - 0.5 * Math.cos(2 * turn);
  const knees = Math.max(0, Math.sin(2 * turn - 1.2)) ** 2;
  const wave = Math.max(0, Math.sin(turn)) ** 2;
  set('hips', 0.05 * Math.sin(2 * turn), -0.24 * knees - 0.01, -0.05 * knees);
  set('spine', 0.12 * knees, 0.05 * Math.sin(2 * turn), 0.08 * Math.sin(turn));
  set('chest', 0.1 * knees, 0, 0.16 * Math.sin(turn));
  set('neck', 0, 0, 0.2 * Math.sin(turn + 0.6));
  set('head', 0.1 * Math.sin(3 * turn), 0, 0.35 * Math.sin(turn + 0.6));
  set('leftUpperArm', 0.35, -1.15 + 1.5 * lift, 0.2);
  set('rightUpperArm', 0.35, -(-1.15 + 1.5 * lift * (1 - wave) + 1.3 * wave), -0.2);
  set('leftLowerArm', 0.35 + 0.5 * (1 - lift));
  set('rightLowerArm', 0.4 + wave * (0.9 + 0.5 * Math.sin(8 * turn)));
  for (const side of ['left', 'right']) set(`${side}LowerLeg`, 0.1 + 1.2 * knees);
}

function boneFrame(figure: Figure, frames: Float64Array, bone: string): Float64Array {
  const o = 12 * boneIndex(figure, bone);
  return frames.subarray(o, o + 12);
}

/** Numbers in [0, 1): mulberry32. */
function randomOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
