import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  cubicBezierEase,
  EASE_NAMES,
  type Ease,
  easeTiming,
  evaluateTiming,
  namedEase,
} from '../../../src/motion/retime/index.js';
import { differentiate } from './support.js';

const fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/motion/editing.json', import.meta.url), 'utf8'),
) as {
  cubicBezier: { handles: [number, number, number, number]; samples: [number, number, number, number][] }[];
};

describe('cubicBezierEase', () => {
  for (const { handles, samples } of fixture.cubicBezier) {
    it(`cubic-bezier(${handles.join(', ')}) agrees with the curve solved at 50 digits, and its rates`, () => {
      for (const [share, ...wanted] of samples) {
        const { value, first, second } = cubicBezierEase(...handles)(share);
        for (const [k, got] of [value, first, second].entries()) {
          expect(Math.abs(got - wanted[k])).toBeLessThan(2e-14 * Math.max(1, Math.abs(wanted[k])) * 10 ** k);
        }
      }
    });
  }

  it('has the rates of the limit at a vertical tangent', () => {
    expect(cubicBezierEase(0, 0, 1, 1)(0)).toEqual({ value: 0, first: 1, second: 0 });
    expect(cubicBezierEase(0, 0, 1, 1)(1)).toEqual({ value: 1, first: 1, second: 0 });
    expect(cubicBezierEase(0, 0, 0.5, 1)(0).first).toBe(2);
    expect(cubicBezierEase(0, 0, 0.5, 1)(0).second).toBe(Number.NEGATIVE_INFINITY);
    expect(cubicBezierEase(0, 0, 0.5, 1)(1e-9).second).toBeLessThan(-1e3);
    expect(cubicBezierEase(0, 1, 0.5, 1)(0)).toEqual({
      value: 0,
      first: Number.POSITIVE_INFINITY,
      second: Number.NEGATIVE_INFINITY,
    });
    expect(cubicBezierEase(0.5, 0, 1, 1)(1).first).toBe(2);
    expect(cubicBezierEase(0.5, 0, 1, 1)(1 - 1e-9).second).toBeGreaterThan(1e3);
    expect(cubicBezierEase(0.5, 0, 1, 1)(1).second).toBe(Number.POSITIVE_INFINITY);
    expect(cubicBezierEase(1, 0, 0, 1)(0.5).first).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('eases', () => {
  const rising: readonly [string, Ease][] = EASE_NAMES.map((name) => [name, namedEase(name)]);

  it('increase from 0 to 1', () => {
    for (const [, ease] of rising) {
      expect(ease(0).value).toBe(0);
      expect(ease(1).value).toBe(1);
      for (let n = 0, before = 0; n <= 1000; n++) {
        const { value, first } = ease(n / 1000);
        expect(value).toBeGreaterThanOrEqual(before);
        expect(first).toBeGreaterThanOrEqual(0);
        before = value;
      }
    }
  });

  it('have the rates of finite differences', () => {
    for (const [name, ease] of rising) {
      for (const share of [0.06, 0.17, 0.31, 0.44, 0.63, 0.79, 0.94]) {
        const { first, second } = ease(share);
        expect(Math.abs(first - differentiate((u) => [ease(u).value], share, 2e-3)[0]), name).toBeLessThan(
          2e-9 * (1 + first),
        );
        expect(Math.abs(second - differentiate((u) => [ease(u).first], share, 2e-3)[0]), name).toBeLessThan(
          1e-7 * (1 + Math.abs(second)),
        );
      }
    }
  });

  it('out is in reversed; in-out is both halves', () => {
    for (const family of ['quad', 'cubic', 'quart', 'quint', 'sine', 'expo', 'circ'] as const) {
      const [slowIn, slowOut, slowBoth] = (['in', 'out', 'in-out'] as const).map((side) =>
        namedEase(`${family}-${side}`),
      );
      for (const u of [0.1, 0.35, 0.8]) {
        expect(slowOut(u).value).toBeCloseTo(1 - slowIn(1 - u).value, 14);
        expect(slowBoth(u / 2).value).toBeCloseTo(slowIn(u).value / 2, 14);
        expect(slowBoth((1 + u) / 2).value).toBeCloseTo((1 + slowOut(u).value) / 2, 14);
      }
    }
    expect(namedEase('quart-in')(0.5).value).toBe(1 / 16);
    expect(namedEase('circ-in')(0.6).value).toBeCloseTo(0.2, 15);
    expect(namedEase('sine-out')(1 / 3).value).toBeCloseTo(0.5, 15);
    expect(namedEase('expo-in')(0.5).value).toBeCloseTo(31 / 1023, 15);
    expect(namedEase('minimum-jerk')(0.5)).toEqual({ value: 0.5, first: 1.875, second: 0 });
  });

  it('play the given times, with rates per second, and stop at the ends', () => {
    const timing = easeTiming('smoothstep', { start: 2, end: 6, from: 10, to: 11 });
    expect(evaluateTiming(timing, 4)).toEqual({ value: 10.5, first: 0.375, second: 0 });
    expect(evaluateTiming(timing, 2)).toEqual({ value: 10, first: 0, second: 6 / 16 });
    expect(evaluateTiming(timing, 6).value).toBe(11);
    const late = evaluateTiming(timing, 100);
    expect([late.value, late.first, late.second === 0]).toEqual([11, 0, true]);
    const walk = easeTiming('linear', { start: 0, end: 1, outside: 'offset' });
    expect(evaluateTiming(walk, 2.5)).toEqual({ value: 2.5, first: 1, second: 0 });
    expect(evaluateTiming(easeTiming('linear', { start: 0, end: 1, outside: 'linear' }), 3).value).toBe(3);
  });

  it('refuse invalid arguments', () => {
    const code = (code: string, path: string) => expect.objectContaining({ name: 'MotionError', code, path });
    expect(() => cubicBezierEase(-0.1, 0, 1, 1)).toThrow(code('out-of-range', 'x1'));
    expect(() => cubicBezierEase(0, 0, 1.1, 1)).toThrow(code('out-of-range', 'x2'));
    expect(() => cubicBezierEase(0, Number.NaN, 1, 1)).toThrow(code('not-finite', 'cubic-bezier[1]'));
    expect(() => cubicBezierEase(0, 0, 1, 1)(1.5)).toThrow(code('out-of-range', 'fraction'));
    expect(() => namedEase('sine-in')(Number.NaN)).toThrow(code('out-of-range', 'fraction'));
    expect(() => namedEase('easein' as 'ease-in')).toThrow(/Did you mean 'ease-in'/);
    expect(() => easeTiming(cubicBezierEase(0.6, -0.4, 0.3, 1.7), { start: 0, end: 1 })).toThrow(
      code('not-increasing', 'ease'),
    );
    expect(() => easeTiming('ease', { start: 1, end: 1 })).toThrow(code('not-increasing', 'range[1]'));
    expect(() => easeTiming('ease', { start: 0, end: 1, from: 2 })).toThrow(
      code('not-increasing', 'times[1]'),
    );
  });
});
