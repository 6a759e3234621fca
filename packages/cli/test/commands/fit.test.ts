import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh, readOsim, readStorage } from '@poise/formats';
import { c3dOf } from '@poise/test-support/c3d';
import { describeWithData } from '@poise/test-support/shared-data';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import type { FitReport } from '../../src/fit/report.js';
import { run } from '../../src/run.js';
import { poise, temporaryFolder } from '../support/command.js';
import { openGlb, playedByThree } from '../support/readers.js';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const write = (name: string, content: string | object): string => {
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
};

/** A knee whose tibia slides along a spline of its angle, on a thigh that turns in the ground. */
const leg = write(
  'leg.osim',
  `<OpenSimDocument Version="40000"><Model name="leg">
  <BodySet><objects><Body name="thigh"><mass>7</mass></Body><Body name="shank"><mass>3</mass></Body></objects></BodySet>
  <JointSet><objects>
    <PinJoint name="hip"><socket_parent_frame>ground</socket_parent_frame><socket_child_frame>thigh</socket_child_frame>
      <coordinates><Coordinate name="hip_angle"/></coordinates></PinJoint>
    <CustomJoint name="knee"><socket_parent_frame>knee_in_thigh</socket_parent_frame><socket_child_frame>shank</socket_child_frame>
      <frames><PhysicalOffsetFrame name="knee_in_thigh"><socket_parent>/bodyset/thigh</socket_parent><translation>0 -0.4 0</translation></PhysicalOffsetFrame></frames>
      <coordinates><Coordinate name="knee_angle"><range>-2 0.2</range><clamped>true</clamped></Coordinate></coordinates>
      <SpatialTransform>
        <TransformAxis name="rotation1"><coordinates>knee_angle</coordinates><axis>0 0 1</axis><LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction></TransformAxis>
        <TransformAxis name="rotation2"><axis>0 1 0</axis><Constant name="function"><value>0</value></Constant></TransformAxis>
        <TransformAxis name="rotation3"><axis>1 0 0</axis><Constant name="function"><value>0</value></Constant></TransformAxis>
        <TransformAxis name="translation1"><coordinates>knee_angle</coordinates><axis>1 0 0</axis><SimmSpline name="function"><x>-2 -1 0 0.2</x><y>-0.02 0 0.005 0.004</y></SimmSpline></TransformAxis>
        <TransformAxis name="translation2"><axis>0 1 0</axis><Constant name="function"><value>0</value></Constant></TransformAxis>
        <TransformAxis name="translation3"><axis>0 0 1</axis><Constant name="function"><value>0</value></Constant></TransformAxis>
      </SpatialTransform></CustomJoint>
  </objects></JointSet>
  <MarkerSet><objects>
    <Marker name="THI"><socket_parent_frame>/bodyset/thigh</socket_parent_frame><location>0.05 -0.2 0.1</location></Marker>
    <Marker name="TIB"><socket_parent_frame>/bodyset/shank</socket_parent_frame><location>0.05 -0.2 0</location></Marker>
    <Marker name="ANK"><socket_parent_frame>/bodyset/shank</socket_parent_frame><location>0 -0.4 0.05</location></Marker>
  </objects></MarkerSet></Model></OpenSimDocument>`,
);

interface Marker {
  readonly name: string;
  readonly bone: string | number;
  readonly point?: ArrayLike<number>;
}

/** A TRC file of markers on a figure, 50 frames a second, mm. @param rotated - Of a point, from the figure's axes to the file's. */
function trcOf(
  figure: Figure,
  markers: readonly Marker[],
  poses: readonly Float64Array[],
  rotated = (point: number[]): number[] => point,
): string {
  const state = createState(figure);
  const rows = poses.map((pose, f) => {
    forwardKinematics(state, pose);
    const cells = markers.flatMap(({ bone, point = [0, 0, 0] }) => {
      const w = state.worldFromBone.subarray(12 * figure.bones.findIndex(({ name }) => name === bone));
      return rotated(
        [0, 1, 2].map(
          (r) => 1000 * (w[9 + r] + w[3 * r] * point[0] + w[3 * r + 1] * point[1] + w[3 * r + 2] * point[2]),
        ),
      );
    });
    return [f + 1, (f / 50).toFixed(3), ...cells].join('\t');
  });
  return [
    'PathFileType\t4\t(X/Y/Z)\tmade.trc',
    'DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits',
    `50\t50\t${poses.length}\t${markers.length}\tmm`,
    `Frame#\tTime\t${markers.map(({ name }) => `${name}\t\t`).join('\t')}`,
    '\t\tX1\tY1\tZ1',
    ...rows,
  ].join('\n');
}

