import { readUrdf, urdfJoint } from '@poise/formats';
import { FormatError } from 'poise';
import { clampToLimits, createFigure, createPose, figureToData } from 'poise/figure';
import { Euler, Matrix4, Quaternion, Vector3 } from 'three';
import { describe, expect, test } from 'vitest';
import { frameAt, gap, jointText, oneJoint, robotText } from './support.js';

/** three.js: rows of a rotation, then a position. */
function frame(rotation: Quaternion, position = new Vector3()): number[] {
  const e = new Matrix4().compose(position, rotation, new Vector3(1, 1, 1)).elements;
  return [e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10], e[12], e[13], e[14]];
}

const about = (x: number, y: number, z: number, angle: number) =>
  new Quaternion().setFromAxisAngle(new Vector3(x, y, z).normalize(), angle);

/** Roll, pitch, yaw about fixed axes are yaw, pitch, roll about moving ones. */
const origin = '<origin xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 2.6"/>';
const originRotation = new Quaternion().setFromEuler(new Euler(0.4, -0.5, 2.6, 'ZYX'));
const originPosition = new Vector3(0.1, -0.2, 0.3);

describe('joint types', () => {
  test('revolute and continuous rotate about the axis of the child frame, x by default', () => {
    for (const type of ['revolute', 'continuous']) {
      const limit = type === 'revolute' ? '<limit lower="-1" upper="2" effort="3" velocity="4"/>' : '';
      const robot = oneJoint(type, `${origin}<axis xyz="1 2 -2"/>${limit}`);
      expect(robot.figure.dof).toBe(1);
      const expected = frame(originRotation.clone().multiply(about(1, 2, -2, 0.7)), originPosition);
      expect(gap(frameAt(robot, 'a', [0.7]), expected)).toBeLessThan(1e-15);
      expect(robot.figure.bones[1].limit).toEqual(
        type === 'revolute' ? { type: 'interval', min: -1, max: 2 } : undefined,
      );
    }
    const robot = oneJoint('continuous');
    expect(gap(frameAt(robot, 'a', [0.7]), frame(about(1, 0, 0, 0.7)))).toBeLessThan(1e-15);
  });

  test('prismatic translates along the axis', () => {
    const robot = oneJoint('prismatic', `${origin}<axis xyz="0 0 -4"/><limit lower="0" upper="0.5"/>`);
    const moved = new Vector3(0, 0, -0.25).applyQuaternion(originRotation).add(originPosition);
    expect(gap(frameAt(robot, 'a', [0.25]), frame(originRotation, moved))).toBeLessThan(1e-15);
    const pose = new Float64Array([2]);
    clampToLimits(robot.figure, pose);
    expect(pose[0]).toBe(0.5);
  });

  test('fixed has no coordinate, and its axis is ignored', () => {
    const robot = oneJoint('fixed', `${origin}<axis xyz="0 0 0"/><limit lower="0" upper="0"/>`);
    expect(robot.figure.dof).toBe(0);
    expect(gap(frameAt(robot, 'a', []), frame(originRotation, originPosition))).toBeLessThan(1e-15);
    expect(robot.joints.get('j')).toMatchObject({ type: 'fixed', coordinate: -1, dof: 0, bone: 1 });
    expect(robot.warnings).toEqual([]);
  });

  test('floating is free: position along the axes of its origin, then rotation vector', () => {
    const robot = oneJoint('floating', origin);
    expect(robot.joints.get('j')).toMatchObject({ coordinate: 0, dof: 6 });
    const moved = new Vector3(1, 2, 3).applyQuaternion(originRotation).add(originPosition);
    const rotated = originRotation.clone().multiply(about(0, 3, 4, 0.5));
    expect(gap(frameAt(robot, 'a', [1, 2, 3, 0, 0.3, 0.4]), frame(rotated, moved))).toBeLessThan(1e-15);
  });

  test('planar translates perpendicular to its normal and rotates about it: two massless sliders and a hinge', () => {
    for (const [xyz, s, t] of [
      ['0 0 1', [1, 0, 0], [0, 1, 0]],
      ['0 0 -3', [1, 0, 0], [0, -1, 0]],
      ['1 0 0', [0, 1, 0], [0, 0, 1]],
      ['0 1 0', [1, 0, 0], [0, 0, -1]],
    ] as const) {
      const text = robotText(
        jointText('continuous', '', 'before', 'base', 'b') +
          jointText('planar', `${origin}<axis xyz="${xyz}"/>`, 'p', 'b', 'a'),
      ).replace('<link name="a"/>', '<link name="a"><inertial><mass value="2"/></inertial></link>');
      const robot = readUrdf(text);
      const { figure } = robot;
      expect(figure.bones.map(({ name }) => name)).toEqual(['base', 'b', 'p.s', 'p.t', 'a']);
      expect(figure.bones.map(({ mass }) => mass)).toEqual([undefined, undefined, undefined, undefined, 2]);
      expect(robot.joints.get('p')).toMatchObject({ coordinate: 1, dof: 3, bone: 4, child: 'a' });
      const [nx, ny, nz] = xyz.split(' ').map(Number);
      const inPlane = new Vector3(...s).multiplyScalar(0.2).addScaledVector(new Vector3(...t), -0.6);
      const expected = frame(
        originRotation.clone().multiply(about(nx, ny, nz, 0.9)),
        inPlane.applyQuaternion(originRotation).add(originPosition),
      );
      expect(gap(frameAt(robot, 'a', [0, 0.2, -0.6, 0.9]), expected)).toBeLessThan(1e-15);
    }
  });

  test('planar about an oblique normal: s and t perpendicular to it, right-handed', () => {
    const robot = oneJoint('planar', '<axis xyz="1 2 3"/>');
    const position = (pose: number[]) => new Vector3(...frameAt(robot, 'a', pose).slice(9, 12));
    const [s, t] = [position([1, 0, 0]), position([0, 1, 0])];
    const normal = new Vector3(1, 2, 3).normalize();
    for (const [value, expected] of [
      [s.length(), 1],
      [t.length(), 1],
      [s.dot(t), 0],
      [s.dot(normal), 0],
      [s.clone().cross(t).dot(normal), 1],
    ]) {
      expect(value).toBeCloseTo(expected, 15);
    }
    // x is the coordinate axis with the smallest component along the normal.
    expect(s.x).toBeGreaterThan(0.9);
  });

  test('the massless bones of a planar joint avoid names of links', () => {
    const robot = readUrdf(
      robotText(jointText('planar', '', 'p', 'base', 'p.s') + jointText('fixed', '', 'q', 'p.s', 'p.t'), [
        'base',
        'p.s',
        'p.t',
      ]),
    );
    expect(robot.figure.bones.map(({ name }) => name)).toEqual(['base', 'p.s_', 'p.t_', 'p.s', 'p.t']);
  });

  test('an axis of any length is normalized', () => {
    for (const xyz of ['0 0 1e-200', '0 0 1e200', '0 0 3']) {
      const robot = oneJoint('continuous', `<axis xyz="${xyz}"/>`);
      expect(robot.figure.bones[1].joint).toEqual({ type: 'hinge', axis: [0, 0, 1] });
      const planar = oneJoint('planar', `<axis xyz="${xyz}"/>`);
      expect(planar.figure.bones[3].joint).toEqual({ type: 'hinge', axis: [0, 0, 1] });
    }
  });
});

