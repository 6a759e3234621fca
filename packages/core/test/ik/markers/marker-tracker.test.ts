import { createFigure, createPose, limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import {
  createLandmarkFit,
  createMarkerTracker,
  initializeMarkers,
  type Marker,
  solveMarkers,
} from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../figure/support.js';
import { laboratoryMarkers, measured, normal, positionsOf, smoothClip } from './support.js';

const figure = createHumanFigure();

function caught(run: () => unknown): { code: string; path: string; remedy: string; name: string } {
  try {
    run();
  } catch (error) {
    const { code, path, remedy, name } = error as {
      code: string;
      path: string;
      remedy: string;
      name: string;
    };
    return { code, path, remedy, name };
  }
  throw new Error('nothing was thrown');
}

describe('solveMarkers', () => {
  it('gives the same bits for the same input', () => {
    const run = (): number[] => {
      const random = createRandom(3);
      const tracker = createMarkerTracker(figure, laboratoryMarkers, {
        loss: { type: 'huber', scale: 0.03 },
      });
      const pose = createPose(figure);
      return smoothClip(figure, random, 6).flatMap((truth, f) => {
        const positions = measured(positionsOf(figure, laboratoryMarkers, truth), random, 0.01, 0.1);
        const result = (f === 0 ? initializeMarkers : solveMarkers)(tracker, positions, pose);
        return [...pose, result.objective, result.stationarity, result.iterations];
      });
    };
    expect(run()).toEqual(run());
  });

  it('never increases f, from any feasible start', () => {
    const random = createRandom(4);
    const tracker = createMarkerTracker(figure, laboratoryMarkers);
    for (let n = 0; n < 12; n++) {
      const [truth, start] = smoothClip(figure, random, 2, {
        share: 0.9,
        rotation: [random(), 3 * random(), 0],
      });
      const positions = measured(positionsOf(figure, laboratoryMarkers, truth), random, 0.01);
      const before = positionsOf(figure, laboratoryMarkers, start).reduce(
        (sum, x, k) => sum + (x - positions[k]) ** 2,
        0,
      );
      const pose = start.slice();
      const result = solveMarkers(tracker, positions, pose);
      expect(result.rms ** 2 * 31).toBeLessThanOrEqual(before * (1 + 1e-9));
      expect(result.stationarity).toBeLessThan(1e-8);
      expect(limitViolation(figure, pose)).toBe(0);
    }
  });

  it('an active limit is reported with a positive multiplier, and the pose is on its boundary', () => {
    const hinge = createFigure({
      bones: [
        {
          name: 'arm',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -1, max: 0.5 },
        },
      ],
    });
    const tracker = createMarkerTracker(hinge, [{ name: 'tip', bone: 'arm', point: [1, 0, 0] }]);
    const pose = createPose(hinge);
    const result = solveMarkers(tracker, [0, 1, 0], pose);
    expect(result.status).toBe('limit-blocked');
    expect(pose[0]).toBe(0.5);
    // f = 1/2 |x - y|^2 over reach 1: df/dq = -y.x' = -cos q at y = (0, 1).
    expect(result.activeLimits).toEqual([
      { bone: 'arm', role: 'angle', coordinate: 0, multiplier: expect.closeTo(Math.cos(0.5), 12) },
    ]);
    expect(result.worst).toBe('tip');
    expect(result.max).toBeCloseTo(2 * Math.sin((Math.PI / 2 - 0.5) / 2), 12);
  });

  it('outliers that affect a squared loss affect Huber less, and Geman-McClure not at all', () => {
    const random = createRandom(6);
    const [truth] = smoothClip(figure, random, 1);
    const positions = positionsOf(figure, laboratoryMarkers, truth);
    for (const m of [4, 15, 28]) positions[3 * m] += 0.8;
    const errorOf = (loss: 'squared' | 'huber' | 'geman-mcclure'): number => {
      const tracker = createMarkerTracker(figure, laboratoryMarkers, {
        loss: loss === 'squared' ? { type: loss } : { type: loss, scale: 0.02 },
      });
      const pose = createPose(figure);
      const result = initializeMarkers(tracker, positions, pose);
      expect(result.stationarity).toBeLessThan(1e-8);
      return Math.max(
        ...positionsOf(figure, laboratoryMarkers, pose).map((x, k) =>
          [4, 15, 28].includes(Math.floor(k / 3)) ? 0 : Math.abs(x - positions[k]),
        ),
      );
    };
    const [squared, huber, geman] = (['squared', 'huber', 'geman-mcclure'] as const).map(errorOf);
    expect(squared).toBeGreaterThan(0.05);
    expect(huber).toBeLessThan(squared / 3);
    expect(geman).toBeLessThan(1e-3);
  });

  it('a coordinate task is weighted against a marker as the normal equation states', () => {
    const slider = createFigure({ bones: [{ name: 'cart', joint: { type: 'slider', axis: [1, 0, 0] } }] });
    const tracker = createMarkerTracker(slider, [{ name: 'm', bone: 'cart', point: [0, 0, 0], weight: 3 }], {
      tasks: [{ bone: 'cart', target: 2, weight: 1 }],
    });
    const pose = createPose(slider);
    solveMarkers(tracker, [1, 0, 0], pose);
    // 3 (q - 1) + 1 (q - 2) = 0
    expect(pose[0]).toBeCloseTo(5 / 4, 12);
  });

  it('a coupled slider follows its hinge, and the result is stationary in the hinge (finite differences)', () => {
    const knee = createFigure({
      bones: [
        { name: 'slide', joint: { type: 'slider', axis: [1, 0, 0] } },
        { name: 'shank', parent: 'slide', joint: { type: 'hinge', axis: [0, 0, 1] } },
      ],
    });
    const map = (x: number) => [0.2 * Math.sin(x), 0.2 * Math.cos(x), -0.2 * Math.sin(x)] as const;
    const tracker = createMarkerTracker(knee, [{ name: 'm', bone: 'shank', point: [0, -0.5, 0] }], {
      couplings: [{ bone: 'slide', driver: { bone: 'shank' }, map }],
    });
    const pose = createPose(knee);
    const result = solveMarkers(tracker, [0.4, -0.5, 0], pose);
    expect(result.stationarity).toBeLessThan(1e-8);
    expect(pose[0]).toBe(map(pose[1])[0]);
    const square = (q: number): number =>
      (0.2 * Math.sin(q) + 0.5 * Math.sin(q) - 0.4) ** 2 + (-0.5 * Math.cos(q) + 0.5) ** 2;
    for (const h of [1e-3, -1e-3]) expect(square(pose[1] + h)).toBeGreaterThan(square(pose[1]));
  });

  it('a coupling whose map returns no numbers is refused by name, the pose is unchanged, and the tracker stays usable', () => {
    const knee = createFigure({
      bones: [
        { name: 'slide', joint: { type: 'slider', axis: [1, 0, 0] } },
        { name: 'shank', parent: 'slide', joint: { type: 'hinge', axis: [0, 0, 1] } },
      ],
    });
    const marker = { name: 'm', bone: 'shank', point: [0, -0.5, 0] as const };
    for (const bad of [[Number.NaN, 0, 0], [0, Number.POSITIVE_INFINITY, 0], [0, 0], 3, undefined]) {
      let isBad = true;
      const tracker = createMarkerTracker(knee, [marker], {
        loss: { type: 'geman-mcclure', scale: 1 },
        couplings: [
          {
            bone: 'slide',
            driver: { bone: 'shank' },
            // Good at the start, bad on the way.
            map: (x) => (isBad && x > 0.05 ? (bad as never) : [0.2 * x, 0.2, 0]),
          },
        ],
      });
      for (const run of [solveMarkers, initializeMarkers]) {
        isBad = true;
        const pose = createPose(knee);
        expect(caught(() => run(tracker, [0.4, -0.4, 0], pose))).toMatchObject({
          name: 'GoalError',
          code: 'not-finite',
          path: 'options.couplings[0].map',
        });
        expect(pose.every(Number.isFinite)).toBe(true);
        // initializeMarkers begins with another loss: it must not stay.
        expect(tracker.problem.loss.type).toBe('geman-mcclure');
        isBad = false;
        expect(run(tracker, [0.4, -0.4, 0], pose).stationarity).toBeLessThan(1e-8);
        expect(pose[0]).toBe(0.2 * pose[1]);
      }
    }
  });

  it('the prior adapts to the noise: in full above its `noise`, by the squared ratio below, zero without noise', () => {
    const [truth, start] = smoothClip(figure, createRandom(10), 2, { share: 0.3 });
    const markers = laboratoryMarkers.filter(({ name }) => name !== 'LTOE');
    const random = createRandom(11);
    const positions = positionsOf(figure, markers, truth);
    const draw = Float64Array.from(positions, () => normal(random));
    const run = (noise: number, meant: number | undefined) => {
      const options = meant === undefined ? {} : { noise: meant };
      const tracker = createMarkerTracker(figure, markers, { prior: 1e-3, ...options });
      const pose = start.slice();
      const frame = positions.map((x, k) => x + noise * draw[k]);
      return { ...solveMarkers(tracker, frame, pose), pose };
    };
    expect(run(0.01, undefined).prior).toBeCloseTo(1e-3, 15);
    expect(run(0.03, 0.01).prior).toBeCloseTo(1e-3, 15);
    // The estimate from 30 markers and a prior within a factor of two of the adapted one: a factor of four in all.
    for (const noise of [0.005, 0.001]) {
      const { prior, stationarity } = run(noise, 0.01);
      expect(prior).toBeGreaterThan(1e-3 * (noise / 0.01) ** 2 * 0.25);
      expect(prior).toBeLessThan(1e-3 * (noise / 0.01) ** 2 * 4);
      expect(stationarity).toBeLessThan(1e-8);
    }
    const exact = run(0, 0.01);
    expect(exact.prior).toBeLessThan(1e-15);
    expect(exact.max).toBeLessThan(1e-8);
    expect(run(0, undefined).max).toBeGreaterThan(1e-4);
    // Unobserved coordinates keep their prior.
    const toes = figure.bones.find(({ name }) => name === 'leftToes')?.coordinate ?? -1;
    expect(Math.abs(exact.pose[toes] - start[toes])).toBeLessThan(1e-9);
  });

  it('the prior counts in full for a frame with no more measurements than coordinates', () => {
    const [truth, start] = smoothClip(figure, createRandom(12), 2, { share: 0.3 });
    const tracker = createMarkerTracker(figure, laboratoryMarkers, { prior: 1e-3, noise: 0.01 });
    const positions = positionsOf(figure, laboratoryMarkers, truth);
    laboratoryMarkers.forEach(({ name }, m) => {
      if (!name.startsWith('LT') && name !== 'LMT5') positions[3 * m] = Number.NaN;
    });
    expect(solveMarkers(tracker, positions, start).prior).toBeCloseTo(1e-3, 15);
  });

  it('locked bones keep their joints; the prior keeps unobserved coordinates unchanged', () => {
    const random = createRandom(9);
    const [truth, start] = smoothClip(figure, random, 2);
    const arms = laboratoryMarkers.filter(({ name }) => name.startsWith('L') || name.startsWith('R'));
    const tracker = createMarkerTracker(figure, arms, { locked: ['leftUpperLeg', 'neck'], prior: 1e-4 });
    const pose = start.slice();
    solveMarkers(tracker, positionsOf(figure, arms, truth), pose);
    for (const bone of figure.bones) {
      if (bone.name !== 'leftUpperLeg' && bone.name !== 'neck') continue;
      for (let i = bone.coordinate; i < bone.coordinate + bone.dof; i++) expect(pose[i]).toBe(start[i]);
    }
    const head = createMarkerTracker(figure, [{ name: 'crown', bone: 'head', point: [0, 0.15, 0] }], {
      prior: 1e-4,
    });
    const still = start.slice();
    solveMarkers(
      head,
      positionsOf(figure, [{ name: 'crown', bone: 'head', point: [0, 0.15, 0] }], start),
      still,
    );
    expect(Array.from(still, (q, i) => Math.abs(q - start[i])).every((d) => d < 1e-12)).toBe(true);
  });
});

