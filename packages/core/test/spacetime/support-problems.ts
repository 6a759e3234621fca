import type { BoneData, JointData, LimitData } from '../../src/figure/data/types.js';
import { createFigure, type Figure } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { bSplineCurve, uniformKnots } from '../../src/motion/curves/index.js';
import { createMotion, type Motion } from '../../src/motion/motion.js';
import type { SpacetimeProblem } from '../../src/spacetime/problem.js';
import { project } from '../../src/spacetime/transcription/convex-sets.js';
import type { FreeDuration, SpacetimeData } from '../../src/spacetime/types/data.js';
import { randomInertia, stateOf } from '../dynamics/support.js';
import { direction, rotationVector, within } from '../figure/support.js';

type Random = () => number;

interface Link {
  readonly joint: JointData;
  readonly limit?: LimitData;
  /** Index of the parent. Default: the one before. */
  readonly parent?: number;
  readonly mimic?: BoneData['mimic'];
}

function figureOf(name: string, links: readonly Link[], random: Random): Figure {
  return createFigure({
    name,
    bones: links.map(({ joint, limit, parent, mimic }, n): BoneData => {
      const rotation = (n % 2 === 0 ? [0, 0, 0, 1] : direction(random, 4)) as [
        number,
        number,
        number,
        number,
      ];
      return {
        name: `bone${n}`,
        parent: n === 0 ? null : `bone${parent ?? n - 1}`,
        rest: { position: [within(random, 0.3), 0.4, within(random, 0.3)], rotation },
        joint,
        ...(limit && { limit }),
        ...(mimic && { mimic }),
        mass: 0.5 + random(),
        centerOfMass: [within(random, 0.2), within(random, 0.2), within(random, 0.2)],
        inertia: randomInertia(random),
      };
    }),
  });
}

function axis(random: Random): [number, number, number] {
  return direction(random) as [number, number, number];
}

/** A free body: swing, hinge, a mimic hinge or none, a ball, and another swing; all limits except the ball's, or none. */
export function swimmer(random: Random, hasLimits = true, follows = true): Figure {
  const limited = (limit: LimitData) => (hasLimits ? { limit } : {});
  return figureOf(
    'swimmer',
    [
      {
        joint: { type: 'free' },
        ...limited({
          type: 'box',
          min: [-0.4, null, -0.5, null, null, null],
          max: [0.4, 0.6, null, null, null, null],
        }),
      },
      {
        joint: { type: 'swing', axis: axis(random) },
        ...limited({ type: 'quad-ellipse', s: [-1.2, 1.9], t: [-0.8, 2.1] }),
      },
      { joint: { type: 'hinge', axis: axis(random) }, ...limited({ type: 'interval', min: -0.5, max: 1.2 }) },
      {
        joint: { type: 'hinge', axis: axis(random) },
        ...(follows && { mimic: { bone: 'bone2', polynomial: [0.1, -0.7, 0.2] } }),
      },
      { joint: { type: 'ball' }, parent: 0 },
      {
        joint: { type: 'swing', axis: axis(random) },
        ...limited({ type: 'ellipse', halfAngles: [2.2, 1.4] }),
      },
    ],
    random,
  );
}

/** An arm on a rail: slider, ball-and-socket, Euler joint, a ball with a limit, a ball without; all limits, or none. */
export function crane(random: Random, hasLimits = true): Figure {
  const limited = (limit: LimitData) => (hasLimits ? { limit } : {});
  return figureOf(
    'crane',
    [
      {
        joint: { type: 'slider', axis: axis(random) },
        ...limited({ type: 'interval', min: -0.3, max: null }),
      },
      {
        joint: { type: 'ball-and-socket', axis: axis(random) },
        ...limited({
          type: 'swing-twist',
          swing: { type: 'cone', halfAngle: 2.1 },
          twist: { min: -1, max: 1.5 },
        }),
      },
      {
        joint: { type: 'euler', order: 'ZXY' },
        ...limited({ type: 'box', min: [-1, -0.9, null], max: [1, 0.8, 2.4] }),
      },
      { joint: { type: 'ball' }, ...limited({ type: 'angle', max: 2.6 }) },
      { joint: { type: 'ball' }, parent: 2 },
    ],
    random,
  );
}

export const human = /* @__PURE__ */ createHumanFigure();

/** A motion of wide sweeps: every rotation vector turns and moves, up to about 2.6 rad. */
export function sweeping(figure: Figure, duration: number, random: Random): Motion {
  const points = 7;
  const { pose } = stateOf(figure, random);
  const start = 0.4;
  return createMotion(figure, {
    tracks: [
      {
        coordinate: 0,
        curve: bSplineCurve({
          size: figure.dof,
          degree: 5,
          points: Float64Array.from(
            { length: points * figure.dof },
            (_, k) => 0.8 * pose[k % figure.dof] + within(random, 0.4),
          ),
          knots: uniformKnots(points, start, start + duration, { degree: 5 }),
        }),
      },
    ],
  });
}

/** All parameterizations of the unknowns. */
export interface Form {
  readonly name: string;
  readonly data: Pick<SpacetimeData, 'unknowns' | 'rotations' | 'duration'>;
  readonly moves: boolean;
}

export const DURATION = 0.9;
const FREE: FreeDuration = { min: 0.5, max: 2, start: DURATION };

const WAYS = [
  ['displaced rotations', { rotations: 'displacement' }],
  ['direct rotations', { rotations: 'direct' }],
  ['displacements', { unknowns: 'displacement' }],
] as const;
const TIMINGS = [
  ['fixed time', DURATION],
  ['one free time', FREE],
  ['free time in pieces', { ...FREE, pieces: 4 }],
] as const;

export const FORMS: readonly Form[] = WAYS.flatMap(([variant, data]) =>
  TIMINGS.map(([timing, duration]) => ({
    name: `${variant}, ${timing}`,
    data: { ...data, duration },
    moves: variant !== 'direct rotations',
  })),
);

/**
 * Unknowns in general position: control points about one pose (rotation vectors up to 3 rad, swings up to 2.4), within their sets, so that
 * many are at a limit; forces in and on their cones; time scaling at and between its bounds.
 */
export function randomUnknowns(
  { figure, system, contacts }: SpacetimeProblem,
  random: Random,
  spread = 0.3,
): Float64Array {
  const { parameterization, indices, size, sets } = system;
  const { free, rotations, additive, basis } = parameterization;
  const unknowns = Float64Array.from({ length: size }, () => within(random, 1));
  const { pose } = stateOf(figure, random);
  const center = Float64Array.from(pose, (q, i) => (additive[i] === 1 ? 0.3 * q : q));
  for (const { coordinate } of rotations) center.set(rotationVector(random, 3), coordinate);
  for (let k = 0; k < basis.count; k++) {
    free.forEach((i, c) => {
      unknowns[indices.motion[k * free.length + c]] = center[i] + within(random, spread);
    });
  }
  contacts.forEach(({ normal }, c) => {
    indices.contacts[c].ids.forEach((id, k) => {
      unknowns[id] = normal[k % 3] * random() + within(random, 0.5);
    });
  });
  for (const id of indices.timeScaling) unknowns[id] = 0.6 + random();
  project(sets, unknowns);
  return unknowns;
}
