import { Matrix4, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { FigureError } from '../../src/errors.js';
import {
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  type JointData,
  type LimitData,
  limitViolation,
  poseFromLocalTransforms,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import type { Numbers } from '../../src/math/linear/types.js';
import {
  createRandom,
  direction,
  EULER_ORDERS,
  expectClose,
  expectSameBits,
  jointByThree,
  randomFigureData,
  randomPose,
  rowsOf,
  swingFrame,
  within,
} from './support.js';

/** Local transforms of a pose by three.js, no product code: rest, then joint. */
function localsByThree(figure: Figure, pose: Numbers): Float64Array {
  return Float64Array.from(
    figure.bones.flatMap(({ rest, joint, coordinate, dof }) => {
      const q = Array.from({ length: dof }, (_, k) => pose[coordinate + k]);
      const { position, rotation } = jointByThree(joint, q);
      const relativeRotation = new Quaternion(...rest.rotation);
      position.applyQuaternion(relativeRotation).add(new Vector3(...rest.position));
      return rowsOf(
        new Matrix4().compose(position, relativeRotation.multiply(rotation), new Vector3(1, 1, 1)),
      );
    }),
  );
}

/** A figure of one bone at the identity. */
function single(joint: JointData, limit?: LimitData): Figure {
  return createFigure({ bones: [{ name: 'bone', joint, ...(limit && { limit }) }] });
}

function randomRotation(random: () => number): Quaternion {
  return new Quaternion(...(direction(random, 4) as [number, number, number, number]));
}

function read(figure: Figure, rotation: Quaternion, before: number[], clamp = false): number[] {
  const local = rowsOf(new Matrix4().makeRotationFromQuaternion(rotation));
  return poseFromLocalTransforms(createState(figure), local, [...before], { clamp });
}

const zAxis = { type: 'hinge', axis: [0, 0, 1] } as const;
const aboutZ = (angle: number) => new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), angle);

