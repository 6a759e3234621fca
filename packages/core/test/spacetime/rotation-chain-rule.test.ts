import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Numbers } from '../../src/math/linear/types.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
} from '../../src/motion/representation/rotation-state.js';
import {
  createRotationBlock,
  type RotationBlock,
  type RotationReference,
  writeRotationBlock,
} from '../../src/spacetime/transcription/rotation-chain-rule.js';
import { createRandom, expectSameBits, rotationVector, within } from '../figure/support.js';

interface Case extends RotationBlockData {
  readonly d: readonly number[];
  readonly rate: readonly number[];
  readonly second: readonly number[];
  readonly reference: RotationReference | null;
}

type RotationBlockData = { readonly [key in keyof RotationBlock]: readonly number[] };

const file = new URL('../fixtures/spacetime/rotation-chain-rule.json', import.meta.url);
const cases: readonly Case[] = JSON.parse(readFileSync(file, 'utf8')).cases;

function largest(x: Numbers): number {
  return Math.max(...Array.from(x, Math.abs));
}

function gap(a: Numbers, b: Numbers): number {
  return largest(Array.from(a, (x, k) => x - b[k]));
}

describe('a displacement from a reference rotation', () => {
  // Reference values by differences at 120 digits: scripts/oracles/spacetime/rotation_chain_rule.py.
  test.each(cases.map((given) => [Math.hypot(...given.d), given.reference === null, given] as const))(
    'at %f rad, reference at rest: %s',
    (_, __, given) => {
      const block = createRotationBlock();
      writeRotationBlock(given.d, given.rate, given.second, 0, given.reference ?? undefined, block);
      for (const key of [
        'vector',
        'angularVelocity',
        'angularAcceleration',
        'rightJacobian',
        'velocityByValue',
        'accelerationByValue',
        'accelerationByRate',
      ] as const) {
        const scale = key === 'vector' || key === 'rightJacobian' ? 1 : Math.max(1, largest(given[key]));
        expect(gap(block[key], given[key]) / scale, key).toBeLessThan(4e-15);
      }
    },
  );

  test('the fixture covers 1e-12 to 6 rad, with moving references and references at rest', () => {
    const sizes = cases.map(({ d }) => Math.hypot(...d)).filter((x) => x > 0);
    expect(Math.min(...sizes)).toBeLessThan(2e-12);
    expect(Math.max(...sizes)).toBeGreaterThan(6);
    const references = cases.flatMap(({ reference }) => reference ?? []);
    expect(references.some(({ angularVelocity }) => largest(angularVelocity) === 0)).toBe(true);
    expect(references.some(({ angularVelocity }) => largest(angularVelocity) > 1)).toBe(true);
  });

  test('equals the product of both as rotation states', () => {
    const random = createRandom(4001);
    const vector = (size: number) => [0, 1, 2].map(() => within(random, size));
    const block = createRotationBlock();
    for (let n = 0; n < 100; n++) {
      const d = { value: rotationVector(random, 6), first: vector(3), second: vector(6) };
      const reference = expRotationState(
        { value: rotationVector(random, 3), first: vector(2), second: vector(4) },
        createRotationState(),
      );
      const child = expRotationState(d, createRotationState());
      const axes = n % 2 === 0 ? 'bone' : 'parent';
      const product =
        axes === 'bone'
          ? composeRotationStates(reference, child, createRotationState())
          : composeRotationStates(child, reference, createRotationState());
      writeRotationBlock(d.value, d.first, d.second, 0, reference, block, axes);
      expect(gap(block.angularVelocity, product.angularVelocity)).toBeLessThan(1e-14);
      expect(gap(block.angularAcceleration, product.angularAcceleration)).toBeLessThan(1e-13);
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

  test('without a reference the vector is unchanged to the bit, also past pi, and inputs are read at the offset', () => {
    const random = createRandom(4002);
    const block = createRotationBlock();
    const again = createRotationBlock();
    for (let n = 0; n < 20; n++) {
      const d = rotationVector(random, 6);
      const rate = [0, 1, 2].map(() => within(random, 3));
      const second = [0, 1, 2].map(() => within(random, 3));
      writeRotationBlock(d, rate, second, 0, undefined, block);
      expectSameBits(block.vector, d);
      const behind = (x: number[]) => [7, 8, ...x, 9];
      writeRotationBlock(behind(d), behind(rate), behind(second), 2, undefined, again);
      for (const key of Object.keys(block) as (keyof RotationBlock)[]) expectSameBits(again[key], block[key]);
    }
  });
});
