import { describe, expect, test } from 'vitest';
import {
  biasForces,
  computeMomentum,
  createDynamics,
  type Dynamics,
  type DynamicsOptions,
  forwardDynamics,
  inverseDynamics,
  kineticEnergy,
  massMatrix,
  potentialEnergy,
} from '../../src/dynamics/index.js';
import { DomainError, FigureError, PoiseError } from '../../src/errors.js';
import type { BoneData, JointData } from '../../src/figure/data/types.js';
import { createFigure } from '../../src/figure/index.js';

const SOLID: NonNullable<BoneData['inertia']> = [0.1, 0.2, 0.15, 0, 0, 0];

function solid(name: string, joint: JointData | undefined, more: Partial<BoneData> = {}): BoneData {
  return { name, ...(joint ? { joint } : {}), mass: 1, centerOfMass: [0.1, 0, 0], inertia: SOLID, ...more };
}

function failure(body: () => unknown): PoiseError {
  try {
    body();
  } catch (error) {
    if (error instanceof PoiseError) return error;
    throw error;
  }
  return expect.fail('nothing was thrown');
}

function refused(bones: readonly BoneData[], options: DynamicsOptions = {}): PoiseError {
  const figure = createFigure({ name: 'rig', bones });
  return failure(() => createDynamics(figure, options));
}

describe('createDynamics refuses', () => {
  const free: JointData = { type: 'free' };

  test.each([
    ['a figure without mass', [{ name: 'a', joint: free }], 'figure rig', /mass/],
    [
      'an inertia without mass',
      [solid('a', free), { ...solid('b', free), mass: 0 }],
      'bones[1] (b).inertia',
      /mass/,
    ],
    [
      'a negative principal moment that no diagonal entry shows',
      [solid('a', free, { inertia: [0.1, 0.1, 0.1, 0.2, 0, 0] })],
      'bones[0] (a).inertia',
      /not negative/,
    ],
    [
      'a moment longer than the two others together',
      [solid('a', free, { inertia: [0.1, 0.1, 0.3, 0, 0, 0] })],
      'bones[0] (a).inertia',
      /body/,
    ],
    [
      'that of bones fixed to one another, by the bone that carries them',
      [
        solid('a', free, { inertia: [0, 0, 0.3, 0, 0, 0] }),
        solid('b', undefined, { parent: 'a', inertia: [0, 0, 0, 0, 0, 0] }),
      ],
      'bones[0] (a).inertia',
      /body/,
    ],
  ] as const)('%s', (_, bones, path, remedy) => {
    const error = refused(bones);
    expect(error).toBeInstanceOf(FigureError);
    expect(error).toMatchObject({ code: 'out-of-range', path });
    expect(error.remedy).toMatch(remedy);
  });

  test.each([
    ['gravity of two numbers', { gravity: [0, 1] }, 'wrong-size', 'options.gravity'],
    ['gravity that is not finite', { gravity: [0, Number.NaN, 0] }, 'not-finite', 'options.gravity[1]'],
    ['armature for other joints', { armature: [1] }, 'wrong-size', 'options.armature'],
    [
      'armature that is not finite',
      { armature: [0, 0, 0, 0, 0, Infinity] },
      'out-of-range',
      'options.armature[5]',
    ],
    ['armature below zero', { armature: [0, 0, -1, 0, 0, 0] }, 'out-of-range', 'options.armature[2]'],
  ] as const)('%s', (_, options, code, path) => {
    const error = refused([solid('a', free)], options as unknown as DynamicsOptions);
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code, path });
  });

  test('but not the parts of a rigid group, which need not be physical by themselves', () => {
    // ANYmal's base is [0, 0, 3e-6], and the rest of it a link fixed to that.
    const bones: BoneData[] = [
      solid('shell', free, { inertia: [0, 0, 3e-6, 0, 0, 0] }),
      solid('filling', undefined, { parent: 'shell' }),
    ];
    expect(() => createDynamics(createFigure({ bones }))).not.toThrow();
  });

  test('nor bones fixed to the world', () => {
    const bones = [solid('ground', undefined, { inertia: [0, 0, 3, 0, 0, 0] }), solid('a', free)];
    expect(() => createDynamics(createFigure({ bones }))).not.toThrow();
  });
});

