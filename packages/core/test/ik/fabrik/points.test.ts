import * as fc from 'fast-check';
import { createPointFabrik, type PointChainData, solvePointFabrik } from 'poise/ik';
import { quat, vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { randomQuat, randomTriple, testRandom } from '../../support/random-figure.js';
import { gap, largest } from './support.js';

function straight(count: number, length = 1): PointChainData {
  return {
    positions: Array.from({ length: 3 * (count + 1) }, (_, i) =>
      i % 3 === 1 ? length * Math.floor(i / 3) : 0,
    ),
    parents: Array.from({ length: count + 1 }, (_, k) => k - 1),
  };
}

/** Largest change of a bone's length against the start. */
function stretch({ positions, parents }: PointChainData, moved: Float64Array): number {
  const length = (p: ArrayLike<number>, i: number, j: number): number =>
    Math.hypot(p[3 * i] - p[3 * j], p[3 * i + 1] - p[3 * j + 1], p[3 * i + 2] - p[3 * j + 2]);
  return largest(
    Array.from(parents, (parent, k) =>
      parent < 0 ? 0 : length(moved, k, parent) - length(positions, k, parent),
    ),
  );
}

const run = (
  data: PointChainData,
  goals: { point: number; target: readonly number[]; weight?: number }[],
  options: object = {},
): { points: Float64Array; result: ReturnType<typeof solvePointFabrik> } => {
  const points = Float64Array.from(Array.from(data.positions));
  return { result: solvePointFabrik(createPointFabrik(data, goals, options), points), points };
};

describe('a chain of points', () => {
  it('two bones obey the law of cosines', () => {
    const random = testRandom(1);
    for (let n = 0; n < 100; n++) {
      const [a, b] = [0.3 + random(), 0.3 + random()];
      const data = { positions: [0, 0, 0, a, 0, 0, a, b, 0], parents: [-1, 0, 1] };
      const d = Math.abs(a - b) + (a + b - Math.abs(a - b)) * (0.05 + 0.9 * random());
      const target = vec3.scale(vec3.normalize(randomTriple(random)), d);
      const { points, result } = run(data, [{ point: 2, target }], { tolerance: 1e-11, maxIterations: 5000 });
      expect(result.status).toBe('converged');
      const elbow = points.subarray(3, 6);
      const along = vec3.dot(elbow, target) / d;
      expect(along).toBeCloseTo((a * a + d * d - b * b) / (2 * d), 8);
      expect(stretch(data, points)).toBeLessThan(1e-14);
    }
  });

  it('out of reach and too near are settled in one step at the exact distance', () => {
    const far = run(straight(5), [{ point: 5, target: [3, 4, 12] }]);
    expect(far.result).toMatchObject({ status: 'out-of-reach', iterations: 1 });
    expect(far.result.residuals[0]).toBeCloseTo(8, 13);
    expect(gap(far.points.subarray(15), vec3.scale([3, 4, 12], 5 / 13))).toBeLessThan(1e-14);
    const data = { positions: [0, 0, 0, 3, 0, 0, 3, 1, 0], parents: [-1, 0, 1] };
    const near = run(data, [{ point: 2, target: [0, 0, 0.5] }]);
    expect(near.result.status).toBe('out-of-reach');
    expect(near.result.residuals[0]).toBeCloseTo(1.5, 14);
  });

  it('straight with the target on its line does not stick, and bends to the side given', () => {
    for (const y of [9.9, 5, 1e-3, 0, -4, -9.9]) {
      const { points, result } = run(straight(10), [{ point: 10, target: [0, y, 0] }], { side: [0, 0, 1] });
      expect(result.status, `${y}`).toBe('converged');
      expect(largest(Array.from(points).filter((_, i) => i % 3 === 0))).toBeLessThan(1e-12);
      expect(stretch(straight(10), points)).toBeLessThan(1e-13);
    }
  });

  it('is equivariant: turned and moved problems have turned and moved answers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (seed) => {
        const random = testRandom(seed);
        const count = 3 + Math.floor(8 * random());
        const parents = Array.from({ length: count }, (_, k) => (k === 0 ? -1 : Math.floor(k * random())));
        const positions = Array.from({ length: count }, () => randomTriple(random));
        const goals = [
          { point: count - 1, target: randomTriple(random) },
          { point: Math.floor(count / 2), target: randomTriple(random) },
        ];
        const turn = randomQuat(random);
        const shift = randomTriple(random, 2);
        const moved = (v: readonly number[]): number[] => vec3.add(quat.rotate(turn, v), shift);
        const options = { side: [1, 0, 0], maxIterations: 5 };
        const here = run({ positions: positions.flat(), parents }, goals, options);
        const there = run(
          { positions: positions.flatMap(moved), parents },
          goals.map(({ point, target }) => ({ point, target: moved(target) })),
          { ...options, side: quat.rotate(turn, [1, 0, 0]) },
        );
        const back = Array.from({ length: count }, (_, k) =>
          moved(Array.from(here.points.subarray(3 * k, 3 * k + 3))),
        );
        expect(gap(there.points, back.flat())).toBeLessThan(1e-9);
      }),
    );
  });
});