describe('limits', () => {
  const limited = (attributes: string, more = '', type = 'revolute') =>
    oneJoint(type, `<limit ${attributes}/>${more}`);

  test('a missing bound is zero, as URDF defines; infinity is no bound', () => {
    expect(limited('lower="-1"').figure.bones[1].limit).toEqual({ type: 'interval', min: -1, max: 0 });
    expect(limited('lower="-inf" upper="1"').figure.bones[1].limit).toEqual({
      type: 'interval',
      min: null,
      max: 1,
    });
    expect(limited('lower="-INF" upper="+Infinity"').figure.bones[1].limit).toBeUndefined();
  });

  test('of zero width give one warning for all joints', () => {
    const text = robotText(
      jointText('revolute', '<limit effort="1" velocity="1"/>', 'i', 'base', 'a') +
        jointText('prismatic', '<limit lower="2" upper="2"/>', 'j', 'a', 'b'),
    );
    const { warnings, figure } = readUrdf(text, { source: 'x.urdf' });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^x\.urdf: .*i, j \(the option limits: 'none'/);
    expect(figure.bones[1].limit).toEqual({ type: 'interval', min: 0, max: 0 });
    expect(createPose(figure)[1]).toBe(2);
    const open = readUrdf(text, { limits: 'none' });
    expect(open.warnings).toEqual([]);
    expect(open.figure.limitComponents).toEqual([]);
    // The limits of the file are still reported.
    expect(open.joints.get('j')).toMatchObject({ lower: 2, upper: 2 });
  });

  test('that are missing give a warning, and the joint is unlimited', () => {
    const robot = oneJoint('revolute');
    expect(robot.warnings).toEqual([expect.stringMatching(/joint\[@name='j'\]: has no <limit>/)]);
    expect(robot.figure.bones[1].limit).toBeUndefined();
  });

  test('of a safety controller apply with the option limits: soft', () => {
    const text = robotText(
      jointText(
        'revolute',
        '<limit lower="-1" upper="2"/><safety_controller soft_lower_limit="-0.5" soft_upper_limit="9" k_velocity="1"/>',
      ),
      ['base', 'a'],
    );
    expect(readUrdf(text).figure.bones[1].limit).toEqual({ type: 'interval', min: -1, max: 2 });
    expect(readUrdf(text, { limits: 'soft' }).figure.bones[1].limit).toEqual({
      type: 'interval',
      min: -0.5,
      max: 2,
    });
    expect(readUrdf(text).joints.get('j')).toMatchObject({ softLower: -0.5, softUpper: 9 });
    const apart = text.replace('soft_lower_limit="-0.5"', 'soft_lower_limit="3"');
    expect(() => readUrdf(apart, { limits: 'soft' })).toThrow(
      expect.objectContaining({ name: 'FormatError', code: 'invalid-limit' }),
    );
    expect(readUrdf(apart).figure.bones[1].limit).toEqual({ type: 'interval', min: -1, max: 2 });
  });

  test('speed, strength, damping and friction are kept; continuous joints have no range', () => {
    const inner =
      '<limit lower="-1" upper="1" effort="30" velocity="2.5"/><dynamics damping="0.7" friction="0.1"/>';
    const { type, lower, upper, velocity, effort, damping, friction } = urdfJoint(
      oneJoint('continuous', inner),
      'j',
    );
    expect({ type, lower, upper, velocity, effort, damping, friction }).toEqual({
      type: 'continuous',
      lower: undefined,
      upper: undefined,
      velocity: 2.5,
      effort: 30,
      damping: 0.7,
      friction: 0.1,
    });
  });

  test('speed and strength above 0 are the speed and torque limits of the bone', () => {
    const motor = (type: string, limit: string) => {
      const { speedLimit, torqueLimit } = oneJoint(type, `<limit lower="-1" upper="1" ${limit}/>`).figure
        .bones[1];
      return [speedLimit, torqueLimit];
    };
    for (const type of ['revolute', 'continuous', 'prismatic']) {
      expect(motor(type, 'effort="30" velocity="2.5"')).toEqual([2.5, 30]);
      expect(motor(type, 'effort="0" velocity="0"')).toEqual([undefined, undefined]);
    }
    expect(motor('floating', 'effort="30" velocity="2.5"')).toEqual([undefined, undefined]);
  });
});

