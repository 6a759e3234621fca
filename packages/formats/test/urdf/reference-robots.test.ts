import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readUrdf, type UrdfRobot } from '@poise/formats';
import { describeWithData, sharedData } from '@poise/test-support/shared-data';
import {
  createState,
  type FigureState,
  forwardKinematics,
  frameJacobianQ,
  updateMotionSubspaceQ,
} from 'poise/figure';
import { mat3, quat, rigid } from 'poise/math';
import { describe, expect, test } from 'vitest';

interface Reference {
  readonly robot: string;
  readonly root_link: string;
  readonly joint_order: readonly string[];
  readonly joint_types: readonly string[];
  readonly limits: readonly (readonly [number, number] | null)[];
  readonly gravity: readonly number[];
  readonly tips: readonly string[];
  readonly samples: readonly {
    readonly q: readonly number[];
    readonly link_pose: Readonly<Record<string, readonly number[]>>;
    readonly jacobian: Readonly<Record<string, readonly (readonly number[])[]>>;
    readonly mass_matrix?: readonly (readonly number[])[];
    readonly gravity_torque?: readonly number[];
  }[];
}

/** The references are printed with 13 digits, over coordinates that were rounded to as many. */
const TOLERANCE = 3e-12;

const folder = sharedData('reference/urdf');
const robots = folder === undefined ? ['none'] : readdirSync(folder).map((file) => file.replace('.json', ''));

function largestGap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Math.max(...Array.from(a, (x, i) => Math.abs(x - b[i])));
}

/** Reference values: numpy kinematics and dynamics checked against MuJoCo, made by others (shared data). */
describeWithData('every reference robot', 'reference/urdf', (path) => {
  describe.each(robots)('%s', (name) => {
    const load = () => {
      const reference: Reference = JSON.parse(readFileSync(join(path, `${name}.json`), 'utf8'));
      const robot = readUrdf(readFileSync(join(path, '../../urdf', reference.robot)), {
        source: reference.robot,
        // The reference gives joints with <mimic> values of their own.
        mimic: 'free',
      });
      const { figure } = robot;
      const coordinates = reference.joint_order.map((joint) => jointOf(robot, joint).coordinate);
      const state = createState(figure);
      const pose = (q: readonly number[]): Float64Array => {
        const out = new Float64Array(figure.dof);
        q.forEach((x, k) => {
          out[coordinates[k]] = x;
        });
        return out;
      };
      return { reference, robot, figure, coordinates, state, pose };
    };

    test('has the joints of the file, their types and limits', () => {
      const { reference, robot, figure } = load();
      expect(figure.bones[0].name).toBe(reference.root_link);
      expect(figure.dof).toBe(reference.joint_order.length);
      const moving = [...robot.joints.values()].filter(({ dof }) => dof > 0);
      expect(new Set(moving.map((joint) => joint.name))).toEqual(new Set(reference.joint_order));
      reference.joint_order.forEach((joint, k) => {
        const { type, bone, lower, upper } = jointOf(robot, joint);
        expect(type).toBe(reference.joint_types[k]);
        const { limit } = figure.bones[bone];
        // The reference prints [0, 0] where the file has no <limit>, as the joints of the PR2's floor.
        const silent = robot.warnings.some((text) => text.includes(`'${joint}']: has no <limit>`));
        if (type === 'continuous' || silent) {
          expect(limit).toBeUndefined();
          return;
        }
        const [min, max] = reference.limits[k] as readonly [number, number];
        expect([lower, upper]).toEqual([min, max]);
        expect(limit).toEqual({ type: 'interval', min, max });
      });
    });

    test('puts every link where the reference has it', () => {
      const { reference, figure, state, pose } = load();
      for (const sample of reference.samples) {
        forwardKinematics(state, pose(sample.q));
        const links = Object.entries(sample.link_pose);
        expect(links.length).toBeGreaterThan(0);
        for (const [link, [x, y, z, ...rotation]] of links) {
          const o = 12 * boneOf(figure.bones, link);
          const expected = [...quat.toMatrix(quat.normalize(rotation)), x, y, z];
          expect(largestGap(state.worldFromBone.slice(o, o + 12), expected)).toBeLessThan(TOLERANCE);
        }
      }
    });

    test('moves its tips as the reference does', () => {
      const { reference, figure, coordinates, state, pose } = load();
      for (const sample of reference.samples) {
        const q = pose(sample.q);
        forwardKinematics(state, q);
        updateMotionSubspaceQ(state, q);
        for (const tip of reference.tips) {
          const bone = boneOf(figure.bones, tip);
          const jacobian = new Float64Array(6 * figure.dof);
          frameJacobianQ(state, bone, state.worldFromBone.slice(12 * bone + 9, 12 * bone + 12), jacobian);
          const ours = sample.jacobian[tip].flatMap((_, row) =>
            coordinates.map((c) => jacobian[row * figure.dof + c]),
          );
          expect(largestGap(ours, sample.jacobian[tip].flat())).toBeLessThan(TOLERANCE);
        }
      }
    });

    test('has the mass matrix and gravity torques of the reference', () => {
      const { reference, figure, coordinates, state, pose } = load();
      for (const { q, mass_matrix: expected, gravity_torque: torque } of reference.samples) {
        if (expected === undefined || torque === undefined) continue;
        const { mass, gravity } = massMatrix(state, pose(q), reference.gravity);
        const scale = Math.max(...expected.flat().map(Math.abs));
        const ours = coordinates.flatMap((i) => coordinates.map((j) => mass[i * figure.dof + j]));
        expect(largestGap(ours, expected.flat()) / scale).toBeLessThan(TOLERANCE);
        const pull = Math.max(1, ...torque.map(Math.abs));
        expect(
          largestGap(
            coordinates.map((i) => gravity[i]),
            torque,
          ) / pull,
        ).toBeLessThan(TOLERANCE);
      }
    });
  });
});

