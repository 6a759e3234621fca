import { describe, expect, test } from 'vitest';
import {
  areFinite,
  type ErrorClass,
  requireBoolean,
  requireFields,
  requireFinite,
  requireNotNegative,
  requireNumbers,
  requireOneOf,
  requirePositive,
  requireWhole,
  shown,
} from '../src/checks.js';
import { GoalError, PoiseError } from '../src/errors.js';

type Check = (Fault: ErrorClass) => void;

const known = { maxIterations: true, restarts: true };
const passes: [string, Check][] = [
  ['known fields', (F) => requireFields({ restarts: 2 }, known, 'options', F)],
  ['no field', (F) => requireFields({}, known, 'options', F)],
  ['a known word', (F) => requireOneOf('lbs', ['lbs', 'dqs'], 'x', F)],
  ['false', (F) => requireBoolean(false, 'x', F)],
  ['a finite number', (F) => requireFinite(-1e300, 'x', F)],
  ['a positive number', (F) => requirePositive(5e-324, 'x', F)],
  ['minus zero as not negative', (F) => requireNotNegative(-0, 'x', F)],
  ['a whole number', (F) => requireWhole(1, 'x', F, 1)],
  ['numbers', (F) => requireNumbers(new Float32Array([1, 2, 3]), 3, 'x', F)],
];
const faults: [string, Check, string][] = [
  [
    'an unknown field',
    (F) => requireFields({ maxIteration: 2 }, known, 'options', F),
    "unknown-name options.maxIteration: is not a known field. Did you mean 'maxIterations'?",
  ],
  [
    'a field like no other',
    (F) => requireFields({ zzz: 2 }, known, 'options', F),
    'unknown-name options.zzz: is not a known field. The fields are maxIterations, restarts.',
  ],
  [
    'an inherited name as a field',
    (F) => requireFields({ toString: 2 }, known, 'options', F),
    'unknown-name options.toString: is not a known field. The fields are maxIterations, restarts.',
  ],
  [
    'null for an object',
    (F) => requireFields(null, known, 'options', F),
    'unsupported options: is null. Give an object, or leave it out.',
  ],
  [
    'a list for an object',
    (F) => requireFields([1], known, 'options', F),
    'unsupported options: is [1]. Give an object, or leave it out.',
  ],
  [
    'an unknown word',
    (F) => requireOneOf('lbz', ['lbs', 'dqs'], 'x', F),
    "unsupported x: is 'lbz'. Did you mean 'lbs'?",
  ],
  [
    'a number for a word',
    (F) => requireOneOf(7, ['lbs', 'dqs'], 'x', F),
    'unsupported x: is 7. Give one of lbs, dqs.',
  ],
  [
    'a word for a truth value',
    (F) => requireBoolean('yes', 'x', F),
    "unsupported x: is 'yes'. Give true or false.",
  ],
  ['text for a number', (F) => requireFinite('1', 'x', F), "not-finite x: is '1'. Give a finite number."],
  [
    'zero as positive',
    (F) => requirePositive(0, 'x', F, 'kg'),
    'out-of-range x: is 0. Give a positive, finite number, kg.',
  ],
  [
    'infinity as positive',
    (F) => requirePositive(Infinity, 'x', F),
    'out-of-range x: is Infinity. Give a positive, finite number.',
  ],
  [
    'a negative number',
    (F) => requireNotNegative(-1, 'x', F),
    'out-of-range x: is -1. Give a finite number, zero or more.',
  ],
  [
    'half a count',
    (F) => requireWhole(0.5, 'x', F),
    'out-of-range x: is 0.5. Give a whole number, zero or more.',
  ],
  [
    'a count below the least',
    (F) => requireWhole(0, 'x', F, 1),
    'out-of-range x: is 0. Give a whole number, 1 or more.',
  ],
  [
    'too few numbers',
    (F) => requireNumbers([1, 2], 3, 'x', F),
    'wrong-size x: has 2 numbers where 3 numbers belong. Give an array of 3 numbers.',
  ],
  [
    'a number for numbers',
    (F) => requireNumbers(2, 3, 'x', F),
    'wrong-size x: is 2 where 3 numbers belong. Give an array of 3 numbers.',
  ],
  [
    'NaN among numbers',
    (F) => requireNumbers([1, Number.NaN, 3], 3, 'x', F),
    'not-finite x[1]: is NaN. Give a finite number.',
  ],
  [
    'digits as text among numbers',
    (F) => requireNumbers(['1', 2, 3], 3, 'x', F),
    "not-finite x[0]: is '1'. Give a finite number.",
  ],
  [
    'NaN among typed numbers',
    (F) => requireNumbers(Float64Array.of(1, 2, Number.NaN), 3, 'x', F),
    'not-finite x[2]: is NaN. Give a finite number.',
  ],
  [
    'text among numbers',
    (F) => requireNumbers([1, 'b', 3], 3, 'x', F),
    "not-finite x[1]: is 'b'. Give a finite number.",
  ],
];

describe('checks of arguments', () => {
  test.each(passes)('let pass: %s', (_, check) => {
    expect(() => check(GoalError)).not.toThrow();
  });

  test.each(faults)('refuse %s', (_, check, text) => {
    try {
      check(GoalError);
    } catch (error) {
      const { code, path, what, remedy } = error as GoalError;
      expect(error).toBeInstanceOf(GoalError);
      expect(`${code} ${path}: ${what} ${remedy}`).toBe(text);
      return;
    }
    expect.fail('nothing was thrown');
  });

  test('show any value, cyclic ones too', () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    const given = [cyclic, undefined, 'a', 3n, [1, 2], Array(99).fill(1), 'b'.repeat(99), shown];
    expect(given.map(shown)).toEqual([
      'an object',
      'undefined',
      "'a'",
      '3',
      '[1,2]',
      `[${'1,'.repeat(28)}...`,
      `'${'b'.repeat(57)}...'`,
      'a function (shown)',
    ]);
  });

  test('a sum of zeros is finite where all numbers are', () => {
    expect(areFinite([1e308, -1e308, 0])).toBe(true);
    for (const bad of [Number.NaN, Infinity, -Infinity]) expect(areFinite([0, bad])).toBe(false);
  });
});

test('a value that has no primitive is refused like any other: JSON can hold one', () => {
  const object = JSON.parse('{"toString":1,"valueOf":1}') as unknown;
  for (const check of [requirePositive, requireNotNegative, requireFinite]) {
    expect(() => check(object, 'x', PoiseError)).toThrow(PoiseError);
    expect(() => check([2], 'x', PoiseError)).toThrow(PoiseError);
    expect(() => check('2', 'x', PoiseError)).toThrow(PoiseError);
  }
});
