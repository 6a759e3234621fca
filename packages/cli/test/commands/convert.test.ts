/** Clips as animations, motions and samples; joint forces against closed forms and reference dynamics. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh, readUrdf } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { createFigure, createState, type FigureData, figureToData, ratesFromVelocity } from 'poise/figure';
import { createCurve, createMotion, createMotionSampler, motionToData, samplePose } from 'poise/motion';
import { describe, expect, test } from 'vitest';
import type { TrajectoryFile } from '../../src/trajectory/trajectory-file.js';
import { poise, temporaryFolder } from '../support/command.js';
import { playedByThree, seenAnimations } from '../support/readers.js';
import { blockScene } from '../support/scenes.js';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const write = (name: string, content: unknown): string => {
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
};

/** Reads a CSV without quoted fields. */
function table(path: string): { header: string[]; rows: number[][] } {
  const [header, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\r\n');
  return { header: header.split(','), rows: rows.map((row) => row.split(',').map(Number)) };
}

async function converted(...argv: string[]): Promise<string> {
  const { status, out, err } = await poise('convert', ...argv);
  expect([argv, status, err]).toEqual([argv, 0, '']);
  return out;
}

/** A motion file of a figure with one curve over all coordinates. */
function motionFile(name: string, figure: FigureData, degree: number, controls: readonly number[]): string {
  const made = createFigure(figure);
  const curve = createCurve({ size: made.dof, degree, knots: [0, 1], controls });
  const motion = createMotion(made, { name: 'move', tracks: [{ coordinate: 0, curve }] });
  return write(name, { format: 'poise-motion', version: 1, figure: made.name, motion: motionToData(motion) });
}

const [m, l, g] = [1.7, 0.6, 9.81];
/** A point mass on a massless rod that hangs from the world. */
const pendulum: FigureData = {
  name: 'pendulum',
  bones: [
    {
      name: 'rod, "upper"',
      joint: { type: 'hinge', axis: [0, 0, 1] },
      tip: [0, -l, 0],
      mass: m,
      centerOfMass: [0, -l, 0],
      inertia: [0, 0, 0, 0, 0, 0],
    },
  ],
};

describe('samples', () => {
  test('of a pendulum have the joint force m l^2 q" + m g l sin q', async () => {
    const rig = write('pendulum.json', pendulum);
    // q = 2 t^3
    const motion = motionFile('swing.json', pendulum, 3, [0, 0, 0, 2]);
    await converted(motion, '--rig', rig, '--rate', '50', '-o', at('swing.csv'));
    const text = readFileSync(at('swing.csv'), 'utf8').split('\r\n');
    expect(text[0]).toBe(
      'time [s],"q:rod, ""upper"" [rad]","v:rod, ""upper"" [rad/s]","a:rod, ""upper"" [rad/s^2]","tau:rod, ""upper"" [N m]"',
    );
    const rows = text.slice(1, -1).map((row) => row.split(',').map(Number));
    expect(rows).toHaveLength(51);
    for (const [k, [t, q, v, a, tau]] of rows.entries()) {
      expect(t).toBe(k / 50);
      expect(q).toBeCloseTo(2 * t ** 3, 13);
      expect(v).toBeCloseTo(6 * t ** 2, 12);
      expect(a).toBeCloseTo(12 * t, 12);
      expect(tau).toBeCloseTo(m * l * l * 12 * t + m * g * l * Math.sin(2 * t ** 3), 11);
    }
  });

  test('read back as the same doubles, from CSV and JSON', async () => {
    const figure: FigureData = { name: 'two', bones: [{ name: 'a', joint: { type: 'free' } }] };
    const rig = write('two.json', figure);
    const controls = Array.from({ length: 24 }, (_, k) => Math.sin(k * k + 0.1));
    const motion = motionFile('wild.json', figure, 3, controls);
    await converted(motion, '--rig', rig, '--rate', '9', '-o', at('wild.csv'));
    await converted(motion, '--rig', rig, '--rate', '9', '-o', at('samples.json'));
    const json = JSON.parse(readFileSync(at('samples.json'), 'utf8')) as TrajectoryFile;
    const { header, rows } = table(at('wild.csv'));
    expect(header.slice(0, 9)).toEqual([
      'time [s]',
      'q:a.x [m]',
      'q:a.y [m]',
      'q:a.z [m]',
      'q:a.rx [rad]',
      'q:a.ry [rad]',
      'q:a.rz [rad]',
      'v:a.x [m/s]',
      'v:a.y [m/s]',
    ]);
    expect(header).toHaveLength(19);
    const sampler = createMotionSampler(
      createFigure(figure),
      createMotion(createFigure(figure), JSON.parse(readFileSync(motion, 'utf8')).motion),
    );
    expect(rows.length).toBe(json.times.length);
    for (const [k, [time, ...numbers]] of rows.entries()) {
      expect(numbers).toEqual([...json.positions[k], ...json.velocities[k], ...json.accelerations[k]]);
      expect(time).toBe(k / 9);
      expect(json.positions[k]).toEqual(Array.from(samplePose(sampler, time, new Float64Array(6))));
    }
  });

  test('have velocities and accelerations that are the derivatives, of rotation vectors too', async () => {
    const figure: FigureData = { name: 'ball', bones: [{ name: 'b', joint: { type: 'ball' } }] };
    const rig = write('ball.json', figure);
    const motion = motionFile(
      'turn.json',
      figure,
      3,
      [1, 0.2, -0.4, 0.3, 1, 0.9, -0.5, 2, 0.1, 0.4, -0.7, 1.3],
    );
    await converted(motion, '--rig', rig, '--rate', '10000', '-o', at('turn.json-samples.json'));
    const { positions, velocities, accelerations } = JSON.parse(
      readFileSync(at('turn.json-samples.json'), 'utf8'),
    ) as TrajectoryFile;
    const state = createState(createFigure(figure));
    const h = 1e-4;
    const rates = new Float64Array(3);
    for (let k = 100; k < 10_000; k += 700) {
      ratesFromVelocity(state, positions[k], velocities[k], rates);
      for (let i = 0; i < 3; i++) {
        expect((positions[k + 1][i] - positions[k - 1][i]) / (2 * h)).toBeCloseTo(rates[i], 6);
        expect((velocities[k + 1][i] - velocities[k - 1][i]) / (2 * h)).toBeCloseTo(accelerations[k][i], 5);
      }
    }
  });

  test('go to stdout without an output, and say what they leave out', async () => {
    const rig = write('pendulum.json', pendulum);
    const motion = motionFile('swing.json', pendulum, 1, [0, 1]);
    const { status, out, err } = await poise('convert', motion, '--rig', rig, '--rate', '0.6');
    expect([status, out.split('\r\n')]).toEqual([0, expect.objectContaining({ length: 3 })]);
    expect(err).toBe('warning: the motion goes on for 1 s after the last sample.\n');
  });

  test('are refused where they are too many, or the motion is of another figure', async () => {
    const rig = write('pendulum.json', pendulum);
    const motion = motionFile('swing.json', pendulum, 1, [0, 1]);
    for (const [code, ...argv] of [
      ['unsupported', motion],
      ['unsupported', motion, '--rig', rig, '--rate', '10', '-o', at('x.glb')],
      ['unsupported', motion, '--rig', rig, '--animation', 'Run'],
      ['unsupported', motion, '--rig', rig, '--json'],
      ['invalid-file', rig],
    ]) {
      expect(await poise('convert', ...argv)).toMatchObject({
        status: 2,
        err: expect.stringMatching(`^error.${code}`),
      });
    }
    const long = write('long.json', {
      ...JSON.parse(readFileSync(motion, 'utf8')),
      motion: { tracks: [{ bone: 0, keys: { times: [0, 1e6], values: [0, 1] } }] },
    });
    expect(await poise('convert', long, '--rig', rig, '--rate', '1e6')).toMatchObject({
      status: 2,
      err: expect.stringContaining('--rate 1000000: makes'),
    });
  });

  test('of a robot are the cure where a glTF is asked for', async () => {
    const arm =
      '<robot name="arm"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>';
    const rig = write('arm.urdf', arm);
    const motion = motionFile('turn-arm.json', figureToData(readUrdf(arm).figure), 1, [0, 1]);
    expect(await poise('convert', motion, '--rig', rig, '-o', at('arm.glb'))).toMatchObject({
      status: 2,
      err: expect.stringContaining(
        'a URDF robot has no glTF file to write. Write samples (-o samples.csv) or the motion (-o motion.json).',
      ),
    });
  });

  test('of a clip on another character are for another command', async () => {
    const bvh = write(
      'still.bvh',
      'HIERARCHY\nROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation }\nMOTION\nFrames: 1\nFrame Time: 1\n0\n',
    );
    expect(
      await poise('convert', bvh, '--rig', write('other.json', pendulum), '-o', at('other.glb')),
    ).toMatchObject({
      status: 2,
      err: expect.stringContaining("'poise retarget' puts a clip on another character."),
    });
  });
});

describeWithData('a robot', 'reference/urdf/ur5.json', (path) => {
  test('has the joint forces of the reference dynamics, under the names of its joints', async () => {
    const reference = JSON.parse(readFileSync(path, 'utf8'));
    const rig = join(path, '../../../urdf', reference.robot);
    const { figure, joints } = readUrdf(readFileSync(rig), { limits: 'none' });
    const order = reference.joint_order as string[];
    for (const { q, qd, qdd, tau } of reference.samples.slice(0, 5)) {
      const controls = [
        new Float64Array(figure.dof),
        new Float64Array(figure.dof),
        new Float64Array(figure.dof),
      ];
      for (const [k, joint] of order.entries()) {
        const i = joints.get(joint)?.coordinate as number;
        // q + q' t + q" t^2 / 2 as a Bezier curve.
        controls[0][i] = q[k];
        controls[1][i] = q[k] + qd[k] / 2;
        controls[2][i] = q[k] + qd[k] + qdd[k] / 2;
      }
      const curve = createCurve({
        size: figure.dof,
        degree: 2,
        knots: [0, 1],
        controls: controls.flatMap((own) => Array.from(own)),
      });
      const motion = createMotion(figure, { tracks: [{ coordinate: 0, curve }] });
      const file = { format: 'poise-motion', version: 1, figure: figure.name, motion: motionToData(motion) };
      await converted(write('reach.json', file), '--rig', rig, '--limits', 'none', '-o', at('reach.csv'));
      const { header, rows } = table(at('reach.csv'));
      const scale = Math.max(...tau.map(Math.abs));
      for (const [k, joint] of order.entries()) {
        const found = rows[0][header.indexOf(`tau:${joint} [N m]`)];
        expect(Math.abs(found - tau[k]) / scale).toBeLessThan(1e-11);
      }
    }
  });
});

test('a robot whose inertia no body has is sampled without joint forces, with the reason', async () => {
  const rig = write(
    'odd.urdf',
    '<robot name="odd"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="3" iyy="1" izz="1"/></inertial></link>' +
      '<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>',
  );
  const figure = readUrdf(readFileSync(rig), { source: 'odd.urdf' }).figure;
  const motion = createMotion(figure, {
    tracks: [{ coordinate: 0, keys: { times: [0, 1], values: [0, 1] } }],
  });
  const file = { format: 'poise-motion', version: 1, figure: figure.name, motion: motionToData(motion) };
  const said = await poise('convert', write('turn.json', file), '--rig', rig, '-o', at('turn.csv'));
  expect(said.status).toBe(0);
  expect(said.err).toMatch(/dynamics refuse the link[\s\S]*The samples have no joint forces\./);
  expect(table(at('turn.csv')).header).toEqual([
    'time [s]',
    'q:turn [rad]',
    'v:turn [rad/s]',
    'a:turn [rad/s^2]',
  ]);
});

describe('of a pose and of an optimization', () => {
  test('a pose is one row, with what holds it', async () => {
    const rig = write('pendulum.json', pendulum);
    const bent = { format: 'poise-pose', version: 1, figure: 'pendulum', bones: { 'rod, "upper"': [0.7] } };
    const from = write('bent.json', bent);
    expect((await poise('pose', rig, '--from', from, '-o', at('hold.csv'))).status).toBe(0);
    const [, row] = readFileSync(at('hold.csv'), 'utf8').split('\r\n');
    expect(row.split(',').map(Number)).toEqual([0, 0.7, 0, 0, expect.closeTo(m * g * l * Math.sin(0.7), 11)]);
  });

  test('an optimization has the forces of its solution: the block of 1 kg, u = 6 - 12 t', async () => {
    const scene = write('move-scene.json', blockScene());
    for (const name of ['move.csv', 'move-samples.json']) {
      expect((await poise('optimize', scene, '--rate', '20', '-o', at(name))).status).toBe(0);
    }
    const { header, rows } = table(at('move.csv'));
    expect(header).toEqual(['time [s]', 'q:block [m]', 'v:block [m/s]', 'a:block [m/s^2]', 'tau:block [N]']);
    expect(rows).toHaveLength(21);
    for (const [t, q, v, a, tau] of rows) {
      expect(q).toBeCloseTo(3 * t * t - 2 * t ** 3, 4);
      expect(v).toBeCloseTo(6 * t - 6 * t * t, 4);
      expect(a).toBeCloseTo(6 - 12 * t, 3);
      expect(tau).toBeCloseTo(a, 10);
    }
    const json = JSON.parse(readFileSync(at('move-samples.json'), 'utf8')) as TrajectoryFile;
    expect(json.torques?.map(([u]) => u)).toEqual(rows.map((row) => row[4]));
    const wrong = await poise('optimize', scene, '--rate', '20', '-o', at('move.glb'));
    expect([wrong.status, wrong.err]).toEqual([2, expect.stringContaining('--rate')]);
  });
});

describeWithData('a .bvh', 'bvh/fair_wave_hello.bvh', (path) => {
  test('becomes an animation that another program plays', async () => {
    await converted(path, '--units', 'm', '--up', 'y', '-o', at('wave.glb'));
    const { figure, motion } = readBvh(readFileSync(path), { source: 'fair_wave_hello.bvh' });
    const { duration, at: played } = await playedByThree(at('wave.glb'), motion.name);
    expect(duration).toBeCloseTo(motion.end, 4);
    const pose = samplePose(createMotionSampler(figure, motion), 1, new Float64Array(figure.dof));
    const hips = [...played(1).values()].some((position) =>
      [0, 1, 2].every((k) => Math.abs(position[k] - (figure.bones[0].rest.position[k] + pose[k])) < 1e-3),
    );
    expect(hips).toBe(true);
  });
});

describeWithData('an animation of a glTF', 'gltf/Fox.glb', (path) => {
  test('is chosen by name or index', async () => {
    for (const animation of ['Walk', '1']) {
      await converted(path, '--animation', animation, '--rate', '24', '-o', at('walk.csv'));
      expect(table(at('walk.csv')).rows).toHaveLength(18);
    }
    const { status, err } = await poise('convert', path, '--animation', 'Wlak');
    expect([status, err]).toEqual([2, expect.stringContaining('Walk')]);
  });

  test('as a GLB is the file as it is: no second copy, no warning', async () => {
    const out = await converted(path, '-o', at('same.glb'));
    expect(out).toContain('3 animations');
    expect(readFileSync(at('same.glb'))).toEqual(readFileSync(path));
  });

  test('is alone in the file where it is named, with the keys of the file', async () => {
    const { status, out } = await poise('convert', path, '--animation', 'Run', '-o', at('run.glb'), '--json');
    expect([status, JSON.parse(out)]).toMatchObject([0, { clip: { name: 'Run' }, animations: ['Run'] }]);
    const [before, after] = [await seenAnimations(path), await seenAnimations(at('run.glb'))];
    expect([before.length, after.length]).toEqual([3, 1]);
    expect(after[0]).toEqual(before[2]);
  });

  test('goes from GLB to glTF and back with the same keys', async () => {
    await converted(path, '--animation', '1', '-o', at('walk.gltf'));
    await converted(at('walk.gltf'), '-o', at('walk.glb'));
    expect(await seenAnimations(at('walk.glb'))).toEqual([(await seenAnimations(path))[1]]);
  });
});