describe('initializeMarkers', () => {
  it('finds a figure that faces backwards, lies, or is upside down, from rest', () => {
    for (let n = 0; n < 10; n++) {
      const random = createRandom(100 + n);
      const rotated = [0, 1, 2].map(() => 3 * (2 * random() - 1));
      const [truth] = smoothClip(figure, random, 1, { share: 0.8, rotation: rotated });
      for (let k = 0; k < 3; k++) truth[k] += 10 * random();
      const tracker = createMarkerTracker(figure, laboratoryMarkers);
      const pose = createPose(figure);
      const result = initializeMarkers(tracker, positionsOf(figure, laboratoryMarkers, truth), pose);
      expect(result.status, `turned ${rotated}`).toBe('converged');
      expect(result.max).toBeLessThan(1e-9);
    }
  });
});

describe('initializeMarkers, random starts', () => {
  it('cover the whole limit: a solution four radians away, behind a bound that blocks nearer starts', () => {
    // Seen at 1.9 rad, which is -4.38 too; from anywhere above 1.9 - pi = -1.24 the way down leads to the bound at 1.
    const hinge = createFigure({
      bones: [
        {
          name: 'arm',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -4.5, max: 1 },
        },
      ],
    });
    const tracker = createMarkerTracker(hinge, [{ name: 'tip', bone: 'arm', point: [1, 0, 0] }]);
    const pose = createPose(hinge);
    expect(solveMarkers(tracker, [Math.cos(1.9), Math.sin(1.9), 0], pose).status).toBe('limit-blocked');
    const result = initializeMarkers(tracker, [Math.cos(1.9), Math.sin(1.9), 0], pose);
    expect(result.status).toBe('converged');
    expect(pose[0]).toBeCloseTo(1.9 - 2 * Math.PI, 9);
  });
});

