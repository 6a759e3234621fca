import { describe, expect, test } from 'vitest';
import { findFootPoints } from '../../../src/dynamics/ragdoll/foot-points.js';
import { FigureError } from '../../../src/errors.js';
import { createFigure, type Figure, figureToData } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { rigid } from '../../../src/math/index.js';
import { createRandom } from '../../figure/support.js';
import { plainHuman, restFrames, rotatedFrames } from './support.js';

const STANDING = ['leftFoot', 'leftToes', 'rightFoot', 'rightToes'];

/** The points at rest, world axes. */
function placed(figure: Figure, bone: string, options = {}): number[][] {
  const index = figure.bones.findIndex(({ name }) => name === bone);
  const frame = restFrames(figure).subarray(12 * index, 12 * index + 12);
  return findFootPoints(figure, bone, options).map((point) => rigid.transformPoint(frame, point));
}

/** Only the bones that a test keeps. */
function without(figure: Figure, pattern: RegExp): Figure {
  const data = figureToData(figure);
  return createFigure({ ...data, bones: data.bones.filter(({ name }) => !pattern.test(name)) });
}

describe('the points of the built-in human', () => {
  // Foot length 258.1 mm of 1741 mm stature (de Leva), the ankle at 0.19 and the ball at 0.69 of it from the heel (Rajagopal), foot
  // breadth 0.055 of stature (Drillis), the hip joints 77.26 mm of 1.7 m from the middle (Rajagopal), the ankles straight below them.
  test.each([1.2, 1.75, 2.1])('are heel, ball and tips of the soles at a height of %f m', (height) => {
    const figure = createHumanFigure({ height });
    const long = (258.1 / 1741) * height;
    const [heel, ball, tip] = [-0.19 * long, 0.5 * long, 0.81 * long];
    const half = (0.055 * height) / 2;
    for (const bone of STANDING) {
      const middle = (bone.startsWith('left') ? 1 : -1) * (77.26 / 1700) * height;
      const [behind, before] = bone.endsWith('Foot') ? [heel, ball] : [ball, tip];
      const expected = [
        [middle + half, 0, behind],
        [middle - half, 0, behind],
        [middle + half, 0, before],
        [middle - half, 0, before],
      ];
      placed(figure, bone).forEach((point, k) => {
        const [x, y, z] = point.map((coordinate, c) => coordinate - expected[k][c]);
        expect(Math.hypot(x, y)).toBeLessThan(1e-9);
        // The box of toes is as long as they are with their slant.
        const tips = bone.endsWith('Toes') && k >= 2;
        expect(Math.abs(z)).toBeLessThan(tips ? 2e-3 * height : 1e-9);
      });
    }
  });
});

describe('the points of other figures', () => {
  const human = createHumanFigure();
  const expected = STANDING.map((bone) => placed(human, bone));

  test('do not depend on the axes of bones, joints or masses', () => {
    const rotated = rotatedFrames(plainHuman(), createRandom(11));
    STANDING.forEach((bone, b) => {
      placed(rotated, bone).forEach((point, k) => {
        point.forEach((x, c) => {
          expect(Math.abs(x - expected[b][k][c])).toBeLessThan(1e-9);
        });
      });
    });
  });

  test('of a foot without toe bone reach the tips of the toes', () => {
    const points = placed(without(human, /Toes/), 'leftFoot');
    const wanted = [...expected[0].slice(0, 2), ...expected[1].slice(2)];
    points.forEach((point, k) => {
      expect(Math.hypot(...point.map((x, c) => x - wanted[k][c]))).toBeLessThan(3e-3);
    });
  });

  test('are at the lowest vertices of the mesh', () => {
    const index = human.bones.findIndex(({ name }) => name === 'rightFoot');
    const frame = restFrames(human).subarray(12 * index, 12 * index + 12);
    // A block 6 cm broad and 24 cm long, 3 cm below the floor.
    const vertices: number[] = [];
    for (let k = 0; k < 1000; k++) {
      const [i, j, l] = [k % 10, Math.floor(k / 10) % 10, Math.floor(k / 100)];
      const world = [-0.11 + (0.06 * i) / 9, -0.03 + (0.08 * j) / 9, -0.06 + (0.24 * l) / 9];
      vertices.push(...rigid.inverseTransformPoint(frame, world));
    }
    const points = placed(human, 'rightFoot', { vertices: { rightFoot: vertices } });
    for (const [k, [x, , z]] of [
      [-0.05, 0, -0.06],
      [-0.11, 0, -0.06],
      [-0.05, 0, 0.18],
      [-0.11, 0, 0.18],
    ].entries()) {
      expect(Math.hypot(points[k][0] - x, points[k][1] + 0.03, points[k][2] - z)).toBeLessThan(1e-9);
    }
  });

  test('take given human bones, and bone indices', () => {
    const renamed = createFigure({
      name: 'numbers',
      bones: figureToData(human).bones.map(({ name, parent, ...rest }) => ({
        ...rest,
        name: `b${human.bones.findIndex((bone) => bone.name === name)}`,
        parent: parent == null ? null : `b${human.bones.findIndex((bone) => bone.name === parent)}`,
      })),
    });
    const bones = Object.fromEntries(human.bones.map(({ name, index }) => [name, index]));
    const index = bones.leftFoot;
    expect(findFootPoints(renamed, index, { bones })).toEqual(findFootPoints(human, 'leftFoot'));
  });
});

describe('bad input', () => {
  const human = createHumanFigure();
  const failure = (run: () => unknown): FigureError => {
    try {
      run();
    } catch (error) {
      if (error instanceof FigureError) return error;
      throw error;
    }
    throw new Error('nothing was thrown');
  };

  test('names the bones that have foot points', () => {
    const error = failure(() => findFootPoints(human, 'head'));
    expect(error.code).toBe('unknown-name');
    for (const bone of STANDING) expect(error.remedy).toContain(bone);
    expect(failure(() => findFootPoints(human, 'leftFot')).remedy).toContain('leftFoot');
  });

  test('refuses a figure that is not a humanoid', () => {
    const box = createFigure({ name: 'box', bones: [{ name: 'foot', joint: { type: 'free' } }] });
    expect(failure(() => findFootPoints(box, 'foot')).code).toBe('unsupported');
  });

  test('refuses invalid vertices', () => {
    const options = { vertices: { leftFoot: [0, Number.NaN, 0] } };
    expect(failure(() => findFootPoints(human, 'leftFoot', options)).code).toBe('not-finite');
  });
});
