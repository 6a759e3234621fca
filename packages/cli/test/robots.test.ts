import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createFigure, createPose, createState, forwardKinematics } from 'poise/figure';
import { describe, expect, test } from 'vitest';
import { affectingBones } from '../src/goals/locked-bones.js';
import type { Inspection } from '../src/inspect/inspection.js';
import { jointText } from '../src/io/format-limit.js';
import { figureDataOf } from '../src/io/source.js';
import { poise, posed, temporaryFolder } from './support/command.js';

const folder = temporaryFolder();

const gripper = `<robot name="gripper">
  <link name="palm"><inertial><mass value="0.5"/></inertial></link><link name="left"/><link name="right"/>
  <joint name="slide" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="5" velocity="1"/></joint>
  <joint name="follow" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 1 0"/>
    <limit lower="-0.03" upper="0"/><mimic joint="slide" multiplier="-1"/></joint>
</robot>`;

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('a robot of one page', () => {
  const path = written('gripper.urdf', gripper);

  test('is shown with links, joints, limits and masses', async () => {
    const { status, out, err } = await poise('inspect', path);
    expect([status, err]).toEqual([0, '']);
    expect(out.split('\n')[0]).toBe('gripper (gripper.urdf)');
    expect(out).toMatch(/3 bones, 1 degrees of freedom, 0\.5 kg, 0 m high \(bone origins and tips; \+Z up\)/);
    expect(out).toMatch(/^├─ left +slide +slider along y +1 +0\.\.0\.03 m +-$/m);
    expect(out).toMatch(/^└─ right +follow +slider along y, mimics left \(-y\) +0 +-$/m);
  });

  test('--json has its joints, and is an equivalent figure file', async () => {
    const inspection = JSON.parse((await poise('inspect', path, '--json')).out) as Inspection;
    expect(inspection.source).toEqual({ kind: 'urdf', path });
    expect(inspection.totals).toMatchObject({ bones: 3, dof: 1, mass: 0.5 });
    expect(inspection.joints?.map(({ name, bone, dof }) => [name, bone, dof])).toEqual([
      ['slide', 1, 1],
      ['follow', 2, 0],
    ]);
    expect(inspection.joints?.[0]).toMatchObject({ lower: 0, upper: 0.04, effort: 5, velocity: 1 });
    expect(inspection.up).toEqual([0, 0, 1]);
    const copy = written('gripper.json', JSON.stringify(inspection));
    expect(JSON.parse((await poise('inspect', copy, '--json')).out).up).toEqual([0, 0, 1]);
    const again = await posed(copy, '--goal', 'left=+0,0.02,0');
    expect(again.report.pose.bones.left[0]).toBeCloseTo(0.02, 4);
  });

  test('is posed, and the report names the active limit', async () => {
    const { status, report } = await posed(path, '--goal', 'left=0,0.02,0');
    expect([status, report.status]).toEqual([0, 'converged']);
    expect(Object.keys(report.pose.bones)).toEqual(['left']);
    expect(report.pose.bones.left[0]).toBeCloseTo(0.02, 4);
    const blocked = await posed(path, '--goal', 'left=0,0.2,0');
    expect(blocked.status).toBe(1);
    expect(blocked.report.status).toBe('limit-blocked');
    // The mimic joint's own limit, 0.03, is the nearer one.
    expect(blocked.report.activeLimits).toEqual([
      expect.objectContaining({ bone: 'left', role: 'distance', text: '0..0.03 m at 0.03 m' }),
    ]);
  });

  test('writes coordinates, but no glTF', async () => {
    const out = join(folder, 'posed.json');
    expect((await poise('pose', path, '--goal', 'left=0,0.02,0', '-o', out)).status).toBe(0);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ format: 'poise-pose', figure: 'gripper' });
    for (const name of ['posed.glb', 'posed.gltf']) {
      const glb = join(folder, name);
      const { status, err } = await poise('pose', path, '--goal', 'left=0,0.02,0', '-o', glb);
      expect(status).toBe(2);
      expect(err).toMatch(/^error\[unsupported\] --output .*URDF.*-o pose\.json/);
      expect(existsSync(glb)).toBe(false);
    }
  });

  test('--limits none ignores its limits; the option applies to URDF files only', async () => {
    const { report } = await posed(path, '--limits', 'none', '--goal', 'left=0,0.2,0');
    expect(report.status).toBe('converged');
    for (const argv of [
      ['inspect', '--limits', 'none'],
      ['inspect', path, '--limits', 'soft-ish'],
    ]) {
      const { status, err } = await poise(...argv);
      expect(status).toBe(2);
      expect(err).toMatch(/^error\[unsupported\] --limits/);
    }
  });

  test('errors have the location in the file', async () => {
    for (const [name, text, words] of [
      [
        'twice.urdf',
        gripper.replace('name="follow"', 'name="slide"'),
        /twice\.urdf#\/robot\/joint\[@name='slide'\]/,
      ],
      ['arm.urdf.xacro', '<robot><xacro:arm/></robot>', /xacro arm\.urdf\.xacro > robot\.urdf/],
      ['broken.urdf', '<robot>', /broken\.urdf: its XML does not parse/],
    ] as const) {
      const { status, err } = await poise('inspect', written(name, text));
      expect(status).toBe(2);
      expect(err).toMatch(words);
    }
    expect((await poise('inspect', join(folder, 'missing.urdf'))).err).toMatch(/^error\[missing-resource\]/);
  });
});