describe('frames with few or no markers', () => {
  const tracker = createMarkerTracker(figure, laboratoryMarkers);
  const nothing = new Float64Array(93).fill(Number.NaN);

  it.each([
    ['every marker is NaN', nothing, undefined],
    ['every confidence is zero', new Float64Array(93), new Float64Array(31)],
  ])('%s: unobserved, the pose stays but for its limits', (_, positions, confidences) => {
    const pose = createPose(figure);
    pose[0] = 1;
    pose[8] = 9;
    for (const run of [solveMarkers, initializeMarkers]) {
      const result = run(tracker, positions, pose, confidences);
      expect(result).toMatchObject({ status: 'unobserved', observed: 0, rms: 0, max: 0, activeLimits: [] });
      expect(result.residuals.every(Number.isNaN)).toBe(true);
      expect(pose[0]).toBe(1);
      expect(limitViolation(figure, pose)).toBe(0);
    }
  });

  it('a single marker is reached, and the rest of the pose stays near', () => {
    const positions = nothing.slice();
    positions.set([0.3, 1, 0.5], 3 * 10);
    const pose = createPose(figure);
    const result = solveMarkers(tracker, positions, pose);
    expect(result).toMatchObject({ status: 'converged', observed: 1 });
    expect(pose.every(Number.isFinite)).toBe(true);
    expect(limitViolation(figure, pose)).toBe(0);
  });

  it('a confidence is a factor of the weight', () => {
    const slider = createFigure({ bones: [{ name: 'cart', joint: { type: 'slider', axis: [1, 0, 0] } }] });
    const pair = createMarkerTracker(
      slider,
      ['a', 'b'].map((name) => ({ name, bone: 'cart' })),
    );
    const pose = createPose(slider);
    solveMarkers(pair, [0, 0, 0, 1, 0, 0], pose, [1, 0.25]);
    expect(pose[0]).toBeCloseTo(0.2, 12);
  });

  it('positions out of range and invalid poses are refused with their path', () => {
    const pose = createPose(figure);
    const at = (positions: ArrayLike<number>) => caught(() => solveMarkers(tracker, positions, pose));
    expect(at(new Float64Array(90))).toMatchObject({
      name: 'GoalError',
      code: 'wrong-size',
      path: 'positions',
    });
    const far = nothing.slice();
    far.set([1, Number.POSITIVE_INFINITY, 2], 3);
    expect(at(far)).toMatchObject({ code: 'out-of-range', path: 'positions[4]' });
    expect(caught(() => solveMarkers(tracker, nothing, pose, new Float64Array(3)))).toMatchObject({
      code: 'wrong-size',
      path: 'confidences',
    });
    const negative = new Float64Array(31).fill(-1);
    expect(caught(() => solveMarkers(tracker, nothing, pose, negative))).toMatchObject({
      code: 'out-of-range',
      path: 'confidences[0]',
    });
    expect(caught(() => solveMarkers(tracker, nothing, new Float64Array(3)))).toMatchObject({
      name: 'FigureError',
    });
    expect(caught(() => solveMarkers(tracker, nothing, [1] as unknown as Float64Array))).toMatchObject({
      code: 'wrong-size',
      path: 'pose',
    });
  });

  it('markers a kilometre away end finite and within the limits', () => {
    const pose = createPose(figure);
    const positions = Float64Array.from({ length: 93 }, (_, k) => (k % 2 === 0 ? 1e3 : -1e3));
    const result = solveMarkers(tracker, positions, pose);
    expect(pose.every(Number.isFinite)).toBe(true);
    expect(Number.isFinite(result.objective)).toBe(true);
    expect(limitViolation(figure, pose)).toBe(0);
  });
});

