import { describe, expect, test } from 'vitest';
import {
  type BoneShape,
  createCollider,
  createContacts,
  createSharedCollider,
  findContacts,
  type WorldShape,
} from '../../../src/dynamics/collide/index.js';
import { DomainError, FigureError, PoiseError } from '../../../src/errors.js';
import { createFigure } from '../../../src/figure/index.js';
import { STILL } from './support.js';

const figure = createFigure({ bones: [{ name: 'hips', joint: { type: 'free' } }] });
const BALL: BoneShape = { bone: 'hips', type: 'sphere', radius: 1 };

function thrown(run: () => unknown): PoiseError {
  try {
    run();
  } catch (error) {
    if (error instanceof PoiseError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const field = { type: 'heightfield', columns: 2, rows: 2, spacing: [1, 1], heights: [0, 0, 0, 0] } as const;

const BONES: readonly (readonly [string, unknown, string, string])[] = [
  ['an unknown bone', { ...BALL, bone: 'hip' }, 'unknown-name', 'shapes[0].bone'],
  ['no such bone', { ...BALL, bone: 1 }, 'unknown-name', 'shapes[0].bone'],
  ['nothing', null, 'unsupported', 'shapes[0]'],
  ['an unknown type', { ...BALL, type: 'cone' }, 'unsupported', 'shapes[0].type'],
  ['a plane on a bone', { bone: 0, type: 'plane' }, 'unsupported', 'shapes[0].type'],
  ['a radius of zero', { ...BALL, radius: 0 }, 'out-of-range', 'shapes[0].radius'],
  ['a radius below zero', { ...BALL, radius: -1 }, 'out-of-range', 'shapes[0].radius'],
  ['a radius that is none', { ...BALL, radius: Number.NaN }, 'out-of-range', 'shapes[0].radius'],
  ['no radius', { ...BALL, radius: undefined }, 'out-of-range', 'shapes[0].radius'],
  ['a centre of two', { ...BALL, center: [0, 0] }, 'wrong-size', 'shapes[0].center'],
  [
    'an end that is none',
    { bone: 0, type: 'capsule', from: [0, 0, Number.NaN], to: [0, 0, 0], radius: 1 },
    'not-finite',
    'shapes[0].from[2]',
  ],
  ['no end', { bone: 0, type: 'capsule', from: [0, 0, 0], radius: 1 }, 'wrong-size', 'shapes[0].to'],
  ['a flat box', { bone: 0, type: 'box', halfSizes: [1, 0, 1] }, 'out-of-range', 'shapes[0].halfSizes[1]'],
  [
    'an endless box',
    { bone: 0, type: 'box', halfSizes: [1, 1, Number.POSITIVE_INFINITY] },
    'not-finite',
    'shapes[0].halfSizes[2]',
  ],
  [
    'a box that is not turned',
    { bone: 0, type: 'box', halfSizes: [1, 1, 1], placement: { rotation: [0, 0, 0, 2] } },
    'not-unit',
    'shapes[0].placement.rotation',
  ],
  ['friction below zero', { ...BALL, friction: -0.1 }, 'out-of-range', 'shapes[0].friction'],
  ['friction that is none', { ...BALL, friction: Number.NaN }, 'out-of-range', 'shapes[0].friction'],
  ['restitution above one', { ...BALL, restitution: 1.1 }, 'out-of-range', 'shapes[0].restitution'],
  ['a group of a half', { ...BALL, group: 0.5 }, 'out-of-range', 'shapes[0].group'],
  ['a mask of 33 bits', { ...BALL, mask: 2 ** 32 }, 'out-of-range', 'shapes[0].mask'],
];

const WORLDS: readonly (readonly [string, unknown, string, string])[] = [
  ['a plane without a normal', { type: 'plane', normal: [0, 0, 0] }, 'out-of-range', 'world[0].normal'],
  ['a plane nowhere', { type: 'plane', offset: Number.NaN }, 'not-finite', 'world[0].offset'],
  [
    'an empty heightfield',
    { ...field, columns: 0, rows: 0, heights: [] },
    'out-of-range',
    'world[0].columns',
  ],
  ['a heightfield of one row', { ...field, rows: 1, heights: [0, 0] }, 'out-of-range', 'world[0].rows'],
  ['too few heights', { ...field, heights: [0, 0, 0] }, 'wrong-size', 'world[0].heights'],
  ['no heights', { ...field, heights: undefined }, 'wrong-size', 'world[0].heights'],
  ['a hole', { ...field, heights: [0, 0, Number.NaN, 0] }, 'not-finite', 'world[0].heights[2]'],
  ['no spacing', { ...field, spacing: undefined }, 'wrong-size', 'world[0].spacing'],
  ['cells of no width', { ...field, spacing: [1, 0] }, 'out-of-range', 'world[0].spacing[1]'],
  ['a static sphere of no size', { type: 'sphere', radius: 0 }, 'out-of-range', 'world[0].radius'],
];

describe('createCollider refuses', () => {
  test.each(BONES)('%s', (_, shape, code, path) => {
    const error = thrown(() => createCollider(figure, [shape as BoneShape]));
    expect(error).toBeInstanceOf(FigureError);
    expect([error.code, error.path]).toEqual([code, path]);
  });

  test.each(WORLDS)('%s', (_, shape, code, path) => {
    const error = thrown(() => createCollider(figure, [BALL], [shape as WorldShape]));
    expect(error).toBeInstanceOf(FigureError);
    expect([error.code, error.path]).toEqual([code, path]);
  });

  test('a misspelt bone, with the nearest name', () => {
    expect(thrown(() => createCollider(figure, [{ ...BALL, bone: 'hisp' }])).remedy).toContain("'hips'");
  });

  test('invalid options', () => {
    const neighbours = thrown(() => createCollider(figure, [BALL], [], { neighbours: -1 }));
    expect([neighbours.code, neighbours.path]).toEqual(['out-of-range', 'options.neighbours']);
    const exclude = thrown(() => createCollider(figure, [BALL], [], { exclude: [['hips', 'head']] }));
    expect([exclude.code, exclude.path]).toEqual(['unknown-name', 'options.exclude[0][1]']);
  });

  test('a shape of the second figure, naming the figure', () => {
    const error = thrown(() =>
      createSharedCollider([
        { figure, shapes: [BALL] },
        { figure, shapes: [BALL, { ...BALL, radius: -1 }] },
      ]),
    );
    expect(error.path).toBe('actors[1].shapes[1].radius');
  });
});

describe('findContacts refuses', () => {
  const collider = createCollider(figure, [BALL], [{ type: 'plane' }]);
  const out = createContacts(4);

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a margin of %s', (margin) => {
    const error = thrown(() => findContacts(collider, STILL, margin, out));
    expect(error).toBeInstanceOf(DomainError);
    expect([error.code, error.path]).toEqual(['out-of-range', 'margin']);
  });

  test('frames of another size or number', () => {
    expect(thrown(() => findContacts(collider, [...STILL, ...STILL], 0, out)).code).toBe('wrong-size');
    expect(thrown(() => findContacts(collider, [STILL, STILL], 0, out)).code).toBe('wrong-size');
    expect(thrown(() => findContacts(collider, [], 0, out)).code).toBe('wrong-size');
  });

  test('a frame that is not finite, and leaves no contacts', () => {
    for (let k = 0; k < 12; k++) {
      for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
        findContacts(collider, STILL, 0, out);
        expect(out.count).toBe(1);
        const frame = [...STILL];
        frame[k] = bad;
        // The rotation of a sphere is not read.
        if (k < 9) continue;
        expect(thrown(() => findContacts(collider, frame, 0, out)).code).toBe('not-finite');
        expect(out.count).toBe(0);
      }
    }
  });
});

test.each([0, -1, 1.5, Number.NaN])('a capacity of %s contacts is refused', (capacity) => {
  expect(thrown(() => createContacts(capacity)).code).toBe('out-of-range');
});