test('the affecting bone of a mimic joint is its source', () => {
  const figure = createFigure({
    bones: [
      { name: 'base' },
      { name: 'source', parent: 'base', joint: { type: 'hinge', axis: [0, 0, 1] } },
      {
        name: 'slides',
        parent: 'base',
        joint: { type: 'slider', axis: [0, 1, 0] },
        mimic: { bone: 'source', polynomial: [0.1, 0, -2] },
      },
      {
        name: 'turns',
        parent: 'base',
        joint: { type: 'hinge', axis: [0, 1, 0] },
        mimic: { bone: 'source', polynomial: [0, 1] },
      },
    ],
  });
  const movers = (bone: number, usesRotation: boolean, targetBone = -1) => [
    ...affectingBones(figure, { bone, usesRotation, targetBone }),
  ];
  expect(movers(2, false)).toEqual([1]);
  // Rotation of a bone does not move its own origin.
  expect(movers(3, false)).toEqual([]);
  expect(movers(3, true)).toEqual([1]);
  expect(movers(2, false, 3)).toEqual([1]);
  expect(figure.bones.map(jointText)).toEqual([
    'fixed',
    'hinge about z',
    'slider along y, mimics source (0.1 - 2 y^2)',
    'hinge about y, mimics source',
  ]);
});

describeWithData('poise on robots', 'urdf', (data) => {
  test('the Panda`s hand reaches a pose, and the written pose reproduces it', async () => {
    const path = join(data, 'panda.urdf');
    const { status, report } = await posed(
      path,
      '--goal',
      'panda_hand=0.4,0.1,0.5',
      '--orient',
      'panda_hand=180,0,0deg',
    );
    expect([status, report.status]).toEqual([0, 'converged']);
    const inspection = JSON.parse((await poise('inspect', path, '--json')).out) as Inspection;
    const figure = createFigure(figureDataOf(inspection));
    const pose = createPose(figure);
    for (const { name, coordinate } of figure.bones) pose.set(report.pose.bones[name] ?? [], coordinate);
    const state = createState(figure);
    forwardKinematics(state, pose);
    const hand = 12 * figure.bones.findIndex(({ name }) => name === 'panda_hand');
    const wanted = [1, 0, 0, 0, -1, 0, 0, 0, -1, 0.4, 0.1, 0.5];
    const gap = Math.max(...wanted.map((value, k) => Math.abs(state.worldFromBone[hand + k] - value)));
    expect(gap).toBeLessThan(2e-4);
  });

  test.each([
    ['pr2_simplified', 'r_wrist_roll_link=0.5,-0.2,0.8', 0, 'converged'],
    ['panda', 'panda_leftfinger=+0.01,0,0.005', 0, 'converged'],
    ['simple_humanoid', 'RARM_LINK2=+0.01,0,0.005', 1, 'limit-blocked'],
  ])('%s: goals that the limb alone cannot meet use more joints (%s)', async (robot, goal, exit, wanted) => {
    const { status, report } = await posed(join(data, `${robot}.urdf`), '--goal', goal);
    expect([status, report.status]).toEqual([exit, wanted]);
  });

  test.each(['T12', 'allegro_hand_right', 'atlas_minimal_contact', 'pr2_simplified', 'ur5'])(
    '%s: every link is shown',
    async (robot) => {
      const path = join(data, `${robot}.urdf`);
      const inspection = JSON.parse((await poise('inspect', path, '--json')).out) as Inspection;
      const { out } = await poise('inspect', path);
      for (const { name } of inspection.bones) expect(out).toContain(name);
      for (const { name, dof } of inspection.joints ?? []) if (dof > 0) expect(out).toContain(name);
    },
  );
});