describe('vectors of the wrong size, and numbers that are not finite', () => {
  const figure = createFigure({
    bones: [solid('a', { type: 'free' }), solid('b', { type: 'hinge', axis: [0, 0, 1] }, { parent: 'a' })],
  });
  const dynamics = createDynamics(figure);
  const x = new Float64Array(7).fill(0.5);
  const external = new Float64Array(12);
  type Vectors = [pose: Float64Array, v: Float64Array, third: Float64Array, external: Float64Array];
  const functions: readonly [string, readonly string[], (d: Dynamics, ...v: Vectors) => unknown][] = [
    [
      'inverseDynamics',
      ['pose', 'velocity', 'acceleration', 'external'],
      (d, q, v, a, f) => inverseDynamics(d, q, v, a, undefined, f),
    ],
    [
      'forwardDynamics',
      ['pose', 'velocity', 'tau', 'external'],
      (d, q, v, t, f) => forwardDynamics(d, q, v, t, undefined, f),
    ],
    [
      'biasForces',
      ['pose', 'velocity', '', 'external'],
      (d, q, v, _, f) => biasForces(d, q, v, undefined, f),
    ],
    ['massMatrix', ['pose'], (d, q) => massMatrix(d, q)],
    ['kineticEnergy', ['pose', 'velocity'], (d, q, v) => kineticEnergy(d, q, v)],
    ['potentialEnergy', ['pose'], (d, q) => potentialEnergy(d, q)],
    ['momentum', ['pose', 'velocity'], (d, q, v) => computeMomentum(d, q, v)],
  ];

  test.each(functions)('%s', (_, names, call) => {
    names.forEach((name, k) => {
      if (name === '') return;
      const given = (): Vectors => [x.slice(), x.slice(), x.slice(), external.slice()];
      const bad = given();
      const last = bad[k].length - 1;
      bad[k] = bad[k].subarray(0, last);
      expect(failure(() => call(dynamics, ...bad))).toMatchObject({ code: 'wrong-size', path: name });
      for (const value of [Number.NaN, Infinity, -Infinity]) {
        const worse = given();
        worse[k][last] = value;
        expect(failure(() => call(dynamics, ...worse))).toMatchObject({
          code: 'not-finite',
          path: `${name}[${last}]`,
        });
      }
      if (name === 'external') return;
      const none = given();
      none[k] = undefined as unknown as Float64Array;
      expect(failure(() => call(dynamics, ...none))).toMatchObject({ code: 'wrong-size', path: name });
    });
  });
});

describe('forward dynamics of a joint without inertia to move', () => {
  const base = solid('base', { type: 'free' });
  const empty: readonly [string, JointData][] = [
    ['hinge', { type: 'hinge', axis: [0.6, 0.8, 0] }],
    ['slider', { type: 'slider', axis: [0.6, 0.8, 0] }],
    ['swing', { type: 'swing', axis: [0, 1, 0] }],
    ['ball', { type: 'ball' }],
    ['ball-and-socket', { type: 'ball-and-socket', axis: [0, 1, 0] }],
    ['euler', { type: 'euler', order: 'XYZ' }],
    ['free', { type: 'free' }],
  ];

  /** Expects the joint of a bone to be named, and `out` to be as it was. */
  function expectSingular(bones: readonly BoneData[], name: string, pose = 0.3): void {
    const figure = createFigure({ bones });
    const dynamics = createDynamics(figure);
    const vector = () => new Float64Array(figure.dof).fill(pose);
    const out = vector().fill(7);
    const error = failure(() => forwardDynamics(dynamics, vector(), vector(), vector(), out));
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: 'singular', path: `bone ${name}` });
    expect(Array.from(out)).toEqual(Array.from(out, () => 7));
  }

  test.each(empty)('a leaf without mass: %s', (_, joint) => {
    expectSingular([base, { name: 'leaf', parent: 'base', joint }], 'leaf');
  });

  test.each(empty)('mass beyond a free joint does not load the joint before it: %s', (_, joint) => {
    expectSingular(
      [
        base,
        { name: 'bare', parent: 'base', joint, rest: { position: [0.3, 0.1, 0.7] } },
        solid('loose', { type: 'free' }, { parent: 'bare', rest: { position: [0.2, 0.5, -0.4] } }),
      ],
      'bare',
    );
  });

  test('a joint and its mimic joint, both without mass', () => {
    const hinge: JointData = { type: 'hinge', axis: [0, 0, 1] };
    expectSingular(
      [
        base,
        { name: 'leader', parent: 'base', joint: hinge },
        { name: 'follower', parent: 'base', joint: hinge, mimic: { bone: 'leader', polynomial: [0, 1] } },
      ],
      'leader',
    );
  });

  test('a ball with a point mass: no inertia about the axis through the point', () => {
    const point: BoneData = {
      name: 'point',
      joint: { type: 'ball' },
      mass: 2,
      centerOfMass: [0.3, 0.2, -0.6],
    };
    for (const pose of [0.1, 0.3, 0.77, 1.3]) expectSingular([point], 'point', pose);
  });

  test('Euler angles in gimbal lock', () => {
    const figure = createFigure({ bones: [solid('a', { type: 'euler', order: 'XYZ' })] });
    const dynamics = createDynamics(figure);
    const still = new Float64Array(3);
    const locked = [0.4, Math.PI / 2, -0.3];
    expect(failure(() => forwardDynamics(dynamics, locked, still, still))).toMatchObject({
      code: 'singular',
    });
  });

  test('but a wire 1 m long and 0.1 mm thick spins', () => {
    const r2 = 0.25e-8;
    const wire: BoneData = {
      name: 'wire',
      joint: { type: 'ball' },
      mass: 1,
      centerOfMass: [0, 0, 0.5],
      inertia: [1 / 12 + r2, 1 / 12 + r2, 2 * r2, 0, 0, 0],
    };
    const dynamics = createDynamics(createFigure({ bones: [wire] }), { gravity: [0, 0, 0] });
    const [, , spin] = forwardDynamics(dynamics, [0.3, 0.4, 0.5], [0, 0, 0], [0, 0, 2e-8]);
    expect(Math.abs(spin / (1e-8 / r2) - 1)).toBeLessThan(1e-6);
  });
});
