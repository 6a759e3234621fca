import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  createDerivativeWorkspace,
  createDynamics,
  createForceDerivatives,
  inverseDynamics,
  inverseDynamicsDerivatives,
  massMatrix,
} from '../../../src/dynamics/index.js';
import { PoiseError } from '../../../src/errors.js';
import { createFigure, type FigureData, type Triple } from '../../../src/figure/index.js';
import type { Numbers } from '../../../src/math/linear/types.js';
import { derivative, expectSameBits, largestGap } from '../../figure/support.js';
import { largest, randomTrial, type Trial } from '../support.js';

interface Case {
  readonly figure: FigureData;
  readonly pose: readonly number[];
  readonly velocity: readonly number[];
  readonly acceleration: readonly number[];
  readonly external: readonly number[];
  readonly gravity: Triple;
  readonly tau: readonly number[];
  readonly byPose: readonly (readonly number[])[];
  readonly byVelocity: readonly (readonly number[])[];
}

const file = new URL('../../fixtures/dynamics/derivatives.json', import.meta.url);
const cases: readonly Case[] = JSON.parse(readFileSync(file, 'utf8')).cases;

/** Every entry, against the largest of its matrix. */
function expectNear(ours: Numbers, expected: Numbers, tolerance: number, what: string, min = 0): void {
  const scale = Math.max(min, largest(expected));
  expect(largestGap(ours, expected) / scale, what).toBeLessThan(tolerance);
}

describe('derivatives of inverse dynamics', () => {
  // Point masses by differences at 80 digits: scripts/oracles/dynamics_derivatives.py.
  test.each(cases.map((given, k) => [k, given] as const))(
    'equal those of point masses, case %i',
    (_, given) => {
      const figure = createFigure(given.figure);
      expect(figure.dof).toBe(given.pose.length);
      const dynamics = createDynamics(figure, { gravity: given.gravity });
      const { pose, velocity: v, acceleration, external } = given;
      const tau = inverseDynamics(dynamics, pose, v, acceleration, undefined, external);
      expectNear(tau, given.tau, 1e-13, 'tau');
      const found = inverseDynamicsDerivatives(
        createDerivativeWorkspace(dynamics),
        pose,
        v,
        acceleration,
        undefined,
        external,
      );
      expectNear(found.byPose, given.byPose.flat(), 1e-12, 'by pose');
      expectNear(found.byVelocity, given.byVelocity.flat(), 1e-12, 'by velocity');
    },
  );

  test('the fixture has all joint types, swings, mimic joints and angles over 2 rad', () => {
    const bones = cases.flatMap(({ figure }) => figure.bones);
    const types = new Set(bones.map(({ joint }) => joint?.type));
    expect([...types].sort()).toEqual(
      ['ball', 'ball-and-socket', 'euler', 'fixed', 'free', 'hinge', 'slider', 'swing'].sort(),
    );
    expect(bones.some(({ mimic }) => mimic !== undefined)).toBe(true);
    expect(cases.filter(({ pose }) => pose.some((x) => Math.abs(x) > 2)).length).toBeGreaterThan(2);
  });

  const kinds = [
    ['forests of all joint types', false],
    ['forests where joints follow others', true],
  ] as const;

  test.each(kinds)('equal finite differences of tau at 50 random states: %s', (_, coupled) => {
    for (let salt = 0, n = 0; n < 50; salt++) {
      const trial = randomTrial(1000 + salt, { coupled });
      if (trial.figure.dof === 0) continue;
      n++;
      const { figure, dynamics, pose, velocity, acceleration, external } = trial;
      const workspace = createDerivativeWorkspace(dynamics);
      const found = inverseDynamicsDerivatives(workspace, pose, velocity, acceleration, undefined, external);
      // Of sliders alone, nothing depends on pose or velocity: their differences are tau's roundings over the step.
      const min = 0.1 * largest(inverseDynamics(dynamics, pose, velocity, acceleration));
      expectNear(found.byPose, differences(trial, 0), 1e-10, `by pose, figure ${salt}`, min);
      expectNear(found.byVelocity, differences(trial, 1), 1e-10, `by velocity, figure ${salt}`, min);
      expectNear(found.byAcceleration, massMatrix(dynamics, pose), 1e-14, `by acceleration, figure ${salt}`);
      expect(figure.dof).toBe(pose.length);
    }
  });

  test('results are bit-identical with a used workspace and a given output, and inputs are unchanged', () => {
    for (const coupled of [false, true]) {
      const { figure, dynamics, pose, velocity, acceleration, external, tau } = randomTrial(77, { coupled });
      const workspace = createDerivativeWorkspace(dynamics);
      const first = inverseDynamicsDerivatives(workspace, pose, velocity, acceleration, undefined, external);
      const copies = [pose, velocity, acceleration, external].map((x) => x.slice());
      inverseDynamicsDerivatives(workspace, velocity, pose, tau);
      const out = createForceDerivatives(figure);
      out.byPose.fill(9);
      out.byVelocity.fill(9);
      out.byAcceleration.fill(9);
      expect(inverseDynamicsDerivatives(workspace, pose, velocity, acceleration, out, external)).toBe(out);
      for (const key of ['byPose', 'byVelocity', 'byAcceleration'] as const)
        expectSameBits(out[key], first[key]);
      const after = [pose, velocity, acceleration, external];
      for (let k = 0; k < after.length; k++) expectSameBits(after[k], copies[k]);
    }
  });

  test('bad vectors are refused by name', () => {
    const { dynamics, pose, velocity, acceleration } = randomTrial(5);
    const workspace = createDerivativeWorkspace(dynamics);
    const bad = velocity.slice();
    bad[0] = Number.NaN;
    const failing: readonly [() => unknown, string, string][] = [
      [
        () => inverseDynamicsDerivatives(workspace, pose.slice(1), velocity, acceleration),
        'wrong-size',
        'pose',
      ],
      [() => inverseDynamicsDerivatives(workspace, pose, bad, acceleration), 'not-finite', 'velocity[0]'],
      [() => inverseDynamicsDerivatives(workspace, pose, velocity, [1]), 'wrong-size', 'acceleration'],
      [
        () => inverseDynamicsDerivatives(workspace, pose, velocity, acceleration, undefined, [1]),
        'wrong-size',
        'external',
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

/** d tau/d(pose) or d tau/d(v), row by row, by central differences of order 6. */
function differences(trial: Trial, of: 0 | 1): Float64Array {
  const { figure, dynamics, pose, velocity, acceleration, external } = trial;
  const { dof } = figure;
  const out = new Float64Array(dof * dof);
  for (let i = 0; i < dof; i++) {
    const column = derivative((h) => {
      const given = [pose.slice(), velocity.slice()];
      given[of][i] += h;
      return inverseDynamics(dynamics, given[0], given[1], acceleration, undefined, external);
    }, 2e-3);
    for (let r = 0; r < dof; r++) out[r * dof + i] = column[r];
  }
  return out;
}
