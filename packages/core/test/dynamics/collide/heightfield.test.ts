import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Heightfield } from '../../../src/dynamics/collide/index.js';
import * as rigid from '../../../src/math/geometry/rigid-transform.js';
import { createRandom, direction, within } from '../../figure/support.js';
import {
  at,
  type Contact,
  distanceFrom,
  dot,
  minus,
  norm,
  randomFrame,
  type Solid,
  shifted,
  touch,
  type V,
} from './support.js';
import { distanceTo, fieldOf, frameOf, heightAt, nearestOn, triangles } from './support-heightfield.js';

const salts = fc.integer({ min: 0, max: 2 ** 30 });
const CELLS = 7;

/** Hills of up to about 45 degrees, at a random placement. */
function hills(random: () => number, placed = true): Heightfield {
  const frame = placed ? randomFrame(random, 2) : at(0, 0, 0);
  const [x, y, z, w] = rigid.toQuat(frame);
  return fieldOf(CELLS + 1, CELLS, [0.3, 0.4], () => within(random, 0.15), {
    placement: { position: [frame[9], frame[10], frame[11]], rotation: [x, y, z, w] },
  });
}

/** A position over the heightfield, clear of its border, in its own frame. */
function over(random: () => number, field: Heightfield, up: number): V {
  const x = (1 + (CELLS - 2) * random()) * 0.3;
  const z = (1 + (CELLS - 3) * random()) * 0.4;
  return [x, heightAt(field, x, z) + up, z];
}

function inWorld(field: Heightfield, p: V): V {
  return rigid.transformPoint(frameOf(field), p) as unknown as V;
}

function upOf(field: Heightfield): V {
  const frame = frameOf(field);
  return [frame[1], frame[4], frame[7]];
}

function ball(field: Heightfield, center: V, radius: number, reach = 10): Contact[] {
  return touch([{ type: 'sphere', radius }], [at(...center)], reach, [field]);
}

