import {
  type BoneData,
  clampToLimits,
  createFigure,
  createPose,
  type Figure,
  limitViolation,
} from 'poise/figure';
import { createFabrik, figurePoints, type PositionGoal, solveFabrik } from 'poise/ik';
import { quat } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { stationarityOf } from '../../support/objective.js';
import { randomPose, randomQuat, randomTriple, testRandom } from '../../support/random-figure.js';
import { expectProved, framesOf, gap, positionsOf, randomTree } from './support.js';

/** A free root that a box keeps near its place, an arm of balls, one of hinges, and a tip on the root itself. */
function boxed(random: () => number): Figure {
  const half = [0, 1, 2].map(() => 0.02 + 0.2 * random());
  const link = (name: string, parent: string, hinge: boolean): BoneData => ({
    name,
    parent,
    rest: { position: randomTriple(random, 0.4) },
    joint: hinge ? { type: 'hinge', axis: randomTriple(random) } : { type: 'ball' },
    tip: randomTriple(random, 0.3),
  });
  return createFigure({
    bones: [
      {
        name: 'root',
        rest: { rotation: [0.5, -0.5, 0.5, 0.5], position: [0.3, 1, -0.2] },
        joint: { type: 'free' },
        limit: {
          type: 'box',
          min: [...half.map((x) => -x), null, null, null],
          max: [...half, null, null, null],
        },
        tip: [0.2, 0.1, 0],
      },
      link('a', 'root', false),
      link('b', 'a', random() < 0.5),
      link('c', 'root', random() < 0.5),
    ],
  });
}

describe('a free root with translation limits', () => {
  it('does not stagnate: all but a few slow cases end converged or proved stationary, from any seed', () => {
    let met = 0;
    let creeping = 0;
    for (let n = 0; n < 120; n++) {
      const random = testRandom(7919 * (n + 1));
      const figure = boxed(random);
      const goals = ['b', 'c', 'root'].slice(0, 1 + (n % 3)).map(
        (bone): PositionGoal => ({
          type: 'position',
          bone,
          point: randomTriple(random, 0.3),
          target: randomTriple(random, n % 2 === 0 ? 1 : 2),
          weight: 10 ** (2 * random() - 1),
        }),
      );
      const pose = randomPose(figure, random, 1);
      const result = solveFabrik(createFabrik(figure, goals), pose);
      expect(limitViolation(figure, pose)).toBe(0);
      if (result.status === 'converged') {
        met++;
        continue;
      }
      if (result.status === 'iteration-limit') {
        creeping++;
        continue;
      }
      expect(result.status, `${n}`).toBe('limit-blocked');
      expect(stationarityOf(figure, goals, pose, result.lengthScale), `${n}`).toBeLessThan(1.1e-8);
    }
    expect(met).toBeLessThan(24);
    expect(creeping).toBeLessThan(5);
  });
});