function jointOf(robot: UrdfRobot, name: string) {
  const joint = robot.joints.get(name);
  if (joint === undefined) throw new Error(`no joint ${name}`);
  return joint;
}

function boneOf(bones: UrdfRobot['figure']['bones'], name: string): number {
  return bones.findIndex((bone) => bone.name === name);
}

/** M = sum over links of m J_v^T J_v + J_w^T R I R^T J_w at their centres of mass, and the torques that hold it up. */
function massMatrix(state: FigureState, q: Float64Array, gravity: readonly number[]) {
  const { dof, bones } = state.figure;
  const mass = new Float64Array(dof * dof);
  const torque = new Float64Array(dof);
  forwardKinematics(state, q);
  updateMotionSubspaceQ(state, q);
  for (const { index, mass: m, centerOfMass, inertia } of bones) {
    if (m === undefined) continue;
    const frame = state.worldFromBone.slice(12 * index, 12 * index + 12);
    const jacobian = new Float64Array(6 * dof);
    frameJacobianQ(state, index, rigid.transformPoint(frame, centerOfMass ?? [0, 0, 0]), jacobian);
    const [xx, yy, zz, xy, xz, yz] = inertia ?? [0, 0, 0, 0, 0, 0];
    const r = frame.slice(0, 9);
    const world = mat3.multiply(mat3.multiply(r, [xx, xy, xz, xy, yy, yz, xz, yz, zz]), mat3.transpose(r));
    const at = (row: number, i: number) => jacobian[row * dof + i];
    for (let i = 0; i < dof; i++) {
      for (let row = 0; row < 3; row++) torque[i] -= m * gravity[row] * at(row, i);
      for (let j = 0; j < dof; j++) {
        let sum = 0;
        for (let row = 0; row < 3; row++) {
          sum += m * at(row, i) * at(row, j);
          for (let k = 0; k < 3; k++) sum += at(3 + row, i) * world[3 * row + k] * at(3 + k, j);
        }
        mass[i * dof + j] += sum;
      }
    }
  }
  return { mass, gravity: torque };
}
