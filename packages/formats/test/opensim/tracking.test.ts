import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { limitViolation } from 'poise/figure';
import { createMarkerTracker, initializeMarkers, solveMarkers } from 'poise/ik';
import { expect, test } from 'vitest';
import {
  type IkTasks,
  type MarkerClip,
  type OsimModel,
  osimTracking,
  posesFromStorage,
  readIkSetup,
  readIkTasks,
  readOsim,
  readStorage,
  readTrc,
} from '../../src/index.js';

/** Poses at the times of a reference. */
function track(
  model: OsimModel,
  clip: MarkerClip,
  tasks: IkTasks,
  times: ArrayLike<number>,
): { poses: Float64Array[]; max: number } {
  const { markers, options } = osimTracking(model, clip.names, tasks);
  expect(markers).toHaveLength(31);
  const tracker = createMarkerTracker(model.figure, markers, options);
  const columns = markers.map(({ name }) => clip.names.indexOf(name));
  const pose = Float64Array.from(model.defaultPose);
  const poses: Float64Array[] = [];
  let max = 0;
  for (let n = 0; n < times.length; n++) {
    const frame = clip.times.findIndex((time) => Math.abs(time - times[n]) < 1e-3);
    const from = 3 * clip.names.length * frame;
    const positions = columns.flatMap((c) => [...clip.positions.subarray(from + 3 * c, from + 3 * c + 3)]);
    const result = (n === 0 ? initializeMarkers : solveMarkers)(tracker, positions, pose);
    expect(result.stationarity).toBeLessThan(1e-8);
    expect(limitViolation(model.figure, pose)).toBe(0);
    max = Math.max(max, result.max);
    poses.push(Float64Array.from(pose));
  }
  return { poses, max };
}

/** Largest differences to a reference, deg and m. */
function differences(
  model: OsimModel,
  poses: readonly Float64Array[],
  expected: (name: string, row: number) => number | undefined,
): { degrees: number; metres: number; compared: number } {
  const out = { degrees: 0, metres: 0, compared: 0 };
  poses.forEach((pose, row) => {
    for (const { name, coordinate, motionType } of model.coordinates.values()) {
      const value = expected(name, row);
      if (value === undefined) continue;
      const difference = Math.abs(pose[coordinate] - value);
      if (motionType === 'translational') out.metres = Math.max(out.metres, difference);
      else out.degrees = Math.max(out.degrees, (difference * 180) / Math.PI);
      out.compared++;
    }
  });
  return out;
}

describeWithData('gait2354, markers made by OpenSim', 'opensim/ik_gait2354', (folder) => {
  test("its setup and tasks give OpenSim's own coordinates to 0.02 degrees (asked for: 0.2)", () => {
    const read = (file: string) => readFileSync(join(folder, file));
    const setup = readIkSetup(read('subject01_Setup_InverseKinematics.xml'));
    expect(setup).toEqual({
      modelFile: 'subject01_simbody.osim',
      markerFile: 'subject01_synthetic_marker_data.trc',
      timeRange: [0.4, 1.6],
      taskFile: 'gait2354_IK_Tasks_uniform.xml',
    });
    const model = readOsim(read(setup.modelFile as string));
    const tasks = readIkTasks(read(setup.taskFile as string));
    const clip = readTrc(read(setup.markerFile as string));
    const reference = readStorage(read('std_subject01_walk1_ik.mot'));
    expect(reference.inDegrees).toBe(true);
    const { times, poses: expected, missing } = posesFromStorage(model, reference);
    expect(missing).toEqual([]);
    expect(times).toHaveLength(73);
    const { poses, max } = track(model, clip, tasks, times);
    const { degrees, metres, compared } = differences(
      model,
      poses,
      (name, row) => expected[row][model.coordinates.get(name)?.coordinate as number],
    );
    expect(compared).toBe(73 * 23);
    expect(degrees).toBeLessThan(0.02);
    expect(metres).toBeLessThan(1e-4);
    expect(max).toBeLessThan(1e-4);
  });
});

describeWithData('gait2354, measured markers', 'opensim/ik_gait2354_real', (folder) => {
  test('the coordinates of the reference, solved with natural splines at the knee, to 0.02 degrees (asked for: 0.2)', () => {
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    const problem = JSON.parse(read('ik_problem.json')) as {
      readonly marker_weights: Readonly<Record<string, number>>;
      readonly coordinate_tasks: readonly {
        readonly name: string;
        readonly weight: number;
        readonly target: number;
      }[];
    };
    const tasks: IkTasks = {
      markers: Object.entries(problem.marker_weights).map(([marker, weight]) => ({ marker, weight })),
      coordinates: problem.coordinate_tasks.map(({ name, weight, target }) => ({
        coordinate: name,
        weight,
        value: target,
      })),
      warnings: [],
    };
    const model = readOsim(read('subject01_simbody.osim'));
    const [head, ...lines] = read('ik_reference.csv').trim().split(/\r?\n/);
    const columns = head.split(',');
    const rows = lines.map((line) => line.split(',').map(Number));
    const clip = readTrc(read('subject01_walk1.trc'));
    expect([clip.names.length, clip.frames, clip.rate]).toEqual([41, 151, 60]);
    const { poses } = track(
      model,
      clip,
      tasks,
      rows.map(([time]) => time),
    );
    const { degrees, metres, compared } = differences(
      model,
      poses,
      (name, row) => rows[row][columns.indexOf(name)],
    );
    expect(compared).toBe(73 * 23);
    expect(degrees).toBeLessThan(0.02);
    expect(metres).toBeLessThan(1e-4);
  });
});
