import { describe, expect, test } from 'vitest';
import { createRagdoll, type RagdollOptions } from '../../../src/dynamics/index.js';
import { PoiseError } from '../../../src/errors.js';
import { createFigure, type Figure } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';

function thrown(figure: Figure, options: object): PoiseError {
  try {
    createRagdoll(figure, options as RagdollOptions);
  } catch (error) {
    if (error instanceof PoiseError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const human = createHumanFigure();
const essential = {
  hips: 'hips',
  spine: 'spine',
  leftUpperArm: 'leftUpperArm',
  rightUpperArm: 'rightUpperArm',
};

const OPTIONS: readonly (readonly [string, object, string, string])[] = [
  ['a mass of zero', { mass: 0 }, 'out-of-range', 'options.mass'],
  ['a mass below zero', { mass: -70 }, 'out-of-range', 'options.mass'],
  ['a mass that is none', { mass: Number.NaN }, 'out-of-range', 'options.mass'],
  ['a mass without end', { mass: Number.POSITIVE_INFINITY }, 'out-of-range', 'options.mass'],
  ['a mass as text', { mass: '70' }, 'out-of-range', 'options.mass'],
  ['a time of zero', { settlingTime: 0 }, 'out-of-range', 'options.settlingTime'],
  ['unknown joints', { joints: 'anatomic' }, 'unsupported', 'options.joints'],
  ['unknown limits', { limits: 'none' }, 'unsupported', 'options.limits'],
  ['unknown masses', { masses: 'deleva' }, 'unsupported', 'options.masses'],
  [
    'vertices of no bone',
    { vertices: { leftArm: [0, 0, 0] } },
    'unknown-name',
    "options.vertices['leftArm']",
  ],
  ['vertices of two numbers', { vertices: { hips: [0, 0] } }, 'wrong-size', "options.vertices['hips']"],
  ['vertices that are none', { vertices: { hips: 5 } }, 'wrong-size', "options.vertices['hips']"],
  [
    'a vertex of NaN',
    { vertices: { hips: [0, 0, Number.NaN] } },
    'not-finite',
    "options.vertices['hips'][2]",
  ],
  ['a human bone that is none', { humanoid: { tail: 'hips' } }, 'unknown-name', 'options.bones.tail'],
  ['a bone that is none', { humanoid: { hips: 'hip' } }, 'unknown-name', 'options.bones.hips'],
  ['a bone twice', { humanoid: { hips: 'hips', spine: 'hips' } }, 'duplicate-name', 'options.bones.spine'],
  [
    'a body without legs',
    { humanoid: { ...essential, leftLowerLeg: null } as never },
    'wrong-size',
    'options.bones',
  ],
  ['no way up', { up: [0, 0, 0] }, 'out-of-range', 'options.up'],
];

describe('refused with code, path and remedy', () => {
  test.each(OPTIONS)('%s', (_, options, code, path) => {
    const error = thrown(human, options);
    expect([error.code, error.path]).toEqual([code, path]);
    expect(error.remedy).not.toBe('');
  });

  test('a figure of one point', () => {
    const figure = createFigure({ bones: [{ name: 'root', joint: { type: 'free' } }] });
    expect(thrown(figure, {}).code).toBe('out-of-range');
  });

  test('a figure without bones', () => {
    expect(thrown(createFigure({ bones: [] }), {}).code).toBe('out-of-range');
  });
});

test('bones with too few vertices get shapes by their length', () => {
  const plain = createRagdoll(human);
  expect(createRagdoll(human, { vertices: {} }).shapes).toEqual(plain.shapes);
  const few = createRagdoll(human, { vertices: { leftLowerArm: [0, 0, 0, 0.1, 0.01, 0], hips: [] } });
  expect(few.shapes).toEqual(plain.shapes);
});