describe('createMarkerTracker refuses', () => {
  const marker = { name: 'm', bone: 'head' };
  const cases: [string, readonly Marker[], object, object][] = [
    ['no markers', [], {}, { name: 'GoalError', code: 'wrong-size', path: 'markers' }],
    ['a name twice', [marker, marker], {}, { code: 'duplicate-name', path: 'markers[1].name' }],
    [
      'an unknown bone',
      [{ name: 'm', bone: 'haed' }],
      {},
      { code: 'unknown-name', remedy: `Did you mean 'head'?` },
    ],
    [
      'a point of two numbers',
      [{ ...marker, point: [1, 2] }],
      {},
      { code: 'wrong-size', path: 'markers[0].point' },
    ],
    [
      'a point that is NaN',
      [{ ...marker, point: [1, Number.NaN, 2] }],
      {},
      { code: 'not-finite', path: 'markers[0].point[1]' },
    ],
    [
      'a negative weight',
      [{ ...marker, weight: -1 }],
      {},
      { code: 'out-of-range', path: 'markers[0].weight' },
    ],
    [
      'weights that are all zero',
      [{ ...marker, weight: 0 }],
      {},
      { code: 'out-of-range', path: 'markers[].weight' },
    ],
    [
      'an option it does not know',
      [marker],
      { lose: 1 },
      { path: 'options.lose', remedy: `Did you mean 'loss'?` },
    ],
    ['a loss it does not know', [marker], { loss: { type: 'hubber' } }, { remedy: `Did you mean 'huber'?` }],
    [
      'a loss without a scale',
      [marker],
      { loss: { type: 'huber' } },
      { code: 'out-of-range', path: 'options.loss.scale' },
    ],
    [
      'a task on no coordinate',
      [marker],
      { tasks: [{ bone: 'head', coordinate: 3, weight: 1 }] },
      { path: 'options.tasks[0].coordinate' },
    ],
    ['a task without a weight', [marker], { tasks: [{ bone: 'head' }] }, { path: 'options.tasks[0].weight' }],
    [
      'a coupling of a limited coordinate',
      [marker],
      { couplings: [{ bone: 'leftLowerLeg', driver: { bone: 'head' }, map: () => [0, 0, 0] }] },
      { code: 'unsupported', path: 'options.couplings[0]' },
    ],
    ['a noise of nothing', [marker], { noise: 0 }, { code: 'out-of-range', path: 'options.noise' }],
    [
      'a fraction of an iteration',
      [marker],
      { maxIterations: 1.5 },
      { code: 'out-of-range', path: 'options.maxIterations' },
    ],
  ];
  it.each(cases)('%s', (_, markers, options, expected) => {
    expect(caught(() => createMarkerTracker(figure, markers, options))).toMatchObject(expected);
  });

  it('a landmark fit of a figure with mimic joints, with a remedy', () => {
    const mimic = createFigure({
      bones: [
        { name: 'a', joint: { type: 'hinge', axis: [0, 0, 1] } },
        {
          name: 'b',
          parent: 'a',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          mimic: { bone: 'a', polynomial: [0, 1] },
        },
      ],
    });
    const markers = [{ name: 'm', bone: 'b' }];
    expect(caught(() => createLandmarkFit(mimic, { landmarks: markers }))).toMatchObject({
      name: 'FigureError',
      code: 'unsupported',
      path: 'figure',
      remedy: expect.stringContaining('options.couplings'),
    });
  });
});
