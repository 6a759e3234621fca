import { describe, expect, test } from 'vitest';
import {
  ancestorsOf,
  boneIndex,
  boneVelocitiesFromRates,
  boneVelocitiesFromVelocity,
  clampToLimits,
  createFigure,
  createPose,
  createState,
  type FigureData,
  figureToData,
  forwardKinematics,
  frameJacobianQ,
  frameJacobianV,
  limitViolation,
  poseFromLocalTransforms,
  ratesFromVelocity,
  regularizePose,
  updateMotionSubspaceQ,
  updateMotionSubspaceV,
  velocityFromRates,
} from '../../src/figure/index.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';
import {
  angularVelocity,
  createRandom,
  derivative,
  expectClose,
  expectSameBits,
  randomPose,
  within,
  worldByThree,
} from './support.js';
import { mimicPair, randomMimicPair } from './support-mimic.js';

/** A gripper: the right finger mimics the left one on another chain. */
const gripper: FigureData = {
  bones: [
    { name: 'hand' },
    {
      name: 'right',
      parent: 'hand',
      joint: { type: 'slider', axis: [0, -1, 0] },
      mimic: { bone: 'left', polynomial: [0, 1] },
      limit: { type: 'interval', min: 0, max: 0.05 },
    },
    {
      name: 'left',
      parent: 'hand',
      joint: { type: 'slider', axis: [0, 1, 0] },
      limit: { type: 'interval', min: 0, max: 0.04 },
    },
  ],
};

describe('a mimic joint', () => {
  test('has no coordinate in the pose, which holds that of its source', () => {
    const figure = createFigure(gripper);
    expect(figure.dof).toBe(1);
    expect(createPose(figure)).toHaveLength(1);
    expect(figure.bones.map(({ dof }) => dof)).toEqual([0, 0, 1]);
    expect(Array.from(figure.coordinateStart)).toEqual([0, 0, 0, 1]);
    expect(Array.from(figure.boneOfCoordinate)).toEqual([2]);
    expect(figure.mimicJoints).toEqual([{ bone: 1, source: 2, coordinate: 0, polynomial: [0, 1] }]);
  });

  test('frames of random forests against three.js, 1e-13', () => {
    const random = createRandom(160);
    for (let n = 0; n < 100; n++) {
      const { figure, free, freePose } = randomMimicPair(random, 20);
      expect(figure.dof).toBeLessThan(free.dof);
      const state = createState(figure);
      const pose = randomPose(figure, random, 2);
      forwardKinematics(state, pose);
      expectClose(state.worldFromBone, worldByThree(free, freePose(pose)), 1e-13);
    }
  });

  test('is not at rest with its source where its polynomial has a constant term', () => {
    const { figure, free, freePose } = mimicPair({
      bones: [
        { name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] } },
        {
          name: 'b',
          parent: 'a',
          joint: { type: 'hinge', axis: [1, 0, 0] },
          mimic: { bone: 'a', polynomial: [0.25, -2] },
        },
      ],
    });
    const state = createState(figure);
    forwardKinematics(state, createPose(figure));
    expectClose(state.worldFromBone, worldByThree(free, freePose([0])), 1e-15);
    expect(freePose([0])).toEqual(new Float64Array([0, 0.25]));
  });
});

