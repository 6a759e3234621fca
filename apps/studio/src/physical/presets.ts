/** Motions that are found from nothing but where the feet are: a jump and a backflip of the built-in human. */
import { createState, type Figure, forwardKinematics, type Triple } from 'poise/figure';
import { createIk, type Goal, solveIk } from 'poise/ik';
import { type Numbers, rigid } from 'poise/math';
import { createMotion, type Motion } from 'poise/motion';
import type { SpacetimeData, SpacetimeTerm } from 'poise/spacetime';
import type { Character } from '../character/character.js';

export type PresetId = 'jump' | 'backflip';

export interface Preset {
  readonly id: PresetId;
  readonly label: string;
  /** As it begins. */
  readonly says: string;
}

export const PRESETS: readonly Preset[] = [
  { id: 'jump', label: 'Jump', says: 'On the spot, in some ten seconds.' },
  { id: 'backflip', label: 'Backflip', says: 'Backwards, in about a minute.' },
];

/** When feet leave the floor and come down, s. */
interface Jump {
  readonly heelsLeave: number;
  readonly toesLeave: number;
  readonly toesLand: number;
  readonly heelsLand: number;
  readonly end: number;
}

const JUMP: Jump = { heelsLeave: 0.5, toesLeave: 0.65, toesLand: 1.05, heelsLand: 1.15, end: 1.7 };
const BACKFLIP: Jump = { heelsLeave: 0.6, toesLeave: 0.75, toesLand: 1.45, heelsLand: 1.55, end: 2.3 };
/** Knots a second. */
const RATES: Readonly<Record<PresetId, number>> = { jump: 16, backflip: 20 };
/** Stature that lengths are for, m. */
const STATURE = 1.75;
/** How far a backflip lands behind, and how high the hips are thought to be in it, m. */
const BACK = 0.35;
const UP = 0.55;
/** What the motion is found without, in half the time. */
const LOCKED = [
  ...['Toes', 'Hand', 'Shoulder'].flatMap((name) => [`left${name}`, `right${name}`]),
  'neck',
  'chest',
];
const LEAN = 0.2;
const CROUCH = 0.08;

/** Whether a character has presets: their poses are those of the built-in human. */
export function hasPresets({ source }: Pick<Character, 'source'>): boolean {
  return source.type === 'human';
}

/** The problem of a preset. */
export function presetProblem(id: PresetId, { figure, contacts, size }: Character): SpacetimeData {
  const jump = id === 'jump' ? JUMP : BACKFLIP;
  const scale = size / STATURE;
  const stand = stance(figure, scale);
  const moved = id === 'jump' ? 0 : -BACK * scale;
  const tuck: readonly SpacetimeTerm[] =
    id === 'jump'
      ? []
      : [
          {
            type: 'tracking',
            name: 'tuck',
            weight: 20,
            bones: { leftUpperLeg: 1, leftLowerLeg: 1, rightUpperLeg: 1, rightLowerLeg: 1 },
            over: [jump.toesLeave + 0.15, jump.toesLand - 0.15],
          },
        ];
  return {
    duration: jump.end,
    intervals: Math.round(RATES[id] * jump.end),
    reference: id === 'jump' ? stand : somersault(figure, stand, jump, scale),
    locked: LOCKED,
    terms: [
      { type: 'pose', name: 'stands', at: 0 },
      { type: 'velocity', name: 'at rest', at: 0 },
      { type: 'pose', name: 'stands again', at: jump.end },
      { type: 'velocity', name: 'at rest again', at: jump.end },
      ...feetOf(figure, contacts?.soles ?? new Map(), jump, stand, moved),
      { type: 'physics' },
      ...tuck,
      { type: 'effort', weight: 1e-3 },
      { type: 'smoothness', weight: 1e-3 },
    ],
  };
}

/** Heels leave first and toes last, and land in reverse order, moved along z. */
function feetOf(
  figure: Figure,
  soles: ReadonlyMap<number, readonly Numbers[]>,
  jump: Jump,
  pose: Float64Array,
  moved: number,
): SpacetimeTerm[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return [...soles].flatMap(([bone, corners]) => {
    const [heel, heelRight, left, right] = corners.map(triple);
    const frame = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
    const term = (points: readonly Triple[], over: readonly [number, number], by: number): SpacetimeTerm => ({
      type: 'contact',
      bone: figure.bones[bone].name,
      points,
      over,
      positions: points.map((point): Triple => {
        const [x, , z] = rigid.transformPoint(frame, point);
        return [x, 0, z + by];
      }),
    });
    // Three points carry a foot.
    const heels = [triple(heel.map((x, k) => 0.5 * (x + heelRight[k])))];
    const toes = [left, right];
    return [
      term(heels, [0, jump.heelsLeave], 0),
      term(toes, [0, jump.toesLeave], 0),
      term(toes, [jump.toesLand, jump.end], moved),
      term(heels, [jump.heelsLand, jump.end], moved),
    ];
  });
}

