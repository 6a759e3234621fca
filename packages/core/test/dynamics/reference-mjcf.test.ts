import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData, sharedData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import {
  biasForces,
  computeMomentum,
  createDynamics,
  forwardDynamics,
  inverseDynamics,
  massMatrix,
} from '../../src/dynamics/index.js';
import type { Triple } from '../../src/figure/index.js';
import { boneIndex, createState, forwardKinematics } from '../../src/figure/index.js';
import * as quat from '../../src/math/geometry/quat.js';
import { largestGap } from '../figure/support.js';
import { type Body, figureFromMujoco, type MujocoJoint, relativeGap } from './support-mujoco.js';

interface Reference {
  readonly model: string;
  readonly gravity: Triple;
  readonly bodies: readonly Body[];
  readonly joints: readonly MujocoJoint[];
  readonly dof_armature: readonly number[];
  readonly total_mass: number;
  readonly samples: readonly {
    readonly qpos: readonly number[];
    readonly qvel: readonly number[];
    readonly qacc: readonly number[];
    readonly xpos: readonly (readonly number[])[];
    readonly xquat_wxyz: readonly (readonly number[])[];
    readonly com: readonly number[];
    readonly mass_matrix_lower: readonly (readonly number[])[];
    readonly bias: readonly number[];
    readonly tau: readonly number[];
  }[];
}

/** Against the largest entry. The references are printed with 12 digits, over states and inertias rounded to as many. */
const TOLERANCE = 1e-11;

/** m, and entries of rotations: roundings of the angles of a chain add up; the CMU figure has 25 in a row. */
const FRAMES = 3e-11;

/** The bodies of two models have no names; they are chains with a joint a body. */
function named({ bodies, joints }: Reference): [readonly Body[], readonly MujocoJoint[]] {
  if (new Set(bodies.map(({ name }) => name)).size === bodies.length) return [bodies, joints];
  return [
    bodies.map((body, k) => ({ ...body, name: `body${k}`, parent: k === 0 ? 'world' : `body${k - 1}` })),
    joints.map((joint, k) => ({ ...joint, body: `body${k}` })),
  ];
}

const folder = sharedData('reference/mjcf');
const models = folder === undefined ? ['none'] : readdirSync(folder).map((file) => file.replace('.json', ''));

/** Values of MuJoCo 3.14 for its own models (shared data, reference/mjcf); armature included. */
describeWithData('reference models of MuJoCo', 'reference/mjcf', (path) => {
  describe.each(models)('%s', (model) => {
    const load = () => {
      const reference: Reference = JSON.parse(readFileSync(join(path, `${model}.json`), 'utf8'));
      const mapped = figureFromMujoco(...named(reference));
      const dynamics = createDynamics(mapped.figure, {
        gravity: reference.gravity,
        armature: mapped.toFigure(reference.dof_armature),
      });
      return { reference, ...mapped, dynamics };
    };

    test('frames and centre of mass', () => {
      const { reference, figure, dynamics, poseOf } = load();
      const state = createState(figure);
      for (const sample of reference.samples) {
        const pose = poseOf(sample.qpos);
        forwardKinematics(state, pose);
        named(reference)[0].forEach(({ name }, k) => {
          const o = 12 * boneIndex(figure, name);
          const [w, x, y, z] = sample.xquat_wxyz[k];
          const expected = [...quat.toMatrix(quat.normalize([x, y, z, w])), ...sample.xpos[k]];
          expect(largestGap(state.worldFromBone.slice(o, o + 12), expected)).toBeLessThan(FRAMES);
        });
        const { mass, center } = computeMomentum(dynamics, pose, new Float64Array(figure.dof));
        // Printed with ten digits.
        expect(Math.abs(mass - reference.total_mass) / mass).toBeLessThan(5.1e-10);
        expect(largestGap(center, sample.com)).toBeLessThan(TOLERANCE);
      }
    });

    test('mass matrix, bias, inverse and forward dynamics', () => {
      const { reference, dynamics, poseOf, toFigure, fromFigure, matrixFromFigure } = load();
      for (const { qpos, qvel, qacc, mass_matrix_lower, bias, tau } of reference.samples) {
        const pose = poseOf(qpos);
        const v = toFigure(qvel);
        const matrix = mass_matrix_lower.flatMap((row, i) =>
          mass_matrix_lower.map((other, j) => (j <= i ? row[j] : other[i])),
        );
        expect(relativeGap(matrixFromFigure(massMatrix(dynamics, pose)), matrix)).toBeLessThan(TOLERANCE);
        expect(relativeGap(fromFigure(biasForces(dynamics, pose, v)), bias)).toBeLessThan(TOLERANCE);
        const forces = inverseDynamics(dynamics, pose, v, toFigure(qacc));
        expect(relativeGap(fromFigure(forces), tau)).toBeLessThan(TOLERANCE);
        // Forward dynamics by the forces that its accelerations are off by, so that the condition of M stays out of it.
        const off = fromFigure(forwardDynamics(dynamics, pose, v, toFigure(tau))).map((x, i) => x - qacc[i]);
        const short = off.map((_, i) => off.reduce((sum, x, j) => sum + matrix[i * off.length + j] * x, 0));
        const scale = Math.max(...tau.map(Math.abs));
        expect(Math.max(...short.map(Math.abs)) / scale).toBeLessThan(TOLERANCE);
      }
    });
  });
});
