import { readFileSync } from 'node:fs';
import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { describeWithData } from '@poise/test-support/shared-data';
import { beforeAll, describe, expect, test } from 'vitest';
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
  centerOfMass,
  centerOfMassJacobianV,
  forwardKinematics,
  updateMotionSubspaceV,
} from '../../src/figure/index.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { createRandom, within } from '../figure/support.js';
import { type Body, figureFromMujoco, type MujocoJoint, relativeGap } from './support-mujoco.js';

/** Against the largest entry. */
const TOLERANCE = 1e-11;
const STATES = 200;

/** Two trees; all four joint types, several in one body, away from its origin, with skew axes, armature and skew inertias. */
const ALL_JOINTS = `<mujoco>
  <option gravity="1.5 -2.5 -9.81"/>
  <worldbody>
    <body pos="0.3 -0.2 1.1" quat="0.8 0.2 -0.4 0.4">
      <freejoint/>
      <inertial pos="0.02 -0.05 0.1" mass="3.2" fullinertia="0.05 0.07 0.04 0.006 -0.004 0.009"/>
      <body pos="0.1 0.2 -0.3" quat="0.7 -0.1 0.5 0.5">
        <joint type="ball" pos="0.05 -0.03 0.02" armature="0.03"/>
        <inertial pos="0.1 0.05 -0.04" mass="1.1" fullinertia="0.02 0.013 0.015 -0.002 0.003 0.001"/>
        <body pos="-0.2 0.1 0.25">
          <joint type="hinge" axis="1 2 -1" pos="0.1 0 0.04" armature="0.02"/>
          <joint type="slide" axis="0 1 3" pos="0.3 0.1 0"/>
          <joint type="hinge" axis="-2 1 1" pos="-0.06 0.02 0"/>
          <inertial pos="0 0.1 0.1" mass="0.7" fullinertia="0.01 0.012 0.008 0.001 0.002 -0.001"/>
        </body>
        <body pos="0.2 0.1 0.05">
          <joint type="ball"/>
          <inertial pos="0.01 -0.1 0.02" mass="0.4" fullinertia="0.003 0.002 0.004 0 0.0005 0"/>
        </body>
      </body>
      <body pos="-0.1 -0.2 -0.3" quat="0.5 0.5 -0.5 0.5">
        <joint type="slide" axis="1 1 0" armature="0.5"/>
        <joint type="ball" pos="0 0.1 0"/>
        <inertial pos="0 0 0.2" mass="2" fullinertia="0.03 0.03 0.01 0 0 0.002"/>
      </body>
    </body>
    <body pos="2 0 0.5">
      <joint type="ball"/>
      <inertial pos="0.1 0.2 0" mass="0.9" fullinertia="0.02 0.02 0.03 0.001 0 0"/>
      <body pos="0 0.3 0">
        <joint type="ball"/>
        <inertial pos="0 0 0" mass="1" fullinertia="0.02 0.02 0.03 0.001 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>`;

const types = ['free', 'ball', 'slide', 'hinge'] as const;

let mujoco: MainModule;

beforeAll(async () => {
  mujoco = await loadMujoco();
});

/** Rows of a table of numbers in WebAssembly memory. */
function rows(table: unknown, width: number): number[][] {
  const numbers = Array.from(table as ArrayLike<number>);
  return Array.from({ length: numbers.length / width }, (_, k) => numbers.slice(width * k, width * (k + 1)));
}

function setUp(xml: string) {
  const model = mujoco.MjModel.from_xml_string(xml);
  const data = new mujoco.MjData(model);
  const [positions, rotations, centers, axes] = [
    rows(model.body_pos, 3),
    rows(model.body_quat, 4),
    rows(model.body_ipos, 3),
    rows(model.body_iquat, 4),
  ];
  const inertias = rows(model.body_inertia, 3);
  const parents = Array.from(model.body_parentid as Int32Array);
  const bodies = positions
    .map(
      (pos, k): Body => ({
        name: `body${k}`,
        parent: parents[k] === 0 ? 'world' : `body${parents[k]}`,
        pos,
        quat_wxyz: rotations[k],
        mass: (model.body_mass as Float64Array)[k],
        ipos: centers[k],
        iquat_wxyz: axes[k],
        inertia_diag: inertias[k],
      }),
    )
    // The world.
    .slice(1);
  const [anchors, directions] = [rows(model.jnt_pos, 3), rows(model.jnt_axis, 3)];
  const kinds = Array.from(model.jnt_type as Int32Array);
  const zero = Array.from(model.qpos0 as Float64Array);
  const joints = kinds.map((kind, k): MujocoJoint => {
    const qposadr = (model.jnt_qposadr as Int32Array)[k];
    return {
      type: types[kind],
      body: `body${(model.jnt_bodyid as Int32Array)[k]}`,
      qposadr,
      dofadr: (model.jnt_dofadr as Int32Array)[k],
      pos: anchors[k],
      axis: directions[k],
      qpos0: [zero[qposadr]],
    };
  });
  // Springs are no part of the energies compared.
  (model.jnt_stiffness as Float64Array).fill(0);
  const mapped = figureFromMujoco(bodies, joints);
  const gravity = Array.from(model.opt.gravity as Float64Array) as [number, number, number];
  const armature = mapped.toFigure(model.dof_armature as Float64Array);
  const dynamics = createDynamics(mapped.figure, { gravity, armature });
  return { model, data, joints, dynamics, ...mapped };
}

