import type { Figure } from '../../src/figure/index.js';
import type { Goal } from '../../src/ik/goals/types/goal.js';
import type { SpacetimeTerm } from '../../src/spacetime/types/data.js';
import { direction, within } from '../figure/support.js';
import { DURATION, type Form } from './support-problems.js';

type Random = () => number;
type Triple = [number, number, number];

/** Terms of every type and variant, over a figure whose bones are named by numbers. */
export type Group = (figure: Figure, random: Random, form: Form) => SpacetimeTerm[];

function vector(figure: Figure, random: Random): Float64Array {
  return Float64Array.from({ length: figure.dof }, () => within(random, 1));
}

function place(random: Random): Triple {
  return [within(random, 1), within(random, 1), within(random, 1)];
}

/** Pose, velocity, acceleration, tracking, smoothness, speed, duration and periodicity. */
const states: Group = (figure, random, { data: { duration } }) => {
  const free = typeof duration === 'object';
  return [
    { type: 'pose', at: 0.3, pose: vector(figure, random) },
    { type: 'pose', at: [0.5, DURATION], weight: 2, bones: ['bone1', 'bone4'] },
    { type: 'velocity', at: 0 },
    { type: 'velocity', at: [0.2, 0.4], velocity: vector(figure, random), weight: 3 },
    { type: 'acceleration', at: DURATION },
    {
      type: 'acceleration',
      at: 0.44,
      acceleration: vector(figure, random),
      weight: 1,
      bones: ['bone0', 'bone2'],
    },
    { type: 'tracking', weight: 2, over: [0.2, 0.5], bones: { bone0: 1, bone1: 0.5, bone4: 3 } },
    { type: 'smoothness', order: 1, bones: { bone1: 2, bone4: 1 } },
    { type: 'smoothness', over: [0.1, 0.5] },
    ...(free ? ([{ type: 'duration', weight: 3 }] as const) : []),
    ...(free && duration.pieces
      ? []
      : ([{ type: 'smoothness', order: 3, bones: { bone0: 1, bone4: 1 } }] as const)),
    { type: 'speed-limit', limit: 1.5, over: [0.3, 0.6] },
    { type: 'periodic' },
  ];
};

/** Joint forces with contact points at given positions, at those of the reference, or free. */
const forces: Group = (figure) => [
  { type: 'effort', over: [0, 0.2], bones: { bone1: 1, bone2: 3 } },
  { type: 'effort', over: [0.6, 0.8], weight: 2 },
  { type: 'torque-limit', limit: 3, over: [0.3, 0.6] },
  {
    type: 'contact',
    bone: 'bone2',
    points: [
      [0.1, 0, 0],
      [0, 0.2, 0.1],
    ],
    over: [0, 0.3],
    positions: [
      [0.1, 0, 0.3],
      [0.2, 0, 0.4],
    ],
  },
  {
    type: 'contact',
    bone: 'bone4',
    points: [[0.1, 0, 0]],
    over: [0.1, 0.5],
    normal: [0.2, 1, 0.1],
    height: -0.1,
  },
  {
    type: 'contact',
    bone: 'bone1',
    points: [[0.1, 0, 0]],
    over: [0.4, 0.6],
    positions: 'free',
    friction: 0.3,
  },
  { type: 'physics', ...(figure.name === 'crane' ? { undriven: ['bone1', 'bone0'] } : {}), over: [0, 0.6] },
];

/** A leap: stance, flight, and landing elsewhere; periodic up to a displacement with a free direction. */
const flight: Group = (figure) => [
  { type: 'contact', bone: 'bone5', points: [[0.1, 0, 0]], over: [0, 0.2] },
  { type: 'contact', bone: 'bone5', points: [[0.1, 0, 0]], over: [0.7, DURATION], positions: 'free' },
  { type: 'physics' },
  { type: 'periodic', travel: [0.3, null, -0.2] },
  { type: 'effort', over: [0.65, 0.75], bones: { [figure.bones[1].name]: 1 } },
];

/** Clearance between bones, and from the world. */
const clearance: Group = (_figure, random) => [
  {
    type: 'clearance',
    shapes: [
      { type: 'sphere', bone: 'bone0', radius: 0.1 },
      { type: 'capsule', bone: 'bone2', from: [0, 0, 0], to: [0.1, 0.3, 0], radius: 0.05 },
      { type: 'sphere', bone: 'bone4', radius: 0.08, center: [0, 0.1, 0] },
    ],
    over: [0.1, 0.4],
    distance: 0.05,
  },
  {
    type: 'clearance',
    shapes: [
      { type: 'sphere', bone: 'bone3', radius: 0.1 },
      { type: 'capsule', bone: 'bone1', from: [0, 0, 0], to: [0.1, 0.3, 0], radius: 0.05 },
      { type: 'box', bone: 'bone4', halfSizes: [0.05, 0.1, 0.15] },
    ],
    world: [{ type: 'plane' }, { type: 'sphere', radius: 0.3, center: place(random) }],
    over: [0.5, DURATION],
  },
];

