import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FigureError } from '../../src/errors.js';
import { createFigure, type FigureData, figureToData } from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';

/** What a bad figure throws: code, path and a word of the remedy. */
function failure(data: unknown): { code: string; path: string; message: string; remedy: string } {
  try {
    createFigure(data as FigureData);
  } catch (error) {
    expect(error).toBeInstanceOf(FigureError);
    const { code, path, message, remedy } = error as FigureError;
    // The message says place, fault and remedy, and ends as sentences do.
    expect(message.startsWith(`${path}: `)).toBe(true);
    expect(message.endsWith(remedy)).toBe(true);
    expect(remedy).toMatch(/[.?]$/);
    return { code, path, message, remedy };
  }
  expect.fail('nothing was thrown');
}

const bone = (fields: object) => ({ bones: [{ name: 'ok' }, { name: 'bad', ...fields }] });
const hinge = { type: 'hinge', axis: [1, 0, 0] };
const swing = { type: 'swing', axis: [1, 0, 0] };
const socket = { type: 'ball-and-socket', axis: [1, 0, 0] };
const ball = { type: 'ball' };
const euler = { type: 'euler', order: 'XYZ' };
const free = { type: 'free' };

/** [what, data, code, path, part of the remedy] */
const CASES: readonly [string, unknown, string, string, RegExp][] = [
  ['no data', undefined, 'wrong-size', 'bones', /array of bones/],
  ['null', null, 'wrong-size', 'bones', /array of bones/],
  ['bones null', { bones: null }, 'wrong-size', 'bones', /array of bones/],
  ['bones an object', { bones: {} }, 'wrong-size', 'bones', /array of bones/],
  ['name a number', { name: 3, bones: [] }, 'unsupported', 'name', /string/],
  ['bone null', { bones: [null] }, 'unknown-name', 'bones[0].name', /unique name/],
  ['bone a hole', { bones: Array(2) }, 'unknown-name', 'bones[0].name', /unique name/],
  ['bone a number', { bones: [{ name: 'a' }, 5] }, 'unknown-name', 'bones[1].name', /unique name/],
  ['name missing', { bones: [{}] }, 'unknown-name', 'bones[0].name', /unique name/],
  ['name empty', { bones: [{ name: '' }] }, 'unknown-name', 'bones[0].name', /unique name/],
  ['name twice', { bones: [{ name: 'a' }, { name: 'a' }] }, 'duplicate-name', 'bones[1].name', /unique name/],
  ['parent unknown', bone({ parent: 'okk' }), 'unknown-name', 'bones[1].parent', /mean 'ok'/],
  ['parent a number', bone({ parent: 0 }), 'unknown-name', 'bones[1].parent', /null for a root/],
  [
    'parent an object',
    bone({ parent: { toString: 1 } }),
    'unknown-name',
    'bones[1].parent',
    /null for a root/,
  ],
  [
    'a swing whose type has no primitive',
    bone({
      joint: socket,
      limit: { type: 'swing-twist', swing: { type: JSON.parse('{"toString":1}'), halfAngle: 1 } },
    }),
    'invalid-limit',
    'bones[1].limit.swing.type',
    /./,
  ],
  [
    'a polynomial of a high degree',
    bone({ joint: hinge, mimic: { bone: 'ok', polynomial: Array(100_000).fill(1) } }),
    'wrong-size',
    'bones[1].mimic.polynomial',
    /at most 32/,
  ],
  ['own parent', { bones: [{ name: 'a', parent: 'a' }] }, 'cycle', 'bones[0].parent', /root/],
  ['rest a word', bone({ rest: 'T' }), 'unsupported', 'bones[1].rest', /position/],
  [
    'position NaN',
    bone({ rest: { position: [0, Number.NaN, 0] } }),
    'not-finite',
    'bones[1].rest.position[1]',
    /finite/,
  ],
  [
    'position infinite',
    bone({ rest: { position: [0, 0, -Infinity] } }),
    'not-finite',
    'bones[1].rest.position[2]',
    /finite/,
  ],
  [
    'position a string',
    bone({ rest: { position: '000' } }),
    'wrong-size',
    'bones[1].rest.position',
    /array of 3/,
  ],
  [
    'position of strings',
    bone({ rest: { position: ['0', '0', '0'] } }),
    'not-finite',
    'bones[1].rest.position[0]',
    /finite/,
  ],
  [
    'position too short',
    bone({ rest: { position: [0, 0] } }),
    'wrong-size',
    'bones[1].rest.position',
    /array of 3/,
  ],
  [
    'rotation of three',
    bone({ rest: { rotation: [0, 0, 0] } }),
    'wrong-size',
    'bones[1].rest.rotation',
    /array of 4/,
  ],
  [
    'rotation not unit',
    bone({ rest: { rotation: [0, 0, 1, 1] } }),
    'not-unit',
    'bones[1].rest.rotation',
    /unit quaternion/,
  ],
  [
    'rotation zero',
    bone({ rest: { rotation: [0, 0, 0, 0] } }),
    'not-unit',
    'bones[1].rest.rotation',
    /unit quaternion/,
  ],
  [
    'rotation huge',
    bone({ rest: { rotation: [1e300, 0, 0, 0] } }),
    'not-unit',
    'bones[1].rest.rotation',
    /unit quaternion/,
  ],
  ['joint a word', bone({ joint: 'ball' }), 'unsupported', 'bones[1].joint.type', /Give one of/],
  [
    'joint misspelt',
    bone({ joint: { type: 'hinges' } }),
    'unsupported',
    'bones[1].joint.type',
    /mean 'hinge'/,
  ],
  [
    'joint of the prototype',
    bone({ joint: { type: 'constructor' } }),
    'unsupported',
    'bones[1].joint.type',
    /Give one of/,
  ],
  [
    'joint in a list',
    bone({ joint: { type: ['ball'] } }),
    'unsupported',
    'bones[1].joint.type',
    /Give one of/,
  ],
  ['axis missing', bone({ joint: { type: 'hinge' } }), 'wrong-size', 'bones[1].joint.axis', /array of 3/],
  [
    'axis zero',
    bone({ joint: { type: 'hinge', axis: [0, -0, 0] } }),
    'not-unit',
    'bones[1].joint.axis',
    /nonzero/,
  ],
  [
    'axis NaN',
    bone({ joint: { type: 'slider', axis: [0, 0, Number.NaN] } }),
    'not-finite',
    'bones[1].joint.axis[2]',
    /finite/,
  ],
  [
    'axis infinite',
    bone({ joint: { type: 'swing', axis: [Infinity, 0, 0] } }),
    'not-finite',
    'bones[1].joint.axis[0]',
    /finite/,
  ],
  [
    'reference axis parallel to the axis',
    bone({ joint: { ...swing, side: [-2, 1e-4, 0] } }),
    'out-of-range',
    'bones[1].joint.side',
    /not parallel/,
  ],
  [
    'reference axis zero',
    bone({ joint: { ...socket, side: [0, 0, 0] } }),
    'not-unit',
    'bones[1].joint.side',
    /nonzero/,
  ],
  [
    'order with a repeat',
    bone({ joint: { type: 'euler', order: 'XXY' } }),
    'out-of-range',
    'bones[1].joint.order',
    /12 orders/,
  ],
  [
    'order in a list',
    bone({ joint: { type: 'euler', order: ['XYZ'] } }),
    'out-of-range',
    'bones[1].joint.order',
    /12 orders/,
  ],
  ['tip of two', bone({ tip: [1, 2] }), 'wrong-size', 'bones[1].tip', /array of 3/],
  ['mass negative', bone({ mass: -1 }), 'out-of-range', 'bones[1].mass', /zero or more/],
  ['mass NaN', bone({ mass: Number.NaN }), 'out-of-range', 'bones[1].mass', /zero or more/],
  ['mass a string', bone({ mass: '3' }), 'out-of-range', 'bones[1].mass', /zero or more/],
  [
    'centre infinite',
    bone({ centerOfMass: [0, Infinity, 0] }),
    'not-finite',
    'bones[1].centerOfMass[1]',
    /finite/,
  ],
  ['inertia of three', bone({ inertia: [1, 1, 1] }), 'wrong-size', 'bones[1].inertia', /array of 6/],
  [
    'inertia negative',
    bone({ inertia: [1, -1, 1, 0, 0, 0] }),
    'out-of-range',
    'bones[1].inertia[1]',
    /not negative/,
  ],
];

