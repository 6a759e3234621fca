import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  biasForces,
  computeMomentum,
  createDynamics,
  forwardDynamics,
  inverseDynamics,
  kineticEnergy,
  massMatrix,
  potentialEnergy,
} from '../../src/dynamics/index.js';
import {
  createFigure,
  createState,
  forwardKinematics,
  frameJacobianV,
  pointJacobianV,
  updateMotionSubspaceV,
} from '../../src/figure/index.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';
import * as vec3 from '../../src/math/geometry/vec3.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { derivative, expectSameBits, largestGap, randomFigureData } from '../figure/support.js';
import { alongMotion, dot, largest, randomTrial, stateOf, type Trial, withMass } from './support.js';

/** A seed for a figure and a state. */
const salts = fc.integer({ min: 0, max: 2 ** 30 });
const runs = { numRuns: 60 };
/** Of the differences by which rates are taken: s. */
const STEP = 5e-4;

const kinds = [
  ['forests of all joint types', { coupled: false }],
  ['forests where joints follow others', { coupled: true }],
] as const;

function check(coupled: boolean, body: (trial: Trial) => void, armature = true): void {
  fc.assert(
    fc.property(salts, (salt) => {
      const trial = randomTrial(salt, { coupled, armature });
      // A figure of which no bone can move says nothing.
      fc.pre(trial.figure.dof > 0);
      body(trial);
    }),
    runs,
  );
}