describe('pieces of a mimic joint', () => {
  const spline = (mimic: object, limit = {}): FigureData => ({
    bones: [
      { name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] } },
      {
        name: 'b',
        parent: 'a',
        joint: { type: 'slider', axis: [1, 0, 0] },
        mimic: { bone: 'a', polynomial: [1, 2], ...mimic },
        ...limit,
      },
    ],
  });
  const pieces = [
    { from: 0.5, polynomial: [2, 3, -1] },
    { from: 2, polynomial: [-4] },
  ];

  test('hold from their start on, in powers of the distance from it', () => {
    const figure = createFigure(spline({ pieces }));
    expect(createFigure(JSON.parse(JSON.stringify(figureToData(figure))) as FigureData)).toEqual(figure);
    const state = createState(figure);
    for (const [y, phi] of [
      [-1, -1],
      [0.25, 1.5],
      [0.5, 2],
      [1.5, 4],
      [2, -4],
      [7, -4],
    ]) {
      forwardKinematics(state, [y]);
      expect(state.parentFromBone[12 + 9]).toBe(phi);
    }
  });

  test.each([
    [{ pieces: 3 }, {}, { code: 'wrong-size', path: 'bones[1].mimic.pieces' }],
    [{ pieces: [null] }, {}, { code: 'out-of-range', path: 'bones[1].mimic.pieces[0].from' }],
    [{ pieces: [...pieces, pieces[0]] }, {}, { code: 'out-of-range', path: 'bones[1].mimic.pieces[2].from' }],
    [
      { pieces: [{ from: 0, polynomial: [] }] },
      {},
      { code: 'wrong-size', path: 'bones[1].mimic.pieces[0].polynomial' },
    ],
    [
      { pieces },
      { limit: { type: 'interval', min: -1, max: 1 } },
      { code: 'invalid-limit', path: 'bones[1].limit' },
    ],
  ])('%j with %j is refused', (mimic, limit, error) => {
    expect(() => createFigure(spline(mimic, limit))).toThrow(expect.objectContaining(error));
  });
});

describe('Jacobian columns of the source', () => {
  test('frame Jacobian against q and v is the derivative of point and frame, entrywise, at 100 random points, 1e-10 (v: all at once, 1e-9)', () => {
    const random = createRandom(161);
    for (let n = 0; n < 100; n++) {
      const { figure } = randomMimicPair(random, 14);
      const { dof } = figure;
      const state = createState(figure);
      const pose = randomPose(figure, random, 2);
      const bone = Math.floor(random() * 14);
      const local = [within(random, 1), within(random, 1), within(random, 1)];
      forwardKinematics(state, pose);
      updateMotionSubspaceQ(state, pose);
      updateMotionSubspaceV(state, pose);
      const point = rigid.transformPoint(state.worldFromBone.slice(12 * bone, 12 * bone + 12), local);
      const byQ = new Float64Array(6 * dof);
      const byVelocity = new Float64Array(6 * dof);
      frameJacobianQ(state, bone, point, byQ);
      frameJacobianV(state, bone, point, byVelocity);
      const velocity = Array.from({ length: dof }, () => within(random, 1));
      const rates = new Float64Array(dof);
      ratesFromVelocity(state, pose, velocity, rates);
      const moved = (direction: ArrayLike<number>) => {
        const at = (x: number) => {
          forwardKinematics(
            state,
            pose.map((p, i) => p + x * direction[i]),
          );
          const frame = state.worldFromBone.slice(12 * bone, 12 * bone + 12);
          return [...rigid.transformPoint(frame, local), ...frame];
        };
        const rate = derivative(at, 0.001);
        return [...rate.slice(0, 3), ...angularVelocity(at(0).slice(3, 12), rate.slice(3, 12))];
      };
      for (let i = 0; i < dof; i++) {
        const unit = Array.from({ length: dof }, (_, k) => (k === i ? 1 : 0));
        const column = [0, 1, 2, 3, 4, 5].map((row) => byQ[row * dof + i]);
        expectClose(column, moved(unit), 1e-10, `column ${i}`);
      }
      const along = [0, 1, 2, 3, 4, 5].map((row) => {
        let sum = 0;
        for (let i = 0; i < dof; i++) sum += byVelocity[row * dof + i] * velocity[i];
        return sum;
      });
      expectClose(along, moved(rates), 1e-9);
    }
  });

  test('is the chain rule over the same figure with every joint free, 1e-12', () => {
    const random = createRandom(162);
    for (let n = 0; n < 100; n++) {
      const { figure, free, freePose, expansion } = randomMimicPair(random, 20);
      const pose = randomPose(figure, random, 2);
      const state = createState(figure);
      forwardKinematics(state, pose);
      updateMotionSubspaceQ(state, pose);
      const freeState = createState(free);
      forwardKinematics(freeState, freePose(pose));
      updateMotionSubspaceQ(freeState, freePose(pose));
      const name = figure.bones[Math.floor(random() * 20)].name;
      const point = [within(random, 1), within(random, 1), within(random, 1)];
      const ours = new Float64Array(6 * figure.dof);
      const theirs = new Float64Array(6 * free.dof);
      frameJacobianQ(state, boneIndex(figure, name), point, ours);
      frameJacobianQ(freeState, boneIndex(free, name), point, theirs);
      const e = expansion(pose);
      const product = Float64Array.from(ours, (_, at) => {
        const row = Math.floor(at / figure.dof);
        let sum = 0;
        for (let k = 0; k < free.dof; k++) {
          sum += theirs[row * free.dof + k] * e[k * figure.dof + (at % figure.dof)];
        }
        return sum;
      });
      expectClose(ours, product, 1e-12);
    }
  });

  test('the support includes the sources of the chain`s mimic joints, and no other column is written', () => {
    const random = createRandom(163);
    for (let n = 0; n < 20; n++) {
      const { figure } = randomMimicPair(random, 30);
      const { dof } = figure;
      const state = createState(figure);
      const pose = randomPose(figure, random);
      forwardKinematics(state, pose);
      updateMotionSubspaceQ(state, pose);
      updateMotionSubspaceV(state, pose);
      for (let bone = 0; bone < 30; bone++) {
        const support = ancestorsOf(figure, bone);
        expect(Array.from(support)).toEqual([...new Set(support)].sort((a, b) => a - b));
        for (const write of [frameJacobianQ, frameJacobianV]) {
          const jacobian = new Float64Array(6 * dof).fill(Number.NaN);
          write(state, bone, [0, 0, 0], jacobian);
          const written = Array.from(jacobian.keys()).filter((at) => !Number.isNaN(jacobian[at]));
          const expected = Array.from(jacobian.keys()).filter((at) => support.includes(at % dof));
          expect(written).toEqual(expected);
        }
      }
    }
  });

  test('phi` and phi`` are the derivatives of the mimic joint`s coordinate, 1e-9', () => {
    const random = createRandom(164);
    for (let n = 0; n < 20; n++) {
      const { figure } = randomMimicPair(random, 20);
      const state = createState(figure);
      const pose = randomPose(figure, random, 2);
      const values = (x: number, of: 'joints' | 'slopes') => {
        forwardKinematics(
          state,
          pose.map((y) => y + x),
        );
        return of === 'joints' ? state.jointCoordinates.slice(figure.dof) : state.mimicDerivatives.slice();
      };
      const slopes = derivative((x) => values(x, 'joints'));
      const curvatures = derivative((x) => values(x, 'slopes'));
      forwardKinematics(state, pose);
      expectClose(state.mimicDerivatives, slopes, 1e-9);
      expectClose(state.mimicSecondDerivatives, curvatures, 1e-9);
    }
  });

  test('do not depend on earlier poses', () => {
    const random = createRandom(165);
    const { figure } = randomMimicPair(random, 30);
    const used = createState(figure);
    for (let n = 0; n < 5; n++) {
      const pose = randomPose(figure, random);
      const fresh = createState(figure);
      for (const state of [used, fresh]) {
        forwardKinematics(state, pose);
        updateMotionSubspaceQ(state, pose);
        updateMotionSubspaceV(state, pose);
      }
      expectClose(used.columnsQ, fresh.columnsQ, 0);
      expectClose(used.columnsV, fresh.columnsV, 0);
      expectClose(used.mimicDerivatives, fresh.mimicDerivatives, 0);
    }
  });
});

