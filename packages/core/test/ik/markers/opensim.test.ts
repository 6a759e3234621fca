import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createPose, type Figure, limitViolation } from 'poise/figure';
import {
  createMarkerTracker,
  initializeMarkers,
  type MarkerResult,
  type MarkerTracker,
  solveMarkers,
} from 'poise/ik';
import { expect, it } from 'vitest';
import { type OsimModel, readOsim, readTable, readTrc, type SplineEnds } from './support-osim.js';

interface IkProblem {
  readonly marker_weights: Readonly<Record<string, number>>;
  readonly coordinate_tasks: readonly {
    readonly name: string;
    readonly weight: number;
    readonly target: number;
  }[];
  readonly coordinate_types: Readonly<Record<string, string>>;
  readonly coordinate_ranges: Readonly<Record<string, readonly [number, number]>>;
}

/** Tracks a .trc over the times of a table; hands each frame's pose and result to `see`. */
function track(
  model: OsimModel,
  tracker: MarkerTracker,
  trc: ReturnType<typeof readTrc>,
  times: readonly number[],
  see: (pose: Float64Array, result: MarkerResult, row: number) => void,
): void {
  const pose = createPose(model.figure);
  const position = tracker.names.map((name) => trc.names.indexOf(name));
  times.forEach((time, row) => {
    const frame = trc.times.findIndex((t) => Math.abs(t - time) < 1e-3);
    const positions = Float64Array.from({ length: 3 * position.length }, (_, k) => {
      const at = position[Math.floor(k / 3)];
      return at < 0 ? Number.NaN : trc.frames[frame][3 * at + (k % 3)];
    });
    const result = (row === 0 ? initializeMarkers : solveMarkers)(tracker, positions, pose);
    expect(result.stationarity).toBeLessThan(1e-8);
    expect(limitViolation(model.figure, pose)).toBe(0);
    see(pose, result, row);
  });
}

function coordinateOf(figure: Figure, { boneOf }: OsimModel, name: string): number {
  const bone = figure.bones.find((each) => each.name === boneOf.get(name));
  if (bone === undefined) throw new Error(`no coordinate ${name}`);
  return bone.coordinate;
}

describeWithData(
  'gait2354, measured markers (41 in the file, 31 weighted)',
  'opensim/ik_gait2354_real',
  (folder) => {
    /** Largest differences over all frames by kind of coordinate, and of the three errors that the reference states. */
    function differences(ends: SplineEnds): Record<string, number> {
      const problem = JSON.parse(readFileSync(join(folder, 'ik_problem.json'), 'utf8')) as IkProblem;
      const osim = readFileSync(join(folder, 'subject01_simbody.osim'), 'utf8');
      const model = readOsim(osim, problem.coordinate_ranges, ends);
      const reference = readTable(readFileSync(join(folder, 'ik_reference.csv'), 'utf8'));
      const trc = readTrc(readFileSync(join(folder, 'subject01_walk1.trc'), 'utf8'));
      const markers = model.markers
        .filter(({ name }) => name in problem.marker_weights)
        .map((marker) => ({ ...marker, weight: problem.marker_weights[marker.name] }));
      expect(markers).toHaveLength(31);
      const tracker = createMarkerTracker(model.figure, markers, {
        couplings: model.couplings,
        tasks: problem.coordinate_tasks.map(({ name, weight, target }) => ({ bone: name, weight, target })),
      });
      const worst: Record<string, number> = {
        rotational: 0,
        translational: 0,
        sum: 0,
        rms: 0,
        max: 0,
        frames: 0,
      };
      const note = (name: string, x: number): void => {
        worst[name] = Math.max(worst[name], Math.abs(x));
      };
      const times = reference.rows.map((row) => row[0]);
      track(model, tracker, trc, times, (pose, result, row) => {
        const expected = (name: string): number => reference.rows[row][reference.columns.indexOf(name)];
        worst.frames++;
        for (const [name, type] of Object.entries(problem.coordinate_types)) {
          note(type, pose[coordinateOf(model.figure, model, name)] - expected(name));
        }
        let sum = 0;
        result.residuals.forEach((d, m) => {
          sum += (markers[m].weight ?? 1) * d * d;
        });
        for (const { name, weight, target } of problem.coordinate_tasks) {
          sum += weight * (pose[coordinateOf(model.figure, model, name)] - target) ** 2;
        }
        note('sum', sum - expected('weighted_sq_error'));
        const squares = result.residuals.reduce((total, d) => total + d * d, 0);
        note('rms', Math.sqrt(squares / result.observed) - expected('marker_rms_m'));
        note('max', result.max - expected('marker_max_m'));
      });
      expect(worst.frames).toBe(73);
      return worst;
    }

    it('with its natural knee splines: the coordinates and errors of the reference to 4e-8 rad and 5e-9 m', () => {
      const worst = differences('natural');
      // The reference is printed with nine digits and was solved by SciPy to about 1e-8.
      expect(worst.rotational).toBeLessThan(1e-7);
      expect(worst.translational).toBeLessThan(2e-8);
      expect(worst.rms).toBeLessThan(1e-9);
      expect(worst.max).toBeLessThan(1e-8);
      expect(worst.sum).toBeLessThan(1e-9);
    });

    it("with OpenSim's knee splines: within 0.01 degrees of it, so only the splines differ", () => {
      const worst = differences('simm');
      expect(worst.rotational).toBeLessThan(2e-4);
      expect(worst.rotational).toBeGreaterThan(1e-5);
      expect(worst.translational).toBeLessThan(1e-5);
    });
  },
);

describeWithData('gait2354, markers made by OpenSim from its own answer', 'opensim/ik_gait2354', (folder) => {
  it("the coordinates are those of OpenSim's own inverse kinematics", () => {
    const model = readOsim(readFileSync(join(folder, 'subject01_simbody.osim'), 'utf8'), {}, 'simm');
    const reference = readTable(readFileSync(join(folder, 'std_subject01_walk1_ik.mot'), 'utf8'));
    const trc = readTrc(readFileSync(join(folder, 'subject01_synthetic_marker_data.trc'), 'utf8'));
    const markers = model.markers.filter(({ name }) => trc.names.includes(name));
    expect(markers).toHaveLength(31);
    const tracker = createMarkerTracker(model.figure, markers, { couplings: model.couplings });
    const worst: Record<string, number> = {};
    let largest = 0;
    track(
      model,
      tracker,
      trc,
      reference.rows.map((row) => row[0]),
      (pose, result, row) => {
        largest = Math.max(largest, result.max);
        reference.columns.forEach((name, c) => {
          if (name === 'time') return;
          const translation = /_t[xyz]$/.test(name);
          const expected = reference.rows[row][c] * (translation ? 1 : Math.PI / 180);
          const difference = Math.abs(pose[coordinateOf(model.figure, model, name)] - expected);
          worst[name] = Math.max(worst[name] ?? 0, difference);
        });
      },
    );
    expect(worst).toHaveProperty('knee_angle_r');
    // OpenSim stopped at an accuracy of 1e-5, and wrote its markers from the answer: 0.017 degrees, 0.05 mm at the markers.
    for (const [name, difference] of Object.entries(worst)) expect(difference, name).toBeLessThan(3.5e-4);
    expect(largest).toBeLessThan(1e-4);
  });
});