const model = readOsim(readFileSync(leg));
const [hip, knee] = ['hip_angle', 'knee_angle'].map(
  (name) => model.coordinates.get(name)?.coordinate as number,
);
const truth = Array.from({ length: 40 }, (_, f) => {
  const pose = createPose(model.figure);
  pose[hip] = 0.5 * Math.sin(f / 6);
  pose[knee] = -0.8 + 0.7 * Math.cos(f / 8);
  return pose;
});
const walk = write('walk.trc', trcOf(model.figure, model.markers, truth));

async function report(...argv: string[]): Promise<FitReport> {
  const { status, out, err } = await poise('fit', ...argv, '--json');
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out) as FitReport;
}

describe('poise fit', () => {
  test('of an .osim writes its coordinates as a .mot, and reports each marker', async () => {
    const said = await report(walk, leg, '-o', at('walk.mot'));
    expect(said).toMatchObject({ figure: 'leg', frames: 40, rate: 50, start: 0, end: 0.78, unobserved: 0 });
    expect(said.markers.map(({ name, observed }) => [name, observed])).toEqual([
      ['THI', 40],
      ['TIB', 40],
      ['ANK', 40],
    ]);
    expect(said.rms).toBeLessThan(1e-6);
    const table = readStorage(readFileSync(at('walk.mot')));
    expect([table.columns, table.rows, table.inDegrees]).toEqual([
      ['time', 'hip_angle', 'knee_angle'],
      40,
      true,
    ]);
    truth.forEach((pose, f) => {
      expect(table.values[3 * f]).toBe(f / 50);
      expect((table.values[3 * f + 1] * Math.PI) / 180).toBeCloseTo(pose[hip], 9);
      expect((table.values[3 * f + 2] * Math.PI) / 180).toBeCloseTo(pose[knee], 9);
    });
  });

  test('of the same writes a .glb whose bones three.js puts where they were', async () => {
    await report(walk, leg, '-o', at('walk.glb'));
    const { json } = openGlb(readFileSync(at('walk.glb')));
    const node = json.nodes?.findIndex(({ name }) => name === 'shank') as number;
    const { duration, at: seenAt } = await playedByThree(at('walk.glb'), 'walk');
    expect(duration).toBeCloseTo(0.78, 6);
    const state = createState(model.figure);
    const shank = model.figure.bones.find(({ name }) => name === 'shank')?.index as number;
    for (const frame of [0, 20, 39]) {
      forwardKinematics(state, truth[frame]);
      const seen = seenAt(frame / 50).get(node) as readonly number[];
      for (let k = 0; k < 3; k++) {
        expect(Math.abs(seen[k] - state.worldFromBone[12 * shank + 9 + k])).toBeLessThan(1e-3);
      }
    }
  });

  test('of a .c3d and a .trc from stdin', async () => {
    const frames = truth.map((pose) => {
      const state = createState(model.figure);
      forwardKinematics(state, pose);
      return model.markers.map(({ bone, point = [0, 0, 0] }): [number, number, number] => {
        const w = state.worldFromBone.subarray(
          12 * model.figure.bones.findIndex(({ name }) => name === bone),
        );
        const [x, y, z] = [0, 1, 2].map(
          (r) => 1000 * (w[9 + r] + w[3 * r] * point[0] + w[3 * r + 1] * point[1] + w[3 * r + 2] * point[2]),
        );
        // +Z up in the file.
        return [z, x, y];
      });
    });
    const labels = model.markers.map(({ name }) => name);
    const c3d = c3dOf({ processor: 'intel', isFloat: true, labels, frames, rate: 50, yScreen: '+Z' });
    for (const bytes of [c3d, readFileSync(walk)]) {
      let out = '';
      const status = await run(['fit', '-', leg, '--json'], {
        color: false,
        out: (text) => {
          out += text;
        },
        err: () => {},
        input: async () => new Uint8Array(bytes),
      });
      expect(status).toBe(0);
      const { frames: count, rms } = JSON.parse(out) as FitReport;
      expect(count).toBe(40);
      // Single precision.
      expect(rms).toBeLessThan(1e-3);
    }
    let motion = '';
    await run(['fit', '-', leg, '-o', '-'], {
      color: false,
      out: (text) => {
        motion += Buffer.from(text).toString();
      },
      err: () => {},
      input: async () => new Uint8Array(c3d),
    });
    expect(JSON.parse(motion).motion.name).toBe('stdin');
  });

  test('a .mot becomes the same animation by convert', async () => {
    await report(walk, leg, '-o', at('again.mot'));
    const { status, err } = await poise(
      'convert',
      at('again.mot'),
      '--rig',
      leg,
      '-o',
      at('again.csv'),
      '--rate',
      '50',
    );
    expect([status, err]).toEqual([0, '']);
    await report(walk, leg, '-o', at('direct.csv'));
    const rows = (name: string): number[][] =>
      readFileSync(at(name), 'utf8')
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((row) => row.split(',').map(Number));
    const direct = rows('direct.csv');
    expect(direct).toHaveLength(40);
    rows('again.csv').forEach((row, r) => {
      row.forEach((x, c) => {
        expect(Math.abs(x - direct[r][c])).toBeLessThan(1e-6 * Math.max(1, Math.abs(x)));
      });
    });
    for (const argv of [[at('again.mot')], [at('again.mot'), '--rig', walk]]) {
      expect((await poise('convert', ...argv, '-o', at('no.csv'))).status).toBe(2);
    }
  });

  test('writes .csv, .json and .bvh', async () => {
    for (const name of ['walk.csv', 'walk.json', 'walk.bvh']) await report(walk, leg, '-o', at(name));
    expect(readFileSync(at('walk.csv'), 'utf8').trimEnd().split('\r\n')).toHaveLength(41);
    expect(JSON.parse(readFileSync(at('walk.json'), 'utf8'))).toMatchObject({ format: 'poise-motion' });
    expect(readBvh(readFileSync(at('walk.bvh'))).frames).toBe(40);
  });

  test('a part of the time, with missing markers, tasks and a table for people', async () => {
    const gaps = readFileSync(walk, 'utf8')
      .split('\n')
      .map((line, n) => (n === 20 ? line.split('\t').slice(0, 2).join('\t') : line))
      .join('\n');
    const tasks = write(
      'tasks.xml',
      '<IKTaskSet><objects><IKMarkerTask name="THI"><weight>2</weight></IKMarkerTask><IKMarkerTask name="ANK"/><IKMarkerTask name="TIB"><apply>false</apply></IKMarkerTask></objects></IKTaskSet>',
    );
    const argv = ['fit', write('gaps.trc', gaps), leg, '--tasks', tasks, '--start', '0.2', '--end', '0.4'];
    const { status, out, err } = await poise(...argv);
    expect([status, err]).toEqual([0, 'warning: 1 measured marker not used: TIB.\n']);
    expect(out).toMatch(
      /^leg: 2 markers, 11 frames at 50 Hz\n\nmarker {2}rms mm {2}max mm {2}worst frame {3}frames\nTHI {5}0\.0 {5}0\.0 {5}\d+ \(0\.\d+ s\) {2}10\n/,
    );
    expect(out).toMatch(/no marker in 1 frame, which keep the pose before/);
  });

  test('names some of many markers that are not used', async () => {
    const [head, rate, numbers, names, axes, ...rows] = readFileSync(walk, 'utf8').split('\n');
    const extra = Array.from({ length: 7 }, (_, k) => `M${k}`);
    const text = [
      head,
      rate,
      numbers,
      `${names}\t${extra.join('\t\t\t')}`,
      axes,
      ...rows.map((row) => (/^\d/.test(row) ? row.trimEnd() + '\t0'.repeat(3 * extra.length) : row)),
    ].join('\n');
    const { err } = await poise('fit', write('many.trc', text), leg);
    expect(err).toContain('warning: 7 measured markers not used: M0, M1, M2, M3, M4 and 2 more.\n');
  });

  test('of the built-in human with a file of markers, in a file with +Z up', async () => {
    const human = createHumanFigure({ height: 1.75 });
    const markers = {
      LASI: { bone: 'hips', point: [0.12, 0.05, 0.1] },
      RASI: { bone: 'hips', point: [-0.12, 0.05, 0.1] },
      SACR: { bone: 'hips', point: [0, 0.06, -0.12], weight: 2 },
      LKNE: { bone: 'leftLowerLeg' },
      LANK: { bone: 'leftFoot' },
    };
    const list = Object.entries(markers).map(([name, marker]) => ({ name, ...marker }));
    const poses = Array.from({ length: 20 }, (_, f) => {
      const pose = createPose(human);
      pose[0] = 0.02 * f;
      pose[4] = 0.5;
      return pose;
    });
    const trc = write(
      'human.trc',
      trcOf(human, list, poses, ([x, y, z]) => [z, x, y]),
    );
    const said = await report(
      trc,
      '--markers',
      write('markers.json', markers),
      '--marker-up',
      'z',
      '-o',
      at('human.glb'),
    );
    expect(said).toMatchObject({ figure: 'human', frames: 20 });
    expect(said.rms).toBeLessThan(1e-3);
    const named = await report(trc, 'human', '--markers', at('markers.json'), '--marker-up', 'z');
    expect(named).toMatchObject({ source: { kind: 'built-in' }, figure: 'human', rms: said.rms });
  });
});

