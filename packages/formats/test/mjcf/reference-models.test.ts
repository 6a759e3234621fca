import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { poseFromQpos, qposFromPose, readMjcf } from '@poise/formats';
import { describeWithData, sharedData } from '@poise/test-support/shared-data';
import {
  biasForces,
  computeMomentum,
  createDynamics,
  forwardDynamics,
  inverseDynamics,
  massMatrix,
} from 'poise/dynamics';
import { boneIndex, createState, forwardKinematics } from 'poise/figure';
import { quat } from 'poise/math';
import { describe, expect, test } from 'vitest';

interface Reference {
  readonly model: string;
  readonly gravity: readonly number[];
  readonly nq: number;
  readonly nv: number;
  readonly bodies: readonly {
    readonly name: string;
    readonly parent: string;
    readonly mass: number;
    readonly ipos: readonly number[];
    readonly iquat_wxyz: readonly number[];
    readonly inertia_diag: readonly number[];
  }[];
  readonly joints: readonly {
    readonly name: string;
    readonly type: string;
    readonly qposadr: number;
    readonly dofadr: number;
    readonly limited: boolean;
    readonly range: readonly number[];
  }[];
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

/** The references are printed with 12 digits, over states rounded to as many. */
const TOLERANCE = 1e-10;

/** What the references print for bodies and joints without a name. */
const UNNAMED = 'emsc';

const folder = sharedData('reference/mjcf');
const models = folder === undefined ? ['none'] : readdirSync(folder).map((file) => file.replace('.json', ''));

function largestGap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Math.max(...Array.from(a, (x, i) => Math.abs(x - b[i])));
}

function relativeGap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return largestGap(a, b) / Math.max(1e-9, ...Array.from(b, Math.abs));
}

