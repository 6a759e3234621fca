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

/** Height of the ball of the foot (the toe joint, the last point of contact) over the sole, m. */
export const BALL = 0.021;
/** From the heel's edge on the sole to the ball: up and forward, m. */
const HEEL_TO_BALL = { y: BALL, z: 0.18 };

/** Period of two steps, s, and the stance fraction of it. */
const ROUND = 1.15;
const STANCE = 0.6;
const STRIDE = 0.58;
/** Distance of the ball ahead of the hips at mid-stance, m. */
const AHEAD = 0.07;
/** Toe-up angle at heel strike and heel-up angle at toe-off, rad; fractions of the stance at which the sole becomes flat and ceases to be. */
const STRIKE = -0.16;
const PUSH = 0.65;
const FLAT_FROM = 0.14;
const FLAT_UNTIL = 0.4;
/** Lift of a foot, and height of the hips relative to standing straight, m. */
const LIFT = 0.055;
const HIPS = -0.012;
/** Walking speed of the clip, m/s. */
export const WALKING_SPEED = STRIDE / (STANCE * ROUND);

const KEYS = 46;
const MOVED = [
  'hips',
  ...['left', 'right'].flatMap((side) => [`${side}UpperLeg`, `${side}LowerLeg`, `${side}Foot`]),
];

/** A foot of the walk: the ball's position forward of the hips and over the floor, m, the heel's rise and the toe flexion, rad. */
interface Step {
  readonly z: number;
  readonly y: number;
  readonly pitch: number;
  readonly toes: number;
}

function footAt(phase: number): Step {
  const p = phase - Math.floor(phase);
  if (p < STANCE) return standing(p / STANCE);
  const s = (p - STANCE) / (1 - STANCE);
  const [from, to] = [standing(1), standing(0)];
  // Lift-off and landing match the floor's velocity, and the heel continues to rise, so that the velocity is continuous.
  const share = (1 - STANCE) / STANCE;
  const speed = -STRIDE * share;
  const rise = (2 * PUSH * share) / (1 - FLAT_UNTIL);
  return {
    z: hermite(s, from.z, speed, to.z, speed),
    y: from.y + (to.y - from.y) * eased(s) + LIFT * Math.sin(Math.PI * s) ** 1.5,
    pitch: hermite(s, from.pitch, rise, to.pitch, 0),
    toes: from.toes * (1 - eased(Math.min(1, 2.5 * s))),
  };
}

/** Stance at fraction `share`: heel strike, flat, roll over the ball. The toes stay flat while the heel rises. */
function standing(share: number): Step {
  const z = AHEAD + STRIDE * (0.5 - share);
  if (share < FLAT_FROM) {
    const pitch = STRIKE * (1 - eased(share / FLAT_FROM));
    const { y, z: forward } = HEEL_TO_BALL;
    return {
      z: z - forward + y * Math.sin(pitch) + forward * Math.cos(pitch),
      y: y * Math.cos(pitch) - forward * Math.sin(pitch),
      pitch,
      toes: 0,
    };
  }
  const pitch = PUSH * Math.max(0, (share - FLAT_UNTIL) / (1 - FLAT_UNTIL)) ** 2;
  return { z, y: BALL, pitch, toes: pitch };
}

const eased = (s: number): number => s * s * (3 - 2 * s);

/** Cubic Hermite interpolation from a to b with derivatives u and v. */
function hermite(s: number, a: number, u: number, b: number, v: number): number {
  return a + s * (u + s * (3 * (b - a) - 2 * u - v + s * (2 * (a - b) + u + v)));
}

/** A walk on the spot, like a clip from a file: computed here by the solver, key by key, and played by a mixer. */
export function walkingClip({ figure, root, bones }: Character): AnimationClip {
  const binding = bindFigure(figure, root);
  const pose = createPose(figure);
  const hips = figure.bones[boneIndex(figure, 'hips')].coordinate;
  const feet = (['left', 'right'] as const).map((side) => ({
    side,
    target: [0, 0, 0],
    rotation: [0, 0, 0, 1],
  }));
  const goals = feet.flatMap(({ side, target, rotation }): Goal[] => [
    // The toe joint is the ball of the foot.
    { type: 'position', bone: `${side}Toes`, target },
    { type: 'orientation', bone: `${side}Foot`, target: rotation },
  ]);
  const ik = createIk(figure, goals, { locked: ['hips'], restarts: 0 });
  const times = Array.from({ length: KEYS + 1 }, (_, k) => (k / KEYS) * ROUND);
  const rotations = new Map<string, number[]>(MOVED.map((name) => [name, []]));
  const positions: number[] = [];
  const rest = bones.hips.position.toArray();
  for (let k = 0; k <= KEYS; k++) {
    const phase = k / KEYS;
    const sway = Math.sin(2 * Math.PI * (phase - 0.05));
    pose[hips] = 0.018 * sway;
    pose[hips + 1] = HIPS + 0.014 * Math.cos(4 * Math.PI * (phase - 0.3));
    pose[hips + 4] = -0.09 * Math.cos(2 * Math.PI * phase);
    feet.forEach(({ side, target, rotation }, n) => {
      const { z, y, pitch } = footAt(phase + 0.5 * n);
      const x = side === 'left' ? 0.075 : -0.075;
      target.splice(0, 3, x, y, z);
      rotation.splice(0, 4, Math.sin(pitch / 2), 0, 0, Math.cos(pitch / 2));
    });
    // Starts with a bent knee, so that it bends in the right direction.
    for (const { side } of feet) pose[figure.bones[boneIndex(figure, `${side}LowerLeg`)].coordinate] += 0.05;
    solveIk(ik, pose);
    binding.writePose(pose);
    for (const [name, list] of rotations) list.push(...bones[name].quaternion.toArray());
    positions.push(...bones.hips.position.toArray());
  }
  binding.writePose(createPose(figure));
  const tracks: KeyframeTrack[] = [new VectorKeyframeTrack('hips.position', times, positions)];
  for (const [name, list] of rotations)
    tracks.push(new QuaternionKeyframeTrack(`${name}.quaternion`, times, list));
  tracks.push(...toes(times), ...upperBody(times));
  bones.hips.position.fromArray(rest);
  return new AnimationClip('walk', ROUND, tracks);
}

/** Toes that stay flat on the floor while the heel rises. */
function toes(times: number[]): KeyframeTrack[] {
  return ['left', 'right'].map((side, n) => {
    const bends = times.map((time) => footAt(time / ROUND + 0.5 * n).toes);
    const values = bends.flatMap((bend) => [Math.sin(-bend / 2), 0, 0, Math.cos(bend / 2)]);
    return new QuaternionKeyframeTrack(`${side}Toes.quaternion`, times, values);
  });
}

/** Arms in opposite phase to the legs, chest counter-rotating to the hips. */
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