describe.each(kinds)('%s', (_, { coupled }) => {
  test('inverse dynamics invert forward dynamics to 1e-12', () => {
    check(coupled, ({ dynamics, pose, velocity, tau, external }) => {
      const found = forwardDynamics(dynamics, pose, velocity, tau, undefined, external);
      const back = inverseDynamics(dynamics, pose, velocity, found, undefined, external);
      const scale = largest(tau, biasForces(dynamics, pose, velocity, undefined, external));
      expect(largestGap(back, tau) / scale).toBeLessThan(1e-12);
    });
  });

  test('the mass matrix is symmetric bit for bit, positive definite, and agrees with inverse dynamics', () => {
    check(coupled, ({ figure, dynamics, pose, velocity, acceleration }) => {
      const { dof } = figure;
      const m = massMatrix(dynamics, pose);
      for (let i = 0; i < dof; i++) for (let j = 0; j < i; j++) expect(m[i * dof + j]).toBe(m[j * dof + i]);
      expect(minPivot(m, dof)).toBeGreaterThan(0);
      const tau = inverseDynamics(dynamics, pose, velocity, acceleration);
      const h = biasForces(dynamics, pose, velocity);
      const sum = multiply(m, acceleration).map((x, i) => x + h[i]);
      expect(largestGap(tau, sum) / largest(tau, h)).toBeLessThan(1e-13);
    });
  });

  test('kinetic energy is v . M v / 2', () => {
    check(coupled, ({ dynamics, pose, velocity }) => {
      const energy = dot(velocity, multiply(massMatrix(dynamics, pose), velocity)) / 2;
      expect(Math.abs(kineticEnergy(dynamics, pose, velocity) - energy)).toBeLessThan(1e-13 * energy);
    });
  });

  test('the rate of the energy is the power of the forces', () => {
    check(coupled, (trial) => {
      const { figure, dynamics, pose, velocity, tau, external } = trial;
      const found = forwardDynamics(dynamics, pose, velocity, tau, undefined, external);
      const energy = alongMotion(trial, found, (q, v) => [
        kineticEnergy(dynamics, q, v) + potentialEnergy(dynamics, q),
      ]);
      const [rate] = derivative(energy, STEP);
      const power = dot(tau, velocity) + dot(external, spatialVelocities(trial));
      const scale = largest(tau) * largest(velocity) * figure.dof + Math.abs(power);
      expect(Math.abs(rate - power) / scale).toBeLessThan(1e-9);
    });
  });

  test("inverse dynamics satisfy Kane's equations, with body accelerations by finite differences", () => {
    check(
      coupled,
      (trial) => {
        const { dynamics, pose, velocity, acceleration } = trial;
        const tau = inverseDynamics(dynamics, pose, velocity, acceleration);
        const expected = kane(trial);
        expect(largestGap(tau, expected) / largest(tau, biasForces(dynamics, pose, velocity))).toBeLessThan(
          2e-10,
        );
      },
      false,
    );
  });

  test('external forces act by the transposed Jacobians', () => {
    check(coupled, ({ figure, dynamics, pose, velocity, acceleration, external }) => {
      const bare = inverseDynamics(dynamics, pose, velocity, acceleration);
      const loaded = inverseDynamics(dynamics, pose, velocity, acceleration, undefined, external);
      const state = stateAt(figure, pose);
      const expected = Float64Array.from(bare);
      figure.bones.forEach(({ index }) => {
        const j = new Float64Array(6 * figure.dof);
        const origin = state.worldFromBone.slice(12 * index + 9, 12 * index + 12);
        frameJacobianV(state, index, origin, j);
        for (let i = 0; i < figure.dof; i++) {
          for (let row = 0; row < 6; row++)
            expected[i] -= j[row * figure.dof + i] * external[6 * index + row];
        }
      });
      expect(largestGap(loaded, expected) / largest(bare, loaded, external)).toBeLessThan(1e-13);
    });
  });

  test('a force at a point is that force and its couple about the origin', () => {
    check(coupled, ({ figure, dynamics, pose, velocity, tau, random }) => {
      const bone = figure.bones[Math.floor(random() * figure.bones.length)].index;
      const state = stateAt(figure, pose);
      const frame = state.worldFromBone.slice(12 * bone, 12 * bone + 12);
      const point = rigid.transformPoint(frame, [0.3, -0.2, 0.5]);
      const force = [7, -3, 5];
      const external = new Float64Array(6 * figure.bones.length);
      external.set(force, 6 * bone);
      external.set(vec3.cross(vec3.subtract(point, frame.slice(9)), force), 6 * bone + 3);
      const j = new Float64Array(3 * figure.dof);
      pointJacobianV(state, bone, point, j);
      const pushed = tau.map(
        (x, i) =>
          x +
          dot(
            force,
            [0, 1, 2].map((row) => j[row * figure.dof + i]),
          ),
      );
      const byForce = forwardDynamics(dynamics, pose, velocity, tau, undefined, external);
      const byTorque = forwardDynamics(dynamics, pose, velocity, pushed);
      const m = massMatrix(dynamics, pose);
      const off = multiply(
        m,
        Array.from(byForce, (x, i) => x - byTorque[i]),
      );
      expect(largest(off) / largest(pushed, biasForces(dynamics, pose, velocity))).toBeLessThan(1e-12);
    });
  });

  test('results are bit-identical from a new workspace and a used one', () => {
    check(coupled, ({ figure, dynamics, pose, velocity, acceleration, tau, external }) => {
      const { gravity, armature } = dynamics;
      const run = (d: typeof dynamics) => [
        inverseDynamics(d, pose, velocity, acceleration, undefined, external),
        massMatrix(d, pose),
        biasForces(d, pose, velocity),
        forwardDynamics(d, pose, velocity, tau, undefined, external),
        [
          kineticEnergy(d, pose, velocity),
          potentialEnergy(d, pose),
          ...computeMomentum(d, pose, velocity).angular,
        ],
      ];
      const first = run(dynamics);
      forwardDynamics(dynamics, new Float64Array(figure.dof).fill(0.3), tau, velocity);
      massMatrix(dynamics, velocity);
      const fresh = createDynamics(figure, {
        gravity: Array.from(gravity) as [number, number, number],
        armature,
      });
      for (const again of [run(dynamics), run(fresh)]) {
        for (let k = 0; k < first.length; k++) expectSameBits(again[k], first[k]);
      }
    });
  });

  test('out may be any of the inputs', () => {
    check(coupled, ({ dynamics, pose, velocity, acceleration, tau, external }) => {
      const copies = () => [pose, velocity, acceleration, tau].map((x) => Float64Array.from(x));
      const inverse = inverseDynamics(dynamics, pose, velocity, acceleration, undefined, external);
      const forward = forwardDynamics(dynamics, pose, velocity, tau, undefined, external);
      const bias = biasForces(dynamics, pose, velocity, undefined, external);
      for (const k of [0, 1, 2]) {
        const [q, v, a] = copies();
        expectSameBits(inverseDynamics(dynamics, q, v, a, [q, v, a][k], external), inverse);
      }
      for (const k of [0, 1, 3]) {
        const [q, v, a, t] = copies();
        expectSameBits(forwardDynamics(dynamics, q, v, t, [q, v, a, t][k], external), forward);
      }
      for (const k of [0, 1]) {
        const [q, v] = copies();
        expectSameBits(biasForces(dynamics, q, v, [q, v][k], external), bias);
      }
    });
  });
});