describe('poseFromLocalTransforms', () => {
  it('reproduces the local transforms of any pose, whatever pose it starts from', () => {
    const random = createRandom(101);
    for (let round = 0; round < 40; round++) {
      const figure = createFigure(randomFigureData(random, 30));
      const state = createState(figure);
      const wanted = localsByThree(figure, randomPose(figure, random, round % 2 === 0 ? 3 : 9));
      const pose = poseFromLocalTransforms(
        state,
        wanted,
        round % 3 === 0 ? randomPose(figure, random, 9) : new Float64Array(figure.dof),
      );
      forwardKinematics(state, pose);
      // Euler angles near lock and swings near pi lose a digit or two.
      expectClose(state.parentFromBone, wanted, 1e-12);
    }
  });

  it('reproduces the coordinates when it starts near them, multiples of 2 pi included', () => {
    const random = createRandom(102);
    for (let round = 0; round < 40; round++) {
      const figure = createFigure(randomFigureData(random, 30));
      const pose = randomPose(figure, random, 3);
      for (const { joint, coordinate } of figure.bones) {
        if (joint.type === 'hinge') pose[coordinate] += 40 * random();
        if (joint.type === 'ball-and-socket') pose[coordinate + 2] -= 40 * random();
        if (joint.type === 'euler') for (let n = 0; n < 3; n++) pose[coordinate + n] += within(random, 20);
      }
      const near = pose.map((value) => value + within(random, 1e-3));
      const got = poseFromLocalTransforms(createState(figure), localsByThree(figure, pose), near);
      // Swing near pi, rotation vectors near 2 pi and Euler angles near lock lose digits as 1 / sine.
      expectClose(got, pose, 1e-9);
    }
  });

  it('continues a rotation vector past pi from the previous pose', () => {
    const figure = single({ type: 'ball' });
    const axis = [2 / 3, -1 / 3, 2 / 3];
    const rotation = new Quaternion().setFromAxisAngle(new Vector3(...axis), 4);
    expectClose(
      read(figure, rotation, [0, 0, 0]),
      axis.map((a) => a * (4 - 2 * Math.PI)),
      1e-14,
    );
    expectClose(
      read(
        figure,
        rotation,
        axis.map((a) => a * 3.9),
      ),
      axis.map((a) => a * 4),
      1e-14,
    );
    expectClose(
      read(
        figure,
        new Quaternion(),
        axis.map((a) => a * 6),
      ),
      axis.map((a) => a * 2 * Math.PI),
      1e-14,
    );
  });

  it('a hinge takes the nearest rotation about its axis', () => {
    const random = createRandom(103);
    for (let round = 0; round < 50; round++) {
      const axis = direction(random) as [number, number, number];
      const wanted = randomRotation(random);
      const [angle] = read(single({ type: 'hinge', axis }), wanted, [0]);
      const turnTo = (a: number) =>
        wanted.angleTo(new Quaternion().setFromAxisAngle(new Vector3(...axis), a));
      const reached = turnTo(angle);
      for (let k = 0; k < 720; k++) expect(turnTo((k * Math.PI) / 360)).toBeGreaterThan(reached - 1e-7);
    }
  });

  it('a swing takes the direction of the limb and ignores the twist', () => {
    const random = createRandom(104);
    for (let round = 0; round < 100; round++) {
      const joint = { type: 'swing', axis: direction(random) as [number, number, number] } as const;
      const wanted = randomRotation(random);
      const figure = single(joint);
      const state = createState(figure);
      forwardKinematics(state, read(figure, wanted, [0, 0]));
      const { a } = swingFrame(joint);
      const m = state.parentFromBone;
      const got = [0, 3, 6].map((row) => m[row] * a.x + m[row + 1] * a.y + m[row + 2] * a.z);
      expectClose(got, a.clone().applyQuaternion(wanted).toArray(), 1e-13);
    }
  });

  it('a slider takes the component of a translation along its axis, other joints ignore translations', () => {
    const slider = single({ type: 'slider', axis: [0, 3, 4] });
    const offset = [1, 0, 0, 0, 1, 0, 0, 0, 1, 7, 2, 1];
    expectClose(poseFromLocalTransforms(createState(slider), offset, [0]), [2], 1e-15);
    const ball = single({ type: 'ball' });
    expectClose(poseFromLocalTransforms(createState(ball), offset, [0, 0, 0]), [0, 0, 0], 0);
  });

  it('Euler angles reproduce the rotation in gimbal lock, and the first keeps its value', () => {
    const random = createRandom(105);
    for (const order of EULER_ORDERS) {
      for (const lock of order[0] === order[2] ? [0, Math.PI] : [Math.PI / 2, -Math.PI / 2]) {
        const figure = single({ type: 'euler', order });
        const state = createState(figure);
        const wanted = localsByThree(figure, [within(random, 3), lock, within(random, 3)]);
        const before = [within(random, 3), lock + within(random, 0.1), within(random, 3)];
        const pose = poseFromLocalTransforms(state, wanted, [...before]);
        forwardKinematics(state, pose);
        expectClose(state.parentFromBone, wanted, 1e-13, order);
      }
    }
    const exact = single({ type: 'euler', order: 'ZXZ' });
    const pose = read(exact, aboutZ(1.3), [0.9, 0, 0]);
    expectClose(pose, [0.9, 0, 0.4], 1e-15);
  });

  it('prefers equivalent coordinates within the limits', () => {
    const hinge = single(zAxis, { type: 'interval', min: 3.5, max: 5 });
    expectClose(read(hinge, aboutZ(4.2), [0]), [4.2], 1e-14);
    expectClose(read(hinge, aboutZ(4.2), [-30]), [4.2], 1e-14);
    const openBelow = single(zAxis, { type: 'interval', min: null, max: -10 });
    expectClose(read(openBelow, aboutZ(1), [0]), [1 - 4 * Math.PI], 1e-14);
    const ball = single({ type: 'ball' }, { type: 'angle', max: 3.1 });
    expectClose(read(ball, aboutZ(3.3), [0, 0, 3]), [0, 0, 3.3 - 2 * Math.PI], 1e-14);
    const box = { min: [3, 1.7, 3], max: [3.6, 3, 3.6] };
    const euler = single({ type: 'euler', order: 'XYZ' }, { type: 'box', ...box });
    const angles = [3.2, 2.2, 3.4];
    const { rotation } = jointByThree({ type: 'euler', order: 'XYZ' }, angles);
    expectClose(read(euler, rotation, [0, 0, 0]), angles, 1e-14);
  });

  it('gives back every allowed pose of the human figure from rest', () => {
    const random = createRandom(106);
    const figure = createHumanFigure();
    const state = createState(figure);
    for (let round = 0; round < 100; round++) {
      const pose = Float64Array.from({ length: figure.dof }, (_, i) => within(random, i < 6 ? 1 : 2));
      poseFromLocalTransforms(state, localsByThree(figure, pose), pose, { clamp: true });
      expect(limitViolation(figure, pose)).toBeLessThan(1e-12);
      const got = poseFromLocalTransforms(state, localsByThree(figure, pose), createPose(figure));
      expectClose(got, pose, 1e-10);
    }
  });

  it('reproduces transforms outside the limits; with clamp takes the nearest allowed coordinates', () => {
    const hinge = single(zAxis, { type: 'interval', min: -0.5, max: 1 });
    expectClose(read(hinge, aboutZ(1.4), [0]), [1.4], 1e-15);
    expectClose(read(hinge, aboutZ(1.4), [0], true), [1], 0);
    // 4 rad is nearer to -0.5 from the other side: 4 - 2 pi = -2.28.
    expectClose(read(hinge, aboutZ(4), [3]), [4 - 2 * Math.PI], 1e-14);
    expectClose(read(hinge, aboutZ(4), [3], true), [-0.5], 0);
    const socket = single(
      { type: 'ball-and-socket', axis: [0, 1, 0], side: [1, 0, 0] },
      { type: 'swing-twist', swing: { type: 'cone', halfAngle: 0.6 }, twist: { min: -0.2, max: 0.2 } },
    );
    const far = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), 1.5);
    expectClose(read(socket, far, [0, 0, 0], true), [0.6, 0, 0], 1e-15);
  });

  it('reads the same bits from the same input', () => {
    const random = createRandom(107);
    const figure = createFigure(randomFigureData(random, 20));
    const locals = localsByThree(figure, randomPose(figure, random));
    const start = randomPose(figure, random);
    const [a, b] = [0, 1].map(() =>
      poseFromLocalTransforms(createState(figure), locals, Float64Array.from(start)),
    );
    expectSameBits(a, b);
  });

  it('refuses transforms of wrong size or not finite, with path, without changing the pose', () => {
    const figure = single(zAxis);
    const state = createState(figure);
    const pose = [0.25];
    expect(() => poseFromLocalTransforms(state, [1, 0, 0], pose)).toThrow(
      expect.objectContaining({ code: 'wrong-size', path: 'parentFromBone' }),
    );
    const bad = [1, 0, 0, 0, 1, 0, 0, Number.NaN, 1, 0, 0, 0];
    expect(() => poseFromLocalTransforms(state, bad, pose)).toThrow(
      expect.objectContaining({ code: 'not-finite', path: 'parentFromBone[7]' }),
    );
    expect(() => poseFromLocalTransforms(state, bad, [0, 0])).toThrow(FigureError);
    expect(pose).toEqual([0.25]);
  });
});
