/**
 * Synthesised output of a pose landmarker in MediaPipe's axes: x to the right of the image, y down, z away from the camera, m,
 * origin between the hips. The body is moved by code, without images and without MediaPipe.
 */
import { boneIndex, createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { bodyLandmarks, createIk, type MediaPipeLandmark, solveIk } from 'poise/ik';
import { rigid } from 'poise/math';

/** One frame: landmarks in MediaPipe's order; null without a person. */
export type Frame = readonly (MediaPipeLandmark | null)[] | null;

export interface Recording {
  readonly name: string;
  readonly frames: readonly Frame[];
  readonly framesPerSecond: number;
}

const FRAMES_PER_SECOND = 30;
const SECONDS = 8;

/** The person is smaller than the character that copies it. */
const PERSON = /* @__PURE__ */ createHumanFigure({ height: 1.62 });

/** A loop of eight seconds without noise: raising arms, waving, bending knees, turning the head. */
export function synthesise(): Recording {
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
  const frames = Array.from({ length: SECONDS * FRAMES_PER_SECOND }, (_, k): Frame => {
    movePerson(pose, k / FRAMES_PER_SECOND);
    solveIk(ik, pose);
    forwardKinematics(state, pose);
    const hips = (['left', 'right'] as const).map((side) =>
      rigid.toPosition(boneFrame(PERSON, state.worldFromBone, `${side}UpperLeg`)),
    );
    const middle = hips[0].map((x, n) => (x + hips[1][n]) / 2);
    return markers.map(({ point = [0, 0, 0] }, m) => {
      const o = 12 * bones[m];
      const [x, y, z] = rigid.transformPoint(state.worldFromBone.subarray(o, o + 12), point);
      return { x: x - middle[0], y: middle[1] - y, z: middle[2] - z, visibility: 1 };
    });
  });
  return { name: 'synthesised', frames, framesPerSecond: FRAMES_PER_SECOND };
}

/** Distance of the camera from the hips, m, and ratio of depth noise to image noise. */
const CAMERA_DISTANCE = 2.6;
const DEPTH_NOISE = 2;

/**
 * A frame through a camera: normal noise of `noise` m perpendicular to each point's line of sight and twice that along it, and this
 * fraction of the points missing. Deterministic by seed.
 */
export function observe(frame: Frame, noise: number, missing: number, seed: number): Frame {
  if (frame === null || (noise === 0 && missing === 0)) return frame;
  const random = randomOf(seed);
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return frame.map((landmark) => {
    const [a, b, c] = [gauss(), gauss(), gauss()];
    const isMissed = random() < missing;
    if (landmark === null || isMissed) return null;
    // The camera is at [0, 0, -CAMERA_DISTANCE] and looks along +z.
    const { x, y, z } = landmark;
    const [sx, sy, sz] = [x, y, z + CAMERA_DISTANCE];
    const length = Math.hypot(sx, sy, sz);
    // Isotropic noise plus (DEPTH_NOISE - 1) times as much along the line of sight.
    const along = ((DEPTH_NOISE - 1) * noise * c) / length;
    const off = [a, b, c].map((value) => noise * value);
    return {
      ...landmark,
      x: x + off[0] + along * sx,
      y: y + off[1] + along * sy,
      z: z + off[2] + along * sz,
    };
  });
}

/** Pose of the person at a time, s: see the table of docs/figure.md. */
function movePerson(pose: Float64Array, seconds: number): void {
  const phase = (2 * Math.PI * seconds) / SECONDS;
  const set = (bone: string, ...values: number[]) => {
    pose.set(values, PERSON.bones[boneIndex(PERSON, bone)].coordinate);
  };
  const lift = 0.5 - 0.5 * Math.cos(2 * phase);
  const knees = Math.max(0, Math.sin(2 * phase - 1.2)) ** 2;
  const wave = Math.max(0, Math.sin(phase)) ** 2;
  set('hips', 0.05 * Math.sin(2 * phase), -0.24 * knees - 0.01, -0.05 * knees);
  set('spine', 0.12 * knees, 0.05 * Math.sin(2 * phase), 0.08 * Math.sin(phase));
  set('chest', 0.1 * knees, 0, 0.16 * Math.sin(phase));
  set('neck', 0, 0, 0.2 * Math.sin(phase + 0.6));
  set('head', 0.1 * Math.sin(3 * phase), 0, 0.35 * Math.sin(phase + 0.6));
  set('leftUpperArm', 0.35, -1.15 + 1.5 * lift, 0.2);
  set('rightUpperArm', 0.35, -(-1.15 + 1.5 * lift * (1 - wave) + 1.3 * wave), -0.2);
  set('leftLowerArm', 0.35 + 0.5 * (1 - lift));
  set('rightLowerArm', 0.4 + wave * (0.9 + 0.5 * Math.sin(8 * phase)));
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
