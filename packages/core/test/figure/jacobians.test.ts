import { describe, expect, test } from 'vitest';
import {
  ancestorsOf,
  basisBetween,
  createFigure,
  createPose,
  createState,
  type FigureState,
  forwardKinematics,
  frameJacobianQ,
  frameJacobianV,
  lowestCommonAncestor,
  pointJacobianQ,
  pointJacobianV,
  poseBoneFromLocalTransform,
  ratesFromVelocity,
  updateMotionSubspaceQ,
  updateMotionSubspaceV,
  WORLD_FRAME,
} from '../../src/figure/index.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';
import type { Numbers } from '../../src/math/linear/types.js';
import {
  angularVelocity,
  createRandom,
  derivative,
  expectClose,
  randomFigureData,
  randomPose,
  within,
} from './support.js';

/** World velocity of a bone point and angular velocity of the bone as the pose moves at `rates`, by differences. */
function velocityByDifferences(
  state: FigureState,
  pose: Float64Array,
  rates: Numbers,
  bone: number,
  local: Numbers,
): number[] {
  const at = (x: number) => {
    forwardKinematics(
      state,
      pose.map((p, i) => p + x * rates[i]),
    );
    const frame = state.worldFromBone.slice(12 * bone, 12 * bone + 12);
    return [...rigid.transformPoint(frame, local), ...frame];
  };
  // All coordinates move at once, so the motion has higher frequencies than one joint alone: a smaller step.
  const rate = derivative(at, 0.002);
  return [...rate.slice(0, 3), ...angularVelocity(at(0).slice(3, 12), rate.slice(3, 12))];
}

describe('point and frame Jacobians', () => {
  test('frame Jacobian against q is the derivative of point and frame, entrywise, at 100 random points, 1e-11', () => {
    const random = createRandom(110);
    for (let n = 0; n < 100; n++) {
      const figure = createFigure(randomFigureData(random, 12));
      const state = createState(figure);
      const pose = randomPose(figure, random);
      const bone = Math.floor(random() * 12);
      const local = [within(random, 1), within(random, 1), within(random, 1)];
      forwardKinematics(state, pose);
      updateMotionSubspaceQ(state, pose);
      const frame = state.worldFromBone.slice(12 * bone, 12 * bone + 12);
      const jacobian = new Float64Array(6 * figure.dof);
      frameJacobianQ(state, bone, rigid.transformPoint(frame, local), jacobian);
      for (let i = 0; i < figure.dof; i++) {
        const unit = Array.from({ length: figure.dof }, (_, k) => (k === i ? 1 : 0));
        const column = [0, 1, 2, 3, 4, 5].map((row) => jacobian[row * figure.dof + i]);
        expectClose(column, velocityByDifferences(state, pose, unit, bone, local), 1e-11, `column ${i}`);
      }
    }
  });

  test('J_v v is the velocity along q` = N v, and J_q = J_v N^-1', () => {
    const random = createRandom(111);
    for (let n = 0; n < 100; n++) {
      const figure = createFigure(randomFigureData(random, 12));
      const { dof } = figure;
      const state = createState(figure);
      const pose = randomPose(figure, random);
      const bone = Math.floor(random() * 12);
      const local = [within(random, 1), within(random, 1), within(random, 1)];
      const velocity = Array.from({ length: dof }, () => within(random, 1));
      const rates = new Float64Array(dof);
      ratesFromVelocity(state, pose, velocity, rates);
      forwardKinematics(state, pose);
      updateMotionSubspaceQ(state, pose);
      updateMotionSubspaceV(state, pose);
      const point = rigid.transformPoint(state.worldFromBone.slice(12 * bone, 12 * bone + 12), local);
      const byVelocity = new Float64Array(6 * dof);
      const byQ = new Float64Array(6 * dof);
      frameJacobianV(state, bone, point, byVelocity);
      frameJacobianQ(state, bone, point, byQ);
      const times = (j: Float64Array, x: Numbers) =>
        [0, 1, 2, 3, 4, 5].map((row) => {
          let sum = 0;
          for (let i = 0; i < dof; i++) sum += j[row * dof + i] * x[i];
          return sum;
        });
      expectClose(times(byVelocity, velocity), velocityByDifferences(state, pose, rates, bone, local), 1e-10);
      // Rates grow as J_r^-1 does; the products agree to rounding of their terms.
      expectClose(times(byVelocity, velocity), times(byQ, rates), 1e-12);
    }
  });

  test('point Jacobian is the first three rows of the frame Jacobian', () => {
    const random = createRandom(112);
    const figure = createFigure(randomFigureData(random, 20));
    const state = createState(figure);
    const pose = randomPose(figure, random);
    forwardKinematics(state, pose);
    updateMotionSubspaceQ(state, pose);
    updateMotionSubspaceV(state, pose);
    for (let bone = 0; bone < 20; bone++) {
      const point = [within(random, 1), within(random, 1), within(random, 1)];
      for (const [pointJacobian, frameJacobian] of [
        [pointJacobianQ, frameJacobianQ],
        [pointJacobianV, frameJacobianV],
      ]) {
        const rows3 = new Float64Array(3 * figure.dof);
        const rows6 = new Float64Array(6 * figure.dof);
        pointJacobian(state, bone, point, rows3);
        frameJacobian(state, bone, point, rows6);
        expectClose(rows3, rows6.slice(0, 3 * figure.dof), 0);
      }
    }
  });

  test('writes the columns of the support and no others', () => {
    const random = createRandom(113);
    const figure = createFigure(randomFigureData(random, 30));
    const { dof } = figure;
    const state = createState(figure);
    const pose = randomPose(figure, random);
    forwardKinematics(state, pose);
    updateMotionSubspaceQ(state, pose);
    for (let bone = 0; bone < 30; bone++) {
      const jacobian = new Float64Array(6 * dof).fill(Number.NaN);
      frameJacobianQ(state, bone, [0, 0, 0], jacobian);
      const support = new Set(ancestorsOf(figure, bone));
      for (let row = 0; row < 6; row++) {
        for (let i = 0; i < dof; i++) expect(Number.isNaN(jacobian[row * dof + i])).toBe(!support.has(i));
      }
    }
  });

  test('the support is ascending: the coordinates of the bone and its ancestors', () => {
    const random = createRandom(114);
    const figure = createFigure(randomFigureData(random, 30));
    for (const { index } of figure.bones) {
      const ancestors = new Set<number>();
      for (let b = index; b >= 0; b = figure.bones[b].parent) ancestors.add(b);
      const expected = Array.from(figure.boneOfCoordinate.keys()).filter((i) =>
        ancestors.has(figure.boneOfCoordinate[i]),
      );
      expect(Array.from(ancestorsOf(figure, index))).toEqual(expected);
    }
  });

  test('do not depend on earlier poses', () => {
    const random = createRandom(115);
    const figure = createFigure(randomFigureData(random, 30));
    const used = createState(figure);
    for (let n = 0; n < 5; n++) {
      const pose = randomPose(figure, random);
      forwardKinematics(used, pose);
      updateMotionSubspaceQ(used, pose);
      const fresh = createState(figure);
      forwardKinematics(fresh, pose);
      updateMotionSubspaceQ(fresh, pose);
      expectClose(used.columnsQ, fresh.columnsQ, 0);
    }
  });
});

