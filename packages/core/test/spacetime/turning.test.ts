import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Numbers } from '../../src/math/linear/types.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
} from '../../src/motion/representation/rotation-state.js';
import {
  createTurningBlock,
  type TurningBlock,
  type TurningReference,
  writeTurning,
} from '../../src/spacetime/transcription/rotation-chain-rule.js';
import { createRandom, expectSameBits, rotationVector, within } from '../figure/support.js';

interface Case extends TurningBlockData {
  readonly d: readonly number[];
  readonly rate: readonly number[];
  readonly second: readonly number[];
  readonly reference: TurningReference | null;
}

type TurningBlockData = { readonly [key in keyof TurningBlock]: readonly number[] };

const file = new URL('../fixtures/spacetime/turning.json', import.meta.url);
const cases: readonly Case[] = JSON.parse(readFileSync(file, 'utf8')).cases;

function largest(x: Numbers): number {
  return Math.max(...Array.from(x, Math.abs));
}

function gap(a: Numbers, b: Numbers): number {
  return largest(Array.from(a, (x, k) => x - b[k]));
}

describe('a displacement from a reference rotation', () => {
  // Differences at 120 digits: scripts/oracles/spacetime/turning.py.
  test.each(cases.map((given) => [Math.hypot(...given.d), given.reference === null, given] as const))(
    'at %f rad, reference at rest: %s',
    (_, __, given) => {
      const block = createTurningBlock();
      writeTurning(given.d, given.rate, given.second, 0, given.reference ?? undefined, block);
      for (const key of [
        'vector',
        'nu',
        'nuRate',
        'turn',
        'nuByValue',
        'nuRateByValue',
        'nuRateByRate',
      ] as const) {
        const scale = key === 'vector' || key === 'turn' ? 1 : Math.max(1, largest(given[key]));
        expect(gap(block[key], given[key]) / scale, key).toBeLessThan(4e-15);
      }
    },
  );

  test('the fixture reaches from 1e-12 to 6 rad, with references that turn and that rest', () => {
    const sizes = cases.map(({ d }) => Math.hypot(...d)).filter((x) => x > 0);
    expect(Math.min(...sizes)).toBeLessThan(2e-12);
    expect(Math.max(...sizes)).toBeGreaterThan(6);
    const references = cases.flatMap(({ reference }) => reference ?? []);
    expect(references.some(({ angularVelocity }) => largest(angularVelocity) === 0)).toBe(true);
    expect(references.some(({ angularVelocity }) => largest(angularVelocity) > 1)).toBe(true);
  });

  test('moves as the product of the two as rotation states', () => {
    const random = createRandom(4001);
    const vector = (size: number) => [0, 1, 2].map(() => within(random, size));
    const block = createTurningBlock();
    for (let n = 0; n < 100; n++) {
      const d = { value: rotationVector(random, 6), first: vector(3), second: vector(6) };
      const reference = expRotationState(
        { value: rotationVector(random, 3), first: vector(2), second: vector(4) },
        createRotationState(),
      );
      const child = expRotationState(d, createRotationState());
      const product = composeRotationStates(reference, child, createRotationState());
      writeTurning(d.value, d.first, d.second, 0, reference, block);
      expect(gap(block.nu, product.angularVelocity)).toBeLessThan(1e-14);
      expect(gap(block.nuRate, product.angularAcceleration)).toBeLessThan(1e-13);
      expect(Math.hypot(...block.vector)).toBeLessThan(Math.PI + 1e-15);
      const still = { value: block.vector, first: [0, 0, 0], second: [0, 0, 0] };
      const back = Array.from(expRotationState(still, createRotationState()).quaternion);
      const expected = Array.from(product.quaternion);
      const same = Math.sign(back.reduce((sum, x, k) => sum + x * expected[k], 0));
      expect(
        gap(
          back,
          expected.map((x) => same * x),
        ),
      ).toBeLessThan(1e-15);
    }
  });

  test('without a reference the vector stays to the bit, past pi too; others are read from the offset', () => {
    const random = createRandom(4002);
    const block = createTurningBlock();
    const again = createTurningBlock();
    for (let n = 0; n < 20; n++) {
      const d = rotationVector(random, 6);
      const rate = [0, 1, 2].map(() => within(random, 3));
      const second = [0, 1, 2].map(() => within(random, 3));
      writeTurning(d, rate, second, 0, undefined, block);
      expectSameBits(block.vector, d);
      const behind = (x: number[]) => [7, 8, ...x, 9];
      writeTurning(behind(d), behind(rate), behind(second), 2, undefined, again);
      for (const key of Object.keys(block) as (keyof TurningBlock)[]) expectSameBits(again[key], block[key]);
    }
  });
});
