import { readFileSync } from 'node:fs';
import { type BoneData, createFigure, limitViolation, type Quadruple, type Triple } from 'poise/figure';
import { createMarkerTracker, solveMarkers } from 'poise/ik';
import { describe, expect, it } from 'vitest';

interface FixtureBone {
  readonly parent: number;
  readonly position: Triple;
  readonly rotation: Quadruple;
  readonly type: 'hinge' | 'slider' | 'euler';
  readonly order?: 'XYZ' | 'ZXY' | 'YXZ';
  readonly axis?: Triple;
  readonly min: readonly number[];
  readonly max: readonly number[];
}

interface Fixture {
  readonly problems: readonly {
    readonly bones: readonly FixtureBone[];
    readonly markers: readonly { readonly bone: number; readonly point: Triple; readonly weight: number }[];
    readonly tasks: readonly {
      readonly coordinate: number;
      readonly target: number;
      readonly weight: number;
    }[];
    readonly places: readonly Triple[];
    readonly start: readonly number[];
    readonly answer: readonly number[];
    readonly cost: number;
    readonly active: readonly number[];
  }[];
}

const { problems } = JSON.parse(
  readFileSync(new URL('../../fixtures/ik/marker-tracking.json', import.meta.url), 'utf8'),
) as Fixture;

function boneData(bone: FixtureBone, index: number): BoneData {
  const { parent, position, rotation, type, order = 'XYZ', axis = [1, 0, 0], min, max } = bone;
  return {
    name: `bone${index}`,
    parent: parent < 0 ? null : `bone${parent}`,
    rest: { position, rotation },
    joint: type === 'euler' ? { type, order } : { type, axis },
    limit: type === 'euler' ? { type: 'box', min, max } : { type: 'interval', min: min[0], max: max[0] },
  };
}

type Problem = Fixture['problems'][number];

function solve({ bones, markers, tasks, places: positions, start }: Problem) {
  const figure = createFigure({ bones: bones.map(boneData) });
  const tracker = createMarkerTracker(
    figure,
    markers.map((marker, m) => ({ name: `m${m}`, ...marker })),
    {
      tasks: tasks.map(({ coordinate, target, weight }) => {
        const bone = figure.bones[figure.boneOfCoordinate[coordinate]];
        return { bone: bone.name, coordinate: coordinate - bone.coordinate, target, weight };
      }),
    },
  );
  const pose = Float64Array.from(start);
  const result = solveMarkers(tracker, positions.flat(), pose);
  const largest = Math.max(...markers.map(({ weight }) => weight));
  return { figure, pose, result, cost: 2 * result.objective * largest * result.lengthScale ** 2 };
}

describe("bounded problems of SciPy's least_squares (scripts/oracles/marker_tracking.py)", () => {
  it.each(problems.map((problem, index) => ({ problem, index })))(
    'problem $index: the same answer, the same bounds, the same cost, or a lower one',
    ({ problem }) => {
      const { figure, pose, result, cost } = solve(problem);
      expect(result.stationarity).toBeLessThan(1e-8);
      expect(limitViolation(figure, pose)).toBe(0);
      expect(cost).toBeLessThanOrEqual(problem.cost * (1 + 1e-9));
      if (cost < problem.cost * (1 - 1e-6)) return;
      for (let i = 0; i < pose.length; i++) {
        expect(Math.abs(pose[i] - problem.answer[i]), `q${i}`).toBeLessThan(1e-6);
      }
      const active = result.activeLimits.map(({ coordinate }) => coordinate).sort((a, b) => a - b);
      expect(active).toEqual(problem.active);
    },
  );

  it('few results are lower than those of SciPy: the others are compared in every coordinate', () => {
    const lower = problems.filter((problem) => solve(problem).cost < problem.cost * (1 - 1e-6));
    expect(problems).toHaveLength(60);
    expect(lower.length).toBeLessThanOrEqual(6);
  });
});
