import { describe, expect, test } from 'vitest';
import {
  type BoneShape,
  type Collider,
  createCollider,
  createContacts,
  createSharedCollider,
  findContacts,
  type WorldShape,
} from '../../../src/dynamics/collide/index.js';
import { createFigure, type Figure } from '../../../src/figure/index.js';
import { createRandom } from '../../figure/support.js';
import { at, type Contact, list, loose, randomFrame, randomSolid, STILL, touch } from './support.js';

const BALL = { type: 'sphere', radius: 1 } as const;

function chain(count: number, joint: 'ball' | 'fixed' = 'ball'): Figure {
  return createFigure({
    bones: Array.from({ length: count }, (_, k) => ({
      name: `b${k}`,
      ...(k > 0 ? { parent: `b${k - 1}` } : {}),
      joint: { type: k > 0 ? joint : 'free' },
    })),
  });
}

/** All at the origin. */
function bodies(collider: Collider, bones: number): string[] {
  const frames = Float64Array.from(Array.from({ length: bones }, () => STILL).flat());
  return list(findContacts(collider, frames, 0, createContacts(64))).map(
    ({ bodyA, bodyB }) => `${bodyA} ${bodyB}`,
  );
}

function balls(...bones: number[]): BoneShape[] {
  return bones.map((bone) => ({ ...BALL, bone }));
}

describe('within a figure', () => {
  test('neighbours in the tree do not collide, up to the number of joints given', () => {
    const figure = chain(4);
    const of = (neighbours?: number) =>
      bodies(
        createCollider(figure, balls(0, 1, 2, 3), [], neighbours === undefined ? {} : { neighbours }),
        4,
      );
    expect(of()).toEqual(['0 2', '0 3', '1 3']);
    expect(of(0)).toEqual(['0 1', '0 2', '0 3', '1 2', '1 3', '2 3']);
    expect(of(2)).toEqual(['0 3']);
    expect(of(3)).toEqual([]);
  });

  test('shapes of one bone never collide', () => {
    expect(bodies(createCollider(chain(1), balls(0, 0), [], { neighbours: 0 }), 1)).toEqual([]);
  });

  test('bones without shapes and fixed joints do not count as joints apart', () => {
    expect(bodies(createCollider(chain(4), balls(0, 2, 3)), 4)).toEqual(['0 3']);
    expect(bodies(createCollider(chain(4, 'fixed'), balls(0, 1, 2, 3), [], { neighbours: 0 }), 4)).toEqual(
      [],
    );
  });

  test('excluded pairs do not collide, in either order', () => {
    const options = { exclude: [['b0', 'b2'] as const, [3, 1] as const] };
    expect(bodies(createCollider(chain(4), balls(0, 1, 2, 3), [], options), 4)).toEqual(['0 3']);
  });

  test('bones of separate trees collide', () => {
    expect(bodies(createCollider(loose(2), balls(0, 1)), 2)).toEqual(['0 1']);
  });

  test('two shapes collide only if each mask has the other group', () => {
    const of = (a: Partial<BoneShape>, b: Partial<BoneShape>, world: Partial<WorldShape> = {}) => {
      const [first, second] = balls(0, 1);
      const shapes = [
        { ...first, ...a },
        { ...second, ...b },
      ] as BoneShape[];
      return bodies(createCollider(loose(2), shapes, [{ type: 'plane', ...world } as WorldShape]), 2);
    };
    expect(of({}, {})).toEqual(['0 1', '0 -1', '1 -1']);
    expect(of({ group: 2, mask: 1 }, { group: 1, mask: 2 }, { group: 4 })).toEqual(['0 1']);
    expect(of({ group: 2, mask: 2 }, { group: 1 })).toEqual(['1 -1']);
    expect(of({ group: 2 ** 31 }, { mask: 2 ** 31 - 1 })).toEqual(['0 -1', '1 -1']);
    expect(of({}, {}, { mask: 0 })).toEqual(['0 1']);
  });
});

test('friction is the geometric mean, restitution the greater', () => {
  const [contact] = touch([{ ...BALL, friction: 0.9, restitution: 0.2 } as typeof BALL], [STILL], 0, [
    { type: 'plane', friction: 0.4, restitution: 0.5 },
  ]);
  expect(contact.friction).toBeCloseTo(0.6, 12);
  expect(contact.restitution).toBe(0.5);
});

test('contacts beyond the capacity are counted as dropped', () => {
  const collider = createCollider(loose(3), balls(0, 1, 2), [{ type: 'plane' }]);
  const out = findContacts(collider, [...STILL, ...STILL, ...STILL], 0, createContacts(4));
  expect([out.count, out.dropped]).toEqual([4, 2]);
});