describe('trees and loops of points', () => {
  const tree: PointChainData = {
    // A trunk of two, a fork, two arms of two.
    positions: [0, 0, 0, 0, 1, 0, 0, 2, 0, -1, 2, 0, -2, 2, 0, 1, 2, 0, 2, 2, 0],
    parents: [-1, 0, 1, 2, 3, 2, 5],
  };

  it('two ends meet two targets through a sub-base at the centroid', () => {
    const { points, result } = run(tree, [
      { point: 4, target: [-1.2, 2.9, 0.4] },
      { point: 6, target: [1.5, 1.6, 0.8] },
    ]);
    expect(result.status).toBe('converged');
    expect(gap(points.subarray(12, 15), [-1.2, 2.9, 0.4])).toBeLessThan(1e-4);
    expect(gap(points.subarray(18, 21), [1.5, 1.6, 0.8])).toBeLessThan(1e-4);
    expect(stretch(tree, points)).toBeLessThan(1e-14);
    expect(Array.from(points.subarray(0, 3))).toEqual([0, 0, 0]);
  });

  it('a free root follows, a fixed one stays', () => {
    const goals = [{ point: 4, target: [-6, 2, 0] }];
    expect(run(tree, goals, { root: 'free' }).result.status).toBe('converged');
    const { points, result } = run(tree, goals);
    expect(result.status).toBe('stalled');
    expect(Array.from(points.subarray(0, 3))).toEqual([0, 0, 0]);
    expect(stretch(tree, points)).toBeLessThan(1e-14);
  });

  it('a ring keeps its closing bone while a corner is dragged', () => {
    const ring: PointChainData = {
      positions: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0],
      parents: [-1, 0, 1, 2],
      links: [{ a: 3, b: 0 }],
    };
    const { points, result } = run(ring, [{ point: 2, target: [0.9, 0.8, 0.5] }], { tolerance: 1e-6 });
    expect(result.status).toBe('converged');
    expect(Math.abs(Math.hypot(...points.subarray(9, 12)) - 1)).toBeLessThan(1e-6);
    expect(stretch(ring, points)).toBeLessThan(1e-14);
  });
});

describe('degenerate points', () => {
  it('coincident points, zero lengths, targets on joints and at 1e100 stay finite with their lengths', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (seed) => {
        const random = testRandom(seed);
        const count = 2 + Math.floor(6 * random());
        const parents = Array.from({ length: count }, (_, k) => (k === 0 ? -1 : Math.floor(k * random())));
        const positions = Array.from({ length: 3 * count }, () =>
          random() < 0.5 ? 0 : Math.round(2 * random()),
        );
        const lengths = parents.map(() => (random() < 0.3 ? 0 : random()));
        const size = random() < 0.1 ? 1e100 : 1;
        const target = random() < 0.3 ? positions.slice(0, 3) : [size, 0, 0];
        const { points, result } = run({ positions, parents, lengths } as PointChainData, [
          { point: Math.floor(count * random()), target },
        ]);
        expect(points.every(Number.isFinite)).toBe(true);
        expect(result.residuals.every(Number.isFinite)).toBe(true);
        parents.forEach((parent, k) => {
          if (parent < 0) return;
          const length = Math.hypot(...[0, 1, 2].map((c) => points[3 * k + c] - points[3 * parent + c]));
          expect(Math.abs(length - lengths[k])).toBeLessThan(1e-12);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('bad data is refused with the place and a remedy', () => {
    const goals = [{ point: 1, target: [1, 1, 1] }];
    const two = straight(1);
    for (const [make, message] of [
      [() => createPointFabrik({ positions: [], parents: [] }, goals), /parents: is empty/],
      [() => createPointFabrik({ positions: [0], parents: [-1] }, goals), /positions: has 1/],
      [() => createPointFabrik({ ...two, parents: [1, -1] }, goals), /parents\[0\]: is 1/],
      [() => createPointFabrik({ ...two, lengths: [0, -1] }, goals), /lengths\[1\]: is -1/],
      [() => createPointFabrik({ ...two, links: [{ a: 0, b: 7 }] }, goals), /links\[0\]\.b: is 7/],
      [() => createPointFabrik(two, []), /goals: is empty/],
      [() => createPointFabrik(two, [{ point: 3, target: [0, 0, 0] }]), /goals\[0\]\.point: is 3/],
      [() => createPointFabrik(two, [{ point: 1, target: [0, Number.NaN, 0] }]), /goals\[0\]\.target\[1\]/],
      [() => createPointFabrik(two, [{ ...goals[0], weight: 0 }]), /goals\[0\]\.weight/],
      [() => createPointFabrik(two, goals, { tolerance: -1 }), /options\.tolerance/],
      [() => createPointFabrik(two, goals, { side: [0, 0, 0] }), /options\.side/],
      [() => createPointFabrik(two, goals, { root: 'x' as 'free' }), /options\.root/],
      [() => createPointFabrik(two, goals, { maxIterations: -1 }), /options\.maxIterations/],
      [() => solvePointFabrik(createPointFabrik(two, goals), new Float64Array(5)), /positions: are no/],
    ] as const) {
      expect(make).toThrow(message);
    }
  });
});
