import { describe, expect, test } from 'vitest';
import type { BoneShape, WorldShape } from '../../../src/dynamics/collide/index.js';
import { DomainError, FigureError, GoalError, type PoiseError } from '../../../src/errors.js';
import { createFigure, createState } from '../../../src/figure/index.js';
import {
  type ClearanceOptions,
  createClearance,
  createSelfClearance,
  writeClearances,
} from '../../../src/spacetime/clearance/index.js';

const figure = createFigure({
  bones: [
    { name: 'base' },
    { name: 'arm', parent: 'base', rest: { position: [0, 1, 0] }, joint: { type: 'ball' } },
    { name: 'tool', parent: 'arm', rest: { position: [1, 0, 0] } },
  ],
});
const ball = { type: 'sphere', radius: 0.1 } as const;
const shapes: readonly BoneShape[] = figure.bones.map(({ name }) => ({ ...ball, bone: name }));
const field: WorldShape = {
  type: 'heightfield',
  columns: 2,
  rows: 2,
  spacing: [1, 1],
  heights: [0, 0, 0, 0],
};

function thrown(make: () => unknown): PoiseError {
  try {
    make();
  } catch (error) {
    return error as PoiseError;
  }
  throw new Error('threw nothing');
}

describe('rejected, with the pair named', () => {
  const refusals: readonly (readonly [string, ClearanceOptions, typeof FigureError, string, string])[] = [
    ['a heightfield', { world: [ball, field] }, GoalError, 'unsupported', 'options.world[1]'],
    ['it by number', { world: [field], pairs: [[1, 3]] }, GoalError, 'unsupported', 'options.pairs[0]'],
    ['no shape', { pairs: [[0, 3]] }, GoalError, 'out-of-range', 'options.pairs[0]'],
    ['half a shape', { pairs: [[0, 0.5]] }, GoalError, 'out-of-range', 'options.pairs[0]'],
    ['bones that move as one', { pairs: [[1, 2]] }, GoalError, 'unsupported', 'options.pairs[0]'],
    ['one shape', { pairs: [[1, 1]] }, GoalError, 'unsupported', 'options.pairs[0]'],
    ['what stands', { world: [ball], pairs: [[0, 3]] }, GoalError, 'unsupported', 'options.pairs[0]'],
    ['the world', { world: [ball, ball], pairs: [[4, 3]] }, GoalError, 'unsupported', 'options.pairs[0]'],
    ['a word', { pairs: 'none' as 'all' }, GoalError, 'unsupported', 'options.pairs'],
    ['a cutoff of zero', { cutoff: 0 }, DomainError, 'out-of-range', 'options.cutoff'],
    ['no cutoff', { cutoff: Number.NaN }, DomainError, 'out-of-range', 'options.cutoff'],
    ['less than nothing', { minAtRest: -1 }, DomainError, 'out-of-range', 'options.minAtRest'],
    ['no solid', { world: [{ ...ball, radius: 0 }] }, FigureError, 'out-of-range', 'world[0].radius'],
  ];
  test.each(refusals)('%s', (_, options, type, code, path) => {
    const error = thrown(() => createClearance(figure, shapes, options));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ code, path });
  });

  test('a shape on no bone', () => {
    const error = thrown(() => createClearance(figure, [{ ...ball, bone: 'arms' }]));
    expect(error).toBeInstanceOf(FigureError);
    expect(error).toMatchObject({ code: 'unknown-name', path: 'shapes[0].bone' });
  });

  test('frames that are not finite', () => {
    const clearance = createClearance(figure, shapes, { world: [ball] });
    const state = createState(figure);
    state.worldFromBone.fill(Number.NaN);
    const error = thrown(() => writeClearances(clearance, state, new Float64Array(3)));
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: 'not-finite' });
  });

  test('a figure whose bones have no length', () => {
    const point = createFigure({ bones: [{ name: 'a', joint: { type: 'free' } }] });
    expect(thrown(() => createSelfClearance(point))).toBeInstanceOf(FigureError);
  });
});

describe('which pairs are measured', () => {
  const rowsOf = (options: ClearanceOptions) =>
    createClearance(figure, shapes, options).rows.map(({ shape, otherShape }) => [shape, otherShape]);

  test('the world with every moving bone', () => {
    expect(rowsOf({ world: [ball, { type: 'plane' }] })).toEqual([
      [1, 3],
      [1, 4],
      [2, 3],
      [2, 4],
    ]);
    expect(rowsOf({})).toEqual([]);
    expect(rowsOf({ neighbours: 0 })).toEqual([
      [0, 1],
      [0, 2],
    ]);
    expect(rowsOf({ neighbours: 0, exclude: [['tool', 'base']] })).toEqual([[0, 1]]);
    expect(rowsOf({ neighbours: 0, minAtRest: 0.9 })).toEqual([[0, 2]]);
    expect(rowsOf({ neighbours: 0, world: [ball], pairs: 'world' })).toEqual([
      [1, 3],
      [2, 3],
    ]);
  });

  test('by number in either order, the shape of a bone first', () => {
    expect(
      rowsOf({
        world: [ball],
        pairs: [
          [3, 1],
          [2, 0],
        ],
      }),
    ).toEqual([
      [1, 3],
      [2, 0],
    ]);
  });

  test('by group and mask', () => {
    const world: WorldShape[] = [{ ...ball, group: 2, mask: 1 }];
    const masked = shapes.map((shape, k) => ({ ...shape, mask: k === 1 ? 2 : 1 }));
    const rows = createClearance(figure, masked, { world }).rows;
    expect(rows.map(({ shape, otherShape }) => [shape, otherShape])).toEqual([[1, 3]]);
  });
});
