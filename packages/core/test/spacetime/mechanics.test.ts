import { describe, expect, test } from 'vitest';
import { computeMomentum, createDynamics, inverseDynamics, massMatrix } from '../../src/dynamics/index.js';
import { PoiseError } from '../../src/errors.js';
import { createFigure, createState, type Figure, forwardKinematics } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';
import type { Numbers } from '../../src/math/linear/types.js';
import {
  createJointForceDerivatives,
  jointForceDerivatives,
  jointForces,
} from '../../src/spacetime/mechanics/joint-forces.js';
import { createMechanics, type ForcePoint, type Mechanics } from '../../src/spacetime/mechanics/mechanics.js';
import { createMomentumBlock, writeMomentum } from '../../src/spacetime/mechanics/momentum.js';
import { largest, randomInertia, randomTrial, stateOf } from '../dynamics/support.js';
import {
  createRandom,
  derivative,
  direction,
  expectSameBits,
  largestGap,
  within,
} from '../figure/support.js';
import { movedBy } from './support-tangent.js';

interface MechanicsSample {
  readonly name: string;
  readonly figure: Figure;
  readonly m: Mechanics;
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
  readonly forces: Float64Array;
}

function pointsOf(figure: Figure, count: number, random: () => number): ForcePoint[] {
  return Array.from({ length: count }, () => ({
    bone: Math.floor(random() * figure.bones.length),
    point: [0, 1, 2].map(() => within(random, 0.4)),
  }));
}

function sampleOf(name: string, figure: Figure, random: () => number): MechanicsSample {
  const { dynamics, pose, velocity, acceleration } = stateOf(figure, random);
  const points = pointsOf(figure, 5, random);
  const { gravity, armature } = dynamics;
  const forces = Float64Array.from({ length: 15 }, () => within(random, 30));
  return {
    name,
    figure,
    m: createMechanics(figure, points, { gravity, armature }),
    pose,
    velocity,
    acceleration,
    forces,
  };
}

/** Balls in a row on a free root. */
function ballChain(random: () => number): Figure {
  return createFigure({
    bones: Array.from({ length: 5 }, (_, n) => ({
      name: `bone${n}`,
      parent: n === 0 ? null : `bone${n - 1}`,
      rest: { position: [0.1, 0.4, -0.1] as const },
      joint: { type: n === 0 ? ('free' as const) : ('ball' as const) },
      mass: 1 + random(),
      centerOfMass: [within(random, 0.2), within(random, 0.2), within(random, 0.2)] as const,
      inertia: randomInertia(random),
    })),
  });
}

/** One of each joint whose axes are its own affair, in a row that nothing lets go. */
function mixedChain(random: () => number): Figure {
  const axis = () => direction(random) as [number, number, number];
  const joints = [
    { type: 'slider', axis: axis() },
    { type: 'ball-and-socket', axis: axis() },
    { type: 'swing', axis: axis() },
    { type: 'hinge', axis: axis() },
    { type: 'euler', order: 'XZY' },
    { type: 'ball' },
    { type: 'swing', axis: axis() },
  ] as const;
  return createFigure({
    bones: joints.map((joint, n) => ({
      name: `bone${n}`,
      parent: n === 0 ? null : `bone${n === 5 ? 2 : n - 1}`,
      rest: { position: [0.2, 0.3, -0.1] as const, rotation: [0.6, 0, 0, 0.8] as const },
      joint,
      mass: 1 + random(),
      centerOfMass: [within(random, 0.2), within(random, 0.2), within(random, 0.2)] as const,
      inertia: randomInertia(random),
    })),
  });
}

const human = createHumanFigure({ height: 1.8 });

function samples(salt: number): MechanicsSample[] {
  const random = createRandom(5000 + salt);
  const trials = [false, true].map((coupled) => {
    for (let n = 0; ; n++) {
      const { figure } = randomTrial(6000 + 100 * salt + n, { coupled });
      if (figure.dof > 0) return sampleOf(coupled ? 'followers' : 'forest', figure, random);
    }
  });
  return [
    ...trials,
    sampleOf('balls', ballChain(random), random),
    sampleOf('mixture', mixedChain(random), random),
    ...(salt === 0 ? [sampleOf('human', human, random)] : []),
  ];
}

/** Column by column, f(h) moved along coordinate i: out has `rows` rows of `columns` numbers. */
function differences(
  rows: number,
  columns: number,
  f: (i: number, h: number) => Numbers,
  step: number,
): Float64Array {
  const out = new Float64Array(rows * columns);
  for (let i = 0; i < columns; i++) {
    const column = derivative((h) => f(i, h), step);
    for (let r = 0; r < rows; r++) out[r * columns + i] = column[r];
  }
  return out;
}

