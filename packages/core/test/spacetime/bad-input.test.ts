import { describe, expect, test } from 'vitest';
import { PoiseError } from '../../src/errors.js';
import { createFigure, figureToData } from '../../src/figure/index.js';
import { linearCurve } from '../../src/motion/curves/index.js';
import { createMotion } from '../../src/motion/motion.js';
import { createSpacetimeProblem } from '../../src/spacetime/problem.js';
import {
  createSpacetimeSolver,
  type SpacetimeOptions,
  saveSpacetime,
  solveSpacetime,
} from '../../src/spacetime/solve.js';
import { createTrajectory, trajectoryMotion } from '../../src/spacetime/trajectory.js';
import type { SpacetimeData, SpacetimeTerm } from '../../src/spacetime/types/data.js';
import { createRandom } from '../figure/support.js';
import { crane, human, swimmer } from './support-problems.js';

const figure = swimmer(createRandom(9500), false);
const fixed = crane(createRandom(9501));
const { dof } = figure;

type Case = readonly [
  what: string,
  data: unknown,
  code: PoiseError['code'],
  path: string,
  says?: string | RegExp,
];

function thrownBy(run: () => unknown): PoiseError {
  try {
    run();
  } catch (error) {
    if (error instanceof PoiseError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

function check(run: () => unknown, [, , code, path, says = '']: Case): void {
  const error = thrownBy(run);
  expect({ code: error.code, path: error.path }).toEqual({ code, path });
  expect(error.message).toMatch(says);
  expect(error.remedy).toMatch(/^[A-Z].*[.?]$/);
  // The path appears once, and every value is printed completely.
  expect(error.message.startsWith(`${path}: `)).toBe(true);
  expect(error.message.endsWith(error.remedy)).toBe(true);
  expect(error.message).not.toMatch(/undefined: |\[object/);
}

/** A problem of one term over 1 s. */
const withTerm = (term: unknown) => ({ duration: 1, terms: [term] });
const smooth = { type: 'smoothness' };
const point = [0.1, 0, 0];
const contact = { type: 'contact', bone: 'bone5', points: [point], over: [0, 0.5] };

/** The ball bone4 turns evenly to 6 rad about x in 1 s, as numbers of its own. */
function turning() {
  const first = figure.bones[4].coordinate;
  return createMotion(figure, {
    tracks: [
      {
        coordinate: first,
        curve: linearCurve({ times: [0, 1], values: [0, 0, 0, 6, 0, 0] }),
      },
    ],
  });
}

/** The same as the clip of a trajectory, which begins every piece within pi. */
function inCharts() {
  const problem = createSpacetimeProblem(figure, {
    duration: 1,
    reference: turning(),
    terms: [{ type: 'smoothness' }],
  });
  return trajectoryMotion(createTrajectory(problem, new Float64Array(problem.system.size)));
}

const problems: readonly Case[] = [
  ['nothing', undefined, 'unsupported', 'data'],
  ['null', null, 'unsupported', 'data'],
  ['no duration', { terms: [smooth] }, 'not-finite', 'duration.start'],
  ['zero length', { duration: 0, terms: [smooth] }, 'out-of-range', 'duration', 'is 0 s'],
  ['no length by rounding', { duration: 5e-324, terms: [smooth] }, 'out-of-range', 'duration', '0.000001 s'],
  [
    'free and no length by rounding',
    { duration: { min: 1e-300, max: 1, start: 1e-300 }, terms: [smooth] },
    'out-of-range',
    'duration.start',
  ],
  ['less than no time', { duration: -1, terms: [smooth] }, 'out-of-range', 'duration'],
  ['no number of seconds', { duration: Number.NaN, terms: [smooth] }, 'not-finite', 'duration'],
  ['no end', { duration: Number.POSITIVE_INFINITY, terms: [smooth] }, 'not-finite', 'duration'],
  ['free from zero', { duration: { min: 0, max: 2, start: 1 }, terms: [smooth] }, 'out-of-range', 'duration'],
  [
    'free the wrong way round',
    { duration: { min: 2, max: 1, start: 1.5 }, terms: [smooth] },
    'out-of-range',
    'duration',
  ],
  [
    'start outside the bounds',
    { duration: { min: 1, max: 2, start: 3 }, terms: [smooth] },
    'out-of-range',
    'duration',
  ],
  [
    'half a piece of time scaling',
    { duration: { min: 1, max: 2, start: 1, pieces: 0.5 }, terms: [smooth] },
    'out-of-range',
    'duration.pieces',
  ],
  ['no intervals', { duration: 1, intervals: 0, terms: [smooth] }, 'out-of-range', 'intervals'],
  ['broken intervals', { duration: 1, intervals: 2.5, terms: [smooth] }, 'out-of-range', 'intervals'],
  ['a low degree', { duration: 1, degree: 2, terms: [smooth] }, 'out-of-range', 'degree'],
  ['a high degree', { duration: 1, degree: 8, terms: [smooth] }, 'out-of-range', 'degree'],
  ['no terms', { duration: 1 }, 'wrong-size', 'terms'],
  ['an empty list', { duration: 1, terms: [] }, 'wrong-size', 'terms'],
  ['a term that is none', withTerm(null), 'unsupported', 'terms[0].type'],
  [
    'a misspelt type',
    { duration: 1, terms: [smooth, { type: 'torque-limits' }] },
    'unsupported',
    'terms[1].type',
    "Did you mean 'torque-limit'",
  ],
  [
    'misspelt unknowns',
    { duration: 1, unknowns: 'displacements', terms: [smooth] },
    'unsupported',
    'unknowns',
    "Did you mean 'displacement'",
  ],
  [
    'misspelt rotations',
    { duration: 1, rotations: 'directly', terms: [smooth] },
    'unsupported',
    'rotations',
    "Did you mean 'direct'",
  ],
  ['misspelt ends', { duration: 1, fixedEnds: 'left', terms: [smooth] }, 'unsupported', 'fixedEnds'],
  [
    'fixed ends of a motion',
    { duration: 1, fixedEnds: 'both', terms: [smooth] },
    'unsupported',
    'fixedEnds',
    'displacement',
  ],
  [
    'all control points fixed',
    { duration: 1, degree: 3, intervals: 3, unknowns: 'displacement', fixedEnds: 'both', terms: [smooth] },
    'out-of-range',
    'fixedEnds',
  ],
  [
    'an unknown bone locked',
    { duration: 1, locked: ['bone3', 'bome1'], terms: [smooth] },
    'unknown-name',
    'locked[1]',
    "Did you mean 'bone1'",
  ],
  ['one name locked', { duration: 1, locked: 'bone3', terms: [smooth] }, 'wrong-size', 'locked'],
  [
    'all locked',
    { duration: 1, locked: figure.bones.map(({ name }) => name), terms: [smooth] },
    'wrong-size',
    'locked',
  ],
  ['flat gravity', { duration: 1, gravity: [0, -9.81], terms: [smooth] }, 'wrong-size', 'gravity'],
  [
    'no number for gravity',
    { duration: 1, gravity: [0, Number.NaN, 0], terms: [smooth] },
    'not-finite',
    'gravity[1]',
  ],
  ['too few armatures', { duration: 1, armature: [1], terms: [smooth] }, 'wrong-size', 'armature'],
  [
    'an armature below zero',
    { duration: 1, armature: Array.from({ length: dof }, (_, i) => 2 - i), terms: [smooth] },
    'out-of-range',
    'armature[3]',
  ],
  ['a short reference', { duration: 1, reference: [0, 1], terms: [smooth] }, 'wrong-size', 'reference'],
  [
    'a reference that is no number',
    { duration: 1, reference: new Float64Array(dof).fill(Number.NaN, 3), terms: [smooth] },
    'not-finite',
    'reference[3]',
  ],
  [
    'direct rotations near the shell',
    { duration: 1, rotations: 'direct', reference: turning(), terms: [smooth] },
    'singular',
    'rotations',
    /'bone4'.*5\.\d+ rad at 0\.\d+ s.*2 pi.*shell.*displacement/,
  ],
  [
    'direct rotations from chart to chart',
    { duration: 1, rotations: 'direct', reference: inCharts(), terms: [smooth] },
    'singular',
    'rotations',
    /'bone4'.*chart.*displacement/,
  ],
];

const terms: readonly Case[] = [
  ['no moment', { type: 'pose' }, 'wrong-size', 'terms[0].at'],
  ['a moment after the end', { type: 'pose', at: 1.1 }, 'out-of-range', 'terms[0].at', 'from 0 to 1 s'],
  ['a moment before the start', { type: 'velocity', at: -0.1 }, 'out-of-range', 'terms[0].at'],
  ['no number of a moment', { type: 'acceleration', at: Number.NaN }, 'not-finite', 'terms[0].at'],
  ['a span of nothing', { type: 'pose', at: [0.5, 0.5] }, 'not-increasing', 'terms[0].at', 'no length'],
  ['a span backwards', { type: 'pose', at: [0.5, 0.2], weight: 1 }, 'not-increasing', 'terms[0].at'],
  ['a span that ends late', { type: 'pose', at: [0.5, 1.5] }, 'out-of-range', 'terms[0].at[1]'],
  ['half a span', { type: 'effort', over: [0.5] }, 'wrong-size', 'terms[0].over'],
  ['a weight below zero', { type: 'pose', at: 0, weight: -1 }, 'out-of-range', 'terms[0].weight'],
  ['a weight that is none', { type: 'effort', weight: Number.NaN }, 'not-finite', 'terms[0].weight'],
  ['an endless weight', { type: 'tracking', weight: 1 / 0 }, 'not-finite', 'terms[0].weight'],
  ['a short pose', { type: 'pose', at: 0, pose: [1, 2] }, 'wrong-size', 'terms[0].pose'],
  [
    'a velocity of no number',
    { type: 'velocity', at: 0, velocity: new Float64Array(dof).fill(Number.NaN, 2) },
    'not-finite',
    'terms[0].velocity[2]',
  ],
  [
    'a short acceleration',
    { type: 'acceleration', at: 0, acceleration: [] },
    'wrong-size',
    'terms[0].acceleration',
  ],
  [
    'an unknown bone',
    { type: 'pose', at: 0, bones: ['bone1', 'bone55'] },
    'unknown-name',
    'terms[0].bones[1]',
    /Did you mean 'bone\d'/,
  ],
  [
    'a bone that has no joint of its own',
    { type: 'pose', at: 0, bones: ['bone3'] },
    'unsupported',
    'terms[0].bones',
  ],
  [
    'an unknown bone with a number',
    { type: 'effort', bones: { bone77: 1 } },
    'unknown-name',
    'terms[0].bones',
  ],
  [
    'a number below zero',
    { type: 'smoothness', bones: { bone1: -2 } },
    'out-of-range',
    'terms[0].bones.bone1',
  ],
  ['smoothness of order 4', { type: 'smoothness', order: 4 }, 'out-of-range', 'terms[0].order'],
  ['effort of what nothing drives', { type: 'effort', bones: { bone0: 1 } }, 'unsupported', 'terms[0].bones'],
  ['no torque at all', { type: 'torque-limit', limit: 0 }, 'out-of-range', 'terms[0].limit'],
  ['no torque at one bone', { type: 'torque-limit', limit: { bone1: 0 } }, 'out-of-range', 'terms[0].limit'],
  ['a torque below zero', { type: 'torque-limit', limit: -1 }, 'out-of-range', 'terms[0].limit'],
  [
    'torques of unactuated joints',
    { type: 'torque-limit', limit: { bone0: 5 } },
    'unsupported',
    'terms[0].limit',
  ],
  ['no speed', { type: 'speed-limit', limit: { bone4: 0 } }, 'out-of-range', 'terms[0].limit'],
  ['a fixed duration to shorten', { type: 'duration' }, 'unsupported', 'terms[0]', 'min, max, start'],
  ['a goal that is none', { type: 'goal', at: 0 }, 'unsupported', 'terms[0].goal.type'],
  [
    'a goal of an unknown type',
    { type: 'goal', at: 0, goal: { type: 'postion' } },
    'unsupported',
    'terms[0].goal.type',
    "Did you mean 'position'",
  ],
  [
    'a goal of an unknown bone',
    { type: 'goal', at: 0, goal: { type: 'position', bone: 'hand', target: [0, 0, 0] } },
    'unknown-name',
    'terms[0].goal.bone',
  ],
  [
    'a target of no number',
    { type: 'goal', at: 0, goal: { type: 'position', bone: 'bone5', target: [0, Number.NaN, 0] } },
    'not-finite',
    'terms[0].goal.target[1]',
  ],
  [
    'a goal outside the span',
    { type: 'goal', at: 2, goal: { type: 'position', bone: 'bone5', target: [0, 0, 0] } },
    'out-of-range',
    'terms[0].at',
  ],
  ['no points', { ...contact, points: [] }, 'wrong-size', 'terms[0].points', 'has no points'],
  ['points left out', { ...contact, points: undefined }, 'wrong-size', 'terms[0].points'],
  ['flat points', { ...contact, points: [[0, 1]] }, 'wrong-size', 'terms[0].points[0]'],
  [
    'a point of no number',
    { ...contact, points: [point, [0, 1 / 0, 0]] },
    'not-finite',
    'terms[0].points[1][1]',
  ],
  ['an unknown bone that stands', { ...contact, bone: 'bone' }, 'unknown-name', 'terms[0].bone'],
  ['a contact of no length', { ...contact, over: [0.3, 0.3] }, 'not-increasing', 'terms[0].over'],
  ['a contact that ends late', { ...contact, over: [0.3, 1.3] }, 'out-of-range', 'terms[0].over[1]'],
  ['a normal of no length', { ...contact, normal: [0, 0, 0] }, 'out-of-range', 'terms[0].normal'],
  ['no height', { ...contact, height: Number.NaN }, 'not-finite', 'terms[0].height[0]'],
  ['friction below zero', { ...contact, friction: -0.1 }, 'out-of-range', 'terms[0].friction'],
  ['positions for others', { ...contact, positions: [point, point] }, 'wrong-size', 'terms[0].positions'],
  [
    'a position of no number',
    { ...contact, positions: [[0, 0, Number.NaN]] },
    'not-finite',
    'terms[0].positions[0][2]',
  ],
  ['an old name of a field', { ...contact, place: 'free' }, 'unknown-name', 'terms[0].place', 'positions'],
  [
    'misspelt positions',
    { ...contact, positions: 'anywhere' },
    'unsupported',
    'terms[0].positions',
    "'free'",
  ],
  [
    'points that are not coplanar',
    {
      ...contact,
      points: [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
    },
    'out-of-range',
    'terms[0].points',
    'one plane',
  ],
  [
    'an unknown bone undriven',
    { type: 'physics', undriven: ['bone0', 'tail'] },
    'unknown-name',
    'terms[0].undriven.bones[1]',
  ],
  ['travel in the plane', { type: 'periodic', travel: [1, 0] }, 'wrong-size', 'terms[0].travel'],
  [
    'travel of no number',
    { type: 'periodic', travel: [1, Number.NaN, null] },
    'not-finite',
    'terms[0].travel[1]',
  ],
  ['an unknown periodic bone', { type: 'periodic', bones: ['bones'] }, 'unknown-name', 'terms[0].bones[0]'],
  ['no shapes', { type: 'clearance' }, 'wrong-size', 'terms[0].shapes'],
  ['shapes without a pair', { type: 'clearance', shapes: [] }, 'unsupported', 'terms[0]'],
  [
    'a shape of no size',
    {
      type: 'clearance',
      shapes: [{ type: 'sphere', bone: 'bone5', radius: -1 }],
      world: [{ type: 'plane' }],
    },
    'out-of-range',
    'terms[0].shapes[0].radius',
  ],
  [
    'a distance of no number',
    {
      type: 'clearance',
      shapes: [{ type: 'sphere', bone: 'bone5', radius: 1 }],
      world: [{ type: 'plane' }],
      distance: Number.NaN,
    },
    'not-finite',
    'terms[0].distance[0]',
  ],
  [
    'a field of heights',
    {
      type: 'clearance',
      shapes: [{ type: 'sphere', bone: 'bone5', radius: 1 }],
      world: [{ type: 'heightfield', columns: 2, rows: 2, spacing: [1, 1], heights: [0, 0, 0, 0] }],
    },
    'unsupported',
    'terms[0].world[0]',
  ],
];

describe('invalid problems are rejected with path and remedy', () => {
  test.each(problems.map((entry) => [entry[0], entry] as const))('%s', (_, entry) => {
    check(() => createSpacetimeProblem(figure, entry[1] as SpacetimeData), entry);
  });
});

describe('invalid terms are rejected with path and remedy', () => {
  test.each(terms.map((entry) => [entry[0], entry] as const))('%s', (_, entry) => {
    const data = withTerm(entry[1]) as unknown as SpacetimeData;
    check(() => createSpacetimeProblem(figure, data), entry);
    // Wherever in the list.
    const [what, , code, path, says = ''] = entry;
    const later = [what, null, code, path.replace('terms[0]', 'terms[2]'), says] as const;
    const terms = [smooth, smooth, entry[1]] as unknown as SpacetimeTerm[];
    check(() => createSpacetimeProblem(figure, { duration: 1, terms }), later);
  });

  test('jerk with a varying time scaling', () => {
    const data = {
      duration: { min: 1, max: 2, start: 1, pieces: 3 },
      terms: [{ type: 'smoothness', order: 3 }],
    } as const;
    check(() => createSpacetimeProblem(figure, data), ['', data, 'unsupported', 'terms[0].order']);
  });

  test('travel or physics of a figure without a free joint', () => {
    const travel = { duration: 1, terms: [{ type: 'periodic', travel: [0, 0, 1] }] } as const;
    check(() => createSpacetimeProblem(fixed, travel), ['', travel, 'unsupported', 'terms[0].travel']);
    const physics = { duration: 1, terms: [{ type: 'physics' }] } as const;
    check(() => createSpacetimeProblem(fixed, physics), ['', physics, 'unsupported', 'terms[0]', 'actuated']);
  });

  test('contacts out of reach', () => {
    const arm = createFigure({
      bones: [
        { name: 'base', rest: { position: [0, 1, 0] }, joint: { type: 'hinge', axis: [0, 0, 1] }, mass: 1 },
        {
          name: 'rod',
          parent: 'base',
          rest: { position: [0.5, 0, 0] },
          joint: { type: 'slider', axis: [1, 0, 0] },
          limit: { type: 'interval', min: -0.1, max: 0.2 },
          mass: 1,
        },
      ],
    });
    const stands = { type: 'contact', bone: 'rod', points: [[0.2, 0, 0]], over: [0, 1] } as const;
    for (const [more, reaches] of [
      [{ positions: 'free', height: 0.11 }, true],
      [{ positions: 'free', height: 0.09 }, false],
      [{ positions: [[0.85, 0.6, 0]] }, false],
      [{ positions: [[0.7, 0.6, 0]] }, true],
      [{ height: 0.7 }, true],
      [{ height: -5 }, false],
      [{ positions: 'free', normal: [1, 0, 0], height: -0.91 }, false],
    ] as const) {
      const data: SpacetimeData = { duration: 1, terms: [{ ...stands, ...more }] };
      if (reaches) createSpacetimeProblem(arm, data);
      else {
        check(
          () => createSpacetimeProblem(arm, data),
          ['', data, 'out-of-range', 'terms[0].points[0]', 'which reaches'],
        );
      }
    }
    // A figure with a free joint reaches everything.
    createSpacetimeProblem(figure, { duration: 1, terms: [{ ...contact, height: -50 } as SpacetimeTerm] });
  });

  test('forces of a figure without mass', () => {
    const light = createFigure({
      ...figureToData(human),
      bones: figureToData(human).bones.map(({ mass: _m, centerOfMass: _c, inertia: _i, ...bone }) => bone),
    });
    for (const type of ['effort', 'physics'] as const) {
      const error = thrownBy(() => createSpacetimeProblem(light, { duration: 1, terms: [{ type }] }));
      expect(error.code).toBe('out-of-range');
      expect(error.message).toMatch(/mass/);
    }
    // Without forces it is solved.
    createSpacetimeProblem(light, { duration: 1, terms: [{ type: 'smoothness' }] });
  });
});

describe('a solve with invalid options', () => {
  const problem = createSpacetimeProblem(figure, {
    duration: 1,
    intervals: 5,
    terms: [{ type: 'smoothness' }, { type: 'pose', at: 1 }],
  });
  const save = saveSpacetime(createSpacetimeSolver(problem));
  const broken = (numbers: Float64Array) => Float64Array.from(numbers, (x, k) => (k === 2 ? Number.NaN : x));

  test.each<[SpacetimeOptions, PoiseError['code'], string]>([
    [{ tolerance: 0 }, 'out-of-range', 'tolerance'],
    [{ tolerance: Number.NaN }, 'not-finite', 'tolerance'],
    [{ gain: -1 }, 'out-of-range', 'gain'],
    [{ gain: Number.POSITIVE_INFINITY }, 'not-finite', 'gain'],
    [{ maxIterations: -1 }, 'out-of-range', 'maxIterations'],
    [{ maxIterations: Number.NaN }, 'not-finite', 'maxIterations'],
    [{ maxRefinements: -1 }, 'out-of-range', 'maxRefinements'],
    [{ maxRefinements: Number.NaN }, 'not-finite', 'maxRefinements'],
    [{ start: { ...save, refinements: Number.NaN } }, 'not-finite', 'start.refinements'],
    [
      { start: { ...save, breaks: Float64Array.of(0, 0.4, 1), density: Float64Array.of(1, 1) } },
      'wrong-size',
      'start.breaks',
    ],
    [
      {
        start: {
          ...save,
          breaks: problem.mesh.breaks.slice(),
          density: problem.mesh.density.map(() => 1e9),
        },
      },
      'wrong-size',
      'start.breaks',
    ],
    [{ start: { ...save, unknowns: broken(save.unknowns) } }, 'not-finite', 'start.unknowns[2]'],
    [{ start: { ...save, multipliers: broken(save.multipliers) } }, 'not-finite', 'start.multipliers[2]'],
    [
      { start: { ...save, penalties: save.penalties.map(() => Number.NaN) } },
      'not-finite',
      'start.penalties[0]',
    ],
    [{ start: { ...save, multipliers: save.multipliers.slice(1) } }, 'wrong-size', 'start'],
  ])('is refused: %o', (options, code, path) => {
    check(() => solveSpacetime(problem, options), ['', options, code, path]);
  });

  test('stops at once with zero iterations, and accepts any number', () => {
    expect(solveSpacetime(problem, { maxIterations: 0 }).status).toBe('iteration-limit');
    const pose = new Float64Array(dof).fill(0.3);
    const further = createSpacetimeProblem(figure, {
      duration: 1,
      intervals: 5,
      terms: [
        { type: 'smoothness' },
        { type: 'pose', at: 0 },
        { type: 'velocity', at: 0 },
        { type: 'pose', at: 1, pose },
      ],
    });
    expect(solveSpacetime(further, { maxIterations: Number.POSITIVE_INFINITY }).status).toBe('converged');
  });

  test('rejects a start of another problem', () => {
    const make = (intervals: number) =>
      createSpacetimeProblem(figure, {
        duration: 1,
        intervals,
        terms: [{ type: 'smoothness' }, { type: 'pose', at: 1 }],
      });
    const save = saveSpacetime(createSpacetimeSolver(make(5)));
    check(
      () => createSpacetimeSolver(make(6), { start: save }),
      ['', null, 'wrong-size', 'start', 'unknowns'],
    );
  });
});
