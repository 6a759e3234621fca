import { describe, expect, test } from 'vitest';
import {
  centerOfMass,
  centerOfMassJacobianQ,
  centerOfMassJacobianV,
  createFigure,
  createState,
  type Figure,
  forwardKinematics,
  ratesFromVelocity,
  updateMotionSubspaceQ,
  updateMotionSubspaceV,
  worldPoint,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import {
  createRandom,
  derivative,
  expectClose,
  randomFigureData,
  randomPose,
  within,
  worldByThree,
} from './support.js';
import { randomMimicPair } from './support-mimic.js';

const triple = (random: () => number): [number, number, number] => [
  within(random, 1),
  within(random, 1),
  within(random, 1),
];

/** The same bones, two in three with a mass. */
function withMasses({ bones }: ReturnType<typeof randomFigureData>, random: () => number): Figure {
  return createFigure({
    bones: bones.map((bone, k) =>
      k % 3 === 2 ? bone : { ...bone, mass: 0.1 + random(), centerOfMass: triple(random) },
    ),
  });
}

describe('worldPoint', () => {
  test('is the point of the bone in three.js, by name and by index, the origin by default', () => {
    const random = createRandom(501);
    for (let n = 0; n < 20; n++) {
      const figure = createFigure(randomFigureData(random, 10));
      const state = createState(figure);
      const pose = randomPose(figure, random);
      forwardKinematics(state, pose);
      const world = worldByThree(figure, pose);
      for (const { index, name } of figure.bones) {
        const p = triple(random);
        const expected = [0, 1, 2].map((r) => {
          const o = 12 * index;
          return world[o + 9 + r] + [0, 1, 2].reduce((sum, c) => sum + world[o + 3 * r + c] * p[c], 0);
        });
        const out = new Float64Array(3);
        expect(worldPoint(state, index, p, out)).toBe(out);
        expectClose(out, expected, 1e-12);
        expect(worldPoint(state, name, p)).toEqual(Array.from(out));
        expectClose(worldPoint(state, name), world.subarray(12 * index + 9, 12 * index + 12), 1e-12);
      }
    }
    const state = createState(createHumanFigure());
    expect(() => worldPoint(state, 'leftHnad')).toThrow(/Did you mean 'leftHand'/);
  });
});

describe('the Jacobian of the centre of mass', () => {
  test('is its derivative, against q and v, on random figures and with mimic joints, 1e-11', () => {
    const random = createRandom(502);
    for (let n = 0; n < 40; n++) {
      const data = n % 2 === 0 ? randomFigureData(random, 12) : { bones: mimicBones(random) };
      const figure = withMasses(data, random);
      const state = createState(figure);
      const pose = randomPose(figure, random, 1);
      const at = (rates: ArrayLike<number>) => (x: number) => {
        forwardKinematics(
          state,
          pose.map((p, i) => p + x * rates[i]),
        );
        return centerOfMass(state);
      };
      const jacobians = (): [Float64Array, Float64Array] => {
        forwardKinematics(state, pose);
        updateMotionSubspaceQ(state, pose);
        updateMotionSubspaceV(state, pose);
        // Whatever was in `out` is overwritten.
        const used = new Float64Array(3 * figure.dof).fill(7);
        return [centerOfMassJacobianQ(state, used), centerOfMassJacobianV(state)];
      };
      const [inQ, inV] = jacobians();
      for (let i = 0; i < figure.dof; i++) {
        const unit = Float64Array.from({ length: figure.dof }, (_, k) => (k === i ? 1 : 0));
        const column = (jacobian: Float64Array) => [0, 1, 2].map((r) => jacobian[r * figure.dof + i]);
        expectClose(column(inQ), derivative(at(unit), 0.005), 1e-11, `q ${i}`);
        const rates = new Float64Array(figure.dof);
        ratesFromVelocity(state, pose, unit, rates);
        expectClose(column(inV), derivative(at(rates), 0.002), 1e-10, `v ${i}`);
      }
      expect(jacobians()).toEqual([inQ, inV]);
    }
  });

  test('needs a mass', () => {
    const state = createState(createFigure({ bones: [{ name: 'a' }] }));
    for (const act of [centerOfMass, centerOfMassJacobianQ, centerOfMassJacobianV]) {
      expect(() => act(state)).toThrow(expect.objectContaining({ code: 'out-of-range' }));
    }
  });
});

function mimicBones(random: () => number) {
  const { figure } = randomMimicPair(random, 12);
  return figure.bones.map(({ index: _, coordinate: __, dof: ___, parent, ...bone }) => ({
    ...bone,
    parent: parent < 0 ? null : figure.bones[parent].name,
  }));
}