describe('poise fit refuses', () => {
  const json = (name: string, content: object): string => write(name, content);
  test.each([
    [['walk.glb'], [leg], 'missing-resource'],
    [[leg], [leg], 'unsupported'],
    [[walk], [], 'missing-resource'],
    [[walk], ['--markers', json('none.json', { X: { bone: 'hips' } })], 'wrong-size'],
    [[walk], ['--markers', json('bone.json', { THI: { bone: 'hip' } })], 'unknown-name'],
    [[walk], ['--markers', json('field.json', { THI: { bone: 'hips', at: 1 } })], 'invalid-file'],
    [[walk], ['--markers', json('point.json', { THI: { bone: 'hips', point: [1, 2] } })], 'invalid-file'],
    [[walk], ['--markers', json('ok.json', { THI: { bone: 'hips' } }), '-o', at('x.mot')], 'unsupported'],
    [[walk], ['--markers', json('ok.json', { THI: { bone: 'hips' } }), '--tasks', leg], 'unsupported'],
    [[walk], [leg, '--tasks', walk], 'invalid-file'],
    [[walk], [leg, '--start', '9'], 'out-of-range'],
    [[walk], [leg, '--marker-up', 'w'], 'unsupported'],
    [[walk], [leg, '--rate', '5', '-o', at('x.mot')], 'unsupported'],
    [[walk], [leg, '-o', walk], 'unsupported'],
  ])('%j with %j: %s', async (markers, rest, code) => {
    const { status, err } = await poise('fit', ...markers, ...rest);
    expect([status, err]).toEqual([2, expect.stringMatching(new RegExp(`^error\\[${code}\\]`, 'm'))]);
  });
});

