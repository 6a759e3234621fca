/** Motions that are found from nothing but where the feet are: jumps and a backflip of the built-in human. */
import { createState, type Figure, forwardKinematics, type Triple } from 'poise/figure';
import { createIk, type Goal, solveIk } from 'poise/ik';
import { type Numbers, rigid } from 'poise/math';
import { createMotion, type Motion } from 'poise/motion';
import type { SpacetimeData, SpacetimeTerm } from 'poise/spacetime';
import type { Character } from '../character/character.js';

export type PresetId = 'jump' | 'over-box' | 'backflip';

export interface Preset {
  readonly id: PresetId;
  readonly label: string;
  /** As it begins. */
  readonly says: string;
}

export const PRESETS: readonly Preset[] = [
  { id: 'jump', label: 'Jump', says: 'On the spot, in some ten seconds.' },
  { id: 'over-box', label: 'Jump over a box', says: 'Forwards over a box, in half a minute.' },
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
const OVER_BOX: Jump = { heelsLeave: 0.5, toesLeave: 0.65, toesLand: 1.15, heelsLand: 1.2, end: 1.9 };
const BACKFLIP: Jump = { heelsLeave: 0.6, toesLeave: 0.75, toesLand: 1.45, heelsLand: 1.55, end: 2.3 };
const JUMPS: Readonly<Record<PresetId, Jump>> = { jump: JUMP, 'over-box': OVER_BOX, backflip: BACKFLIP };
/** Knots a second. */
const RATES: Readonly<Record<PresetId, number>> = { jump: 16, 'over-box': 16, backflip: 20 };
/** The box that is jumped over: its sizes, how far its middle is ahead, how far ahead the feet land, and the gap that is kept, m. */
const BOX = { width: 0.7, height: 0.28, depth: 0.22, ahead: 0.5, lands: 1, gap: 0.03 } as const;
/** How high hips are thought to be in the air over it, m. */
const OVER = 0.3;
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
  const jump = JUMPS[id];
  const scale = size / STATURE;
  const stand = stance(figure, scale);
  const { moved, reference, own } = ways(id, figure, stand, scale);
  return {
    duration: jump.end,
    intervals: Math.round(RATES[id] * jump.end),
    reference,
    locked: LOCKED,
    terms: [
      { type: 'pose', name: 'stands', at: 0 },
      { type: 'velocity', name: 'at rest', at: 0 },
      { type: 'pose', name: 'stands again', at: jump.end },
      { type: 'velocity', name: 'at rest again', at: jump.end },
      ...feetOf(figure, contacts?.soles ?? new Map(), jump, stand, moved),
      { type: 'physics' },
      ...own,
      { type: 'effort', weight: 1e-3 },
      { type: 'smoothness', weight: 1e-3 },
    ],
  };
}

/** The box in front of a figure, world, m: the size of its edges and its middle; undefined where none is jumped over. */
export function boxOf(
  id: PresetId | undefined,
  { size }: Pick<Character, 'size'>,
): { readonly size: Triple; readonly position: Triple } | undefined {
  return id === 'over-box' ? boxAt(size / STATURE) : undefined;
}

function boxAt(scale: number): { readonly size: Triple; readonly position: Triple } {
  const { width, height, depth, ahead } = BOX;
  return {
    size: [scale * width, scale * height, scale * depth],
    position: [0, 0.5 * scale * height, scale * ahead],
  };
}

/** How far along z it lands, what it is thought to be, and what else must hold. */
function ways(
  id: PresetId,
  figure: Figure,
  stand: Float64Array,
  scale: number,
): {
  readonly moved: number;
  readonly reference: Motion | Float64Array;
  readonly own: readonly SpacetimeTerm[];
} {
  const jump = JUMPS[id];
  switch (id) {
    case 'jump':
      return { moved: 0, reference: stand, own: [] };
    case 'over-box': {
      const moved = BOX.lands * scale;
      return {
        moved,
        reference: leap(figure, stand, jump, { turns: 0, moved, up: OVER * scale }),
        own: [overBox(scale, [jump.heelsLeave, jump.heelsLand]), tucked(jump, 0.1)],
      };
    }
    case 'backflip': {
      const moved = -BACK * scale;
      return {
        moved,
        reference: leap(figure, stand, jump, { turns: -1, moved, up: UP * scale }),
        own: [tucked(jump, 0.15)],
      };
    }
  }
}

/** Legs are drawn up side by side in the air. @param after - The feet leave, and before they land, s. */
function tucked({ toesLeave, toesLand }: Jump, after: number): SpacetimeTerm {
  return {
    type: 'tracking',
    name: 'tuck',
    weight: 20,
    bones: { leftUpperLeg: 1, leftLowerLeg: 1, rightUpperLeg: 1, rightLowerLeg: 1 },
    over: [toesLeave + after, toesLand - after],
  };
}

/** Feet and shins keep clear of the box. */
function overBox(scale: number, over: readonly [number, number]): SpacetimeTerm {
  const { size, position } = boxAt(scale);
  const at = (x: number, y: number, z: number): Triple => [scale * x, scale * y, scale * z];
  return {
    type: 'clearance',
    name: 'box',
    distance: BOX.gap * scale,
    over,
    shapes: ['left', 'right'].flatMap((side) => [
      {
        bone: `${side}Foot`,
        type: 'capsule' as const,
        from: at(0, -0.04, -0.02),
        to: at(0, -0.05, 0.17),
        radius: 0.035 * scale,
      },
      {
        bone: `${side}LowerLeg`,
        type: 'capsule' as const,
        from: at(0, 0, 0),
        to: at(0, -0.4, 0),
        radius: 0.05 * scale,
      },
    ]),
    world: [
      { type: 'box', halfSizes: [0.5 * size[0], 0.5 * size[1], 0.5 * size[2]], placement: { position } },
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

/** The first thought of a leap: stands, goes through the air tucked, by so many turns about x, and stands where it lands. */
function leap(
  figure: Figure,
  stance: Float64Array,
  jump: Jump,
  { turns, moved, up: top }: { readonly turns: number; readonly moved: number; readonly up: number },
): Motion {
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
  const at = (pose: Float64Array, share: number, up: number): Float64Array => {
    const found = pose.slice();
    found[root + 1] += up;
    found[root + 2] += share * moved;
    found[root + 3] += 2 * Math.PI * turns * share;
    return found;
  };
  const { toesLeave, toesLand, end } = jump;
  const air = toesLand - toesLeave;
  const keys: (readonly [number, Float64Array])[] = [
    [0, stand],
    [toesLeave - 0.05, at(stand, 0, 0)],
    [toesLeave + 0.25 * air, at(tuck, 0.2, 0.75 * top)],
    [toesLeave + 0.5 * air, at(tuck, 0.5, top)],
    [toesLeave + 0.75 * air, at(tuck, 0.8, 0.75 * top)],
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