describe('many figures in one world', () => {
  const FIGURES = 30;
  const BONES = 4;
  const figure = loose(BONES);

  function crowd(salt: number, spread: number) {
    const random = createRandom(salt);
    const shapes = Array.from({ length: FIGURES }, () =>
      Array.from({ length: BONES }, (_, bone) => ({
        ...randomSolid(random, (['sphere', 'capsule', 'box'] as const)[Math.floor(3 * random())]),
        bone,
      })),
    );
    const frames = shapes.map(() => {
      const [x, y, z] = randomFrame(random, spread).slice(9);
      return Array.from({ length: BONES }, () => {
        const frame = randomFrame(random, 0.7);
        return [...frame.slice(0, 9), frame[9] + x, frame[10] + y, frame[11] + z];
      }).flat();
    });
    const world: WorldShape[] = [
      { type: 'plane', offset: -1 },
      { type: 'box', halfSizes: [1, 1, 1] },
      { type: 'sphere', radius: 1, center: [2, 0, 0] },
    ];
    return { shapes, frames, world };
  }

  /** A contact without body and shape indices. */
  const key = ({ bodyA, bodyB, separation, pointA, pointB, normal }: Contact) =>
    JSON.stringify([bodyA, bodyB, separation, pointA, pointB, normal]);

  test('give the contacts of all their bones as one figure', () => {
    for (const [salt, spread] of [
      [1, 1],
      [2, 3],
      [3, 10],
    ]) {
      const { shapes, frames, world } = crowd(salt, spread);
      const shared = createSharedCollider(
        shapes.map((list) => ({ figure, shapes: list })),
        world,
      );
      const one = createCollider(
        loose(FIGURES * BONES),
        shapes.flatMap((list, f) => list.map((shape) => ({ ...shape, bone: shape.bone + f * BONES }))),
        world,
      );
      const found = list(findContacts(shared, frames, 0.1, createContacts(20_000)));
      const expected = list(findContacts(one, frames.flat(), 0.1, createContacts(20_000)));
      expect(found.length).toBeGreaterThan(20);
      expect(found.map(key).sort()).toEqual(expected.map(key).sort());
    }
  });

  test('give the same contacts in the same order, independent of earlier calls', () => {
    const { shapes, frames, world } = crowd(4, 3);
    const actors = shapes.map((list) => ({ figure, shapes: list }));
    const fresh = list(
      findContacts(createSharedCollider(actors, world), frames, 0.1, createContacts(20_000)),
    );
    const used = createSharedCollider(actors, world);
    const out = createContacts(20_000);
    for (const salt of [5, 6]) findContacts(used, crowd(salt, 8).frames, 0.3, out);
    expect(list(findContacts(used, frames, 0.1, out))).toEqual(fresh);
    // By figure, then by pair of figures.
    const pairs = fresh
      .filter(({ bodyA, bodyB }) => bodyB >= 0 && used.figureOfBody[bodyA] !== used.figureOfBody[bodyB])
      .map(({ shapeA, shapeB }) => [
        used.figureOfBody[used.bodyOfShape[shapeA]],
        used.figureOfBody[used.bodyOfShape[shapeB]],
      ]);
    const sorted = [...pairs].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    expect(pairs).toEqual(sorted);
  });

  test('skips contacts among sleeping figures', () => {
    const { shapes, frames, world } = crowd(7, 2);
    const actors = shapes.map((list) => ({ figure, shapes: list }));
    const collider = createSharedCollider(actors, world);
    const out = createContacts(20_000);
    const all = list(findContacts(collider, frames, 0.1, out));
    for (let f = 0; f < FIGURES; f++) collider.asleep[f] = f % 3 === 0 ? 0 : 1;
    const asleep = (body: number) => body < 0 || collider.asleep[collider.figureOfBody[body]] === 1;
    const expected = all.filter(({ bodyA, bodyB }) => !(asleep(bodyA) && asleep(bodyB)));
    expect(list(findContacts(collider, frames, 0.1, out))).toEqual(expected);
    expect(expected.length).toBeLessThan(all.length);
  });

  test('bodies map to figures and bones', () => {
    const collider = createSharedCollider([
      { figure: loose(2), shapes: [] },
      { figure: loose(3), shapes: [{ ...BALL, bone: 2 }] },
    ]);
    expect([...collider.figureOfBody]).toEqual([0, 0, 1, 1, 1]);
    expect([...collider.boneOfBody]).toEqual([0, 1, 0, 1, 2]);
    expect([...collider.bodyOfShape]).toEqual([4]);
    expect(findContacts(collider, [Array(24).fill(0), Array(36).fill(0)], 0, createContacts(1)).count).toBe(
      0,
    );
  });
});

test('bones far from the world have no contact with it', () => {
  expect(touch([BALL, BALL], [at(0, 10, 0), at(3, 10, 0)], 0.5, [{ type: 'plane' }])).toEqual([]);
});