describe('velocities', () => {
  test('of all bones from rates and from v are the derivative of the frames, 1e-9', () => {
    const random = createRandom(166);
    for (let n = 0; n < 30; n++) {
      const { figure } = randomMimicPair(random, 20);
      const state = createState(figure);
      const pose = randomPose(figure, random, 2);
      const rates = pose.map(() => within(random, 1));
      const frames = (t: number) => {
        forwardKinematics(
          state,
          pose.map((p, i) => p + t * rates[i]),
        );
        return Float64Array.from(state.worldFromBone);
      };
      const rate = derivative(frames, 0.001);
      const now = frames(0);
      const expected = figure.bones.flatMap(({ index }) => {
        const o = 12 * index;
        return [...angularVelocity(now.slice(o, o + 9), rate.slice(o, o + 9)), ...rate.slice(o + 9, o + 12)];
      });
      const velocity = new Float64Array(figure.dof);
      velocityFromRates(state, pose, rates, velocity);
      updateMotionSubspaceQ(state, pose);
      updateMotionSubspaceV(state, pose);
      const byRates = new Float64Array(6 * figure.bones.length);
      const byVelocity = new Float64Array(6 * figure.bones.length);
      boneVelocitiesFromRates(state, rates, byRates);
      boneVelocitiesFromVelocity(state, velocity, byVelocity);
      expectClose(byRates, expected, 1e-9);
      expectClose(byVelocity, byRates, 1e-11);
    }
  });

  test('rates from v and back write the pose`s coordinates and nothing behind them', () => {
    const random = createRandom(167);
    const { figure } = randomMimicPair(random, 30);
    const state = createState(figure);
    const pose = randomPose(figure, random);
    const velocity = pose.map(() => within(random, 1));
    const behind = figure.mimicJoints.length;
    const rates = new Float64Array(figure.dof + behind).fill(7);
    const back = new Float64Array(figure.dof + behind).fill(7);
    ratesFromVelocity(state, pose, velocity, rates);
    velocityFromRates(state, pose, rates, back);
    expectClose(back.slice(0, figure.dof), velocity, 1e-12);
    expect([...rates.slice(figure.dof), ...back.slice(figure.dof)]).toEqual(Array(2 * behind).fill(7));
  });
});