describe('masses', () => {
  const withInertial = (inertial: string) =>
    readUrdf(`<robot name="r"><link name="base"><inertial>${inertial}</inertial></link></robot>`);

  test('the inertia is rotated into link axes, about the centre of mass', () => {
    // A rod along the inertial frame's x, which the origin rotates by 90 degrees about z into link y.
    const { figure, warnings } = withInertial(
      `<origin xyz="0.1 0.2 0.3" rpy="0 0 ${Math.PI / 2}"/><mass value="4"/>` +
        '<inertia ixx="0.1" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/>',
    );
    const { mass, centerOfMass, inertia } = figure.bones[0];
    expect(mass).toBe(4);
    expect(centerOfMass).toEqual([0.1, 0.2, 0.3]);
    expect(gap(inertia ?? [], [2, 0.1, 2, 0, 0, 0])).toBeLessThan(1e-15);
    expect(warnings).toEqual([]);
  });

  test('products of inertia keep their indices and signs', () => {
    const { figure } = withInertial(
      '<mass value="1"/><inertia ixx="3" iyy="4" izz="5" ixy="0.1" ixz="-0.2" iyz="0.3"/>',
    );
    expect(figure.bones[0].inertia).toEqual([3, 4, 5, 0.1, -0.2, 0.3]);
  });

  test('an unphysical inertia gives a warning, and is ignored if it is indefinite', () => {
    const negative = withInertial('<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="2"/>');
    expect(negative.figure.bones[0].inertia).toBeUndefined();
    expect(negative.figure.bones[0].mass).toBe(1);
    expect(negative.warnings).toEqual([
      expect.stringMatching(/link\[@name='base'\].*negative principal moment.*ignored/),
    ]);
    expect(withInertial('<mass value="1"/><inertia ixx="-1" iyy="1" izz="1"/>').warnings).toHaveLength(1);
    const lopsided = withInertial('<mass value="1"/><inertia ixx="1" iyy="1" izz="2.1"/>');
    expect(lopsided.figure.bones[0].inertia).toEqual([1, 1, 2.1, 0, 0, 0]);
    expect(lopsided.warnings).toEqual([expect.stringMatching(/larger than the sum/)]);
    // Principal moments 1, 1, 2.2, rotated by 45 degrees about x: only the products show it.
    const rotated = withInertial('<mass value="1"/><inertia ixx="1" iyy="1.6" izz="1.6" iyz="-0.6"/>');
    expect(rotated.warnings).toEqual([expect.stringMatching(/larger than the sum/)]);
    expect(
      withInertial('<mass value="1"/><inertia ixx="1" iyy="1.5" izz="1.5" iyz="-0.5"/>').warnings,
    ).toEqual([]);
  });

  test('none, zero, and inertia without mass', () => {
    expect(withInertial('').figure.bones[0]).not.toHaveProperty('mass');
    expect(withInertial('<mass value="0"/><inertia ixx="0"/>').figure.bones[0]).toMatchObject({
      mass: 0,
      inertia: [0, 0, 0, 0, 0, 0],
    });
    expect(withInertial('<inertia ixx="1" iyy="1" izz="1"/>').figure.bones[0].mass).toBeUndefined();
  });
});