/** [what, joint, limit, path below limit, part of the remedy]; the code is always invalid-limit. */
const LIMITS: readonly [string, object, unknown, string, RegExp][] = [
  ['a word', hinge, 'interval', '', /'interval'/],
  ['without type', hinge, {}, '.type', /'interval'/],
  ['of an unknown type', hinge, { type: 'intervall', min: 0, max: 1 }, '.type', /'interval'/],
  ['of another joint than a hinge', hinge, { type: 'cone', halfAngle: 1 }, '.type', /'interval'/],
  [
    'of another joint than a ball',
    ball,
    { type: 'cone', halfAngle: 1 },
    '.type',
    /'angle', or a ball-and-socket/,
  ],
  ['of another joint than a socket', socket, { type: 'cone', halfAngle: 1 }, '.type', /'swing-twist'/],
  ['on a fixed bone', { type: 'fixed' }, { type: 'interval', min: 0, max: 1 }, '.type', /Leave it out/],
  ['min over max', hinge, { type: 'interval', min: 1, max: 0 }, '', /min <= max/],
  ['min missing', hinge, { type: 'interval', max: 0 }, '', /min <= max/],
  ['min NaN', hinge, { type: 'interval', min: Number.NaN, max: 0 }, '', /min <= max/],
  ['min infinite', hinge, { type: 'interval', min: -Infinity, max: 0 }, '', /null/],
  ['max a string', hinge, { type: 'interval', min: 0, max: '1' }, '', /each a number/],
  ['cone negative', swing, { type: 'cone', halfAngle: -1 }, '.halfAngle', /below pi/],
  ['cone zero', swing, { type: 'cone', halfAngle: 0 }, '.halfAngle', /above zero/],
  ['cone of pi', swing, { type: 'cone', halfAngle: Math.PI }, '.halfAngle', /below pi/],
  ['cone missing', swing, { type: 'cone' }, '.halfAngle', /below pi/],
  ['ellipse without radii', swing, { type: 'ellipse' }, '.halfAngles', /two angles/],
  ['ellipse of three', swing, { type: 'ellipse', halfAngles: [1, 1, 1] }, '.halfAngles', /two angles/],
  ['ellipse over pi', swing, { type: 'ellipse', halfAngles: [1, 4] }, '.halfAngles[1]', /below pi/],
  ['ellipse of strings', swing, { type: 'ellipse', halfAngles: ['1', '1'] }, '.halfAngles[0]', /below pi/],
  ['quad-ellipse without t', swing, { type: 'quad-ellipse', s: [-1, 1] }, '.t', /two angles/],
  [
    'quad-ellipse without a middle',
    swing,
    { type: 'quad-ellipse', s: [0.5, 1], t: [-1, 1] },
    '.s[0]',
    /below zero/,
  ],
  [
    'quad-ellipse past pi',
    swing,
    { type: 'quad-ellipse', s: [-4, 1], t: [-1, 1] },
    '.s[0]',
    /above minus pi/,
  ],
  ['quad-ellipse reversed', swing, { type: 'quad-ellipse', s: [-1, 1], t: [-1, -2] }, '.t[1]', /above zero/],
  ['angle over pi', ball, { type: 'angle', max: 3.2 }, '.max', /up to pi/],
  ['angle negative', ball, { type: 'angle', max: -1 }, '.max', /above zero/],
  ['box without arrays', euler, { type: 'box' }, '.min', /array of 3/],
  ['box of two', euler, { type: 'box', min: [0, 0, 0], max: [1, 1] }, '.max', /array of 3/],
  ['box with min over max', euler, { type: 'box', min: [0, 2, 0], max: [1, 1, 1] }, '[1]', /min <= max/],
  [
    'box on the first turn of a free joint',
    free,
    { type: 'box', min: [0, 0, 0, null, null, null], max: [1, 1, 1, 3, null, null] },
    '[3]',
    /position only/,
  ],
  [
    'box on a later turn of a free joint',
    free,
    { type: 'box', min: [0, 0, 0, null, -1, null], max: [1, 1, 1, null, null, null] },
    '[4]',
    /position only/,
  ],
  ['swing a word', socket, { type: 'swing-twist', swing: 'cone' }, '.swing', /object/],
  ['swing of unknown type', socket, { type: 'swing-twist', swing: { type: 'box' } }, '.swing.type', /'cone'/],
  [
    'swing bad',
    socket,
    { type: 'swing-twist', swing: { type: 'cone', halfAngle: 9 } },
    '.swing.halfAngle',
    /below pi/,
  ],
  ['twist a number', socket, { type: 'swing-twist', twist: 1 }, '.twist', /object/],
  ['twist open', socket, { type: 'swing-twist', twist: { min: 0, max: null } }, '.twist', /both bounds/],
  ['twist reversed', socket, { type: 'swing-twist', twist: { min: 1, max: 0 } }, '.twist', /min <= max/],
];

