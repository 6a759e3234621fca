import { PoiseError } from 'poise';
import { createFigure, createPose, type FigureData, limitViolation } from 'poise/figure';
import { createIk, type Goal, type IkOptions, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';

/** What is put in the place of every number, and of every array and object too. */
const POISONS: readonly unknown[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1e308,
  -1e160,
  1e-320,
  '1',
  null,
  undefined,
  {},
  [],
  true,
  -1,
];

/** A small body with every joint and limit, masses for a centre of mass, and symmetric hands for a mirror. */
const body: FigureData = {
  bones: [
    { name: 'root', joint: { type: 'free' }, tip: [0, 0.3, 0], mass: 3, centerOfMass: [0, 0.1, 0] },
    {
      name: 'spine',
      parent: 'root',
      rest: { position: [0, 0.3, 0] },
      joint: { type: 'ball' },
      limit: { type: 'angle', max: 0.8 },
      mass: 2,
      inertia: [1, 1, 1, 0, 0, 0],
    },
    {
      name: 'head',
      parent: 'spine',
      rest: { position: [0, 0.3, 0], rotation: [0, 0, 0, 1] },
      joint: { type: 'ball-and-socket', axis: [0, 1, 0], side: [1, 0, 0] },
      limit: {
        type: 'swing-twist',
        swing: { type: 'quad-ellipse', s: [-0.5, 0.6], t: [-0.4, 0.7] },
        twist: { min: -1, max: 1 },
      },
      mass: 1,
    },
    ...(['left', 'right'] as const).flatMap((side): FigureData['bones'] => {
      const sign = side === 'left' ? 1 : -1;
      return [
        {
          name: `${side}Arm`,
          parent: 'spine',
          rest: { position: [0.2 * sign, 0.2, 0] },
          joint: { type: 'swing', axis: [sign, 0, 0], side: [0, 1, 0] },
          limit: { type: 'ellipse', halfAngles: [1.2, 0.9] },
        },
        {
          name: `${side}Forearm`,
          parent: `${side}Arm`,
          rest: { position: [0.3 * sign, 0, 0] },
          joint: { type: 'hinge', axis: [0, 1, 0] },
          limit: { type: 'interval', min: sign > 0 ? -2 : 0, max: sign > 0 ? 0 : 2 },
        },
        {
          name: `${side}Hand`,
          parent: `${side}Forearm`,
          rest: { position: [0.3 * sign, 0, 0] },
          joint: { type: 'euler', order: 'ZXY' },
          limit: { type: 'box', min: [-1, -1, null], max: [1, 1, null] },
          tip: [0.1 * sign, 0, 0],
        },
      ];
    }),
  ],
};

const goals: readonly Goal[] = [
  {
    type: 'position',
    bone: 'leftHand',
    point: [0.1, 0, 0],
    target: [0.3, 0.4, 0.3],
    weight: 2,
    tolerance: 1e-4,
  },
  { type: 'position', bone: 'leftHand', target: { bone: 'head', point: [0, 0.1, 0.2] }, mask: [1, 0, 0.5] },
  { type: 'orientation', bone: 'head', offset: [0, 0, 0, 1], target: [0, 0.1, 0, 1], mask: [1, 1, 0] },
  { type: 'orientation', bone: 'leftHand', target: { bone: 'rightHand', offset: [0, 0, 1, 0] } },
  {
    type: 'points-at',
    bone: 'head',
    axis: [0, 0, 1],
    origin: [0, 0.1, 0],
    target: [1, 1, 2],
    up: { axis: [0, 1, 0], direction: [0, 1, 0] },
  },
  {
    type: 'look-at',
    bone: 'head',
    axis: [0, 0, 1],
    target: [1, 1, 2],
    chain: [
      { bone: 'spine', share: 1 },
      { bone: 'head', share: 2 },
    ],
  },
  {
    type: 'pole',
    bone: 'leftHand',
    middle: 'leftForearm',
    start: 'leftArm',
    target: [0, 0, -1],
    tolerance: 1e-3,
  },
  { type: 'distance', bone: 'leftHand', point: [0.1, 0, 0], target: { bone: 'rightHand' }, distance: 0.4 },
  { type: 'plane', bone: 'leftHand', target: { point: [0, 0.3, 0], normal: [0, 2, 0] } },
  { type: 'half-space', bone: 'root', target: { point: [0, 0.1, 0], normal: [0, 1, 0] }, clearance: 0.05 },
  {
    type: 'relative-pose',
    bone: 'rightHand',
    point: [0.1, 0, 0],
    offset: [0, 0, 0, 1],
    target: { bone: 'leftHand', point: [0, 0.3, 0], offset: [0, 1, 0, 0] },
    positionMask: [1, 1, 1],
    orientationMask: [0, 1, 1],
    tolerance: 1e-3,
    angleTolerance: 1e-2,
  },
  { type: 'center-of-mass', target: [0, 0.4, 0], mask: [1, 0, 1] },
  {
    type: 'center-of-mass',
    support: [
      [0.1, 0, 0.1],
      [-0.1, 0, 0.1],
      [0, 0, -0.1],
    ],
    up: [0, 1, 0],
  },
  { type: 'posture', bones: ['spine', 'head'], stiffness: [1, 2], weight: 0.1, priority: 1 },
  { type: 'joint-value', bone: 'leftHand', coordinate: 1, value: 0.3 },
  { type: 'mirror', bone: 'rightHand', of: 'leftHand', plane: { point: [0, 0, 0], normal: [1, 0, 0] } },
];

/** Paths of all leaves and of all objects and arrays inside a value. */
function pathsOf(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  const own = path.length === 0 ? [] : [[...path]];
  if (typeof value !== 'object' || value === null) return own;
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

/** A copy of a value with one place poisoned. */
function poisoned<T>(value: T, path: readonly (string | number)[], poison: unknown): T {
  const copy = structuredClone(value);
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  at[path[path.length - 1]] = poison;
  return copy;
}

/** Everything from data to answer: ends finite and within limits, or in a typed error that says where and what to do. */
function survives(
  make: () => { figure: FigureData; goals: readonly Goal[]; options?: IkOptions; pose?: unknown },
  says: string,
): boolean {
  try {
    const { figure: data, goals: list, options, pose: given } = make();
    const figure = createFigure(data);
    const ik = createIk(figure, list, { restarts: 1, maxIterations: 30, ...options });
    const pose = (given ?? createPose(figure)) as Float64Array;
    const result = solveIk(ik, pose);
    expect(pose.every(Number.isFinite), says).toBe(true);
    expect(limitViolation(figure, pose), says).toBeLessThanOrEqual(1e-12);
    expect(Number.isFinite(result.objective), `${says}: f is ${result.objective}`).toBe(true);
    expect(
      result.residuals.every(({ value }) => Number.isFinite(value)),
      says,
    ).toBe(true);
    return true;
  } catch (error) {
    if (error instanceof PoiseError) {
      expect(error.path.length, says).toBeGreaterThan(2);
      expect(error.remedy.length, says).toBeGreaterThanOrEqual(10);
      return false;
    }
    throw new Error(`${says}: ${error instanceof Error ? error.stack : error}`);
  }
}

function shown(poison: unknown): string {
  return typeof poison === 'object' ? JSON.stringify(poison) : `${typeof poison} ${poison}`;
}

describe('a poison in any place ends in a finite answer within limits or in a typed error', () => {
  it('in the figure', () => {
    let refused = 0;
    for (const path of pathsOf(body)) {
      for (const poison of POISONS) {
        const says = `${path.join('.')} = ${shown(poison)}`;
        if (!survives(() => ({ figure: poisoned(body, path, poison), goals: goals.slice(0, 1) }), says))
          refused++;
      }
    }
    expect(refused).toBeGreaterThan(500);
  });

  it.each(goals.map((goal, n) => [goal.type, n] as const))('in a %s goal (%d)', (_type, n) => {
    expect(survives(() => ({ figure: body, goals: [goals[n]] }), 'as it is')).toBe(true);
    let refused = 0;
    for (const path of pathsOf(goals[n])) {
      for (const poison of POISONS) {
        const says = `${path.join('.')} = ${shown(poison)}`;
        const list = [poisoned(goals[n], path, poison)];
        if (!survives(() => ({ figure: body, goals: list }), says)) refused++;
      }
    }
    expect(refused).toBeGreaterThan(10);
  });

  it.each(goals.map((goal, n) => [goal.type, n] as const))(
    'in a %s goal (%d) after the solver is made',
    (_type, n) => {
      for (const path of pathsOf(goals[n])) {
        for (const poison of POISONS) {
          const live = structuredClone(goals[n]);
          const says = `${path.join('.')} = ${shown(poison)}`;
          const figure = createFigure(body);
          const ik = createIk(figure, [live], { restarts: 0, maxIterations: 30 });
          const pose = createPose(figure);
          solveIk(ik, pose);
          let at = live as unknown as Record<string | number, unknown>;
          for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
          at[path[path.length - 1]] = poison;
          try {
            const result = solveIk(ik, pose);
            expect(Number.isFinite(result.objective), `${says}: f is ${result.objective}`).toBe(true);
          } catch (error) {
            if (!(error instanceof PoiseError)) throw new Error(`${says}: ${(error as Error).stack}`);
          }
          expect(pose.every(Number.isFinite), says).toBe(true);
          expect(limitViolation(figure, pose), says).toBeLessThanOrEqual(1e-12);
        }
      }
    },
  );

  it('in the options', () => {
    const options: Required<IkOptions> = {
      maxIterations: 20,
      restarts: 2,
      seed: 3,
      locked: ['root', 0],
      onIterate: () => undefined,
    };
    for (const name of Object.keys(options)) {
      for (const poison of [...POISONS, [null], [{}], ['nobody'], [99], [-1], [Number.NaN]]) {
        const says = `${name} = ${shown(poison)}`;
        survives(
          () => ({ figure: body, goals: goals.slice(0, 1), options: { ...options, [name]: poison } }),
          says,
        );
      }
    }
  });

  it('in the pose', () => {
    const { dof } = createFigure(body);
    for (let i = 0; i < dof; i++) {
      for (const poison of [
        Number.NaN,
        Number.POSITIVE_INFINITY,
        Number.NEGATIVE_INFINITY,
        1e308,
        -1e160,
        1e9,
        1e7,
      ]) {
        const pose = new Float64Array(dof);
        pose[i] = poison;
        survives(() => ({ figure: body, goals: goals.slice(0, 1), pose }), `pose[${i}] = ${poison}`);
      }
    }
    for (const pose of [
      [],
      {},
      'pose',
      new Float64Array(0),
      new Float32Array(dof),
      new Float64Array(dof + 1),
    ]) {
      expect(survives(() => ({ figure: body, goals: goals.slice(0, 1), pose }), `pose ${pose}`)).toBe(false);
    }
  });
});
