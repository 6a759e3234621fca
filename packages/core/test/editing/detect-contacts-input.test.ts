import { describe, expect, test } from 'vitest';
import { cleanMotion, createTransition, detectContacts, loopMotion } from '../../src/editing/index.js';
import { createFigure } from '../../src/figure/index.js';
import { createMotion } from '../../src/motion/index.js';

const box = createFigure({
  bones: [{ name: 'box', joint: { type: 'free' }, mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0] }],
});
const clip = createMotion(box, {
  tracks: [{ coordinate: 0, keys: { times: [0, 1], values: new Float64Array(12) } }],
});
const other = createMotion(createFigure({ bones: [{ name: 'a', joint: { type: 'ball' } }] }), {
  tracks: [{ coordinate: 0, keys: { times: [0, 1], values: new Float64Array(6) } }],
});

describe('detectContacts refuses', () => {
  const points: [string, unknown, string, string][] = [
    ['no list', 'box', 'contactPoints', 'wrong-size'],
    ['nothing', undefined, 'contactPoints', 'wrong-size'],
    ['a name for an entry', ['box'], 'contactPoints[0]', 'unsupported'],
    ['a bone that is none', [{ bone: 'Box' }], 'contactPoints[0].bone', 'unknown-name'],
    ['points that are no list', [{ bone: 'box', points: 3 }], 'contactPoints[0].points', 'wrong-size'],
    ['no points', [{ bone: 'box', points: [] }], 'contactPoints[0].points', 'wrong-size'],
    [
      'a point in place of points',
      [{ bone: 'box', points: [0, 0, 0] }],
      'contactPoints[0].points[0]',
      'wrong-size',
    ],
    [
      'a point with NaN',
      [{ bone: 'box', points: [[0, Number.NaN, 0]] }],
      'contactPoints[0].points[0][1]',
      'not-finite',
    ],
  ];
  test.each(points)('%s', (_, given, path, code) => {
    expect(() => detectContacts(box, clip, given as never)).toThrow(expect.objectContaining({ path, code }));
  });

  const options: [string, object, string, string][] = [
    ['a height of no number', { ground: '0' }, 'ground', 'not-finite'],
    ['one speed', { speeds: 0.2 }, 'speeds', 'wrong-size'],
    ['falling speeds', { speeds: [0.5, 0.2] }, 'speeds', 'out-of-range'],
    ['heights with NaN', { heights: [0.1, Number.NaN] }, 'heights[1]', 'not-finite'],
    ['a time below zero', { minDuration: -1 }, 'minDuration', 'out-of-range'],
    ['up without length', { up: [0, 0, 0] }, 'up', 'out-of-range'],
    ['a word for up', { up: 'y' }, 'up', 'wrong-size'],
  ];
  test.each(options)('%s, as loops, transitions and cleanMotion do', (_, given, name, code) => {
    const at = (path: string) => expect.objectContaining({ path: `${path}.${name}`, code });
    expect(() => detectContacts(box, clip, [{ bone: 'box' }], given)).toThrow(at('options'));
    expect(() => loopMotion(box, clip, given)).toThrow(at('options'));
    expect(() => createTransition(box, clip, clip, given)).toThrow(at('options'));
    expect(() => cleanMotion(box, clip, { detect: given })).toThrow(at('options.detect'));
  });

  test('a clip of another figure', () => {
    expect(() => detectContacts(box, other, [{ bone: 'box' }])).toThrow(
      expect.objectContaining({ name: 'MotionError', code: 'wrong-size' }),
    );
  });
});
