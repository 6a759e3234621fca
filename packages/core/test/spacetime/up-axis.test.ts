import { expect, test } from 'vitest';
import { createFigure } from '../../src/figure/index.js';
import { createSpacetimeProblem } from '../../src/spacetime/index.js';

test('gravity and contacts without a normal take up from the figure', () => {
  const problem = (up: readonly [number, number, number]) =>
    createSpacetimeProblem(
      createFigure({
        up,
        bones: [{ name: 'base', joint: { type: 'free' }, mass: 1, inertia: [1, 1, 1, 0, 0, 0] }],
      }),
      {
        duration: 1,
        intervals: 8,
        terms: [{ type: 'contact', bone: 'base', points: [[0, 0, 0]], over: [0, 1] }, { type: 'physics' }],
      },
    );
  for (const up of [
    [0, 1, 0],
    [0, 0, 1],
    [-1, 0, 0],
  ] as const) {
    const { contacts } = problem(up);
    expect(contacts[0].normal).toEqual(up);
  }
});