describe('createFigure refuses', () => {
  test.each(CASES)('%s', (_what, data, code, path, remedy) => {
    expect(failure(data)).toMatchObject({ code, path, remedy: expect.stringMatching(remedy) });
  });

  test.each(LIMITS)('a limit %s', (_what, joint, limit, path, remedy) => {
    expect(failure(bone({ joint, limit }))).toMatchObject({
      code: 'invalid-limit',
      path: `bones[1].limit${path}`,
      remedy: expect.stringMatching(remedy),
    });
  });

  test('a cycle, spelling it out', () => {
    const bones = [
      { name: 'free' },
      { name: 'a', parent: 'c' },
      { name: 'b', parent: 'a' },
      { name: 'c', parent: 'b' },
      { name: 'd', parent: 'a' },
    ];
    const { code, path, message } = failure({ bones });
    expect(code).toBe('cycle');
    expect(path).toBe('bones[1].parent');
    expect(message).toContain('a -> c -> b -> a');
  });

  test('and names the bone by its place in the data given, not in the sorted figure', () => {
    const bones = [{ name: 'leaf', parent: 'root' }, { name: 'mid', mass: -1 }, { name: 'root' }];
    expect(failure({ bones }).path).toBe('bones[1].mass');
  });
});

describe('no input makes anything but a FigureError', () => {
  const builds = (data: unknown): boolean => {
    try {
      createFigure(data as FigureData);
      return true;
    } catch (error) {
      if (!(error instanceof FigureError)) throw error;
      return false;
    }
  };

  /** Words that mean something to a figure, so that arbitrary objects get past the first check. */
  const words = ['type', 'axis', 'side', 'order', 'min', 'max', 'swing', 'twist', 's', 't', 'halfAngle'];
  const leaf = fc.oneof(
    fc.constantFrom(
      null,
      undefined,
      '',
      'a',
      'b',
      'hinge',
      'ball',
      'swing',
      'free',
      'euler',
      'cone',
      'box',
      'XYZ',
    ),
    fc.constantFrom('ball-and-socket', 'swing-twist', 'quad-ellipse', 'ellipse', 'interval', 'angle', true),
    fc.double(),
    fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 1, maxLength: 7 }),
  );
  const shape = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.dictionary(fc.constantFrom(...words), tie('node'), { maxKeys: 4 }),
      fc.array(tie('node'), { maxLength: 4 }),
    ),
  })).node;

  test('any JSON value, as the figure, as a bone, as any field of a bone', () => {
    const fields = ['name', 'parent', 'rest', 'joint', 'limit', 'tip', 'mass', 'centerOfMass', 'inertia'];
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...fields), (value, field) => {
        builds(value);
        builds({ bones: value });
        builds({ bones: [value] });
        builds({ bones: [{ name: 'a', [field]: value }] });
        builds({
          bones: [
            { name: 'a', joint: hinge, [field]: value },
            { name: 'b', parent: 'a' },
          ],
        });
      }),
      { numRuns: 1000 },
    );
  });

  test('bones put together from the right words in wrong places', () => {
    let good = 0;
    fc.assert(
      fc.property(
        shape,
        shape,
        shape,
        fc.constantFrom(hinge, swing, socket, ball, euler, free),
        (x, y, z, joint) => {
          builds({ bones: [{ name: 'a', joint: x, limit: y, rest: z }] });
          builds({ bones: [{ name: 'a', joint, limit: x, tip: y, inertia: z }] });
          builds({ bones: [{ name: 'a', joint: { ...joint, order: z } }] });
          if (builds({ bones: [{ name: 'a', joint: { ...joint, axis: [1, 0, 0], side: y } }] })) good++;
        },
      ),
      { numRuns: 1000 },
    );
    expect(good).toBeGreaterThan(0);
  });

  test('the human with any one value replaced', () => {
    const data = figureToData(createHumanFigure());
    const paths: string[][] = [];
    const collect = (value: unknown, path: string[]): void => {
      if (path.length > 0) paths.push(path);
      if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key]);
      }
    };
    collect(data, []);
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.oneof(leaf, fc.jsonValue()), (path, value) => {
        const changed = structuredClone(data);
        let at = changed as unknown as Record<string, unknown>;
        for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
        at[path[path.length - 1]] = value;
        builds(changed);
      }),
      { numRuns: 2000 },
    );
  });
});

test('a twist with an open side asks for both bounds, not for null', () => {
  for (const twist of [{ min: -1 }, { min: -1, max: null }, { min: 1, max: -1 }]) {
    const { path, remedy } = failure(bone({ joint: socket, limit: { type: 'swing-twist', twist } }));
    expect(path).toBe('bones[1].limit.twist');
    expect(remedy).toMatch(/both/);
    expect(remedy).not.toMatch(/null/);
  }
});
