import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { poseFromQpos, qposFromPose, readMjcf } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { createDynamics, massMatrix } from 'poise/dynamics';
import { createState, forwardKinematics } from 'poise/figure';
import { quat } from 'poise/math';
import { beforeAll, describe, expect, test } from 'vitest';

let mujoco: MainModule;

beforeAll(async () => {
  mujoco = await loadMujoco();
});

function largestGap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Math.max(0, ...Array.from(a, (x, i) => Math.abs(x - b[i])));
}

/** Numbers in [-1, 1], the same in every run. */
function createRandom(): () => number {
  let state = 7;
  return () => {
    state = (1103515245 * state + 12345) % 2 ** 31;
    return state / 2 ** 30 - 1;
  };
}

/** Compares figure and MuJoCo at random positions: frames of all bodies, mass matrix. */
function compare(xml: string, name: string): void {
  const theirs = mujoco.MjModel.from_xml_string(xml);
  const data = new mujoco.MjData(theirs);
  const ours = readMjcf(xml, { source: name, mimic: 'free' });
  const { figure } = ours;
  expect([ours.nq, ours.nv]).toEqual([theirs.nq, theirs.nv]);
  const joints = [...ours.joints.values()];
  const places = joints.flatMap(({ coordinate, dof }) =>
    Array.from({ length: dof }, (_, k) => coordinate + k),
  );
  const state = createState(figure);
  const dynamics = createDynamics(figure, { gravity: ours.gravity, armature: ours.armature });
  expect(Array.from(dynamics.gravity)).toEqual(Array.from(theirs.opt.gravity as Float64Array));
  // Names of bodies are unique and in the file's order: those of the massless bones are the joints'.
  const names = new Set(joints.map(({ bone, body }) => (figure.bones[bone].name === body ? '' : bone)));
  const bones = bodyOrder(
    xml,
    figure.bones.map((bone) => bone.name),
  );
  expect(bones.length + names.size).toBeGreaterThanOrEqual(theirs.nbody - 1);
  const full = new mujoco.DoubleBuffer(theirs.nv * theirs.nv);
  const random = createRandom();
  const qpos = data.qpos as Float64Array;
  expect(largestGap(qposFromPose(ours, new Float64Array(figure.dof)), qpos)).toBeLessThan(1e-12);
  for (let n = 0; n < 20; n++) {
    for (let i = 0; i < theirs.nq; i++) qpos[i] = random();
    for (const { type, qposIndex } of joints) {
      if (type !== 'free' && type !== 'ball') continue;
      const o = type === 'free' ? qposIndex + 3 : qposIndex;
      const length = Math.hypot(...qpos.slice(o, o + 4));
      for (let k = 0; k < 4; k++) qpos[o + k] /= length;
    }
    mujoco.mj_kinematics(theirs, data);
    mujoco.mj_comPos(theirs, data);
    mujoco.mj_makeM(theirs, data);
    mujoco.mj_fullM(theirs, data, full);
    const pose = poseFromQpos(ours, qpos);
    forwardKinematics(state, pose);
    bones.forEach((bone, k) => {
      const [w, x, y, z] = (data.xquat as Float64Array).slice(4 * (k + 1), 4 * (k + 2));
      const p = (data.xpos as Float64Array).slice(3 * (k + 1), 3 * (k + 2));
      const expected = [...quat.toMatrix([x, y, z, w]), ...p];
      const frame = state.worldFromBone.slice(12 * bone, 12 * bone + 12);
      expect(largestGap(frame, expected), figure.bones[bone].name).toBeLessThan(1e-12);
    });
    const m = massMatrix(dynamics, pose);
    const matrix = places.flatMap((i) => places.map((j) => m[i * figure.dof + j]));
    const expected = Array.from(full.GetView() as Float64Array);
    const scale = Math.max(...expected.map(Math.abs));
    // Linear velocities of free joints are in world axes there, in rest axes here: the same where rest has no rotation.
    expect(largestGap(matrix, expected) / scale, 'mass matrix').toBeLessThan(1e-11);
  }
  full.delete();
  data.delete();
  theirs.delete();
}

/** Bones of the bodies of a file whose bodies all have names, in the order of their tags. */
function bodyOrder(xml: string, bones: readonly string[]): number[] {
  const text = xml.replace(/<!--[\s\S]*?-->/g, '');
  return [...text.matchAll(/<body\b[^>]*?\bname="([^"]*)"/g)].map(([, name]) => bones.indexOf(name));
}