describe('a target out of reach of a chain without limits', () => {
  /** A chain of balls on a root, rest frames turned at random, other bones hanging on it. */
  const chain = (random: () => number, root: Partial<BoneData>, lengths: readonly number[]): Figure => {
    const along = (k: number): readonly [number, number, number] => {
      const v = randomTriple(random);
      const size = Math.hypot(...v);
      return [(lengths[k] * v[0]) / size, (lengths[k] * v[1]) / size, (lengths[k] * v[2]) / size];
    };
    return createFigure({
      bones: [
        { name: 'root', joint: { type: 'ball' }, rest: { rotation: randomQuat(random) }, ...root },
        ...lengths.slice(1).map(
          (_, k): BoneData => ({
            name: `b${k}`,
            parent: k === 0 ? 'root' : `b${k - 1}`,
            rest: { position: along(k), rotation: randomQuat(random) },
            joint: { type: 'ball' },
            tip: along(k + 1),
          }),
        ),
        { name: 'ear', parent: 'b0', rest: { position: [0, 0.3, 0] }, joint: { type: 'ball' } },
      ],
    });
  };
  const goalOf = (figure: Figure, target: readonly number[]): PositionGoal => {
    const last = figure.bones[figure.bones.length - 2];
    return {
      type: 'position',
      bone: last.name,
      point: last.tip as readonly [number, number, number],
      target,
    };
  };
  const roots = {
    'a fixed root': { root: { joint: { type: 'ball' } }, options: {} },
    'a free root that is fixed': { root: { joint: { type: 'free' } }, options: { root: 'fixed' } },
    'a free root in a box': {
      root: {
        joint: { type: 'free' },
        limit: {
          type: 'box',
          min: [-0.2, -0.5, null, null, null, null],
          max: [0.3, 0.1, 0.2, null, null, null],
        },
      },
      options: {},
    },
  } as const;

  for (const [title, { root, options }] of Object.entries(roots)) {
    it(`ends in one step at the smallest distance, in the world and in the basis of any bone: ${title}`, () => {
      const random = testRandom(303);
      for (let n = 0; n < 40; n++) {
        const lengths = Array.from({ length: 2 + Math.floor(5 * random()) }, () => 0.2 + random());
        const figure = chain(random, root as Partial<BoneData>, lengths);
        const reach = lengths.reduce((sum, x) => sum + x, 0);
        const v = randomTriple(random);
        const far = (reach + 1 + 4 * random()) / Math.hypot(...v);
        const goals = [goalOf(figure, [far * v[0], far * v[1], far * v[2]])];
        // The place of the base nearest to the target, in rest axes: by definition of the box.
        const { rotation, position } = figure.bones[0].rest;
        const local = quat.rotate(quat.conjugate(rotation), goals[0].target as readonly number[]);
        const { limit } = root as BoneData;
        const base = local.map((x, c) =>
          limit?.type === 'box'
            ? Math.min(limit.max[c] ?? Infinity, Math.max(limit.min[c] ?? -Infinity, x))
            : 0,
        );
        const min = Math.hypot(...local.map((x, c) => x - base[c] - position[c])) - reach;
        if (!(min > 0)) continue;
        const start = randomPose(figure, random, 1);
        if (title === 'a free root that is fixed') start.fill(0, 0, 3);
        const poses = [-1, ...figure.bones.keys()].map((basis) => {
          const pose = start.slice();
          const fabrik = createFabrik(figure, goals, { ...options, ...(basis < 0 ? {} : { basis }) });
          const result = solveFabrik(fabrik, pose);
          expect(result.iterations, `${n}`).toBe(1);
          expect(result.residuals[0].value).toBeCloseTo(min, 11);
          const isBoxed = limit !== undefined;
          expect(result.status).toBe(isBoxed ? 'limit-blocked' : 'out-of-reach');
          expectProved(
            figure,
            goals,
            pose,
            result,
            (i) => options === roots['a free root that is fixed'].options && i < 3,
          );
          return pose;
        });
        const world = positionsOf(figure, poses[0], figurePoints(figure));
        for (const pose of poses) {
          expect(gap(positionsOf(figure, pose, figurePoints(figure)), world)).toBeLessThan(1e-11);
          expect(gap(framesOf(figure, pose), framesOf(figure, poses[0]))).toBeLessThan(1e-9);
        }
      }
    });
  }
});

describe('in the basis of any bone, the root moving', () => {
  it('gives the same pose as in the world: random trees, several goals, with and without limits', () => {
    const random = testRandom(304);
    let compared = 0;
    for (let n = 0; n < 30; n++) {
      const figure =
        n % 2 === 0 ? boxed(random) : randomTree(random, 6, (k) => ({ type: k === 0 ? 'free' : 'ball' }));
      const given = randomPose(figure, random, 0.7);
      clampToLimits(figure, given);
      const ends = figure.bones
        .slice(-2)
        .map(({ name }) => ({ bone: name, point: randomTriple(random, 0.3) }));
      const targets = positionsOf(figure, given, ends);
      const goals = ends.map(
        (end, e): PositionGoal => ({ type: 'position', ...end, target: targets.slice(3 * e, 3 * e + 3) }),
      );
      const start = createPose(figure);
      const poses = [-1, ...figure.bones.keys()].map((basis) => {
        const pose = start.slice();
        const result = solveFabrik(createFabrik(figure, goals, basis < 0 ? {} : { basis }), pose);
        expect(result.status).toBe('converged');
        return pose;
      });
      for (const pose of poses) {
        compared++;
        expect(gap(pose, poses[0]), `${n}`).toBeLessThan(1e-8);
      }
    }
    expect(compared).toBeGreaterThan(130);
  });
});