test('the rate of momentum of a figure with a free root is the external force', () => {
  fc.assert(
    fc.property(salts, (salt) => {
      const { random } = randomTrial(salt);
      const data = withMass(randomFigureData(random, 8), random);
      const figure = createFigure({
        bones: [
          { name: 'root', joint: { type: 'free' }, mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0] },
          ...data.bones.map((bone) => ({ ...bone, parent: bone.parent ?? 'root' })),
        ],
      });
      // Rotors are kept out: the momentum of a rotor is no part of a body's.
      const trial = stateOf(figure, random, false);
      const { dynamics, pose, velocity: v, tau } = trial;
      tau.fill(0, 0, 6);
      const external = Float64Array.from({ length: 6 * figure.bones.length }, () => 5 * (2 * random() - 1));
      const found = forwardDynamics(dynamics, pose, v, tau, undefined, external);
      const { mass, center } = computeMomentum(dynamics, pose, v);
      const rates = derivative(
        alongMotion(trial, found, (q, v) => {
          const { linear, angular, center: c } = computeMomentum(dynamics, q, v);
          return [...linear, ...angular, ...c];
        }),
        STEP,
      );
      const force = Array.from(dynamics.gravity, (g) => mass * g);
      const couple = [0, 0, 0];
      const state = stateAt(figure, pose);
      figure.bones.forEach(({ index }) => {
        const f = external.slice(6 * index, 6 * index + 3);
        const arm = vec3.subtract(state.worldFromBone.slice(12 * index + 9, 12 * index + 12), center);
        vec3.cross(arm, f).forEach((x, k) => {
          force[k] += f[k];
          couple[k] += x + external[6 * index + 3 + k];
        });
      });
      const scale = largest(tau, force, couple) * figure.dof;
      expect(largestGap(rates.slice(0, 6), [...force, ...couple]) / scale).toBeLessThan(1e-9);
      const { velocity } = computeMomentum(dynamics, pose, v);
      expect(largestGap(rates.slice(6), velocity)).toBeLessThan(1e-10);
    }),
    runs,
  );
});

function stateAt(figure: Trial['figure'], pose: Numbers) {
  const state = createState(figure);
  forwardKinematics(state, pose);
  updateMotionSubspaceV(state, pose);
  return state;
}

function multiply(m: Numbers, x: Numbers): Float64Array {
  const n = x.length;
  return Float64Array.from({ length: n }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += m[i * n + j] * x[j];
    return sum;
  });
}

/** Least pivot of elimination, which symmetric positive definite matrices have positive. */
function minPivot(m: Numbers, n: number): number {
  const a = Float64Array.from(Array.from(m));
  let min = Infinity;
  for (let k = 0; k < n; k++) {
    const pivot = a[k * n + k];
    min = Math.min(min, pivot);
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k] / pivot;
      for (let j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return min;
}

/** Velocity of each bone's origin, then angular velocity, as forces are given: 6 numbers a bone. */
function spatialVelocities({ figure, pose, velocity }: Trial): number[] {
  const state = stateAt(figure, pose);
  return figure.bones.flatMap(({ index }) => {
    const j = new Float64Array(6 * figure.dof);
    frameJacobianV(state, index, state.worldFromBone.slice(12 * index + 9, 12 * index + 12), j);
    return [0, 1, 2, 3, 4, 5].map((row) =>
      dot(j.subarray(row * figure.dof, (row + 1) * figure.dof), velocity),
    );
  });
}

/**
 * Generalized forces by virtual power, sum over bones of J_c^T m (a - g) + J_w^T (I w' + w x I w) at their centres of mass: nothing of the
 * recursion, and accelerations by differences of velocities in time.
 */
function kane(trial: Trial): Float64Array {
  const { figure, dynamics, pose, velocity, acceleration } = trial;
  const { dof } = figure;
  const out = new Float64Array(dof);
  for (const { index, mass, centerOfMass = [0, 0, 0], inertia } of figure.bones) {
    if (mass === undefined || inertia === undefined) continue;
    const jacobian = (q: Numbers) => {
      const state = stateAt(figure, q);
      const frame = state.worldFromBone.slice(12 * index, 12 * index + 12);
      const j = new Float64Array(6 * dof);
      frameJacobianV(state, index, rigid.transformPoint(frame, centerOfMass), j);
      return { j, frame };
    };
    const boneVelocity = (q: Numbers, v: Numbers) => {
      const { j } = jacobian(q);
      return [0, 1, 2, 3, 4, 5].map((row) => dot(j.subarray(row * dof, (row + 1) * dof), v));
    };
    const rate = derivative(alongMotion(trial, acceleration, boneVelocity), STEP);
    const { j, frame } = jacobian(pose);
    const w = boneVelocity(pose, velocity).slice(3);
    const [xx, yy, zz, xy, xz, yz] = inertia;
    const r = frame.slice(0, 9);
    const world = mat3.multiply(mat3.multiply(r, [xx, xy, xz, xy, yy, yz, xz, yz, zz]), mat3.transpose(r));
    const rotation = mat3.multiplyVector(world, rate.slice(3));
    const spin = vec3.cross(w, mat3.multiplyVector(world, w));
    const force = [0, 1, 2].map((k) => mass * (rate[k] - dynamics.gravity[k]));
    const couple = [0, 1, 2].map((k) => rotation[k] + spin[k]);
    for (let i = 0; i < dof; i++) {
      for (let row = 0; row < 3; row++) {
        out[i] += j[row * dof + i] * force[row] + j[(3 + row) * dof + i] * couple[row];
      }
    }
  }
  return out;
}