/** All forms of orientations, frames, classes, joints in one body, all shapes, bounds of the compiler. */
const ALL_FORMS = `<mujoco model="forms">
  <compiler angle="radian" eulerseq="xYz" boundmass="0.05" balanceinertia="true" inertiagrouprange="0 3"/>
  <compiler angle="degree" settotalmass="7.5"/>
  <option gravity="1 2 -3"/>
  <default>
    <geom density="700"/>
    <joint armature="0.1" axis="1 0 2"/>
    <default class="limb">
      <geom type="capsule" size="0.05" fromto="0 0 0 0.1 0.2 0.3"/>
      <joint pos="0.1 0 0.02"/>
      <default class="slide"><joint type="slide" ref="0.2" axis="0 1 1"/></default>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="free" pos="1 2 3">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.2 0.3" euler="10 20 30" pos="0.1 0 0"/>
      <geom type="ellipsoid" size="0.1 0.2 0.15" axisangle="1 1 0 40" pos="0 0.1 0"/>
      <geom type="cylinder" size="0.1 0.2" zaxis="1 2 -3"/>
      <geom size="0.1" mass="0.3" pos="0 0 1" group="4"/>
      <body name="limb" xyaxes="1 1 0 0 1 1" pos="0.1 0.1 0" childclass="limb">
        <joint name="a" class="slide"/>
        <joint name="b" ref="20"/>
        <joint name="c" type="ball"/>
        <geom/>
        <frame euler="30 0 -20" pos="0.2 0 0.1">
          <geom type="box" fromto="0 0 0 0.1 0 0.1" size="0.03"/>
          <frame quat="1 2 0 0" childclass="main">
            <body name="framed" pos="0 0.3 0" axisangle="0 1 0 25">
              <joint axis="0 1 0"/>
              <geom size="0.07"/>
            </body>
          </frame>
          <joint name="d" type="slide" axis="0 0 1" pos="0 0.1 0"/>
        </frame>
      </body>
      <body name="light" zaxis="0 1 0.2"><joint axis="0 0 1"/><geom size="0.01" density="1"/></body>
      <body name="skew" euler="90 45 0">
        <inertial pos="0.1 0 0" mass="0.4" fullinertia="0.01 0.02 0.012 0.001 0.002 -0.001"/>
        <joint type="slide"/>
      </body>
      <body name="wrong"><inertial pos="0 0 0" mass="0.4" diaginertia="0.01 0.02 0.9" quat="1 1 0 0"/><joint/></body>
    </body>
    <body name="fixed" quat="1 1 1 0"><geom size="0.1"/>
      <body name="marker" pos="0 0 0.1"/>
    </body>
    <body name="mocap" mocap="true" pos="0 0 1"/>
  </worldbody>
</mujoco>`;

describe('as MuJoCo reads them', () => {
  test('orientations, frames, classes, joints, shapes, compiler settings', () => {
    compare(ALL_FORMS, 'forms.xml');
    const model = readMjcf(ALL_FORMS);
    const total = model.figure.bones.reduce((sum, { mass }) => sum + (mass ?? 0), 0);
    expect(total).toBeCloseTo(7.5, 12);
    expect(model.mocap.map((bone) => model.figure.bones[bone].name)).toEqual(['mocap']);
  });

  test('capital and small letters of eulerseq', () => {
    for (const order of ['xyz', 'XYZ', 'zyx', 'ZXz', 'yXy']) {
      compare(
        `<mujoco><compiler eulerseq="${order}"/><worldbody><body name="a" euler="20 30 40"><joint/><geom size="1"/></body></worldbody></mujoco>`,
        'euler.xml',
      );
    }
  });
});

/** Meshes are not there; MuJoCo reads the models without them. Masses are in `<inertial>`. */
function withoutMeshes(xml: string): string {
  return xml
    .replace(/<asset>[\s\S]*?<\/asset>/g, '')
    .replace(/<include [^>]*>/g, '')
    .replace(/<(contact|tendon|equality|actuator|sensor|visual|keyframe)>[\s\S]*?<\/\1>/g, '')
    .replace(/<geom\b[^>]*\b(?:mesh|class|material|hfield)="[^"]*"[^>]*>/g, (geom) =>
      /(?:mesh|hfield)="|class="(?:visual|collision)"/.test(geom) ? '' : geom.replace(/material="[^"]*"/, ''),
    )
    .replace(/\bmaterial="[^"]*"/g, '');
}

describeWithData('robots as MuJoCo reads them', 'mjcf', (path) => {
  test.each(['unitree_g1.xml', 'pal_talos.xml'])('%s', (file) => {
    compare(withoutMeshes(readFileSync(join(path, file), 'utf8')), file);
  });

  test('every file opens', () => {
    const counts = readdirSync(path).map((file) => {
      const { figure, joints, warnings } = readMjcf(readFileSync(join(path, file)), { source: file });
      return [file, new Set([...joints.values()].map(({ body }) => body)).size > 0, figure.dof > 0, warnings];
    });
    expect(counts.length).toBe(9);
    for (const [file, hasJoints, moves] of counts)
      expect([file, hasJoints, moves]).toEqual([file, true, true]);
  });
});
