import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_SEED, seedFromEnvironment } from '../test-support/seed.js';

test('the seed is fixed unless asked for, and an integer is taken as it is', () => {
  expect(seedFromEnvironment(undefined)).toBe(DEFAULT_SEED);
  expect(seedFromEnvironment('')).toBe(DEFAULT_SEED);
  expect(seedFromEnvironment('42')).toBe(42);
});

test('random draws a new 32-bit integer each time', () => {
  const drawn = Array.from({ length: 8 }, () => seedFromEnvironment('random'));
  expect(new Set(drawn).size).toBeGreaterThan(1);
  for (const seed of drawn) expect(seed).toBe(seed | 0);
});

test('a seed that is no integer is refused', () => {
  expect(() => seedFromEnvironment('4.2')).toThrow('POISE_SEED=4.2');
  expect(() => seedFromEnvironment('luck')).toThrow('"random"');
});

test('fast-check runs on the seed of the run', () => {
  expect(fc.readConfigureGlobal().seed).toBe(seedFromEnvironment(process.env.POISE_SEED));
});
