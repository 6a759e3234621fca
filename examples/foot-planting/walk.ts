import { bindFigure } from '@poise/three';
import { boneIndex, createPose } from 'poise/figure';
import { createIk, type Goal, solveIk } from 'poise/ik';
import {
  AnimationClip,
  Euler,
  type KeyframeTrack,
  Quaternion,
  QuaternionKeyframeTrack,
  VectorKeyframeTrack,
} from 'three';
import type { Character } from '../shared/character.js';

/** Height of an ankle over the sole, m. */
export const ANKLE = 0.068;

/** Seconds of a round of two steps, and the share of it that a foot stands. */
const ROUND = 1.15;
const STANCE = 0.6;
const STRIDE = 0.62;
/** How fast the clip walks, m/s. */
export const WALKING_SPEED = STRIDE / (STANCE * ROUND);

const KEYS = 46;
const MOVED = [
  'hips',
  'leftUpperLeg',
  'leftLowerLeg',
  'leftFoot',
  'rightUpperLeg',
  'rightLowerLeg',
  'rightFoot',
];

/** An ankle of the walk on flat ground, seen from the hips' place: forward, height and pitch. */
function footAt(phase: number): { z: number; y: number; pitch: number } {
  const p = phase - Math.floor(phase);
  if (p < STANCE) return { z: STRIDE * (0.5 - p / STANCE), y: ANKLE, pitch: 0 };
  const s = (p - STANCE) / (1 - STANCE);
  const eased = s * s * (3 - 2 * s);
  return {
    z: STRIDE * (eased - 0.5),
    y: ANKLE + 0.13 * Math.sin(Math.PI * s) ** 1.5,
    pitch: 0.55 * Math.sin(Math.PI * s) * (1 - 1.6 * s),
  };
}

/** A walk on the spot as a file would have it: made here with the solver, key by key, and played by a mixer like any other. */
export function walkingClip({ figure, root, bones }: Character): AnimationClip {
  const binding = bindFigure(figure, root);
  const pose = createPose(figure);
  const hips = figure.bones[boneIndex(figure, 'hips')].coordinate;
  const feet = (['left', 'right'] as const).map((side) => ({ side, target: [0, 0, 0], turn: [0, 0, 0, 1] }));
  const goals = feet.flatMap(({ side, target, turn }): Goal[] => [
    { type: 'position', bone: `${side}Foot`, target },
    { type: 'orientation', bone: `${side}Foot`, target: turn },
  ]);
  const ik = createIk(figure, goals, { locked: ['hips'], restarts: 0 });
  const times = Array.from({ length: KEYS + 1 }, (_, k) => (k / KEYS) * ROUND);
  const turns = new Map<string, number[]>(MOVED.map((name) => [name, []]));
  const places: number[] = [];
  const rest = bones.hips.position.toArray();
  for (let k = 0; k <= KEYS; k++) {
    const phase = k / KEYS;
    const sway = Math.sin(2 * Math.PI * (phase - 0.05));
    pose[hips] = 0.018 * sway;
    pose[hips + 1] = -0.05 + 0.014 * Math.cos(4 * Math.PI * (phase - 0.3));
    pose[hips + 4] = -0.09 * Math.cos(2 * Math.PI * phase);
    feet.forEach(({ side, target, turn }, n) => {
      const { z, y, pitch } = footAt(phase + 0.5 * n);
      const x = side === 'left' ? 0.075 : -0.075;
      target.splice(0, 3, x, y, z);
      turn.splice(0, 4, Math.sin(pitch / 2), 0, 0, Math.cos(pitch / 2));
    });
    // From a soft knee, so that it bends the way knees do.
    for (const { side } of feet) pose[figure.bones[boneIndex(figure, `${side}LowerLeg`)].coordinate] += 0.05;
    solveIk(ik, pose);
    binding.writePose(pose);
    for (const [name, list] of turns) list.push(...bones[name].quaternion.toArray());
    places.push(...bones.hips.position.toArray());
  }
  binding.writePose(createPose(figure));
  const tracks: KeyframeTrack[] = [new VectorKeyframeTrack('hips.position', times, places)];
  for (const [name, list] of turns)
    tracks.push(new QuaternionKeyframeTrack(`${name}.quaternion`, times, list));
  tracks.push(...upperBody(times));
  bones.hips.position.fromArray(rest);
  return new AnimationClip('walk', ROUND, tracks);
}

/** Arms that swing against the legs, and a chest that turns against the hips. */
function upperBody(times: number[]): KeyframeTrack[] {
  const track = (bone: string, angles: (phase: number) => Quaternion) =>
    new QuaternionKeyframeTrack(
      `${bone}.quaternion`,
      times,
      times.flatMap((time) => angles(time / ROUND).toArray()),
    );
  const wave = (phase: number, side: number) => side * Math.cos(2 * Math.PI * phase);
  const euler = (x: number, y: number, z: number) => new Quaternion().setFromEuler(new Euler(x, y, z));
  return [
    track('spine', (phase) => euler(0.03, 0.06 * Math.cos(2 * Math.PI * phase), 0)),
    track('chest', (phase) => euler(0.01, 0.09 * Math.cos(2 * Math.PI * phase), 0)),
    ...[1, -1].flatMap((side) => {
      const name = side === 1 ? 'left' : 'right';
      return [
        track(`${name}UpperArm`, (phase) =>
          euler(0.42 * wave(phase, side), 0, 0).multiply(euler(0, 0, -1.28 * side)),
        ),
        track(`${name}LowerArm`, (phase) => euler(0, -side * (0.42 - 0.2 * wave(phase, side)), 0)),
      ];
    }),
  ];
}
