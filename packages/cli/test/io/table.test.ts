import { createFigure } from 'poise/figure';
import { expect, test } from 'vitest';
import { table, treeOrder } from '../../src/io/table.js';

test('columns line up and lines end without spaces', () => {
  expect(
    table([
      ['a', 'long cell', ''],
      ['└─ b', '°', 'end'],
    ]),
  ).toEqual(['a     long cell', '└─ b  °          end']);
});

test('a tree is drawn depth first, with its lines', () => {
  const bone = (name: string, parent: string | null) => ({ name, parent });
  const figure = createFigure({
    bones: [bone('a', null), bone('b', 'a'), bone('c', 'a'), bone('d', 'b'), bone('e', 'c'), bone('f', null)],
  });
  expect(treeOrder(figure).map(({ bone: b, lines }) => lines + figure.bones[b].name)).toEqual([
    'a',
    '├─ b',
    '│  └─ d',
    '└─ c',
    '   └─ e',
    'f',
  ]);
});

test('a chain of ten thousand bones does not exhaust the stack', () => {
  const bones = Array.from({ length: 10_000 }, (_, i) => ({
    name: `b${i}`,
    parent: i === 0 ? null : `b${i - 1}`,
  }));
  expect(treeOrder(createFigure({ bones }))).toHaveLength(10_000);
});
