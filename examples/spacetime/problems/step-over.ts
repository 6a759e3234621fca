import { bindFigure } from '@poise/three';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createMotion, createMotionSampler, type Motion, samplePose } from 'poise/motion';
import type { SpacetimeTerm } from 'poise/spacetime';
import { AnimationMixer } from 'three';
import { BALL, WALKING_SPEED, walkingClip } from '../../foot-planting/walk.js';
import { createCharacter } from '../../shared/character.js';
import type { SpacetimeExample } from './example.js';

/** Period of two steps, s, the stance fraction of it, and the fractions of the stance in which the ball is in contact. */
const ROUND = 1.15;
const STANCE = 0.6;
const BALL_FROM = 0.16;
const BALL_TO = 0.96;
const ROUNDS = 2;
const KEYS = 60;
/**
 * The obstacle: a log half sunk in the floor, world, m. Round, so that its surface normal points up: the normal of a box as thin as a board
 * jumps between forwards and backwards, and the clearance gradient then gives no descent direction.
 */
const log = { from: [-0.45, 0.02, 1.04], to: [0.45, 0.02, 1.04], radius: 0.11 } as const;

/**
 * A walk clip is changed as little as possible to step over a log, with planted feet. Forces are not
 * modelled: feet are planted by goals, not by contacts.
 *
 * @param intervals - Knot intervals.
 */
export function stepOver(intervals = 40): SpacetimeExample {
  const { figure, clip } = walk();
  const duration = ROUNDS * ROUND;
  return {
    name: 'step-over',
    title: 'Walk over a log',
    figure,
    about: 'A clip of a walk is changed as little as need be to step over a log; feet that stand stay.',
    options: { tolerance: 1e-6, gain: 1e-4 },
    traced: 'leftFoot',
    view: { yaw: 90, apart: 1.05, height: 1.9, middle: 'hips' },
    logs: [log],
    data: {
      duration,
      intervals,
      reference: clip,
      unknowns: 'displacement',

      // Arms and head track the clip.
      locked: [
        'neck',
        'head',
        ...['Shoulder', 'UpperArm', 'LowerArm', 'Hand'].flatMap((text) => [`left${text}`, `right${text}`]),
      ],
      terms: [
        ...['left', 'right'].flatMap((side, n) => standing(figure, clip, side, n / 2)),
        {
          type: 'clearance',
          name: 'log',
          distance: 0.02,
          // While a foot is near the log.
          over: [0.5, 1.85],
          shapes: ['left', 'right'].flatMap((side) => [
            {
              bone: `${side}Foot`,
              type: 'capsule',
              from: [0, -0.04, -0.02],
              to: [0, -0.04, 0.12],
              radius: 0.035,
            },
            { bone: `${side}Toes`, type: 'capsule', from: [0, 0, 0], to: [0, 0, 0.05], radius: 0.022 },
            { bone: `${side}LowerLeg`, type: 'capsule', from: [0, 0, 0], to: [0, -0.4, 0], radius: 0.05 },
          ]),
          world: [{ type: 'capsule', ...log }],
        },
        { type: 'tracking', weight: 1 },
        { type: 'smoothness', weight: 1e-3 },
      ],
    },
  };
}

/** The ball of a foot (the toe joint) stays at the clip's mid-stance position during each stance. */
function standing(figure: Figure, clip: Motion, side: string, phase: number): SpacetimeTerm[] {
  const found: SpacetimeTerm[] = [];
  const state = createState(figure);
  const sampler = createMotionSampler(figure, clip);
  const pose = createPose(figure);
  const bone = `${side}Toes`;
  const o = 12 * figure.bones.findIndex(({ name }) => name === bone) + 9;
  for (let k = -1; k <= ROUNDS; k++) {
    const start = (k - phase) * ROUND;
    const from = Math.max(0, start + BALL_FROM * STANCE * ROUND);
    const to = Math.min(clip.end, start + BALL_TO * STANCE * ROUND);
    if (to - from < 0.1) continue;
    samplePose(sampler, 0.5 * (from + to), pose);
    forwardKinematics(state, pose);
    const [x, , z] = state.worldFromBone.slice(o, o + 3);
    const goal = { type: 'position', bone, target: [x, BALL, z] } as const;
    const flat = { type: 'orientation', bone, target: [0, 0, 0, 1] } as const;
    found.push({ type: 'goal', name: `${side} foot stands`, goal, at: [from, to] });
    found.push({ type: 'goal', name: `${side} toes flat`, goal: flat, at: [from, to], weight: 20 });
  }
  return found;
}

/** The walk of the foot planting example, going forwards along z. */
function walk(): { readonly figure: Figure; readonly clip: Motion } {
  const character = createCharacter();
  const { figure, root } = character;
  const mixer = new AnimationMixer(root);
  mixer.clipAction(walkingClip(character)).play();
  const binding = bindFigure(figure, root);
  const times: number[] = [];
  const values: number[] = [];
  const forward = figure.bones[0].coordinate + 2;
  for (let k = 0; k <= KEYS * ROUNDS; k++) {
    const time = (k / KEYS) * ROUND;
    mixer.setTime(time);
    const pose = createPose(figure);
    binding.readPose(pose);
    pose[forward] += WALKING_SPEED * time;
    times.push(time);
    values.push(...pose);
  }
  return {
    figure,
    clip: createMotion(figure, { name: 'walk', tracks: [{ coordinate: 0, keys: { times, values } }] }),
  };
}
