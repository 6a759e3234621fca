import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readUrdf } from '@poise/formats';
import { describeWithData, sharedData } from '@poise/test-support/shared-data';
import {
  biasForces,
  createDynamics,
  forwardDynamics,
  inverseDynamics,
  kineticEnergy,
  massMatrix,
} from 'poise/dynamics';
import { describe, expect, test } from 'vitest';

interface Reference {
  readonly robot: string;
  readonly joint_order: readonly string[];
  readonly gravity: readonly [number, number, number];
  readonly dynamics?: string;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
  readonly mass_matrix: readonly (readonly number[])[];
  readonly bias: readonly number[];
  readonly gravity_torque: readonly number[];
  readonly tau: readonly number[];
}

/** Against the largest entry. The references are printed with 13 digits, over states rounded to as many. */
const TOLERANCE = 1e-11;

const folder = sharedData('reference/urdf');
const robots =
  folder === undefined
    ? ['none']
    : readdirSync(folder)
        .map((file) => file.replace('.json', ''))
        // Its reference has no dynamics: inertias are missing or unphysical. `bad-inertia` below tests it.
        .filter((name) => name !== 'pr2_simplified');

/** Dynamics of robots as read by `readUrdf`: numpy RNEA of others, checked there against MuJoCo (shared data). */
describeWithData('reference dynamics', 'reference/urdf', (path) => {
  const load = (name: string) => {
    const reference: Reference = JSON.parse(readFileSync(join(path, `${name}.json`), 'utf8'));
    const robot = readUrdf(readFileSync(join(path, '../../urdf', reference.robot)), {
      source: reference.robot,
      // The reference gives joints with <mimic> values of their own.
      mimic: 'free',
    });
    return { reference, robot };
  };

  describe.each(robots)('%s', (name) => {
    const setUp = () => {
      const { reference, robot } = load(name);
      const { figure } = robot;
      // Without `gravity`: it pulls against the up of the robot.
      const dynamics = createDynamics(figure);
      expect(Array.from(dynamics.gravity)).toEqual(reference.gravity);
      const positions = reference.joint_order.map((joint) => robot.joints.get(joint)?.coordinate ?? -1);
      expect(positions).not.toContain(-1);
      const toFigure = (given: readonly number[]): Float64Array => {
        const out = new Float64Array(figure.dof);
        given.forEach((x, k) => {
          out[positions[k]] = x;
        });
        return out;
      };
      const fromFigure = (ours: ArrayLike<number>): number[] => positions.map((i) => ours[i]);
      return { reference, figure, dynamics, positions, toFigure, fromFigure };
    };

    test('mass matrix, bias, gravity torques and inverse dynamics', () => {
      const { reference, figure, dynamics, positions, toFigure, fromFigure } = setUp();
      const still = new Float64Array(figure.dof);
      for (const sample of reference.samples) {
        const [q, v, rates] = [sample.q, sample.qd, sample.qdd].map(toFigure);
        const m = massMatrix(dynamics, q);
        const ours = positions.flatMap((i) => positions.map((j) => m[i * figure.dof + j]));
        expectNear(ours, sample.mass_matrix.flat(), 'mass matrix');
        expectNear(fromFigure(biasForces(dynamics, q, v)), sample.bias, 'bias');
        expectNear(fromFigure(biasForces(dynamics, q, still)), sample.gravity_torque, 'gravity torque');
        expectNear(fromFigure(inverseDynamics(dynamics, q, v, rates)), sample.tau, 'tau');
        const energy =
          sample.mass_matrix.reduce(
            (sum, row, i) => sum + sample.qd[i] * row.reduce((s, x, j) => s + x * sample.qd[j], 0),
            0,
          ) / 2;
        expect(Math.abs(kineticEnergy(dynamics, q, v) - energy)).toBeLessThan(TOLERANCE * energy);
      }
    });

    test('forward dynamics answer the torques of the reference with its accelerations', () => {
      const { reference, dynamics, toFigure, fromFigure } = setUp();
      for (const sample of reference.samples) {
        const [q, v, tau] = [sample.q, sample.qd, sample.tau].map(toFigure);
        const found = fromFigure(forwardDynamics(dynamics, q, v, tau));
        // Judged by the torques that the accelerations are off by: the reference's M decides, not its condition.
        const off = found.map((x, i) => x - sample.qdd[i]);
        const torque = sample.mass_matrix.map((row) => row.reduce((sum, x, j) => sum + x * off[j], 0));
        const scale = Math.max(...sample.tau.map(Math.abs));
        expect(Math.max(...torque.map(Math.abs)) / scale).toBeLessThan(TOLERANCE);
      }
    });
  });
});

function expectNear(ours: readonly number[], expected: readonly number[], what: string): void {
  expect(ours.length).toBe(expected.length);
  const scale = Math.max(...expected.map(Math.abs));
  const gap = Math.max(...ours.map((x, i) => Math.abs(x - expected[i])));
  // A hand with its axes upright has no gravity torque at all.
  expect(gap, what).toBeLessThanOrEqual(TOLERANCE * Math.max(scale, 1e-3));
}