describe('the figure', () => {
  test('is named after the robot, the option or the file', () => {
    expect(readUrdf('<robot name=" arm "><link name="l"/></robot>').figure.name).toBe('arm');
    expect(readUrdf('<robot name="arm"><link name="l"/></robot>', { name: 'x' }).figure.name).toBe('x');
    expect(readUrdf('<robot><link name="l"/></robot>', { source: 'f.urdf' }).figure.name).toBe('f.urdf');
  });

  test('has tips at the origins of children', () => {
    const { figure } = readUrdf(
      robotText(
        jointText('fixed', '<origin xyz="1 0 0"/>', 'i', 'base', 'a') +
          jointText('fixed', '<origin xyz="0 2 0"/>', 'j', 'base', 'b'),
      ),
    );
    expect(figure.bones.map(({ tip }) => tip)).toEqual([[0.5, 1, 0], undefined, undefined]);
  });

  test('has +Z up as the file, or +Y with upAxis; the root may be free', () => {
    const text = robotText(jointText('fixed', '<origin xyz="1 2 3"/>'), ['base', 'a']);
    expect(Array.from(frameAt(readUrdf(text), 'a', []).slice(9))).toEqual([1, 2, 3]);
    const rotated = readUrdf(text, { upAxis: 'y' });
    expect(rotated.figure.up).toEqual([0, 1, 0]);
    expect(gap(frameAt(rotated, 'a', []).slice(9), [1, 3, -2])).toBeLessThan(1e-15);
    const free = readUrdf(text, { root: 'free' });
    expect(free.figure.bones[0].joint.type).toBe('free');
    expect(free.figure.dof).toBe(6);
  });

  test('is plain data', () => {
    const { figure } = oneJoint('planar', `${origin}<axis xyz="1 2 3"/>`);
    expect(createFigure(JSON.parse(JSON.stringify(figureToData(figure))))).toEqual(figure);
  });

  test('accepts any order of the file, and keeps it where possible', () => {
    const { figure, joints } = readUrdf(
      robotText(jointText('fixed', '', 'second', 'b', 'base') + jointText('fixed', '', 'first', 'a', 'b')),
    );
    expect(figure.bones.map(({ name, parent }) => [name, parent])).toEqual([
      ['a', -1],
      ['b', 0],
      ['base', 1],
    ]);
    expect([...joints.keys()]).toEqual(['second', 'first']);
  });

  test('reads text, bytes, a byte-order mark, comments, CDATA sections and unknown elements', () => {
    const text = `<?xml version="1.0" encoding="utf-8"?>
      <!-- <joint name="not me"> <!DOCTYPE no> -->
      <robot name="r&amp;&#100;&#x3b;&amp;lt;" xmlns:xacro="http://ros.org/wiki/xacro">
        <![CDATA[ <!DOCTYPE neither> ]]>
        <material name="m"><color rgba="1 0 0 1"/></material>
        <link name="größe"><visual><geometry><mesh filename="package://a/b.dae"/></geometry></visual></link>
        <transmission name="t"><joint name="j"/><type>x</type></transmission>
        <gazebo reference="größe"><joint type="nonsense"/></gazebo>
      </robot>`;
    for (const input of [text, `\uFEFF${text}`, Buffer.from(text), Buffer.from(`\uFEFF${text}`)]) {
      const { figure, joints, warnings } = readUrdf(input);
      expect(figure.name).toBe('r&d;&lt;');
      expect(figure.bones.map(({ name }) => name)).toEqual(['größe']);
      expect(joints.size).toBe(0);
      expect(warnings).toEqual([]);
    }
    const buffer = new Uint8Array(Buffer.from(text)).buffer;
    expect(readUrdf(buffer).figure.bones).toHaveLength(1);
  });
});

describe('urdfJoint', () => {
  test('finds a joint, or suggests the nearest name', () => {
    const robot = oneJoint('continuous');
    expect(urdfJoint(robot, 'j')).toBe(robot.joints.get('j'));
    expect(() => urdfJoint(robot, 'J')).toThrow(FormatError);
    expect(() => urdfJoint(robot, 'J')).toThrow(/Did you mean 'j'/);
    expect(() => urdfJoint(robot, 'elephant')).toThrow(/keys/);
  });
});