/** States with angles beyond pi and rotations all over, and MuJoCo's kinematics, M and bias at them. */
function* states({ model, data, joints }: ReturnType<typeof setUp>, salt: number) {
  const random = createRandom(salt);
  const qpos = data.qpos as Float64Array;
  const qvel = data.qvel as Float64Array;
  const fullM = new mujoco.DoubleBuffer(model.nv * model.nv);
  for (let n = 0; n < STATES; n++) {
    for (const { type, qposadr } of joints) {
      const offset = type === 'free' ? 3 : type === 'ball' ? 0 : -1;
      if (offset !== 0) for (let k = 0; k < Math.max(1, offset); k++) qpos[qposadr + k] = within(random, 4);
      if (offset >= 0) {
        const q = [0, 0, 0, 0].map(() => within(random, 1));
        const length = Math.hypot(...q);
        for (let k = 0; k < 4; k++) qpos[qposadr + offset + k] = q[k] / length;
      }
    }
    for (let i = 0; i < model.nv; i++) qvel[i] = within(random, 3);
    mujoco.mj_kinematics(model, data);
    mujoco.mj_comPos(model, data);
    mujoco.mj_makeM(model, data);
    mujoco.mj_fwdVelocity(model, data);
    mujoco.mj_energyPos(model, data);
    mujoco.mj_energyVel(model, data);
    mujoco.mj_subtreeVel(model, data);
    mujoco.mj_fullM(model, data, fullM);
    yield { qpos, qvel, matrix: Array.from(fullM.GetView() as Float64Array), random };
  }
  fullM.delete();
}

function compare(xml: string, salt: number): void {
  const peer = setUp(xml);
  const { dynamics, data, joints, poseOf, toFigure, fromFigure, matrixFromFigure } = peer;
  expect(joints.length).toBeGreaterThan(1);
  const jacobian = new mujoco.DoubleBuffer(3 * peer.model.nv);
  let worst = 0;
  const near = (ours: Numbers, expected: Numbers, what: string) => {
    const gap = relativeGap(ours, expected);
    expect(gap, what).toBeLessThan(TOLERANCE);
    worst = Math.max(worst, gap);
  };
  for (const { qpos, qvel, matrix, random } of states(peer, salt)) {
    const pose = poseOf(qpos);
    const v = toFigure(qvel);
    const bias = Array.from(data.qfrc_bias as Float64Array);
    near(matrixFromFigure(massMatrix(dynamics, pose)), matrix, 'mass matrix');
    near(fromFigure(biasForces(dynamics, pose, v)), bias, 'bias');
    const acceleration = Array.from(qvel, () => within(random, 5));
    const product = multiply(matrix, acceleration);
    const tau = product.map((x, i) => x + bias[i]);
    near(fromFigure(inverseDynamics(dynamics, pose, v, toFigure(acceleration))), tau, 'inverse dynamics');
    // By the forces that the accelerations are off by, so that the condition of M stays out of it.
    const found = fromFigure(forwardDynamics(dynamics, pose, v, toFigure(tau)));
    near(
      multiply(matrix, found).map((x, i) => x + bias[i]),
      tau,
      'forward dynamics',
    );
    const [potential, kinetic] = data.energy as Float64Array;
    expect(Math.abs(potentialEnergy(dynamics, pose) - potential)).toBeLessThan(
      TOLERANCE * Math.max(1, Math.abs(potential)),
    );
    expect(Math.abs(kineticEnergy(dynamics, pose, v) - kinetic)).toBeLessThan(TOLERANCE * kinetic);
    const { mass, center, velocity, linear, angular } = computeMomentum(dynamics, pose, v);
    const world = (table: unknown) => Array.from((table as Float64Array).subarray(0, 3));
    near(center, world(data.subtree_com), 'centre of mass');
    near(velocity, world(data.subtree_linvel), 'its velocity');
    const { state, figure } = dynamics;
    forwardKinematics(state, pose);
    updateMotionSubspaceV(state, pose);
    near(centerOfMass(state), world(data.subtree_com), 'centre of mass of the state');
    mujoco.mj_jacSubtreeCom(peer.model, data, jacobian, 0);
    const expected = Array.from(jacobian.GetView() as Float64Array);
    const ours = centerOfMassJacobianV(state);
    const rowsOfOurs = [0, 1, 2].flatMap((r) =>
      fromFigure(ours.subarray(r * figure.dof, (r + 1) * figure.dof)),
    );
    near(rowsOfOurs, expected, 'Jacobian of the centre of mass');
    near(angular, world(data.subtree_angmom), 'angular momentum');
    near(
      linear,
      world(data.subtree_linvel).map((x) => mass * x),
      'momentum',
    );
  }
  // Not compared with itself.
  expect(worst).toBeGreaterThan(0);
  jacobian.delete();
  peer.data.delete();
  peer.model.delete();
}

function multiply(matrix: readonly number[], x: readonly number[]): number[] {
  return x.map((_, i) => x.reduce((sum, value, j) => sum + matrix[i * x.length + j] * value, 0));
}

describe('MuJoCo 3.14 at 200 random states: M, bias, both dynamics, energies, momenta, Jacobian of the centre of mass', () => {
  test('a forest of free, ball, hinge and slide joints, several in one body', () => {
    compare(ALL_JOINTS, 1);
  });

  const files = ['humanoid', 'humanoid_CMU_V2020', 'swimmer', 'arm26', 'energy_conserving_pendulum'];
  describeWithData('its own models', 'mjcf', (path) => {
    test.each(files.map((file, k) => [file, k + 2] as const))('%s', (file, salt) => {
      compare(readFileSync(`${path}/${file}.xml`, 'utf8'), salt);
    });
  });
});