describe('poses', () => {
  test('are computed from local transforms of the source joints', () => {
    const random = createRandom(168);
    for (let n = 0; n < 50; n++) {
      const { figure } = randomMimicPair(random, 20);
      const state = createState(figure);
      const pose = randomPose(figure, random, 1.5);
      forwardKinematics(state, pose);
      const local = state.parentFromBone.slice();
      const read = poseFromLocalTransforms(state, local, pose.slice());
      forwardKinematics(state, read);
      expectClose(state.parentFromBone, local, 1e-12);
    }
  });

  test('of a figure survive JSON, structuredClone and regularization to the bit', () => {
    const random = createRandom(169);
    for (let n = 0; n < 20; n++) {
      const { figure } = randomMimicPair(random, 20);
      const pose = randomPose(figure, random, 3);
      regularizePose(figure, pose);
      const frames = (of: typeof figure) => {
        const state = createState(of);
        forwardKinematics(state, pose);
        updateMotionSubspaceQ(state, pose);
        return Float64Array.from([...state.worldFromBone, ...state.columnsQ]);
      };
      const again = createFigure(JSON.parse(JSON.stringify(figureToData(figure))));
      expect(again).toEqual(figure);
      expectSameBits(frames(again), frames(figure));
      expectSameBits(frames(structuredClone(figure)), frames(figure));
    }
  });

  test('the figure is frozen down to its polynomials', () => {
    const figure = createFigure(gripper);
    for (const value of [figure.mimicJoints, figure.mimicJoints[0], figure.mimicJoints[0].polynomial]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
    expect(Object.isFrozen(figure.bones[1].mimic)).toBe(true);
  });
});

describe('limits', () => {
  const withLimits = (
    polynomial: number[],
    mimicLimit: [number | null, number | null] | undefined,
    sourceLimit?: [number | null, number | null],
  ): FigureData => ({
    bones: [
      {
        name: 'mimic',
        joint: { type: 'hinge', axis: [0, 0, 1] },
        mimic: { bone: 'source', polynomial },
        ...(mimicLimit && { limit: { type: 'interval', min: mimicLimit[0], max: mimicLimit[1] } }),
      },
      { name: 'ball', joint: { type: 'ball' }, limit: { type: 'angle', max: 1 } },
      {
        name: 'source',
        joint: { type: 'slider', axis: [0, 0, 1] },
        ...(sourceLimit && { limit: { type: 'interval', min: sourceLimit[0], max: sourceLimit[1] } }),
      },
    ],
  });
  const rangeOf = (...given: Parameters<typeof withLimits>) =>
    createFigure(withLimits(...given)).limitComponents.find(({ coordinate }) => coordinate === 3)?.parameters;

  test('of a mimic joint become one of its source, in coordinate order', () => {
    const figure = createFigure(withLimits([0.5, -2], [-1, 1]));
    expect(figure.limitComponents.map(({ coordinate }) => coordinate)).toEqual([0, 3]);
    expect(figure.limitComponents[1]).toEqual({
      bone: 2,
      coordinate: 3,
      size: 1,
      kind: 'interval',
      role: 'distance',
      parameters: [-0.25, 0.75],
    });
    expect(figure.bones[0].limit).toEqual({ type: 'interval', min: -1, max: 1 });
  });

  test('of both are intersected; an unbounded limit changes nothing', () => {
    expect(rangeOf([0, 2], [-1, 1], [0, 3])).toEqual([0, 0.5]);
    expect(rangeOf([0, 2], [-9, 9], [0, 3])).toEqual([0, 3]);
    expect(rangeOf([0, 2], [null, 1], [-5, null])).toEqual([-5, 0.5]);
    expect(rangeOf([0, -2], [null, 1], undefined)).toEqual([-0.5, Number.POSITIVE_INFINITY]);
    expect(rangeOf([0.3], [0, 1], undefined)).toBeUndefined();
    expect(rangeOf([0.3, 0, 0], [0, 1], [0, 3])).toEqual([0, 3]);
    expect(rangeOf([0, 1], undefined, [0, 3])).toEqual([0, 3]);
    expect(rangeOf([0, 1, 1], [null, null], undefined)).toBeUndefined();
    expect(rangeOf([2, 1], [3, 4], [1, 1])).toEqual([1, 1]);
    expect(createFigure(gripper).limitComponents[0].parameters).toEqual([0, 0.04]);
  });

  test('through a nonlinear polynomial: the preimage by the roots of quadratics and cubics', () => {
    // y^2 <= 4 and >= -1.
    expectClose(rangeOf([0, 0, 1], [-1, 4]) ?? [], [-2, 2], 1e-15);
    // 1 <= y^2 <= 4 is two ranges; within y >= 0 one of them.
    expectClose(rangeOf([0, 0, 1], [1, 4], [0, null]) ?? [], [1, 2], 1e-15);
    // -6 <= y^3 + y <= 10, monotonic: y^3 + y = 10 at 2; at the other end Cardano, whose cube roots cancel.
    const low = Math.cbrt(-3 + Math.sqrt(9 + 1 / 27)) + Math.cbrt(-3 - Math.sqrt(9 + 1 / 27));
    expectClose(rangeOf([0, 1, 0, 1], [-6, 10]) ?? [], [low, 2], 1e-14);
    // (y^2 - 1)^2 <= 0 holds at 1 and -1 only; y^2 <= 0 at 0.
    expectClose(rangeOf([0, 0, 1], [null, 0]) ?? [], [0, 0], 0);
    // y^2 >= 1 from y = 1 up.
    expect(rangeOf([0, 0, 1], [1, null], [0.5, null])).toEqual([1, Number.POSITIVE_INFINITY]);
    // The source is fixed at a value that the mimic joint allows.
    expectClose(rangeOf([0, 0, 1], [1, 4], [1.5, 1.5]) ?? [], [1.5, 1.5], 0);
  });

  test('of random figures: the projected source keeps the mimic joint within its limit to 1e-12, and on the boundary', () => {
    const random = createRandom(170);
    let refused = 0;
    for (let n = 0; n < 500; n++) {
      const polynomial = Array.from({ length: 1 + Math.floor(random() * 5) }, () => within(random, 2));
      const [a, b] = [within(random, 2), within(random, 2)].sort((x, y) => x - y);
      const [c, d] = [within(random, 2), within(random, 2)].sort((x, y) => x - y);
      const phi = (y: number) => polynomial.reduce((sum, k, i) => sum + k * y ** i, 0);
      const samples = Array.from({ length: 4001 }, (_, k) => c + ((d - c) * k) / 4000);
      const allowed = samples.map((y) => phi(y) >= a && phi(y) <= b);
      const flips = allowed.filter((is, k) => k > 0 && is && !allowed[k - 1]).length + (allowed[0] ? 1 : 0);
      let range: readonly number[] | undefined;
      try {
        range = rangeOf(polynomial, [a, b], [c, d]);
      } catch (error) {
        // Not one range: the samples show none (a sliver may lie between two), or several.
        expect(error).toMatchObject({ code: 'invalid-limit', path: 'bones[0].limit' });
        expect(flips).not.toBe(1);
        refused++;
        continue;
      }
      const [min, max] = range as readonly number[];
      expect(flips).toBeLessThan(2);
      for (let k = 0; k <= 20; k++) {
        const value = phi(min + ((max - min) * k) / 20);
        expect(value).toBeGreaterThan(a - 1e-12);
        expect(value).toBeLessThan(b + 1e-12);
      }
      const step = (d - c) / 4000;
      const wrong = samples.filter((y, k) =>
        allowed[k] ? y < min - 1e-9 || y > max + 1e-9 : y > min + step && y < max - step,
      );
      expect(wrong).toEqual([]);
    }
    expect(refused).toBeGreaterThan(20);
    expect(refused).toBeLessThan(400);
  });

  test('move the starting pose where zero is not allowed, and clamp as those of any joint', () => {
    const figure = createFigure(withLimits([0, 2], [1, 3]));
    const pose = createPose(figure);
    expect(pose[3]).toBe(0.5);
    pose[3] = 7;
    expect(limitViolation(figure, pose)).toBe(5.5);
    expect(clampToLimits(figure, pose)).toBe(true);
    expect(pose[3]).toBe(1.5);
  });

  test('that contradict each other are refused with the place', () => {
    for (const given of [
      [
        [0, 1],
        [2, 3],
        [0, 1],
      ],
      [[5], [0, 1], undefined],
      [[0, 0, 1], [null, -1], undefined],
      [[0, 0, 1], [1, 4], undefined],
    ] as Parameters<typeof withLimits>[]) {
      expect(() => createFigure(withLimits(...given))).toThrow(
        expect.objectContaining({ name: 'FigureError', code: 'invalid-limit', path: 'bones[0].limit' }),
      );
    }
  });
});

describe('invalid mimic data', () => {
  const build = (mimic: unknown, joint: unknown = { type: 'hinge', axis: [0, 0, 1] }) =>
    createFigure({
      bones: [
        { name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] } },
        { name: 'b', joint, mimic },
        {
          name: 'c',
          joint: { type: 'slider', axis: [0, 0, 1] },
          mimic: { bone: 'a', polynomial: [0, 1] },
        },
        { name: 'ball', joint: { type: 'ball' } },
      ],
    } as FigureData);

  test.each([
    [{ bone: 'A', polynomial: [0, 1] }, 'unknown-name', 'bones[1].mimic.bone', /'a'/],
    [{ bone: 7, polynomial: [0, 1] }, 'unknown-name', 'bones[1].mimic.bone', /7/],
    [{ polynomial: [0, 1] }, 'unknown-name', 'bones[1].mimic.bone', /undefined/],
    [{ bone: 'b', polynomial: [0, 1] }, 'cycle', 'bones[1].mimic.bone', /itself/],
    [{ bone: 'c', polynomial: [0, 1] }, 'cycle', 'bones[1].mimic.bone', /mimic joint of 'a'/],
    [{ bone: 'ball', polynomial: [0, 1] }, 'unsupported', 'bones[1].mimic.bone', /ball joint/],
    [{ bone: 'a' }, 'wrong-size', 'bones[1].mimic.polynomial', /undefined/],
    [{ bone: 'a', polynomial: [] }, 'wrong-size', 'bones[1].mimic.polynomial', /has 0 numbers/],
    [{ bone: 'a', polynomial: [0, Number.NaN] }, 'not-finite', 'bones[1].mimic.polynomial[1]', /NaN/],
    [{ bone: 'a', polynomial: [0, '1'] }, 'not-finite', 'bones[1].mimic.polynomial[1]', /1/],
    [{ bone: 'a', polynomial: 2 }, 'wrong-size', 'bones[1].mimic.polynomial', /2/],
    [5, 'unsupported', 'bones[1].mimic', /is 5/],
  ])('%j', (mimic, code, path, message) => {
    expect(() => build(mimic)).toThrow(
      expect.objectContaining({ name: 'FigureError', code, path, message: expect.stringMatching(message) }),
    );
  });

  test('of a joint with another number of coordinates', () => {
    for (const joint of [{ type: 'ball' }, { type: 'fixed' }, { type: 'free' }]) {
      expect(() => build({ bone: 'a', polynomial: [0, 1] }, joint)).toThrow(
        expect.objectContaining({ code: 'unsupported', path: 'bones[1].mimic' }),
      );
    }
  });

  test('null counts as left out', () => {
    expect(build(null).dof).toBe(5);
  });
});