/** Values of MuJoCo 3.14 for these files (shared data): bodies, masses, kinematics, dynamics. */
describeWithData('models as MuJoCo compiles them', 'reference/mjcf', (path) => {
  describe.each(models)('%s', (name) => {
    const load = () => {
      const reference: Reference = JSON.parse(readFileSync(join(path, `${name}.json`), 'utf8'));
      const file = join(path, name === 'amp_humanoid' ? '../../retarget' : '../../mjcf', reference.model);
      const model = readMjcf(readFileSync(file), { source: reference.model, mimic: 'free' });
      const { figure } = model;
      const joints = [...model.joints.values()];
      // Velocities of both are the same, in another order.
      const places = joints.flatMap(({ coordinate, dof }) =>
        Array.from({ length: dof }, (_, k) => coordinate + k),
      );
      const toFigure = (vector: readonly number[]): Float64Array => {
        const out = new Float64Array(figure.dof);
        vector.forEach((x, k) => {
          out[places[k]] = x;
        });
        return out;
      };
      const fromFigure = (vector: ArrayLike<number>): number[] => places.map((i) => vector[i]);
      return { reference, model, figure, joints, places, toFigure, fromFigure };
    };

    test('bodies, joints and limits', () => {
      const { reference, model, figure, joints } = load();
      expect([model.nq, model.nv, figure.dof]).toEqual([reference.nq, reference.nv, reference.nv]);
      expect(joints.map(({ type, qposIndex, qvelIndex }) => [type, qposIndex, qvelIndex])).toEqual(
        reference.joints.map(({ type, qposadr, dofadr }) => [type, qposadr, dofadr]),
      );
      joints.forEach((joint, k) => {
        const { limited, range, name: given } = reference.joints[k];
        if (given !== UNNAMED) expect(joint.name).toBe(given);
        expect(joint.range !== undefined, joint.name).toBe(limited);
        const { limit } = figure.bones[joint.bone];
        if (!limited) {
          expect(limit).toBeUndefined();
          return;
        }
        expect(largestGap(joint.range as readonly [number, number], range)).toBeLessThan(1e-11);
        expect(limit).toEqual({ type: 'interval', min: joint.range?.[0], max: joint.range?.[1] });
      });
    });

    test('frames of all bodies, and positions both ways', () => {
      const { reference, model, figure } = load();
      const state = createState(figure);
      for (const { qpos, xpos, xquat_wxyz: xquat } of reference.samples) {
        const pose = poseFromQpos(model, qpos);
        const back = qposFromPose(model, pose);
        // A quaternion and its negative are one rotation.
        for (const { type, qposIndex: a } of model.joints.values()) {
          const o = type === 'free' ? a + 3 : a;
          if (type !== 'free' && type !== 'ball') continue;
          const sign = Math.sign(back.slice(o, o + 4).reduce((sum, x, k) => sum + x * qpos[o + k], 0));
          for (let k = 0; k < 4; k++) back[o + k] *= sign;
        }
        expect(largestGap(back, qpos)).toBeLessThan(3e-12);
        forwardKinematics(state, pose);
        reference.bodies.forEach(({ name: body }, k) => {
          const o = 12 * boneIndex(figure, body === UNNAMED ? `body${k + 1}` : body);
          const [w, x, y, z] = xquat[k];
          const expected = [...quat.toMatrix(quat.normalize([x, y, z, w])), ...xpos[k]];
          expect(largestGap(state.worldFromBone.slice(o, o + 12), expected), body).toBeLessThan(TOLERANCE);
        });
      }
    });

    test('masses, centres and inertias of bodies', () => {
      const { reference, figure } = load();
      reference.bodies.forEach((body, k) => {
        const bone = figure.bones[boneIndex(figure, body.name === UNNAMED ? `body${k + 1}` : body.name)];
        expect(Math.abs((bone.mass ?? 0) - body.mass)).toBeLessThan(1e-10 * Math.max(1, body.mass));
        if (body.mass === 0) return;
        expect(largestGap(bone.centerOfMass ?? [0, 0, 0], body.ipos)).toBeLessThan(1e-11);
        const [w, x, y, z] = body.iquat_wxyz;
        const r = quat.toMatrix(quat.normalize([x, y, z, w]));
        const entry = (i: number, j: number) =>
          [0, 1, 2].reduce((sum, n) => sum + r[3 * i + n] * body.inertia_diag[n] * r[3 * j + n], 0);
        const expected = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
        expect(relativeGap(bone.inertia ?? [0, 0, 0, 0, 0, 0], expected), body.name).toBeLessThan(1e-10);
      });
    });

    test('mass matrix, bias, inverse and forward dynamics', () => {
      const { reference, model, figure, places, toFigure, fromFigure } = load();
      expect(model.gravity).toEqual(reference.gravity);
      expect(largestGap(fromFigure(model.armature), reference.dof_armature)).toBeLessThan(1e-12);
      const dynamics = createDynamics(figure, { gravity: model.gravity, armature: model.armature });
      for (const { qpos, qvel, qacc, mass_matrix_lower: lower, bias, tau, com } of reference.samples) {
        const pose = poseFromQpos(model, qpos);
        const v = toFigure(qvel);
        const matrix = lower.flatMap((row, i) => lower.map((other, j) => (j <= i ? row[j] : other[i])));
        const m = massMatrix(dynamics, pose);
        const ours = places.flatMap((i) => places.map((j) => m[i * figure.dof + j]));
        expect(relativeGap(ours, matrix)).toBeLessThan(TOLERANCE);
        expect(relativeGap(fromFigure(biasForces(dynamics, pose, v)), bias)).toBeLessThan(TOLERANCE);
        const forces = inverseDynamics(dynamics, pose, v, toFigure(qacc));
        expect(relativeGap(fromFigure(forces), tau)).toBeLessThan(TOLERANCE);
        const off = fromFigure(forwardDynamics(dynamics, pose, v, toFigure(tau))).map((x, i) => x - qacc[i]);
        const short = off.map((_, i) => off.reduce((sum, x, j) => sum + matrix[i * off.length + j] * x, 0));
        expect(Math.max(...short.map(Math.abs)) / Math.max(...tau.map(Math.abs))).toBeLessThan(TOLERANCE);
        const { mass, center } = computeMomentum(dynamics, pose, new Float64Array(figure.dof));
        expect(Math.abs(mass - reference.total_mass) / mass).toBeLessThan(5.1e-10);
        expect(largestGap(center, com)).toBeLessThan(TOLERANCE);
      }
    });
  });
});