function goalsOf(figure: Figure, random: Random): Goal[] {
  const tip = 'bone3';
  const other = figure.name === 'crane' ? 'bone4' : 'bone5';
  const axis = () => direction(random) as Triple;
  const rotate = () => direction(random, 4) as [number, number, number, number];
  return [
    { type: 'position', bone: tip, point: place(random), target: place(random) },
    {
      type: 'position',
      bone: tip,
      target: { bone: other, point: place(random) },
      mask: [1, 0.5, 0],
    },
    { type: 'orientation', bone: tip, target: rotate(), offset: rotate() },
    { type: 'orientation', bone: tip, target: { bone: other }, mask: [0.2, 0, 1] },
    { type: 'points-at', bone: tip, axis: axis(), target: place(random), up: { axis: axis() } },
    {
      type: 'points-at',
      bone: tip,
      axis: axis(),
      origin: place(random),
      target: { bone: other, point: place(random) },
    },
    {
      type: 'look-at',
      bone: tip,
      axis: axis(),
      target: place(random),
      chain: [
        { bone: 'bone1', share: 1 },
        { bone: 'bone2', share: 2 },
      ],
    },
    { type: 'pole', bone: tip, middle: 'bone2', start: 'bone1', target: place(random) },
    { type: 'distance', bone: tip, point: place(random), target: place(random), distance: 0.4 },
    { type: 'plane', bone: tip, target: { point: place(random), normal: axis(), bone: other } },
    { type: 'half-space', bone: tip, target: { point: place(random), normal: axis() }, clearance: 0.7 },
    {
      type: 'half-space',
      bone: other,
      target: { point: place(random), normal: axis(), bone: tip },
      clearance: 0.3,
    },
    { type: 'relative-pose', bone: tip, target: { bone: other, point: place(random) }, offset: rotate() },
    { type: 'center-of-mass', target: place(random), mask: [1, 0.3, 1] },
    {
      type: 'center-of-mass',
      support: [
        [0, 0, 0],
        [0.3, 0, 0.1],
        [0.1, 0, 0.4],
      ],
    },
    { type: 'posture', bones: ['bone1', 'bone4'], stiffness: [1, 2], reference: vector(figure, random) },
    { type: 'joint-value', bone: 'bone2', value: 0.4 },
    {
      type: 'mirror',
      bone: tip,
      of: other,
      plane: { point: place(random), normal: axis() },
      points: [[0.1, 0, 0], place(random)],
    },
  ];
}

/** Every goal of inverse kinematics; each a cost or a constraint, at a time or over a span, by chance. */
const goals: Group = (figure, random) =>
  goalsOf(figure, random).map((goal): SpacetimeTerm => {
    const from = 0.5 * random();
    return {
      type: 'goal',
      name: `goal:${goal.type}`,
      goal,
      at: random() < 0.6 ? from : [from, from + 0.1],
      ...(random() < 0.5 ? { weight: 2 } : {}),
    };
  });

/** Terms for every figure: joint forces, force balance of any bones with coordinates, contact points. */
export function termsOfAny(figure: Figure, random: Random): SpacetimeTerm[] {
  const moving = figure.bones.filter(({ dof }) => dof > 0).map(({ name }) => name);
  const driven = moving.filter((name) =>
    figure.bones.some((b) => b.name === name && b.joint.type !== 'free'),
  );
  const oneOf = (names: readonly string[]): string => names[Math.floor(random() * names.length)];
  const any = (): string => oneOf(moving);
  // At the height of the first bone, if it is fixed: within reach.
  const standing = (above = 0): { bone: string; height: number } => {
    const bone = any();
    let root = figure.bones.findIndex(({ name }) => name === bone);
    while (figure.parents[root] >= 0) root = figure.parents[root];
    return { bone, height: figure.bones[root].rest.position[1] + above };
  };
  return [
    { type: 'pose', at: 0.2, pose: vector(figure, random) },
    { type: 'acceleration', at: 0.7, weight: 2 },
    { type: 'tracking', over: [0.2, 0.4] },
    { type: 'effort', over: [0.5, 0.6], bones: { [oneOf(driven)]: 1, [any()]: 2 } },
    { type: 'torque-limit', limit: { [oneOf(driven)]: 2 }, over: [0.1, 0.3] },
    { type: 'contact', ...standing(), points: [place(random)], over: [0.1, 0.4] },
    {
      type: 'contact',
      ...standing(0.01),
      points: [place(random), place(random)],
      over: [0.3, 0.4],
      positions: 'free',
    },
    { type: 'physics', undriven: [any(), any()], over: [0.1, 0.4] },
    { type: 'periodic', bones: [any(), any()] },
    {
      type: 'goal',
      goal: { type: 'center-of-mass', target: place(random) },
      at: 0.6,
      name: 'goal:center-of-mass',
    },
  ];
}

/** The human on one foot, with expensive terms over short spans. */
export function termsOfHuman(_figure: Figure, random: Random): SpacetimeTerm[] {
  return [
    {
      type: 'contact',
      bone: 'leftFoot',
      points: [
        [0.02, -0.06, 0.1],
        [0, -0.06, -0.05],
      ],
      over: [0, 0.3],
    },
    { type: 'physics', over: [0.2, 0.4] },
    { type: 'effort', over: [0.1, 0.15] },
    { type: 'speed-limit', limit: 4, over: [0.8, DURATION] },
    { type: 'tracking', over: [0.8, DURATION] },
    { type: 'periodic', travel: [0, 0, 1], bones: ['hips', 'leftUpperLeg', 'head'] },
    {
      type: 'goal',
      name: 'goal:mirror',
      goal: { type: 'mirror', bone: 'leftHand', of: 'rightHand' },
      at: 0.5,
    },
    {
      type: 'goal',
      name: 'goal:pole',
      goal: { type: 'pole', bone: 'rightHand', target: place(random) },
      at: 0.5,
      weight: 1,
    },
  ];
}

/** Terms for figures made for them. */
export const GROUPS = {
  states,
  forces,
  flight,
  clearance,
  goals,
} as const;
