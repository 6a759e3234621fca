import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  posesFromRobotMotion,
  type RobotMotion,
  readMjcf,
  readRobotMotion,
  robotMotionFromPoses,
  writeRobotMotion,
} from '@poise/formats';
import { describe, expect, test } from 'vitest';

const MODEL =
  readMjcf(`<mujoco><compiler angle="radian"/><worldbody><body name="base" pos="0 0 1"><freejoint name="root"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="a"><joint name="hip" type="hinge" axis="0 1 0" ref="0.5"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="b"><joint name="lift" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body></body></worldbody></mujoco>`);

const poses = Array.from({ length: 7 }, (_, f) =>
  Float64Array.from({ length: 8 }, (_, k) => Math.sin(f + 3 * k) / 3),
);
const motion: RobotMotion = robotMotionFromPoses(MODEL, poses, 30);

function plain({ fps, frames, rootPositions, rootRotations, joints, values, jointNames }: RobotMotion) {
  return { fps, frames, rootPositions, rootRotations, joints, values, jointNames };
}

test('poses and motions, with the quaternion x y z w and the zero of the joints', () => {
  expect(motion.joints).toBe(2);
  expect(motion.jointNames).toEqual(['hip', 'lift']);
  expect(motion.values[0]).toBeCloseTo(0.5 + poses[0][6], 15);
  expect(motion.rootPositions[2]).toBeCloseTo(1 + poses[0][2], 15);
  const angle = Math.hypot(...poses[3].subarray(3, 6));
  expect(motion.rootRotations[4 * 3 + 3]).toBeCloseTo(Math.cos(angle / 2), 15);
  posesFromRobotMotion(MODEL, motion).forEach((pose, f) => {
    for (let k = 0; k < 8; k++) expect(pose[k]).toBeCloseTo(poses[f][k], 14);
  });
  const renamed = {
    ...motion,
    jointNames: ['lift', 'hip'],
    values: Float64Array.from(motion.values, (_, k) => motion.values[k ^ 1]),
  };
  expect(posesFromRobotMotion(MODEL, renamed)).toEqual(posesFromRobotMotion(MODEL, motion));
});

describe('written and read back to the bit', () => {
  test('NPZ, without the names', () => {
    expect(plain(readRobotMotion(writeRobotMotion(motion, { format: 'npz' })))).toEqual({
      ...motion,
      jointNames: undefined,
    });
  });

  test('CSV with a header', () => {
    const { fps, ...others } = plain(readRobotMotion(writeRobotMotion(motion, { format: 'csv' })));
    expect(fps).toBeCloseTo(30, 12);
    expect({ fps: 30, ...others }).toEqual(motion);
  });

  test('CSV as GMR has it, without the frame rate', () => {
    const bytes = writeRobotMotion(motion, { format: 'csv', header: false });
    expect(plain(readRobotMotion(bytes, { fps: 50 }))).toEqual({ ...motion, fps: 50, jointNames: undefined });
  });
});

test('a CSV without frame and time, with spaces, a comment and empty lines', () => {
  const text =
    '# walk\n\nroot_px, root_py, root_pz, root_qx, root_qy, root_qz, root_qw, knee\r\n0, 0, 1, 0, 0, 0, 1, 0.25\r\n';
  expect(plain(readRobotMotion(text))).toEqual({
    fps: 30,
    frames: 1,
    rootPositions: Float64Array.of(0, 0, 1),
    rootRotations: Float64Array.of(0, 0, 0, 1),
    joints: 1,
    values: Float64Array.of(0.25),
    jointNames: ['knee'],
  });
});

/** Python with NumPy, where there is one. */
const python = ((): string | undefined => {
  try {
    execFileSync('python3', ['-c', 'import numpy'], { stdio: 'ignore' });
    return 'python3';
  } catch {
    return undefined;
  }
})();

