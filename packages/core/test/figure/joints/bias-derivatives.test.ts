import { describe, expect, test } from 'vitest';
import {
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  type JointData,
  updateAxisDerivatives,
  updateMotionSubspaceQ,
} from '../../../src/figure/index.js';
import { biasDerivatives } from '../../../src/figure/joints/bias-derivatives.js';
import type { Numbers } from '../../../src/math/linear/types.js';
import { createRandom, derivative, expectClose, oneJoint, randomJoints, within } from '../support.js';

function placed(state: FigureState, pose: Numbers): void {
  forwardKinematics(state, pose);
  updateMotionSubspaceQ(state, pose);
  updateAxisDerivatives(state, pose);
}

/** c = sum of (da_k/dq_j) q_k' q_j' from the derivatives of the axes, the lower half by da_k/dq_j = da_j/dq_k + a_j x a_k. */
function turning(figure: Figure, pose: Numbers, rates: Numbers): number[] {
  const state = createState(figure);
  placed(state, pose);
  const { columnsQ: a, axisDerivatives: d } = state;
  const out = [0, 0, 0];
  for (let j = 0; j < figure.dof; j++) {
    for (let k = 0; k < figure.dof; k++) {
      const [low, high] = [Math.min(j, k), Math.max(j, k)];
      for (let n = 0; n < 3; n++) {
        const [x, y] = [(n + 1) % 3, (n + 2) % 3];
        let entry = d[9 * low + 3 * (high - low) + n];
        if (k > j) entry += a[6 * j + x] * a[6 * k + y] - a[6 * j + y] * a[6 * k + x];
        out[n] += entry * rates[k] * rates[j];
      }
    }
  }
  return out;
}

/** dc/dq_i of the joint types, 3 numbers a coordinate. */
function found(figure: Figure, pose: Numbers, rates: Numbers): Float64Array {
  const state = createState(figure);
  placed(state, pose);
  const out = new Float64Array(3 * figure.dof);
  for (const { batch } of state.groups) {
    const { worldFromBone, columnsQ, axisDerivatives } = state;
    biasDerivatives[figure.bones[batch.bones[0]].joint.type]?.(
      batch,
      pose,
      rates,
      worldFromBone,
      columnsQ,
      axisDerivatives,
      out,
    );
  }
  return out;
}

describe('bias derivatives dc/dq of joints with coupled axes', () => {
  const random = createRandom(61);
  const turningTypes = ['swing', 'ball-and-socket', 'euler'];
  const joints = Array.from({ length: 6 }, () => randomJoints(random))
    .flat()
    .filter(({ type }) => turningTypes.includes(type));

  test.each([0, 1e-9, 0.1, 2.5, 3.1, 3.2, 4])('are differences of c at swings of %d rad', (size) => {
    expect(new Set(joints.map(({ type }: JointData) => type)).size).toBe(3);
    for (const joint of joints) {
      const figure = oneJoint(joint, random);
      const angle = within(random, 3);
      const pose = [size * Math.cos(angle), size * Math.sin(angle), within(random, 3)].slice(0, figure.dof);
      const rates = pose.map(() => within(random, 2));
      const expected = pose.flatMap((_, i) =>
        derivative(
          (h) =>
            turning(
              figure,
              pose.map((x, k) => (k === i ? x + h : x)),
              rates,
            ),
          4e-3,
        ),
      );
      expectClose(found(figure, pose, rates), expected, 1e-11, joint.type);
    }
  });

  test('are zero for all others', () => {
    for (const joint of randomJoints(random)) {
      if (turningTypes.includes(joint.type)) continue;
      const figure = oneJoint(joint, random);
      const pose = Array.from({ length: figure.dof }, () => within(random, 2));
      expect(Array.from(found(figure, pose, pose)).every((x) => x === 0)).toBe(true);
    }
  });
});