describeWithData('poise fit of gait2354', 'opensim/ik_gait2354', (data) => {
  const file = (name: string): string => join(data, name);
  test('writes the coordinates of OpenSim to 0.02 degrees', async () => {
    const said = await report(
      file('subject01_synthetic_marker_data.trc'),
      file('subject01_simbody.osim'),
      '--tasks',
      file('gait2354_IK_Tasks_uniform.xml'),
      '-o',
      at('gait.mot'),
    );
    expect(said.frames).toBe(73);
    expect(said.rms).toBeLessThan(0.05);
    const own = readStorage(readFileSync(at('gait.mot')));
    const reference = readStorage(readFileSync(file('std_subject01_walk1_ik.mot')));
    expect(own.rows).toBe(73);
    let largest = 0;
    for (const name of reference.columns.filter((each) => !/time|_t[xyz]$/.test(each))) {
      const [a, b] = [own.columns.indexOf(name), reference.columns.indexOf(name)];
      for (let row = 0; row < own.rows; row++) {
        largest = Math.max(
          largest,
          Math.abs(
            own.values[row * own.columns.length + a] - reference.values[row * reference.columns.length + b],
          ),
        );
      }
    }
    expect(largest).toBeLessThan(0.02);
  });

  test.each(['.glb', '.bvh', '.csv'])('writes %s', async (ending) => {
    const out = at(`gait${ending}`);
    await report(file('subject01_synthetic_marker_data.trc'), file('subject01_simbody.osim'), '-o', out);
    expect(readFileSync(out).length).toBeGreaterThan(10_000);
  });
});

describeWithData('human bones of a rig in poise fit', 'gltf/KayKit_Knight.glb', (path) => {
  test('are those that --human names', async () => {
    const marks = write('wrist.json', { WRI: { bone: 'leftHand' } });
    const text = trcOf(
      createHumanFigure(),
      [{ name: 'WRI', bone: 'leftHand' }],
      [createPose(createHumanFigure())],
    );
    const trc = write('wrist.trc', text);
    const figureOf = async (...argv: string[]): Promise<string> => {
      const { status, out } = await poise(
        'fit',
        trc,
        path,
        '--markers',
        marks,
        '--marker-up',
        'y',
        ...argv,
        '--json',
      );
      expect(status).toBe(0);
      return out;
    };
    expect(JSON.parse(await figureOf()).markers).toHaveLength(1);
    // Without a hand there is no such name.
    const none = await poise('fit', trc, path, '--markers', marks, '--human', 'leftHand=none');
    expect([none.status, none.err]).toEqual([
      2,
      expect.stringMatching(/wrist\.json#\/WRI\/bone.*no bone 'leftHand'/),
    ]);
    const wrong = await poise('fit', trc, path, '--markers', marks, '--human', 'leftHand=paw');
    expect([wrong.status, wrong.err]).toEqual([2, expect.stringMatching(/--human leftHand=paw/)]);
    expect(JSON.parse(await figureOf('--human', 'leftHand=hand.l')).markers).toHaveLength(1);
  });
});