describe.skipIf(python === undefined)(
  `NumPy${python === undefined ? ' (skipped: no python3 with numpy)' : ''}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'poise-'));
    const run = (code: string): string =>
      execFileSync('python3', ['-c', code], { cwd: folder, encoding: 'utf8' });

    test('loads what is written', () => {
      writeFileSync(join(folder, 'out.npz'), writeRobotMotion(motion, { format: 'npz' }));
      const read = JSON.parse(
        run(
          "import numpy, json; d = numpy.load('out.npz'); print(json.dumps({k: d[k].tolist() for k in d.files}))",
        ),
      );
      expect(read.fps).toEqual([30]);
      expect(read.root_rot.flat()).toEqual([...motion.rootRotations]);
      expect(read.dof_pos).toHaveLength(7);
      expect(read.dof_pos.flat()).toEqual([...motion.values]);
    });

    test('saves what is read: doubles, floats, a scalar frame rate; compressed and in columns is refused', () => {
      run(`import numpy
p, r, d = numpy.arange(6.).reshape(2, 3), numpy.eye(4)[:2], numpy.arange(4, dtype='f4').reshape(2, 2) / 4
numpy.savez('in.npz', fps=60, root_pos=p, root_rot=r, dof_pos=d)
numpy.savez_compressed('small.npz', fps=60, root_pos=p, root_rot=r, dof_pos=d)
numpy.savez('columns.npz', fps=60, root_pos=numpy.asfortranarray(p), root_rot=r, dof_pos=d)`);
      const load = (name: string) => readRobotMotion(readFileSync(join(folder, name)), { source: name });
      expect(plain(load('in.npz'))).toEqual({
        fps: 60,
        frames: 2,
        rootPositions: Float64Array.of(0, 1, 2, 3, 4, 5),
        rootRotations: Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0),
        joints: 2,
        values: Float64Array.of(0, 0.25, 0.5, 0.75),
        jointNames: undefined,
      });
      expect(() => load('small.npz')).toThrow(/small\.npz#\/fps\.npy: is compressed/);
      expect(() => load('columns.npz')).toThrow(/columns before rows/);
    });
  },
);

describe('what is refused', () => {
  const npz = writeRobotMotion(motion, { format: 'npz' });
  test.each([
    ['nothing', '', 'invalid-file', 'motion'],
    ['too few columns', '1,2,3\n', 'invalid-file', 'motion'],
    ['rows of other lengths', '0,0,1,0,0,0,1,0.2\n0,0,1\n', 'wrong-size', 'motion:2'],
    ['a word', '0,0,1,0,0,0,1,x\n', 'invalid-file', 'motion:1'],
    ['no number', '0,0,1,0,0,0,nan\n', 'not-finite', 'motion:1'],
    ['no rotation', '0,0,1,0,0,0,0,0\n', 'not-unit', 'motion#/root_rot/0'],
    [
      'columns in another order',
      'root_px,root_pz,root_py,root_qx,root_qy,root_qz,root_qw\n0,0,0,0,0,0,1\n',
      'invalid-file',
      'motion',
    ],
    [
      'time that stands',
      'time,root_px,root_py,root_pz,root_qx,root_qy,root_qz,root_qw\n1,0,0,0,0,0,0,1\n1,0,0,0,0,0,0,1\n',
      'out-of-range',
      'motion#/fps',
    ],
    ['an archive cut off', npz.subarray(0, 400), 'invalid-file', 'motion'],
  ])('%s', (_, input, code, path) => {
    expect(() => readRobotMotion(input)).toThrow(expect.objectContaining({ code, path }));
  });

  test('an option and a format that are not known, a motion of another size', () => {
    expect(() => readRobotMotion('', { rate: 30 } as object)).toThrow(/rate/);
    expect(() => writeRobotMotion(motion, { format: 'pkl' as 'npz' })).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
    expect(() => writeRobotMotion({ ...motion, frames: 8 }, { format: 'npz' })).toThrow(
      expect.objectContaining({ code: 'wrong-size' }),
    );
    expect(() => posesFromRobotMotion(MODEL, { ...motion, jointNames: ['hip', 'knee'] })).toThrow(
      /lacks the joint 'lift'/,
    );
  });
});
