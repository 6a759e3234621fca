import { describe, expect, test } from 'vitest';
import { createFigure, figureToData } from '../../src/figure/index.js';
import { commonUp } from '../../src/figure/up.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { inRotatedWorld, Z_UP_FROM_Y_UP } from '../support/rotated-world.js';

const bones = [{ name: 'root' }];

describe('up of a figure', () => {
  test('is +Y where the data says nothing, as in files from before there was one', () => {
    expect(createFigure({ bones }).up).toEqual([0, 1, 0]);
    expect(createFigure({ bones, up: null as never }).up).toEqual([0, 1, 0]);
    expect(createHumanFigure().up).toEqual([0, 1, 0]);
  });

  test('is made a unit vector, and survives JSON to the bit', () => {
    const figure = createFigure({ bones, up: [0, 1, 2] });
    expect(figure.up[2]).toBeCloseTo(2 / Math.sqrt(5), 15);
    const copy = createFigure(JSON.parse(JSON.stringify(figureToData(figure))));
    expect(copy.up).toEqual(figure.up);
    expect(structuredClone(figure).up).toEqual(figure.up);
    expect(createFigure({ bones, up: [0, 0, 3] }).up).toEqual([0, 0, 1]);
  });

  test('the data of a figure with +Y up says nothing of it', () => {
    expect(figureToData(createFigure({ bones }))).not.toHaveProperty('up');
    expect(figureToData(createFigure({ bones, up: [0, 0, 1] })).up).toEqual([0, 0, 1]);
  });

  test('cannot be written', () => {
    const { up } = createFigure({ bones });
    expect(() => {
      (up as unknown as number[])[1] = 2;
    }).toThrow(TypeError);
  });

  test.each([
    [[0, 0, 0], 'not-unit'],
    [[0, Number.NaN, 0], 'not-finite'],
    [[0, 1], 'wrong-size'],
  ])('%j is refused', (up, code) => {
    expect(() => createFigure({ bones, up: up as never })).toThrow(
      expect.objectContaining({ code, path: expect.stringMatching(/^up/), name: 'FigureError' }),
    );
  });

  test('figures of one world must agree; the error names the cure', () => {
    const human = createHumanFigure();
    const robot = createFigure({ name: 'arm', bones, up: [0, 0, 1] });
    const where = (k: number): string => `actors[${k}].figure`;
    expect(commonUp([robot, robot], where)).toEqual([0, 0, 1]);
    expect(commonUp([human, inRotatedWorld(human, [0, 0.6, 0, 0.8])], where)).toEqual([0, 1, 0]);
    expect(() => commonUp([human, robot], where)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        path: 'actors[1].figure.up',
        message: expect.stringMatching(/arm has its up along \+Z; that of human is along \+Y.*upAxis: 'y'/),
      }),
    );
    expect(() => commonUp([robot, inRotatedWorld(human, [0.6, 0, 0, 0.8])], where)).toThrow(
      /\(0, 0\.28, 0\.96\)/,
    );
    expect(inRotatedWorld(human, Z_UP_FROM_Y_UP).up[2]).toBeCloseTo(1, 15);
  });
});