describe('a sphere', () => {
  test('above the surface has the separation of the nearest triangle', () => {
    fc.assert(
      fc.property(salts, fc.double({ min: 1e-6, max: 1, noNaN: true }), (salt, up) => {
        const random = createRandom(salt);
        const field = hills(random);
        const center = inWorld(field, over(random, field, up));
        const all = triangles(field);
        const contacts = ball(field, center, 0.1);
        expect(contacts[0].separation).toBeCloseTo(distanceTo(all, center) - 0.1, 9);
        for (const { pointA, pointB, normal, separation } of contacts) {
          expect(distanceTo(all, pointB)).toBeLessThan(1e-9);
          expect(norm(minus(pointA, center))).toBeCloseTo(0.1, 9);
          expect(dot(normal, minus(center, pointB))).toBeCloseTo(separation + 0.1, 9);
          expect(dot(normal, upOf(field))).toBeGreaterThan(0);
          // Closer than the surrounding surface.
          for (let n = 0; n < 20; n++) {
            const by = direction(random).map((x) => 1e-6 * x);
            const near: V = [pointB[0] + by[0], pointB[1] + by[1], pointB[2] + by[2]];
            const best = Math.min(
              ...all
                .map((triangle) => nearestOn(triangle, near))
                .filter((q) => norm(minus(q, pointB)) < 2e-6)
                .map((q) => norm(minus(q, center))),
            );
            expect(best).toBeGreaterThan(separation + 0.1 - 1e-9);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('below the surface exits at the closest point', () => {
    fc.assert(
      fc.property(salts, fc.double({ min: 1e-6, max: 0.5, noNaN: true }), (salt, depth) => {
        const random = createRandom(salt);
        const field = hills(random);
        const center = inWorld(field, over(random, field, -depth));
        const [only, ...more] = ball(field, center, 0.1, 0);
        expect(more).toEqual([]);
        const all = triangles(field);
        expect(only.separation).toBeCloseTo(-distanceTo(all, center) - 0.1, 9);
        expect(distanceTo(all, only.pointB)).toBeLessThan(1e-9);
        expect(dot(only.normal, upOf(field))).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });

  test('exits upward from any depth', () => {
    fc.assert(
      fc.property(salts, fc.double({ min: 0, max: 4, noNaN: true }), (salt, power) => {
        const random = createRandom(salt);
        const field = hills(random);
        const depth = 10 ** power;
        const [only] = ball(field, inWorld(field, over(random, field, -depth)), 0.1, 0);
        expect(dot(only.normal, upOf(field))).toBeGreaterThan(0.04);
        expect(only.separation).toBeLessThan(-0.04 * depth);
        expect(norm(only.normal)).toBeCloseTo(1, 12);
      }),
    );
  });

  test('changes its separation by no more than its displacement, also through the surface', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const random = createRandom(salt);
        const field = hills(random);
        const place = over(random, field, within(random, 0.2));
        const size = 10 ** -(6 * random());
        const by = direction(random).map((x) => 0.1 * x * size) as unknown as V;
        const center = inWorld(field, place);
        const before = ball(field, center, 0.1)[0].separation;
        const after = ball(field, [center[0] + by[0], center[1] + by[1], center[2] + by[2]], 0.1)[0]
          .separation;
        expect(Math.abs(after - before)).toBeLessThanOrEqual(0.1 * size + 1e-12);
      }),
    );
  });

  test('in a trough touches both faces, on a ridge the edge', () => {
    // A trough along z, and its opposite.
    const trough = fieldOf(5, 4, [1, 1], (i) => Math.abs(i - 2));
    const inside = ball(trough, [2, 0.5, 1.3], 0.4, 0.1);
    expect(inside).toHaveLength(2);
    expect(inside.map(({ normal }) => normal[0]).sort((p, q) => p - q)).toEqual([
      expect.closeTo(-Math.SQRT1_2, 12),
      expect.closeTo(Math.SQRT1_2, 12),
    ]);
    const roof = fieldOf(5, 4, [1, 1], (i) => -Math.abs(i - 2));
    const [only, ...more] = ball(roof, [2.1, 0.4, 1.3], 0.4, 0.1);
    expect(more).toEqual([]);
    expect(only.pointB).toEqual([2, 0, expect.closeTo(1.3, 12)]);
    expect(only.separation).toBeCloseTo(Math.hypot(0.1, 0.4) - 0.4, 12);
  });

  test('has no contact beyond the border, above or below', () => {
    const field = fieldOf(3, 3, [1, 1], () => 0);
    for (const x of [-0.2, 2.2]) {
      expect(ball(field, [x, -0.05, 1], 0.1)).toEqual([]);
      expect(ball(field, [x, -5, 1], 0.1)).toEqual([]);
    }
    expect(ball(field, [-0.05, 0.05, 1], 0.1)[0].separation).toBeCloseTo(Math.hypot(0.05, 0.05) - 0.1, 12);
  });
});

test('a shape below the surface near the border exits upward, not through the border', () => {
  const floor = fieldOf(5, 5, [1, 1], () => 0);
  for (const shape of [
    { type: 'sphere', radius: 0.1 },
    { type: 'capsule', from: [0, 0, -0.3], to: [0, 0, 0.3], radius: 0.1 },
    { type: 'box', halfSizes: [0.1, 0.1, 0.1] },
  ] as const) {
    for (const [x, y, z] of [
      [0.15, -1, 0.5],
      [3.8, -0.4, 3.5],
      [2, -2, 3.85],
    ]) {
      const contacts = touch([shape], [at(x, y, z)], 0, [floor]);
      expect(contacts.length).toBeGreaterThan(0);
      for (const { normal } of contacts) expect(normal).toEqual([0, 1, 0]);
    }
  }
});

describe('sliding over a flat floor of triangles', () => {
  const floor = fieldOf(9, 9, [0.25, 0.25], () => 0.1);
  const shapes: readonly (readonly [string, Solid, number])[] = [
    ['a sphere', { type: 'sphere', radius: 0.1 }, 1],
    ['a capsule', { type: 'capsule', from: [-0.3, 0, 0.1], to: [0.3, 0, -0.1], radius: 0.1 }, 2],
    ['a box', { type: 'box', halfSizes: [0.3, 0.1, 0.2] }, 4],
  ];

  test.each(shapes)('%s has no ghost collisions with edges', (_, shape, count) => {
    for (const sink of [-0.01, 0, 0.01]) {
      for (let step = 0; step <= 80; step++) {
        // Across, along and on the edges and vertices.
        const x = 0.5 + 0.0125 * step;
        for (const z of [0.75, 0.9, 0.5 + 0.0125 * step]) {
          const contacts = touch([shape], [at(x, 0.2 + sink, z)], 0.05, [floor]);
          expect(contacts).toHaveLength(count);
          for (const { normal, separation } of contacts) {
            expect(norm(minus(normal, [0, 1, 0]))).toBeLessThan(1e-9);
            expect(separation).toBeCloseTo(sink, 10);
          }
        }
      }
    }
  });

  test('a sphere on a tilted floor has the floor normal only', () => {
    const slope = fieldOf(9, 9, [0.25, 0.25], (i, j) => 0.1 * i + 0.05 * j);
    const n = norm([0.4, 1, 0.2]);
    for (let step = 0; step <= 80; step++) {
      const x = 0.5 + 0.0125 * step;
      const contacts = ball(slope, [x, 0.4 * x + 0.2 * 1 + 0.1 * n, 1], 0.1, 0.05);
      expect(contacts).toHaveLength(1);
      expect(norm(minus(contacts[0].normal, [-0.4 / n, 1 / n, -0.2 / n]))).toBeLessThan(1e-9);
      expect(contacts[0].separation).toBeCloseTo(0, 10);
    }
  });
});

/** Smallest distance of samples of the segment from the triangles. */
function sampled(field: Heightfield, from: V, to: V, count: number): number {
  const all = triangles(field);
  let min = Number.POSITIVE_INFINITY;
  for (let n = 0; n <= count; n++) {
    const t = n / count;
    const p: V = [
      from[0] + t * (to[0] - from[0]),
      from[1] + t * (to[1] - from[1]),
      from[2] + t * (to[2] - from[2]),
    ];
    min = Math.min(min, distanceTo(all, p));
  }
  return min;
}

describe('a capsule', () => {
  test('with its axis above the surface has the separation of its closest point', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const random = createRandom(salt);
        const field = hills(random);
        // Both ends above every hill.
        const ends = [0, 1].map(() => {
          const [x, , z] = over(random, field, 0);
          return inWorld(field, [x, 0.151 + 0.1 * random(), z]);
        });
        const [from, to] = ends;
        const [first] = touch([{ type: 'capsule', from, to, radius: 0.05 }], [at(0, 0, 0)], 10, [field]);
        const count = 300;
        const min = sampled(field, from, to, count) - 0.05;
        expect(first.separation).toBeLessThan(min + 1e-9);
        // Interpolation error of the distance between two samples.
        expect(first.separation).toBeGreaterThan(min - norm(minus(to, from)) / count / 2);
      }),
      { numRuns: 40 },
    );
  });

  test('penetrated by a ridge gets an upward contact at the ridge', () => {
    const roof = fieldOf(5, 4, [1, 1], (i) => 1 - Math.abs(i - 2));
    const axis = touch(
      [{ type: 'capsule', from: [-1.5, 0, 0], to: [1.5, 0, 0], radius: 0.1 }],
      [at(2, 0.7, 1.4)],
      0,
      [roof],
    );
    expect(axis[0].normal).toEqual([0, 1, 0]);
    expect(axis[0].separation).toBeCloseTo(-0.4, 12);
    expect(axis[0].pointB).toEqual([expect.closeTo(2, 12), 1, expect.closeTo(1.4, 12)]);
  });

  test('penetrated by a peak gets an upward contact at the peak', () => {
    const peak = fieldOf(5, 5, [1, 1], (i, j) => (i === 2 && j === 2 ? 1 : 0));
    const [first] = touch(
      [{ type: 'capsule', from: [-1.5, 0, 0], to: [1.5, 0, 0], radius: 0.1 }],
      [at(2.2, 0.7, 2)],
      0,
      [peak],
    );
    expect(first.normal[1]).toBeCloseTo(1, 12);
    expect(first.separation).toBeCloseTo(-0.4, 12);
  });
});

describe('a box', () => {
  const SIZES: V = [0.3, 0.1, 0.25];
  const BOX: Solid = { type: 'box', halfSizes: SIZES };

  test('above the surface has the separation of the closest points', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const random = createRandom(salt);
        const field = hills(random, false);
        const frame = randomFrame(random, 0);
        // Its lowest corner is above every hill.
        const drop = SIZES.reduce((sum, half, k) => sum + half * Math.abs(frame[3 + k]), 0);
        const [x, , z] = over(random, field, 0);
        const placed = shifted(frame, [x, 0.151 + drop + 0.05 * random(), z]);
        const [first] = touch([BOX], [placed], 10, [field]);
        // Points all over the surface, 1 cm apart.
        let min = Number.POSITIVE_INFINITY;
        for (let u = 0; u <= CELLS * 0.3; u += 0.01) {
          for (let v = 0; v <= (CELLS - 1) * 0.4; v += 0.01) {
            min = Math.min(min, distanceFrom(BOX, placed, [u, heightAt(field, u, v), v]));
          }
        }
        expect(first.separation).toBeLessThan(min + 1e-9);
        expect(first.separation).toBeGreaterThan(min - 0.015);
        expect(distanceFrom(BOX, placed, first.pointA)).toBeCloseTo(0, 9);
        expect(distanceTo(triangles(field), first.pointB)).toBeLessThan(1e-9);
      }),
      { numRuns: 30 },
    );
  });

  test('penetrated by a peak or a ridge gets an upward contact', () => {
    const peak = fieldOf(5, 5, [1, 1], (i, j) => (i === 2 && j === 2 ? 1 : 0));
    const roof = fieldOf(5, 5, [1, 1], (i) => 1 - Math.abs(i - 2));
    for (const field of [peak, roof]) {
      const [first] = touch([BOX], [at(2.05, 1.05, 2.1)], 0, [field]);
      expect(first.normal[1]).toBeCloseTo(1, 12);
      expect(first.separation).toBeCloseTo(-0.05, 12);
    }
  });

  test('below the surface gets upward contacts at all corners', () => {
    const floor = fieldOf(9, 9, [0.25, 0.25], () => 0);
    const contacts = touch([BOX], [at(1, -3, 1)], 0, [floor]);
    expect(contacts).toHaveLength(4);
    for (const { normal, separation } of contacts) {
      expect(normal).toEqual([0, 1, 0]);
      expect(separation).toBeCloseTo(-3.1, 12);
    }
  });
});

test('contact ids persist on one triangle and differ between triangles', () => {
  const floor = fieldOf(9, 9, [0.25, 0.25], () => 0);
  const id = (x: number) => ball(floor, [x, 0.09, 0.56], 0.1, 0.01)[0].id;
  expect(id(0.6)).toBe(id(0.7));
  expect(id(0.7)).not.toBe(id(0.8));
  expect(Number.isSafeInteger(id(0.6))).toBe(true);
});
