import fc from 'fast-check';
import { GoalError } from 'poise';
import { describe, expect, test } from 'vitest';
import {
  angleText,
  count,
  decimals,
  lengthText,
  parseNumber,
  parseNumbers,
  triple,
} from '../../src/io/parse-number.js';

describe('parseNumber', () => {
  test('reads every finite double back from its shortest text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseNumber(String(value), 'p')).toBe(value + 0);
      }),
    );
  });

  test.each(['NaN', 'nan', 'inf', '-Infinity', '1e999', '-1e400'])('refuses %s as not finite', (text) => {
    expect(() => parseNumber(text, 'p')).toThrow(
      expect.objectContaining({ code: 'not-finite', path: 'p', remedy: expect.any(String) }),
    );
  });

  test.each(['', ' ', '1,2', '0x10', '1_000', '1e', '--1', '1 2', 'one', '1.2.3', '.'])(
    'refuses %j, though Number() accepts some',
    (text) => {
      expect(() => parseNumber(text, 'p')).toThrow(expect.objectContaining({ code: 'unsupported' }));
    },
  );

  test('any text gives a finite number or a GoalError', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(Number.isFinite(parseNumber(text, 'p'))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(GoalError);
        }
      }),
    );
  });
});

describe('parseNumbers', () => {
  test('accepts spaces around numbers and only the given counts', () => {
    expect(parseNumbers('1, -2.5,3e2', [3], 'p')).toEqual([1, -2.5, 300]);
    expect(parseNumbers('0,0,0,1', [3, 4], 'p')).toEqual([0, 0, 0, 1]);
    for (const text of ['', '1', '1,2', '1,2,3,4,5']) {
      expect(() => parseNumbers(text, [3, 4], 'p')).toThrow(expect.objectContaining({ code: 'wrong-size' }));
    }
  });
});

describe('formatted numbers', () => {
  test('have no trailing zeros and no minus zero', () => {
    expect(decimals(-0.0001)).toBe('0');
    expect(decimals(1.5)).toBe('1.5');
    expect(decimals(-2.34567)).toBe('-2.346');
    expect(triple([0, -0, 1])).toBe('0, 0, 1');
  });

  test('have a readable unit', () => {
    expect(lengthText(0)).toBe('0 mm');
    expect(lengthText(3e-9)).toBe('<0.001 mm');
    expect(lengthText(0.00123456)).toBe('1.23 mm');
    expect(lengthText(0.5)).toBe('500 mm');
    expect(lengthText(12.345)).toBe('12.3 m');
    expect(angleText(Math.PI / 2)).toBe('90 deg');
    expect(angleText(1e-9)).toBe('<0.001 deg');
    expect(angleText(0)).toBe('0 deg');
  });

  test('have the right plural', () => {
    expect([count(1, 'bone'), count(2, 'bone'), count(0, 'mesh'), count(1, 'mesh')]).toEqual([
      '1 bone',
      '2 bones',
      '0 meshes',
      '1 mesh',
    ]);
  });
});