describe('a bone', () => {
  const random = createRandom(7);
  const figure = createFigure(randomFigureData(random, 12));
  const state = createState(figure);
  const pose = randomPose(figure, random);
  forwardKinematics(state, pose);
  updateMotionSubspaceQ(state, pose);
  updateMotionSubspaceV(state, pose);
  const jacobians = { pointJacobianQ, pointJacobianV, frameJacobianQ, frameJacobianV };

  test.each(Object.keys(jacobians) as (keyof typeof jacobians)[])(
    '%s takes its name or its index',
    (name) => {
      const columns = (bone: string | number) => {
        const out = new Float64Array(6 * figure.dof);
        jacobians[name](state, bone, [0.1, 0.2, 0.3], out);
        return out;
      };
      for (const { index, name: bone } of figure.bones) expectClose(columns(bone), columns(index), 0);
      expect(columns(figure.bones[11].name).some((x) => x !== 0)).toBe(true);
      for (const bone of ['nobody', -1, 12, 1.5]) {
        expect(() => columns(bone)).toThrow(expect.objectContaining({ code: 'unknown-name', path: 'bone' }));
      }
    },
  );

  test('ancestorsOf, lowestCommonAncestor, basisBetween and poseBoneFromLocalTransform take its name or its index', () => {
    for (const { index, name } of figure.bones) {
      expect(ancestorsOf(figure, name)).toEqual(ancestorsOf(figure, index));
      expect(lowestCommonAncestor(figure, name, 3)).toBe(lowestCommonAncestor(figure, index, 3));
      expectClose(basisBetween(state, name, WORLD_FRAME), basisBetween(state, index, WORLD_FRAME), 0);
      const local = state.parentFromBone.subarray(12 * index, 12 * index + 12);
      const read = (bone: string | number) =>
        poseBoneFromLocalTransform(state, bone, local, createPose(figure));
      expectClose(read(name), read(index), 0);
    }
    expect(() => ancestorsOf(figure, 'nobody')).toThrow(expect.objectContaining({ code: 'unknown-name' }));
    expect(() => basisBetween(state, 'nobody', WORLD_FRAME)).toThrow(
      expect.objectContaining({ code: 'unknown-name', path: 'target' }),
    );
  });
});
