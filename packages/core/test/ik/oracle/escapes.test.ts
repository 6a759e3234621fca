import { createFigure, createPose } from 'poise/figure';
import { createIk, type IkResult, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import type { Bone, Goal, Joint, Limit, Triple } from '../../../../../scripts/oracles/ik/types.js';
import { chainOf, solveJudged } from './judged.js';

/*
 * Where f is stationary or its first derivative says nothing: straight arms with the target on their axis, folded arms, targets exactly
 * behind, orientations off by exactly pi. Every joint type against every such pose, with the defaults, twice.
 */

interface Arm {
  readonly bones: Bone[];
  /** Whether the joints can bend the arm freely in space, or in the plane of x and y alone. */
  readonly freedom: 'space' | 'plane';
}

const UP: Triple = [0, 1, 0];

function arm(joint: Joint | ((k: number) => Joint), freedom: Arm['freedom'], limit?: Limit): Arm {
  return { bones: chainOf(4, joint, limit === undefined ? {} : { limit }), freedom };
}

const wide = { min: -2.6, max: 2.6 };
const arms: Readonly<Record<string, Arm>> = {
  ball: arm({ type: 'ball' }, 'space'),
  'ball, limited': arm({ type: 'ball' }, 'space', { type: 'angle', max: 2.6 }),
  swing: arm({ type: 'swing', axis: UP }, 'space'),
  'swing, cone': arm({ type: 'swing', axis: UP }, 'space', { type: 'cone', halfAngle: 2.6 }),
  'swing, ellipse': arm({ type: 'swing', axis: UP }, 'space', { type: 'ellipse', halfAngles: [2.6, 2.2] }),
  'swing, quad-ellipse': arm({ type: 'swing', axis: UP }, 'space', {
    type: 'quad-ellipse',
    s: [-2.6, 2.2],
    t: [-2, 2.7],
  }),
  'ball-and-socket': arm({ type: 'ball-and-socket', axis: UP }, 'space'),
  'ball-and-socket, limited': arm({ type: 'ball-and-socket', axis: UP }, 'space', {
    type: 'swing-twist',
    swing: { type: 'ellipse', halfAngles: [2.6, 2.2] },
    twist: wide,
  }),
  'euler ZXY': arm({ type: 'euler', order: 'ZXY' }, 'space'),
  'euler XYX': arm({ type: 'euler', order: 'XYX' }, 'space'),
  'euler XZY, limited': arm({ type: 'euler', order: 'XZY' }, 'space', {
    type: 'box',
    min: [-2.6, -2.6, -2.6],
    max: [2.6, 2.6, 2.6],
  }),
  'hinges in one plane': arm({ type: 'hinge', axis: [0, 0, 1] }, 'plane'),
  'hinges in one plane, limited': arm({ type: 'hinge', axis: [0, 0, 1] }, 'plane', {
    type: 'interval',
    ...wide,
  }),
  'hinges of one sense': arm({ type: 'hinge', axis: [0, 0, 1] }, 'plane', {
    type: 'interval',
    min: 0,
    max: 2.9,
  }),
  'hinges crosswise': arm((k) => ({ type: 'hinge', axis: k % 2 === 0 ? [0, 0, 1] : [1, 0, 0] }), 'space'),
  'free root, balls': arm((k) => (k === 0 ? { type: 'free' } : { type: 'ball' }), 'space'),
};

const last = 'bone3';
const place = (target: Triple): Goal => ({
  type: 'position',
  bone: last,
  point: UP,
  target,
  tolerance: 1e-6,
});
const rotate = (target: readonly [number, number, number, number]): Goal => ({
  type: 'orientation',
  bone: last,
  target,
  tolerance: 1e-6,
});
const sight = (target: Triple, bone = last): Goal => ({
  type: 'points-at',
  bone,
  axis: UP,
  target,
  tolerance: 1e-6,
});

interface Trap {
  readonly goals: readonly Goal[];
  /** Arms that cannot meet the goal, for want of joints. */
  readonly beyond?: readonly string[];
}

/**
 * Hinges that bend one way only, by 2.9 rad at most: the arm curls. Its tip comes back to the axis no farther than 1.93 m from the base,
 * and turned by pi (after one turn and a half) only below it.
 */
const curled = ['hinges of one sense'];
/** Four hinges, two of them across the plane: fewer than the five or six numbers of a place and a direction. */
const fewer = ['hinges crosswise'];
const planar = ['hinges in one plane', 'hinges in one plane, limited', 'hinges of one sense'];

/** The arm stands straight along +Y, 4 m, its base at the origin. */
const traps: Readonly<Record<string, Trap>> = {
  'on the axis, inside reach': { goals: [place([0, 3, 0])], beyond: curled },
  'on the axis, a hair inside reach': { goals: [place([0, 4 - 1e-3, 0])], beyond: curled },
  'on the axis, at reach': { goals: [place([0, 4, 0])] },
  'on the axis, at an inner joint': { goals: [place([0, 2, 0])], beyond: curled },
  'straight behind, inside reach': { goals: [place([0, -3, 0])] },
  'straight behind, near the base': { goals: [place([0, -1e-3, 0])] },
  'at the root joint': { goals: [place([0, 0, 0])] },
  'pointing exactly behind': { goals: [sight([0, -10, 0])] },
  'pointing at the base': { goals: [sight([0, 0, 0])] },
  'pointing exactly ahead, met from the start': { goals: [sight([0, 10, 0])] },
  'turned by exactly pi about z': { goals: [rotate([0, 0, 1, 0])] },
  'turned by exactly pi about x': { goals: [rotate([1, 0, 0, 0])], beyond: planar },
  'turned by exactly pi about y': { goals: [rotate([0, 1, 0, 0])], beyond: planar },
  'turned by exactly pi about a slanting axis': {
    goals: [rotate([Math.SQRT1_2, 0, Math.SQRT1_2, 0])],
    beyond: planar,
  },
  'on the axis and turned by exactly pi': {
    goals: [place([0, 1, 0]), rotate([0, 0, 1, 0])],
    beyond: [...fewer, ...curled],
  },
  'on the axis and pointing exactly behind': {
    goals: [place([0, 1, 0]), sight([0, -10, 0])],
    beyond: [...fewer, ...curled],
  },
};

function ends(bones: readonly Bone[], goals: readonly Goal[], start?: ArrayLike<number>): IkResult {
  const { result, pose, figure } = solveJudged({ bones, goals }, start === undefined ? {} : { start });
  // Same input, same bits: on the same solver and on a new one.
  const ik = createIk(figure, goals);
  for (let n = 0; n < 2; n++) {
    const again = createPose(figure);
    if (start !== undefined) again.set(Array.from(start));
    expect(solveIk(ik, again)).toEqual(result);
    expect(again).toEqual(pose);
  }
  return result;
}

describe.each(Object.entries(arms))('a straight arm of %s leaves', (name, { bones }) => {
  it.each(Object.entries(traps))('%s', (_title, { goals, beyond = [] }) => {
    const result = ends(bones, goals);
    if (beyond.includes(name)) expect(['out-of-reach', 'limit-blocked']).toContain(result.status);
    else expect(result.status).toBe('converged');
  });
});

describe.each(
  Object.entries(arms).filter(([name]) => !name.includes('limited') && !name.includes('one sense')),
)('a folded arm of %s leaves', (name, { bones }) => {
  // Every second joint turned by pi about z: the links lie on each other.
  const { dof, coordinateStart, bones: made } = createFigure({ bones });
  const start = new Float64Array(dof);
  made.forEach(({ joint, dof: own }, k) => {
    if (k % 2 === 0) return;
    const about: Record<string, readonly number[]> = {
      ball: [0, 0, Math.PI],
      swing: swingAboutZ(bones[k].joint),
      'ball-and-socket': [...swingAboutZ(bones[k].joint), 0],
      euler: Array.from(
        (joint as { order?: string }).order ?? '',
        (letter, n, all = (joint as { order: string }).order) =>
          letter === 'Z' || (!all.includes('Z') && n === 0) ? Math.PI : 0,
      ),
      hinge: [Math.PI],
    };
    (about[joint.type] ?? []).slice(0, own).forEach((x, n) => {
      start[coordinateStart[k] + n] = x;
    });
  });
  it.each([
    ['its tip where the base is, for a place on the axis', [place([0, 2, 0])]],
    ['its tip where the base is, for a place at its side', [place([1.5, 0, 0])]],
    ['its tip pointing away from the target', [sight([0, 20, 0])]],
  ] as const)('%s', (_title, goals) => {
    const limits = name === 'swing, cone' || name === 'swing, ellipse' || name === 'swing, quad-ellipse';
    const result = ends(bones, goals, start);
    expect(result.status, limits ? 'projected start' : 'folded start').toBe('converged');
  });
});

/** Swing coordinates that turn by pi about +Z, for the default side of an axis along +Y: s = x, t = axis x s = -z. */
function swingAboutZ(joint: Joint): readonly number[] {
  if (joint.type !== 'swing' && joint.type !== 'ball-and-socket') return [];
  return [0, -Math.PI];
}

describe('single joints before a target exactly behind', () => {
  const singles: [name: string, joint: Joint, status: IkResult['status']][] = [
    ['ball', { type: 'ball' }, 'converged'],
    ['swing', { type: 'swing', axis: UP }, 'converged'],
    ['ball-and-socket', { type: 'ball-and-socket', axis: UP }, 'converged'],
    ['euler', { type: 'euler', order: 'ZXY' }, 'converged'],
    ['hinge across', { type: 'hinge', axis: [1, 0, 0] }, 'converged'],
    ['free', { type: 'free' }, 'converged'],
    // A hinge that only rolls the sight cannot turn it.
    ['hinge along', { type: 'hinge', axis: UP }, 'out-of-reach'],
  ];
  it.each(singles)('%s: %s', (_name, joint, status) => {
    const bones = chainOf(1, joint);
    const goal = sight([0, -5, 0], 'bone0');
    const rolled: Goal = { ...goal, type: 'points-at', axis: [0.3, 1, 0], target: [-1.5, -5, 0] };
    const result = ends(bones, [status === 'converged' ? goal : rolled]);
    expect(result.status).toBe(status);
  });

  it.each(singles.filter(([name]) => !name.startsWith('hinge')))(
    '%s: an orientation off by exactly pi',
    (_name, joint) => {
      for (const target of [
        [1, 0, 0, 0],
        [0, 0, 1, 0],
      ] as const) {
        expect(ends(chainOf(1, joint), [{ type: 'orientation', bone: 'bone0', target }]).status).toBe(
          'converged',
        );
      }
    },
  );
});
