import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom, direction, within } from '../../figure/support.js';
import {
  type Contact,
  distanceFrom,
  dot,
  gapAlong,
  minus,
  moved,
  norm,
  randomFrame,
  randomSolid,
  type Solid,
  shifted,
  touch,
  type V,
} from './support.js';

const TYPES: readonly Solid['type'][] = ['sphere', 'capsule', 'box'];
const PAIRS = TYPES.flatMap((a) => TYPES.map((b) => [a, b] as const));
const TOLERANCE = 1e-9;

interface Pair {
  readonly a: Solid;
  readonly b: Solid;
  readonly frameA: number[];
  readonly frameB: number[];
}

function randomPair(salt: number, [a, b]: readonly [Solid['type'], Solid['type']]): Pair {
  const random = createRandom(salt);
  return {
    a: randomSolid(random, a),
    b: randomSolid(random, b),
    // Half of them overlap.
    frameA: randomFrame(random, 0.6),
    frameB: randomFrame(random, 0.6),
  };
}

function contactsOf({ a, b, frameA, frameB }: Pair, reach?: number): Contact[] {
  return touch([a, b], [frameA, frameB], reach);
}

const salts = fc.integer({ min: 0, max: 2 ** 30 });

describe.each(PAIRS)('a %s and a %s', (...types) => {
  test('have the separation of the first contact: the maximum over all directions, attained at its normal', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const pair = randomPair(salt, types);
        const { a, b, frameA, frameB } = pair;
        const [first] = contactsOf(pair);
        expect(gapAlong(a, frameA, b, frameB, first.normal)).toBeCloseTo(first.separation, 9);
        const random = createRandom(salt + 1);
        for (let n = 0; n < 60; n++) {
          // In all directions, and close to the normal.
          const size = n < 30 ? 10 : 10 ** within(random, 4);
          const by = direction(random).map((x) => x * size);
          const d = first.normal.map((x, k) => x + by[k]);
          const length = Math.hypot(...d);
          const unit: V = [d[0] / length, d[1] / length, d[2] / length];
          expect(gapAlong(a, frameA, b, frameB, unit)).toBeLessThan(first.separation + TOLERANCE);
        }
      }),
    );
  });

  test('have contact points on both surfaces, consistent with separation and normal', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const pair = randomPair(salt, types);
        const { a, b, frameA, frameB } = pair;
        contactsOf(pair).forEach((contact, k) => {
          const { pointA, pointB, normal, separation } = contact;
          expect(norm(normal)).toBeCloseTo(1, 12);
          const apart = minus(pointA, pointB);
          expect(
            norm(minus(apart, [separation * normal[0], separation * normal[1], separation * normal[2]])),
          ).toBeLessThan(1e-12);
          // After the first, the end points of a slightly tilted capsule are inside it by radius (1 - cos).
          const slack = (shape: Solid) => (k > 0 && shape.type === 'capsule' ? 0.06 * shape.radius : 0);
          expect(distanceFrom(a, frameA, pointA)).toBeLessThan(TOLERANCE);
          expect(distanceFrom(b, frameB, pointB)).toBeLessThan(TOLERANCE);
          expect(distanceFrom(a, frameA, pointA)).toBeGreaterThan(-TOLERANCE - slack(a));
          expect(distanceFrom(b, frameB, pointB)).toBeGreaterThan(-TOLERANCE - slack(b));
        });
      }),
    );
  });

  test('have up to four contacts, the deepest first, with unique ids', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const contacts = contactsOf(randomPair(salt, types));
        expect(contacts.length).toBeGreaterThan(0);
        expect(contacts.length).toBeLessThanOrEqual(4);
        for (let k = 1; k < contacts.length; k++) {
          expect(contacts[k].separation).toBeGreaterThanOrEqual(contacts[k - 1].separation);
        }
        expect(new Set(contacts.map(({ id }) => id)).size).toBe(contacts.length);
        expect(contacts.every(({ id }) => Number.isSafeInteger(id) && id >= 0)).toBe(true);
      }),
    );
  });

  test('give the mirrored contacts with A and B swapped', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const pair = randomPair(salt, types);
        const [first] = contactsOf(pair);
        const [other] = contactsOf({ a: pair.b, b: pair.a, frameA: pair.frameB, frameB: pair.frameA });
        expect(other.separation).toBeCloseTo(first.separation, 10);
        expect(dot(other.normal, first.normal)).toBeCloseTo(-1, 8);
      }),
    );
  });

  test('are invariant under rigid motion', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const pair = randomPair(salt, types);
        const move = randomFrame(createRandom(salt + 2), 3);
        const before = contactsOf(pair);
        const after = contactsOf({
          ...pair,
          frameA: moved(move, pair.frameA),
          frameB: moved(move, pair.frameB),
        });
        expect(after[0].separation).toBeCloseTo(before[0].separation, 10);
        const [x, y, z] = before[0].normal;
        const rotated: V = [
          move[0] * x + move[1] * y + move[2] * z,
          move[3] * x + move[4] * y + move[5] * z,
          move[6] * x + move[7] * y + move[8] * z,
        ];
        expect(dot(after[0].normal, rotated)).toBeCloseTo(1, 8);
      }),
    );
  });

  test('change their separation by no more than the displacement', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const pair = randomPair(salt, types);
        const random = createRandom(salt + 3);
        const size = 10 ** -(8 * random());
        const by = direction(random).map((x) => x * size) as unknown as V;
        const before = contactsOf(pair)[0].separation;
        const after = contactsOf({ ...pair, frameA: shifted(pair.frameA, by) })[0].separation;
        expect(Math.abs(after - before)).toBeLessThanOrEqual(size + 1e-12);
      }),
    );
  });

  test('have contacts exactly where they are within the margin', () => {
    fc.assert(
      fc.property(salts, fc.double({ min: 0, max: 1, noNaN: true }), (salt, reach) => {
        const pair = randomPair(salt, types);
        const all = contactsOf(pair);
        const found = contactsOf(pair, reach);
        expect(found.length > 0).toBe(all[0].separation <= reach);
        if (found.length === 0) return;
        expect(found[0]).toEqual(all[0]);
        expect(found.every(({ separation }) => separation <= reach)).toBe(true);
      }),
    );
  });

  test('with coincident centres and axes give finite numbers and a unit normal', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const pair = randomPair(salt, types);
        const upright = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.2, 0.3];
        for (const frame of [pair.frameA, upright]) {
          const contacts = contactsOf({ ...pair, frameA: frame, frameB: frame });
          expect(contacts[0].separation).toBeLessThan(0);
          for (const contact of contacts) {
            expect(Number.isFinite(contact.separation)).toBe(true);
            expect(norm(contact.normal)).toBeCloseTo(1, 12);
            expect([...contact.pointA, ...contact.pointB].every(Number.isFinite)).toBe(true);
          }
        }
        const same = touch([pair.a, pair.a], [pair.frameA, pair.frameA]);
        expect(same[0].separation).toBeLessThan(0);
        expect(norm(same[0].normal)).toBeCloseTo(1, 12);
      }),
    );
  });

  test('give the same contacts as a shape of the world', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const { a, b, frameA } = randomPair(salt, types);
        const still = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
        const carried = touch([a, b], [frameA, still]);
        const world = touch([a], [frameA], 1e6, [b]);
        expect(world.map(({ separation }) => separation)).toEqual(
          carried.map(({ separation }) => separation),
        );
        expect(world.every(({ bodyA, bodyB, shapeB }) => bodyA === 0 && bodyB === -1 && shapeB === 1)).toBe(
          true,
        );
      }),
    );
  });
});

test('a capsule without length is a sphere', () => {
  fc.assert(
    fc.property(salts, fc.constantFrom(...TYPES), (salt, type) => {
      const random = createRandom(salt);
      const other = randomSolid(random, type);
      const frames = [randomFrame(random, 0.5), randomFrame(random, 0.5)];
      const center: V = [0.1, -0.2, 0.3];
      const point = touch([{ type: 'capsule', from: center, to: center, radius: 0.2 }, other], frames);
      const sphere = touch([{ type: 'sphere', center, radius: 0.2 }, other], frames);
      expect(point).toEqual(sphere);
    }),
  );
});
