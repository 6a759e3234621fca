import { createFigure, createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { computeObservability, computeUncertainty, createMarkerTracker, solveMarkers } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { singularValues } from '../../../src/math/linear/svd.js';
import { createRandom, within } from '../../figure/support.js';
import { laboratoryMarkers, measured, normal, positionsOf, smoothClip } from './support.js';

describe('singularValues', () => {
  it('A v = sigma u with v orthonormal and u orthogonal, values decreasing, small ones as precise as large ones', () => {
    const random = createRandom(1);
    const [rows, columns] = [9, 6];
    // A = Q diag(1 .. 1e-12) P by two sets of Householder reflections.
    const sizes = [3, 1, 1e-3, 1e-6, 1e-9, 1e-12];
    const reflect = (n: number): ((x: number[]) => number[]) => {
      const v = Array.from({ length: n }, () => within(random, 1));
      const square = v.reduce((sum, x) => sum + x * x, 0);
      return (x) => {
        const along = (2 * x.reduce((sum, y, k) => sum + y * v[k], 0)) / square;
        return x.map((y, k) => y - along * v[k]);
      };
    };
    const [left, right] = [reflect(rows), reflect(columns)];
    const a = new Float64Array(rows * columns);
    sizes.forEach((size, k) => {
      const u = left(Array.from({ length: rows }, (_, r) => (r === k ? 1 : 0)));
      const v = right(Array.from({ length: columns }, (_, c) => (c === k ? 1 : 0)));
      for (let r = 0; r < rows; r++)
        for (let c = 0; c < columns; c++) a[r * columns + c] += size * u[r] * v[c];
    });
    const { values, directions } = singularValues(a, rows, columns);
    // The entries of A are rounded to 1e-16 of the largest: no value is better known than that.
    sizes.forEach((size, k) => {
      expect(Math.abs(values[k] - size)).toBeLessThan(4e-15);
    });
    for (let p = 0; p < columns; p++) {
      for (let q = 0; q <= p; q++) {
        let dot = 0;
        for (let c = 0; c < columns; c++) dot += directions[p * columns + c] * directions[q * columns + c];
        expect(Math.abs(dot - (p === q ? 1 : 0))).toBeLessThan(1e-14);
      }
      let square = 0;
      for (let r = 0; r < rows; r++) {
        let x = 0;
        for (let c = 0; c < columns; c++) x += a[r * columns + c] * directions[p * columns + c];
        square += x * x;
      }
      expect(Math.abs(Math.sqrt(square) - values[p])).toBeLessThan(4e-15);
    }
  });

  it('zero columns, and a matrix with fewer rows than columns, give zeros at the end', () => {
    const { values } = singularValues(Float64Array.from([3, 0, 4, 0, 0, 0]), 2, 3);
    expect(Array.from(values)).toEqual([5, 0, 0]);
  });
});

describe('computeObservability', () => {
  it('the twist of a straight arm with markers on its axis is unobserved, and observed once the elbow bends', () => {
    const figure = createFigure({
      bones: [
        { name: 'upper', joint: { type: 'ball-and-socket', axis: [1, 0, 0], side: [0, 1, 0] } },
        {
          name: 'lower',
          parent: 'upper',
          rest: { position: [0.3, 0, 0] },
          joint: { type: 'hinge', axis: [0, 0, 1] },
        },
      ],
    });
    const markers = [
      { name: 'elbow', bone: 'lower' },
      { name: 'wrist', bone: 'lower', point: [0.25, 0, 0] as const },
    ];
    const tracker = createMarkerTracker(figure, markers);
    const pose = createPose(figure);
    const at = (q: readonly number[]) => {
      pose.set(q);
      solveMarkers(tracker, positionsOf(figure, markers, Float64Array.from(q)), pose.slice());
      return computeObservability(tracker, pose);
    };
    const straight = at([0.2, 0.1, 0, 0]);
    expect(straight.observed).toBe(3);
    expect(straight.unobserved).toHaveLength(1);
    expect(straight.unobserved[0].coordinates[0]).toMatchObject({ bone: 'upper', coordinate: 2 });
    expect(Math.abs(straight.unobserved[0].coordinates[0].share)).toBeCloseTo(1, 9);
    expect(straight.observedFraction[2]).toBeLessThan(1e-9);
    const bent = at([0.2, 0.1, 0, 0.8]);
    expect(bent.observed).toBe(4);
    expect(bent.unobserved).toEqual([]);
    // Of the twist, the wrist alone tells: its lever is 0.25 sin 0.8.
    expect(bent.singularValues[3]).toBeLessThan(0.25 * Math.sin(0.8));
    expect(bent.singularValues[3]).toBeGreaterThan(0.05);
  });

  it('a missing marker removes its directions; locked coordinates have none', () => {
    const figure = createHumanFigure();
    const tracker = createMarkerTracker(figure, laboratoryMarkers, { locked: ['head'] });
    const random = createRandom(2);
    const [truth] = smoothClip(figure, random, 1);
    const positions = positionsOf(figure, laboratoryMarkers, truth);
    solveMarkers(tracker, positions, truth.slice());
    const all = computeObservability(tracker, truth);
    expect(all.singularValues).toHaveLength(50);
    expect(all.observed).toBe(50);
    positions.fill(
      Number.NaN,
      3 * laboratoryMarkers.findIndex(({ name }) => name === 'LTOE'),
      3 * laboratoryMarkers.findIndex(({ name }) => name === 'LTOE') + 3,
    );
    solveMarkers(tracker, positions, truth.slice());
    const some = computeObservability(tracker, truth);
    expect(some.observed).toBe(49);
    expect(some.unobserved[0].coordinates).toEqual([
      {
        bone: 'leftToes',
        coordinate: 0,
        share: expect.closeTo(some.unobserved[0].coordinates[0].share > 0 ? 1 : -1, 9),
      },
    ]);
  });

  it('refuses a floor or a sigma that is not positive', () => {
    const figure = createHumanFigure();
    const tracker = createMarkerTracker(figure, laboratoryMarkers);
    const pose = createPose(figure);
    expect(() => computeObservability(tracker, pose, 0)).toThrow(/floor/);
    expect(() => computeUncertainty(tracker, pose, Number.NaN)).toThrow(/sigma/);
  });
});

describe('computeUncertainty', () => {
  it('is the inverse information, in closed form for one hinge: sigma / (radius sqrt(weight))', () => {
    const figure = createFigure({ bones: [{ name: 'arm', joint: { type: 'hinge', axis: [0, 0, 1] } }] });
    const tracker = createMarkerTracker(figure, [{ name: 'm', bone: 'arm', point: [0.4, 0, 0], weight: 4 }]);
    const pose = createPose(figure);
    solveMarkers(tracker, [0.4, 0, 0], pose);
    const { standardDeviations } = computeUncertainty(tracker, pose, 0.01);
    expect(standardDeviations[0]).toBeCloseTo(0.01 / (0.4 * 2), 12);
  });

  it('is infinite for unobserved coordinates, and zero normal to an active limit', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'arm',
          joint: { type: 'hinge', axis: [0, 0, 1] },
          limit: { type: 'interval', min: -1, max: 0.5 },
        },
        {
          name: 'hand',
          parent: 'arm',
          rest: { position: [0.4, 0, 0] },
          joint: { type: 'hinge', axis: [0, 0, 1] },
        },
      ],
    });
    const tracker = createMarkerTracker(figure, [{ name: 'm', bone: 'arm', point: [0.4, 0, 0] }]);
    const pose = createPose(figure);
    expect(solveMarkers(tracker, [0, 1, 0], pose).status).toBe('limit-blocked');
    const { standardDeviations } = computeUncertainty(tracker, pose, 0.01);
    expect(standardDeviations[0]).toBe(0);
    expect(standardDeviations[1]).toBe(Number.POSITIVE_INFINITY);
  });

  it("of a coupled coordinate is its driver's times the derivative of the map, as samples confirm; of a locked one zero", () => {
    const figure = createFigure({
      bones: [
        { name: 'cart', joint: { type: 'slider', axis: [0, 0, 1] } },
        { name: 'slide', parent: 'cart', joint: { type: 'slider', axis: [1, 0, 0] } },
        { name: 'shank', parent: 'slide', joint: { type: 'hinge', axis: [0, 0, 1] } },
      ],
    });
    const markers = [{ name: 'm', bone: 'shank', point: [0, -0.5, 0] as const }];
    const map = (x: number) => [0.3 * Math.sin(x), 0.3 * Math.cos(x), -0.3 * Math.sin(x)] as const;
    const tracker = createMarkerTracker(figure, markers, {
      locked: ['cart'],
      couplings: [{ bone: 'slide', driver: { bone: 'shank' }, map }],
    });
    const truth = Float64Array.of(0, map(0.7)[0], 0.7);
    const exact = positionsOf(figure, markers, truth);
    const random = createRandom(8);
    const [sigma, draws] = [1e-3, 400];
    const squares = [0, 0, 0];
    for (let n = 0; n < draws; n++) {
      const pose = truth.slice();
      solveMarkers(
        tracker,
        exact.map((x) => x + sigma * normal(random)),
        pose,
      );
      for (let i = 0; i < 3; i++) squares[i] += (pose[i] - truth[i]) ** 2 / draws;
    }
    solveMarkers(tracker, exact, truth.slice());
    const { standardDeviations: sd, covariance } = computeUncertainty(tracker, truth, sigma);
    // The marker moves by 0.5 + 0.3 cos q across the shank and 0.3 cos q' share along it: |dx/dq|^2 in closed form.
    const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
    const speed = Math.hypot(0.5 * c + 0.3 * c, 0.5 * s);
    expect(sd[2]).toBeCloseTo(sigma / speed, 9);
    expect(sd[1]).toBeCloseTo((0.3 * c * sigma) / speed, 9);
    expect(sd[0]).toBe(0);
    for (const i of [1, 2]) expect(Math.abs(Math.sqrt(squares[i]) / sd[i] - 1)).toBeLessThan(0.14);
    expect(covariance[3 * 1 + 2]).toBeCloseTo(sd[1] * sd[2], 15);
    expect(covariance[3 * 2 + 1]).toBe(covariance[3 * 1 + 2]);
    const { observedFraction } = computeObservability(tracker, truth);
    expect(Array.from(observedFraction)).toEqual([0, expect.closeTo(1, 12), expect.closeTo(1, 12)]);
    // If the driver is unobserved, so is its coupled coordinate.
    solveMarkers(tracker, [Number.NaN, 0, 0], truth.slice());
    expect(Array.from(computeUncertainty(tracker, truth, sigma).standardDeviations)).toEqual([
      0,
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
  });

  it('is the standard deviation of 400 noise samples within 10 %', () => {
    const figure = createFigure({
      bones: [
        { name: 'a', joint: { type: 'ball' } },
        {
          name: 'b',
          parent: 'a',
          rest: { position: [0.3, 0, 0] },
          joint: { type: 'swing', axis: [1, 0, 0] },
        },
      ],
    });
    const random = createRandom(7);
    const markers = ['a', 'b'].flatMap((bone) =>
      [0, 1, 2].map((k) => ({
        name: `${bone}${k}`,
        bone,
        point: [0.1 + 0.1 * k, within(random, 0.2), within(random, 0.2)] as const,
        weight: k === 0 ? 4 : 1,
      })),
    );
    const tracker = createMarkerTracker(figure, markers);
    const truth = Float64Array.from([0.3, -0.4, 0.9, 0.5, -0.2]);
    const exact = positionsOf(figure, markers, truth);
    const sigma = 1e-3;
    const squares = new Float64Array(5);
    const draws = 400;
    for (let n = 0; n < draws; n++) {
      const noisy = exact.map(
        (x, k) => x + (sigma * normal(random)) / Math.sqrt(markers[Math.floor(k / 3)].weight),
      );
      const pose = truth.slice();
      solveMarkers(tracker, noisy, pose);
      for (let i = 0; i < 5; i++) squares[i] += (pose[i] - truth[i]) ** 2 / draws;
    }
    solveMarkers(tracker, measured(exact, random, 0), truth.slice());
    const { standardDeviations, covariance } = computeUncertainty(tracker, truth, sigma);
    for (let i = 0; i < 5; i++) {
      // The spread of a root mean square of 400 draws is 1 / sqrt(800) = 3.5 %.
      expect(Math.abs(Math.sqrt(squares[i]) / standardDeviations[i] - 1)).toBeLessThan(0.14);
      expect(covariance[6 * i]).toBeCloseTo(standardDeviations[i] ** 2, 15);
    }
  });
});
