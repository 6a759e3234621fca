import { describe, expect, test } from 'vitest';
import * as quat from '../../../src/math/geometry/quat.js';
import * as rigid from '../../../src/math/geometry/rigid-transform.js';
import { at, type Contact, type Solid, touch, type V } from './support.js';

const FLOOR = { type: 'plane' } as const;
const CUBE: Solid = { type: 'box', halfSizes: [0.5, 0.5, 0.5] };
const LOG: Solid = { type: 'capsule', from: [-0.5, 0, 0], to: [0.5, 0, 0], radius: 0.1 };

/** A rotation by `angle` about an axis, then a translation. */
function rotate(axis: V, angle: number, place: V): number[] {
  const s = Math.sin(angle / 2);
  return rigid.fromQuatPosition(
    quat.normalize([axis[0] * s, axis[1] * s, axis[2] * s, Math.cos(angle / 2)]),
    place,
  );
}

/** Points as text, sorted, to two digits. */
function places(contacts: readonly Contact[], which: 'pointA' | 'pointB' = 'pointB'): string[] {
  return contacts
    .map((contact) => contact[which].map((x) => (x + 0).toFixed(2).replace('-0.00', '0.00')).join(' '))
    .sort();
}

describe('on a plane', () => {
  test('a sphere touches below its centre', () => {
    const [only, ...more] = touch([{ type: 'sphere', radius: 0.2 }], [at(1, 0.15, 2)], 0, [FLOOR]);
    expect(more).toEqual([]);
    expect(only.separation).toBeCloseTo(-0.05, 12);
    expect(only.normal).toEqual([0, 1, 0]);
    expect(only.pointB).toEqual([1, 0, 2]);
    expect(only.pointA[1]).toBeCloseTo(-0.05, 12);
  });

  test('a capsule touches at both ends if level, or tilted within the margin', () => {
    const lying = touch([LOG], [at(0, 0.1, 0)], 0.01, [FLOOR]);
    expect(places(lying)).toEqual(['-0.50 0.00 0.00', '0.50 0.00 0.00']);
    const tilted = touch([LOG], [rotate([0, 0, 1], 0.2, [0, 0.2, 0])], 0.3, [FLOOR]);
    expect(tilted.map(({ separation }) => separation)).toEqual([
      expect.closeTo(0.1 - 0.5 * Math.sin(0.2), 12),
      expect.closeTo(0.1 + 0.5 * Math.sin(0.2), 12),
    ]);
    expect(touch([LOG], [rotate([0, 0, 1], 0.2, [0, 0.2, 0])], 0.1, [FLOOR])).toHaveLength(1);
  });

  test('a box stands on four corners, on an edge on two, on a corner on one', () => {
    const flat = touch([CUBE], [at(0, 0.49, 0)], 0.01, [FLOOR]);
    expect(places(flat)).toEqual([
      '-0.50 0.00 -0.50',
      '-0.50 0.00 0.50',
      '0.50 0.00 -0.50',
      '0.50 0.00 0.50',
    ]);
    expect(touch([CUBE], [rotate([1, 0, 0], Math.PI / 4, [0, 0.7, 0])], 0.01, [FLOOR])).toHaveLength(2);
    const tip = rotate([0, 0, 1], Math.atan(Math.SQRT1_2), [0, 0, 0]);
    const corner = rigid.compose(tip, rotate([1, 0, 0], Math.PI / 4, [0, 0, 0]));
    corner[10] = 0.86;
    expect(touch([CUBE], [corner], 0.01, [FLOOR])).toHaveLength(1);
  });

  test('a box within the margin gives its lower corners only', () => {
    const flat = touch([CUBE], [rotate([0, 0, 1], 0.01, [0, 0.55, 0])], 5, [FLOOR]);
    expect(places(flat, 'pointA').every((path) => path.includes(' 0.0'))).toBe(true);
    expect(flat).toHaveLength(4);
  });

  test('a thin box almost flat on the plane has contacts at both ends', () => {
    const stick: Solid = { type: 'box', halfSizes: [1, 0.01, 0.01] };
    const contacts = touch([stick], [rotate([0, 0, 1], 0.05, [0, 0.06, 0])], 0.2, [FLOOR]);
    expect(contacts.some(({ pointB }) => pointB[0] < -0.9)).toBe(true);
    expect(contacts.some(({ pointB }) => pointB[0] > 0.9)).toBe(true);
  });

  test('contacts with a tilted plane have its normal at any depth', () => {
    const slope = { type: 'plane', normal: [3, 4, 0], offset: 1 } as const;
    for (const depth of [0.1, 10, 1e4]) {
      const place: V = [0.6 * (1 - depth), 0.8 * (1 - depth), 0];
      for (const shape of [CUBE, LOG, { type: 'sphere', radius: 0.1 } as const]) {
        const [first] = touch([shape], [at(...place)], 0, [slope]);
        expect(first.normal).toEqual([expect.closeTo(0.6, 12), expect.closeTo(0.8, 12), 0]);
        expect(first.separation).toBeLessThan(-depth);
      }
    }
  });
});