function triple({ 0: x, 1: y, 2: z }: Numbers): Triple {
  return [x, y, z];
}

/** Knees soft, arms down, the centre of mass over the feet. */
function stance(figure: Figure, scale: number): Float64Array {
  const state = createState(figure);
  const guess = new Float64Array(figure.dof);
  forwardKinematics(state, guess);
  const at = (name: string): Triple => {
    const o = 12 * boneOf(figure, name).index + 9;
    return triple(state.worldFromBone.subarray(o, o + 3));
  };
  for (const side of ['left', 'right']) {
    guess[boneOf(figure, `${side}UpperArm`).coordinate + 1] = -1.15;
    guess[boneOf(figure, `${side}LowerArm`).coordinate] = 0.35;
    guess[boneOf(figure, `${side}UpperLeg`).coordinate] = 0.4;
    guess[boneOf(figure, `${side}LowerLeg`).coordinate] = 0.8;
    guess[boneOf(figure, `${side}Foot`).coordinate] = 0.4;
  }
  const goals: Goal[] = [
    ...['leftFoot', 'rightFoot'].flatMap((bone): Goal[] => [
      { type: 'position', bone, target: at(bone) },
      { type: 'orientation', bone, target: [0, 0, 0, 1] },
    ]),
    { type: 'position', bone: 'hips', target: [0, at('hips')[1] - CROUCH * scale, 0], mask: [0, 1, 0] },
    { type: 'orientation', bone: 'upperChest', target: [Math.sin(LEAN / 2), 0, 0, Math.cos(LEAN / 2)] },
    { type: 'center-of-mass', target: [0, 1, 0.05 * scale], mask: [1, 0, 1] },
    { type: 'posture', reference: guess, priority: 2 },
  ];
  const found = guess.slice();
  solveIk(createIk(figure, goals), found);
  return found;
}

/** The first thought of a backflip: stands, turns over by -2 pi about x, tucked, and stands behind. */
function somersault(figure: Figure, stance: Float64Array, jump: Jump, scale: number): Motion {
  const root = boneOf(figure, 'hips').coordinate;
  const stand = stance.slice();
  const tuck = stance.slice();
  for (const side of ['left', 'right']) {
    tuck[boneOf(figure, `${side}UpperLeg`).coordinate] = 1.9;
    tuck[boneOf(figure, `${side}LowerLeg`).coordinate] = 2.1;
    tuck[boneOf(figure, `${side}Foot`).coordinate] = 0;
  }
  // It leans about x alone up to rounding, so that multiples of 2 pi stay about x.
  for (const pose of [stand, tuck]) pose.fill(0, root + 4, root + 6);
  const at = (pose: Float64Array, revolutions: number, up: number): Float64Array => {
    const found = pose.slice();
    found[root + 1] += up * scale;
    found[root + 2] -= revolutions * BACK * scale;
    found[root + 3] -= 2 * Math.PI * revolutions;
    return found;
  };
  const { toesLeave, toesLand, end } = jump;
  const air = toesLand - toesLeave;
  const keys: (readonly [number, Float64Array])[] = [
    [0, stand],
    [toesLeave - 0.05, at(stand, 0, 0)],
    [toesLeave + 0.25 * air, at(tuck, 0.2, 0.75 * UP)],
    [toesLeave + 0.5 * air, at(tuck, 0.5, UP)],
    [toesLeave + 0.75 * air, at(tuck, 0.8, 0.75 * UP)],
    [toesLand + 0.05, at(stand, 1, 0)],
    [end, at(stand, 1, 0)],
  ];
  const times = keys.map(([time]) => time);
  const values = keys.flatMap(([, pose]) => Array.from(pose));
  return createMotion(figure, { tracks: [{ coordinate: 0, keys: { times, values } }] });
}

function boneOf({ bones }: Figure, name: string) {
  const bone = bones.find((each) => each.name === name);
  if (bone === undefined) throw new Error(`the built-in human has no ${name}`);
  return bone;
}
