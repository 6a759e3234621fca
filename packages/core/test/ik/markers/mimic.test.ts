import { type BoneData, createFigure, createPose, createState, forwardKinematics } from 'poise/figure';
import {
  computeObservability,
  createMarkerTracker,
  initializeMarkers,
  type MarkerTrackerOptions,
  solveMarkers,
} from 'poise/ik';
import { describe, expect, it } from 'vitest';

/** A knee whose axis moves with its angle along a spline of three pieces, twice differentiable; a foot that turns with the knee. */
const spline = {
  polynomial: [0.05, 0.02],
  pieces: [
    { from: -0.4, polynomial: [0.042, 0.02, 0, 0.03] },
    { from: 0.3, polynomial: [0.06629, 0.0641, 0.063, -0.02] },
  ],
};
const bones: readonly BoneData[] = [
  { name: 'slide x', joint: { type: 'slider', axis: [1, 0, 0] } },
  { name: 'hip', parent: 'slide x', joint: { type: 'hinge', axis: [0, 0, 1] } },
  {
    name: 'roll',
    parent: 'hip',
    rest: { position: [0, -0.4, 0] },
    joint: { type: 'slider', axis: [1, 0, 0] },
    mimic: { bone: 'knee', ...spline },
  },
  {
    name: 'knee',
    parent: 'roll',
    joint: { type: 'hinge', axis: [0, 0, 1] },
    limit: { type: 'interval', min: -2, max: 0.9 },
  },
  {
    name: 'foot',
    parent: 'knee',
    rest: { position: [0, -0.4, 0] },
    joint: { type: 'hinge', axis: [0, 0, 1] },
    mimic: { bone: 'knee', polynomial: [0.1, -0.5] },
    limit: { type: 'interval', min: -0.3, max: 1 },
  },
];
const figure = createFigure({ bones });
const markers = [
  { name: 'hip', bone: 'hip', point: [0.1, 0, 0] },
  { name: 'thigh', bone: 'hip', point: [0, -0.3, 0.1] },
  { name: 'shank', bone: 'knee', point: [0.05, -0.2, 0] },
  { name: 'toe', bone: 'foot', point: [0.2, 0, 0] },
] as const;

function positionsAt(pose: ArrayLike<number>): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const out = new Float64Array(3 * markers.length);
  markers.forEach(({ bone, point }, m) => {
    const o = 12 * figure.bones.findIndex(({ name }) => name === bone);
    for (let r = 0; r < 3; r++) {
      const w = state.worldFromBone;
      out[3 * m + r] =
        w[o + 9 + r] + w[o + 3 * r] * point[0] + w[o + 3 * r + 1] * point[1] + w[o + 3 * r + 2] * point[2];
    }
  });
  return out;
}

describe('marker tracking of mimic joints', () => {
  it('finds the pose of exact markers on every piece of the spline, to 1e-9', () => {
    const tracker = createMarkerTracker(figure, markers);
    for (const knee of [-1.2, -0.5, -0.35, 0, 0.29, 0.31, 0.7]) {
      const truth = [0.2, 0.3, knee];
      for (const solve of [solveMarkers, initializeMarkers]) {
        const pose = createPose(figure);
        const result = solve(tracker, positionsAt(truth), pose);
        expect(result.status).toBe('converged');
        for (let i = 0; i < 3; i++) expect(Math.abs(pose[i] - truth[i])).toBeLessThan(1e-9);
      }
    }
  });

  it('is a minimum: the sum of squares of noisy markers is larger on both sides of every coordinate', () => {
    const tracker = createMarkerTracker(figure, markers);
    const measured = positionsAt([0.2, 0.3, -0.7]).map((x, k) => x + 0.02 * Math.sin(7 * k));
    const pose = createPose(figure);
    const result = solveMarkers(tracker, measured, pose);
    expect(result.stationarity).toBeLessThan(1e-8);
    const sum = (q: ArrayLike<number>): number =>
      positionsAt(q).reduce((total, x, k) => total + (x - measured[k]) ** 2, 0);
    expect(Math.sqrt(sum(pose) / 4)).toBeCloseTo(result.rms, 12);
    for (let i = 0; i < 3; i++) {
      for (const h of [1e-3, -1e-3]) {
        expect(sum(Array.from(pose, (q, k) => (k === i ? q + h : q)))).toBeGreaterThan(sum(pose));
      }
    }
  });

  it('names the limit that a mimic joint gives its source, with its coordinate in the pose', () => {
    const tracker = createMarkerTracker(figure, markers);
    const pose = createPose(figure);
    // The foot allows the knee at most (0.1 + 0.3) / 0.5 = 0.8.
    const result = solveMarkers(tracker, positionsAt([0, 0, 0.88]), pose);
    expect(pose[2]).toBeCloseTo(0.8, 14);
    expect(result.activeLimits).toMatchObject([{ bone: 'knee', coordinate: 2 }]);
  });

  it('a locked source holds its mimic joints', () => {
    const tracker = createMarkerTracker(figure, markers, { locked: ['knee', 'foot'] });
    const pose = Float64Array.of(0, 0, -0.2);
    solveMarkers(tracker, positionsAt([0.1, 0.4, -0.2]), pose);
    expect(pose[2]).toBe(-0.2);
    expect(pose[1]).toBeCloseTo(0.4, 12);
  });

  it.each<[MarkerTrackerOptions, string]>([
    [
      { couplings: [{ bone: 'slide x', driver: { bone: 'hip' }, map: (x) => [x, 1, 0] }] },
      'options.couplings',
    ],
    [{ tasks: [{ bone: 'foot', weight: 1 }] }, 'options.tasks[0].coordinate'],
    [{ colour: 1 } as never, 'options.colour'],
  ])('%j is refused', (options, path) => {
    expect(() => createMarkerTracker(figure, markers, options)).toThrow(expect.objectContaining({ path }));
  });

  it('observability is refused', () => {
    const tracker = createMarkerTracker(figure, markers);
    expect(() => computeObservability(tracker, createPose(figure))).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    );
  });
});