describe('capsules', () => {
  test('parallel touch at both ends of their overlap', () => {
    const beside = touch([LOG, LOG], [at(0, 0.2, 0), at(0.4, 0, 0)], 0.01);
    expect(places(beside)).toEqual(['-0.10 0.10 0.00', '0.50 0.10 0.00']);
    expect(beside.every(({ separation }) => Math.abs(separation) < 1e-12)).toBe(true);
    expect(touch([LOG, LOG], [rotate([0, 1, 0], 0.05, [0, 0.2, 0]), at(0, 0, 0)], 0.01)).toHaveLength(2);
  });

  test('end to end, crossed or skew touch at one point', () => {
    expect(touch([LOG, LOG], [at(1.2, 0, 0), at(0, 0, 0)], 0.01)).toHaveLength(1);
    const crossed = touch([LOG, LOG], [rotate([0, 1, 0], Math.PI / 2, [0, 0.19, 0]), at(0, 0, 0)], 0.01);
    expect(crossed).toHaveLength(1);
    expect(crossed[0].separation).toBeCloseTo(-0.01, 12);
    expect(crossed[0].normal[1]).toBeCloseTo(1, 12);
  });

  test('with crossing axes separate along their common normal', () => {
    const [only] = touch([LOG, LOG], [rotate([0, 1, 0], 1, [0, 0, 0]), at(0, 0, 0)]);
    expect(Math.abs(only.normal[1])).toBeCloseTo(1, 12);
    expect(only.separation).toBeCloseTo(-0.2, 12);
  });
});

describe('on a box', () => {
  test('a capsule on a face touches at both ends of its overlap', () => {
    const lying = touch([{ ...LOG, from: [-0.8, 0, 0] }, CUBE], [at(0, 0.59, 0), at(0, 0, 0)], 0.05);
    expect(places(lying)).toEqual(['-0.50 0.50 0.00', '0.50 0.50 0.00']);
    expect(lying.every(({ separation }) => Math.abs(separation + 0.01) < 1e-12)).toBe(true);
  });

  test('a capsule along an edge touches at two points of the edge', () => {
    const along = touch([LOG, CUBE], [at(0.2, 0.57, 0.57), at(0, 0, 0)], 0.05);
    expect(places(along)).toEqual(['-0.30 0.50 0.50', '0.50 0.50 0.50']);
  });

  test('a capsule with its axis inside exits through the nearest face, with two contacts', () => {
    const inside = touch([LOG, CUBE], [at(0, 0.4, 0), at(0, 0, 0)], 0);
    expect(inside).toHaveLength(2);
    for (const { normal, separation } of inside) {
      expect(normal).toEqual([0, 1, 0]);
      expect(separation).toBeCloseTo(-0.2, 12);
    }
  });

  test('a box stands on the corners of the smaller face', () => {
    const small: Solid = { type: 'box', halfSizes: [0.2, 0.2, 0.3] };
    for (const [a, b] of [
      [small, CUBE],
      [CUBE, small],
    ]) {
      const top = a === small ? 0.69 : 0.69;
      const stacked = touch([a, b], [at(0.1, top, 0), at(0, 0, 0)], 0.01);
      expect(stacked).toHaveLength(4);
      for (const { normal, separation } of stacked) {
        expect(normal[1]).toBeCloseTo(1, 12);
        expect(separation).toBeCloseTo(-0.01, 12);
      }
      const xs = stacked.map(({ pointA }) => pointA[0]).sort((p, q) => p - q);
      expect(xs[3] - xs[0]).toBeCloseTo(0.4, 12);
    }
  });

  test('a rotated box has contacts at corners of both and at edge crossings, reduced to four', () => {
    const star = touch([CUBE, CUBE], [rotate([0, 1, 0], Math.PI / 4, [0, 0.99, 0]), at(0, 0, 0)], 0.01);
    expect(star).toHaveLength(4);
    const [x, z] = [0, 2].map((k) => star.map(({ pointA }) => pointA[k]));
    expect(Math.max(...x) - Math.min(...x)).toBeGreaterThan(0.7);
    expect(Math.max(...z) - Math.min(...z)).toBeGreaterThan(0.7);
  });

  test('two edges that cross touch at one point', () => {
    const upper = rigid.compose(
      rotate([0, 1, 0], Math.PI / 2, [0, 0, 0]),
      rotate([1, 0, 0], Math.PI / 4, [0, 0, 0]),
    );
    upper[10] = 2 * Math.SQRT1_2 - 0.01;
    const [only, ...more] = touch([CUBE, CUBE], [upper, rotate([1, 0, 0], Math.PI / 4, [0, 0, 0])], 0.001);
    expect(more).toEqual([]);
    expect(only.separation).toBeCloseTo(-0.01, 12);
    expect(only.normal[1]).toBeCloseTo(1, 12);
    expect(only.pointA[0]).toBeCloseTo(0, 12);
    expect(only.pointA[2]).toBeCloseTo(0, 12);
  });
});

describe('contact ids', () => {
  test.each([
    ['box on box', CUBE, 0.995],
    ['capsule on box', LOG, 0.595],
  ] as const)('%s stay while it slides and tilts a little', (_, shape, height) => {
    const ids = (x: number, tilt: number) =>
      touch([shape, CUBE], [rotate([0, 0, 1], tilt, [x, height, 0.03]), at(0, 0, 0)], 0.02)
        .map(({ id }) => id)
        .sort((p, q) => p - q);
    const before = ids(0.02, 0);
    expect(before.length).toBeGreaterThan(1);
    for (const x of [0.021, 0.03, 0.1]) expect(ids(x, 0)).toEqual(before);
    for (const tilt of [1e-6, -1e-6, 1e-3, -1e-3]) expect(ids(0.02, tilt)).toEqual(before);
  });

  test('of parallel capsules persist while one slides and tilts a little', () => {
    const ids = (x: number, tilt: number) =>
      touch([LOG, LOG], [rotate([0, 0, 1], tilt, [x, 0.195, 0]), at(0, 0, 0)], 0.02)
        .map(({ id }) => id)
        .sort((p, q) => p - q);
    const before = ids(0.02, 0);
    expect(before).toHaveLength(2);
    for (const x of [0.03, 0.1, 0.5]) expect(ids(x, 0)).toEqual(before);
    for (const tilt of [1e-9, -1e-9, 1e-3, -1e-3]) expect(ids(0.02, tilt)).toEqual(before);
  });
});