function unit(size: number, i: number, h: number): Float64Array {
  const out = new Float64Array(size);
  out[i] = h;
  return out;
}

function shifted(x: Float64Array, i: number, h: number): Float64Array {
  const out = x.slice();
  out[i] += h;
  return out;
}

/** Every entry, against the largest of its matrix. */
function expectNear(ours: Numbers, expected: Numbers, tolerance: number, what: string, min: number): void {
  expect(largestGap(ours, expected) / Math.max(min, largest(expected)), what).toBeLessThan(tolerance);
}

const all = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((salt) => samples(salt));

describe('joint forces with point forces', () => {
  test.each(all.map((sample) => [sample.name, sample] as const))(
    'equal those with forces at bone origins: %s',
    (_, sample) => {
      const { figure, m, pose, velocity, acceleration, forces } = sample;
      const state = createState(figure);
      forwardKinematics(state, pose);
      const external = new Float64Array(6 * figure.bones.length);
      m.points.forEach(({ bone, point }, p) => {
        const frame = state.worldFromBone.slice(12 * bone, 12 * bone + 12);
        const position = rigid.transformPoint(frame, point);
        const [x, y, z] = [0, 1, 2].map((k) => position[k] - frame[9 + k]);
        const [a, b, c] = forces.subarray(3 * p, 3 * p + 3);
        [a, b, c, y * c - z * b, z * a - x * c, x * b - y * a].forEach((value, k) => {
          external[6 * bone + k] += value;
        });
      });
      const dynamics = createDynamics(figure, { gravity: m.dynamics.gravity, armature: m.dynamics.armature });
      const expected = inverseDynamics(dynamics, pose, velocity, acceleration, undefined, external);
      const tau = new Float64Array(figure.dof);
      jointForces(m, pose, velocity, acceleration, forces, tau);
      expectNear(tau, expected, 1e-13, 'tau', 1);
      const out = createJointForceDerivatives(m);
      jointForceDerivatives(m, pose, velocity, acceleration, forces, out);
      expectNear(out.tau, expected, 1e-12, 'tau with derivatives', 1);
    },
  );

  test.each(all.map((sample) => [sample.name, sample] as const))(
    'derivatives equal differences: %s',
    (_, sample) => {
      const { figure, m, pose, velocity, acceleration, forces } = sample;
      const { dof } = figure;
      const out = createJointForceDerivatives(m);
      for (const x of Object.values(out)) x.fill(7);
      jointForceDerivatives(m, pose, velocity, acceleration, forces, out);
      const tau = (q: Numbers, v: Numbers, a: Numbers, f: Numbers) => {
        const values = new Float64Array(dof);
        jointForces(m, q, v, a, f, values);
        return values;
      };
      const min = 0.1 * largest(out.tau);
      const step = 0.005;
      const byTangent = differences(
        dof,
        dof,
        (i, h) => tau(movedBy(figure, pose, unit(dof, i, h)), velocity, acceleration, forces),
        step,
      );
      expectNear(out.byTangent, byTangent, 1e-9, 'by eps', min);
      const byVelocity = differences(
        dof,
        dof,
        (i, h) => tau(pose, shifted(velocity, i, h), acceleration, forces),
        step,
      );
      expectNear(out.byVelocity, byVelocity, 1e-9, 'by velocity', min);
      const byAcceleration = differences(
        dof,
        dof,
        (i, h) => tau(pose, velocity, shifted(acceleration, i, h), forces),
        0.5,
      );
      expectNear(out.byAcceleration, byAcceleration, 1e-11, 'by acceleration', 0.01 * min);
      expectNear(out.byAcceleration, massMatrix(m.dynamics, pose), 1e-13, 'mass matrix', 0);
      const byForce = differences(
        dof,
        15,
        (i, h) => tau(pose, velocity, acceleration, shifted(forces, i, h)),
        1,
      );
      expectNear(out.byForce, byForce, 1e-11, 'by force', 0.01);
    },
  );

  test('forces of inactive points count as zero', () => {
    for (const { figure, m, pose, velocity, acceleration, forces } of samples(9)) {
      const { dof } = figure;
      const active = [1, 0, 1, 0, 0];
      const zeroed = forces.map((f, k) => f * active[Math.floor(k / 3)]);
      const expected = createJointForceDerivatives(m);
      jointForceDerivatives(m, pose, velocity, acceleration, zeroed, expected);
      const out = createJointForceDerivatives(m);
      jointForceDerivatives(m, pose, velocity, acceleration, forces, out, active);
      for (const key of ['tau', 'byTangent', 'byVelocity', 'byAcceleration'] as const)
        expectSameBits(out[key], expected[key]);
      for (let i = 0; i < dof * 15; i++) {
        const on = active[Math.floor((i % 15) / 3)] === 1;
        expect(out.byForce[i]).toBe(on ? expected.byForce[i] : 0);
      }
      const tau = acceleration.slice();
      jointForces(m, pose, velocity, tau, forces, tau, active);
      expectNear(tau, expected.tau, 1e-13, 'tau over acceleration', 1);
    }
  });

  test('without points equal inverse dynamics', () => {
    const random = createRandom(5100);
    const { figure, pose, velocity, acceleration } = sampleOf('mixture', mixedChain(random), random);
    const m = createMechanics(figure, []);
    const out = createJointForceDerivatives(m);
    jointForceDerivatives(m, pose, velocity, acceleration, [], out);
    const tau = new Float64Array(figure.dof);
    jointForces(m, pose, velocity, acceleration, [], tau);
    expectSameBits(tau, inverseDynamics(createDynamics(figure), pose, velocity, acceleration));
    expectNear(out.tau, tau, 1e-13, 'tau', 1);
    expect(out.byForce.length).toBe(0);
  });

  test('bad input is rejected by name', () => {
    const { m, figure, pose, velocity, acceleration, forces } = all[0];
    const tau = new Float64Array(figure.dof);
    const failing: readonly [() => unknown, string, string][] = [
      [() => jointForces(m, pose.slice(1), velocity, acceleration, forces, tau), 'wrong-size', 'pose'],
      [() => jointForces(m, pose, velocity, acceleration, forces.slice(1), tau), 'wrong-size', 'forces'],
      [() => jointForces(m, pose, velocity, [Number.NaN], forces, tau), 'wrong-size', 'acceleration'],
      [() => createMechanics(figure, [{ bone: 99, point: [0, 0, 0] }]), 'unknown-name', 'points[0].bone'],
      [
        () => createMechanics(figure, [{ bone: 0, point: [0, Number.NaN, 0] }]),
        'not-finite',
        'points[0].point[1]',
      ],
    ];
    for (const [call, code, path] of failing) {
      let thrown: unknown;
      try {
        call();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(PoiseError);
      expect(thrown).toMatchObject({ code, path });
    }
  });
});

describe('centre of mass and angular momentum about it', () => {
  test.each(all.map((sample) => [sample.name, sample] as const))(
    'values: %s',
    (_, { figure, m, pose, velocity }) => {
      const out = createMomentumBlock(m);
      writeMomentum(m, pose, velocity, out);
      const expected = computeMomentum(createDynamics(figure), pose, velocity);
      expectNear(out.angular, expected.angular, 1e-12, 'angular momentum', 1);
      expect(m.mass).toBeCloseTo(expected.mass, 12);
      const state = createState(figure);
      forwardKinematics(state, pose);
      const center = [0, 0, 0];
      for (const { index, mass = 0, centerOfMass = [0, 0, 0] } of figure.bones) {
        const position = rigid.transformPoint(
          state.worldFromBone.slice(12 * index, 12 * index + 12),
          centerOfMass,
        );
        for (let k = 0; k < 3; k++) center[k] += (mass * position[k]) / m.mass;
      }
      expectNear(out.center, center, 1e-14, 'centre of mass', 1);
      // Linear in v.
      const product = (matrix: Float64Array) =>
        [0, 1, 2].map((r) => velocity.reduce((sum, x, i) => sum + matrix[r * figure.dof + i] * x, 0));
      expectNear(product(out.angularByVelocity), expected.angular, 1e-12, 'L by velocity, times velocity', 1);
      expectNear(product(out.centerByTangent), expected.velocity, 1e-13, 'c by eps, times velocity', 1);
    },
  );

  test.each(all.map((sample) => [sample.name, sample] as const))(
    'derivatives equal differences: %s',
    (_, sample) => {
      const { figure, m, pose, velocity } = sample;
      const { dof } = figure;
      const out = createMomentumBlock(m);
      for (const x of Object.values(out)) x.fill(7);
      writeMomentum(m, pose, velocity, out);
      const other = createMomentumBlock(m);
      const at = (q: Numbers, v: Numbers) => {
        writeMomentum(m, q, v, other);
        return [...other.center, ...other.angular];
      };
      const byTangent = differences(
        6,
        dof,
        (i, h) => at(movedBy(figure, pose, unit(dof, i, h)), velocity),
        0.005,
      );
      expectNear(out.centerByTangent, byTangent.slice(0, 3 * dof), 1e-10, 'c by eps', 0.01);
      const min = 0.1 * largest(out.angular);
      expectNear(out.angularByTangent, byTangent.slice(3 * dof), 1e-9, 'L by eps', min);
      const byVelocity = differences(6, dof, (i, h) => at(pose, shifted(velocity, i, h)), 0.5);
      expectNear(out.angularByVelocity, byVelocity.slice(3 * dof), 1e-11, 'L by velocity', 0.01);
    },
  );
});
