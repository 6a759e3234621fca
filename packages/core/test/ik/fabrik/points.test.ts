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

  it('is solved in closed form for targets out of reach and too near', () => {
    const far = run(straight(5), [{ point: 5, target: [3, 4, 12] }]);
    expect(far.result).toMatchObject({ status: 'out-of-reach', iterations: 1 });
    expect(far.result.residuals[0]).toBeCloseTo(8, 13);
    expect(gap(far.points.subarray(15), vec3.scale([3, 4, 12], 5 / 13))).toBeLessThan(1e-14);
    const data = { positions: [0, 0, 0, 3, 0, 0, 3, 1, 0], parents: [-1, 0, 1] };
    const near = run(data, [{ point: 2, target: [0, 0, 0.5] }]);
    expect(near.result.status).toBe('out-of-reach');
    expect(near.result.residuals[0]).toBeCloseTo(1.5, 14);
  });

  it('straight, with the target on its line, bends towards bendDirection', () => {
    for (const y of [9.9, 5, 1e-3, 0, -4, -9.9]) {
      const { points, result } = run(straight(10), [{ point: 10, target: [0, y, 0] }], {
        bendDirection: [0, 0, 1],
      });
      expect(result.status, `${y}`).toBe('converged');
      expect(largest(Array.from(points).filter((_, i) => i % 3 === 0))).toBeLessThan(1e-12);
      expect(stretch(straight(10), points)).toBeLessThan(1e-13);
    }
  });

  it('is equivariant under rigid motions', () => {
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
        const rotation = randomQuat(random);
        const shift = randomTriple(random, 2);
        const moved = (v: readonly number[]): number[] => vec3.add(quat.rotate(rotation, v), shift);
        const options = { bendDirection: [1, 0, 0], maxIterations: 5 };
        const here = run({ positions: positions.flat(), parents }, goals, options);
        const there = run(
          { positions: positions.flatMap(moved), parents },
          goals.map(({ point, target }) => ({ point, target: moved(target) })),
          { ...options, bendDirection: quat.rotate(rotation, [1, 0, 0]) },
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
    // In one step, as a chain alone; the other arm hangs on it as it did.
    expect(result).toMatchObject({ status: 'out-of-reach', iterations: 1 });
    expect(result.residuals[0]).toBeCloseTo(Math.sqrt(40) - 4, 13);
    expect(gap(points.subarray(15, 18), vec3.add(points.subarray(6, 9), [1, 0, 0]))).toBeLessThan(1e-14);
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

describe('straight chains within a tree, targets on their own line', () => {
  const up = (count: number, from: readonly number[] = [0, 0, 0], dy = 1): number[] =>
    Array.from({ length: count }, (_, k) => [from[0], from[1] + dy * (k + 1), from[2]]).flat();
  const trees: readonly (readonly [
    string,
    PointChainData,
    { point: number; target: number[]; weight?: number }[],
  ])[] = [
    [
      'a chain with a branch without goals',
      { positions: [0, 0, 0, ...up(4), 1, 2, 0], parents: [-1, 0, 1, 2, 3, 2] },
      [{ point: 4, target: [0, 2.5, 0] }],
    ],
    [
      'a chain beside another root',
      { positions: [0, 0, 0, ...up(4), 5, 0, 0, 6, 0, 0], parents: [-1, 0, 1, 2, 3, -1, 5] },
      [{ point: 4, target: [0, -1.5, 0] }],
    ],
    [
      'an arm collinear with the trunk, the other arm at its goal',
      { positions: [0, 0, 0, ...up(5), 1, 2, 0], parents: [-1, 0, 1, 2, 3, 4, 2] },
      [
        { point: 5, target: [0, 3.5, 0] },
        { point: 6, target: [1, 2, 0] },
      ],
    ],
    [
      'a trunk below two arms with symmetric targets',
      {
        positions: [
          0,
          0,
          0,
          ...up(3),
          ...[1, 2].flatMap((x) => [x, 3, 0]),
          ...[-1, -2].flatMap((x) => [x, 3, 0]),
        ],
        parents: [-1, 0, 1, 2, 3, 4, 3, 6],
      },
      [
        { point: 5, target: [1.5, 1, 0] },
        { point: 7, target: [-1.5, 1, 0] },
      ],
    ],
    [
      'a goal half way and one at the end, on one line',
      { positions: [0, 0, 0, ...up(6)], parents: [-1, 0, 1, 2, 3, 4, 5] },
      [
        { point: 3, target: [0, 2, 0] },
        { point: 6, target: [0, 3.5, 0] },
      ],
    ],
  ];
  for (const [title, data, goals] of trees) {
    it(`${title}: bends towards bendDirection`, () => {
      const { points, result } = run(data, goals, { bendDirection: [0, 0, 1] });
      expect(result.status).toBe('converged');
      for (const { point, target } of goals) {
        expect(gap(points.subarray(3 * point, 3 * point + 3), target)).toBeLessThan(1e-4);
      }
      expect(stretch(data, points)).toBeLessThan(1e-13);
      expect(largest(Array.from(points).filter((_, i) => i % 3 === 2))).toBeGreaterThan(0.1);
    });
  }
});

describe('conflicting goals', () => {
  type Goals = { point: number; target: readonly number[]; weight: number }[];

  it('on one point meet at the mean by weight, and weights are read at each solve', () => {
    const data = straight(4);
    const goals: Goals = [
      { point: 4, target: [1, 1, 0], weight: 3 },
      { point: 4, target: [1, 2, 0.4], weight: 1 },
    ];
    const fabrik = createPointFabrik(data, goals);
    for (const [a, b] of [
      [3, 1],
      [1, 3],
      [1, 1e-6],
      [2, 50],
    ]) {
      goals[0].weight = a;
      goals[1].weight = b;
      const points = Float64Array.from(data.positions);
      const result = solvePointFabrik(fabrik, points);
      const mean = [0, 1, 2].map((c) => (a * goals[0].target[c] + b * goals[1].target[c]) / (a + b));
      expect(gap(points.subarray(12), mean), `${a} ${b}`).toBeLessThan(1e-9);
      expect(result.status).toBe('out-of-reach');
    }
  });

  /** f by the definition, at bones turned from where they stand: `turns` has a rotation vector for each point's bone. */
  const objective = (
    { parents }: PointChainData,
    goals: Goals,
    points: Float64Array,
    bone: number,
    rotation: readonly number[],
  ): number => {
    const at: number[][] = [];
    const size = Math.hypot(...rotation);
    const q = size > 0 ? quat.fromAxisAngle(vec3.scale(rotation, 1 / size), size) : [0, 0, 0, 1];
    Array.from(parents).forEach((parent, p) => {
      const own = Array.from(points.subarray(3 * p, 3 * p + 3));
      if (parent < 0) at.push(own);
      else {
        const direction = vec3.subtract(own, points.subarray(3 * parent, 3 * parent + 3));
        at.push(vec3.add(at[parent], p === bone ? quat.rotate(q, direction) : direction));
      }
    });
    return goals.reduce(
      (sum, { point, target, weight }) => sum + 0.5 * weight * vec3.distance(at[point], target) ** 2,
      0,
    );
  };

  it('end at a stationary f on random trees, and a larger weight brings a goal nearer', () => {
    const random = testRandom(77);
    let apart = 0;
    let proved = 0;
    for (let n = 0; n < 80; n++) {
      const count = 4 + Math.floor(6 * random());
      const parents = Array.from({ length: count }, (_, k) =>
        k === 0 ? -1 : Math.max(0, k - 1 - Math.floor(2 * random())),
      );
      const positions = Array.from({ length: count }, () => randomTriple(random)).flat();
      const data = { positions, parents };
      const goals: Goals = [count - 1, count - 2, count - 3].map((point) => ({
        point,
        target: randomTriple(random, 2),
        weight: 10 ** (2 * random() - 1),
      }));
      const { points, result } = run(data, goals, { maxIterations: 3000 });
      expect(stretch(data, points)).toBeLessThan(1e-13);
      if (result.status === 'converged') continue;
      apart++;
      if (result.status !== 'out-of-reach') continue;
      proved++;
      const heaviest = Math.max(...goals.map(({ weight }) => weight));
      for (let p = 1; p < count; p++) {
        for (let c = 0; c < 3; c++) {
          const at = (h: number): number =>
            objective(
              data,
              goals,
              points,
              p,
              [0, 1, 2].map((k) => (k === c ? h : 0)),
            );
          const slope = (4 * (at(1e-4) - at(-1e-4)) - 0.5 * (at(2e-4) - at(-2e-4))) / 6e-4;
          expect(Math.abs(slope) / heaviest).toBeLessThan(1e-7);
        }
      }
      const heavier = goals.map((goal, g) => (g === 0 ? { ...goal, weight: 3 * goal.weight } : goal));
      const again = Float64Array.from(points);
      const { residuals } = solvePointFabrik(
        createPointFabrik(data, heavier, { maxIterations: 3000 }),
        again,
      );
      // From the least of one weight to that of a larger: never farther, and nearer where it is felt.
      expect(residuals[0]).toBeLessThan(result.residuals[0] + 1e-9);
    }
    expect(apart).toBeGreaterThan(50);
    expect(proved).toBeGreaterThan(0.95 * apart);
  });

  it('a loop and a goal are balanced by their weights', () => {
    // A bar of length 1 from a fixed root, and a loop of length 1 that a goal at 3 pulls open.
    const data: PointChainData = {
      positions: [0, 0, 0, 1, 0, 0, 0, 1, 0],
      parents: [-1, 0, -1],
      lengths: [0, 1, 0],
      links: [{ a: 1, b: 2, length: 1 }],
    };
    const { points, result } = run(data, [{ point: 2, target: [3, 0, 0], weight: 1 }], {
      root: 'free',
      maxIterations: 3000,
    });
    // Both roots are free: everything can be met.
    expect(result.status).toBe('converged');
    expect(gap(points.subarray(6), [3, 0, 0])).toBeLessThan(1e-4);
    for (const weight of [0.2, 1, 5]) {
      const chain: PointChainData = { ...data, positions: [0, 0, 0, 1, 0, 0, 2, 0, 0], parents: [-1, 0, 1] };
      const pulled = run(
        { ...chain, lengths: [0, 1, 1], links: [{ a: 2, b: 0, length: 1 }] },
        [{ point: 2, target: [3, 0, 0], weight }],
        { maxIterations: 3000 },
      );
      // The end at x <= 2 from the root: f = weight (3 - x)^2 / 2 + (x - 1)^2 / 2 is least at x = (3 weight + 1) / (weight + 1).
      const x = Math.min(2, (3 * weight + 1) / (weight + 1));
      expect(Math.hypot(...pulled.points.subarray(6))).toBeCloseTo(x, 8);
      expect(pulled.result.status).toBe('out-of-reach');
    }
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

  it('invalid data is refused with path and remedy', () => {
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
      [() => createPointFabrik(two, goals, { bendDirection: [0, 0, 0] }), /options\.bendDirection/],
      [() => createPointFabrik(two, goals, { root: 'x' as 'free' }), /options\.root/],
      [() => createPointFabrik(two, goals, { maxIterations: -1 }), /options\.maxIterations/],
      [() => solvePointFabrik(createPointFabrik(two, goals), new Float64Array(5)), /positions: are not a/],
    ] as const) {
      expect(make).toThrow(message);
    }
  });
});
