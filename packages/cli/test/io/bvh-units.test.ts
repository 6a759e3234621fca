import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import type { Inspection } from '../../src/inspect/inspection.js';
import { parseUnits } from '../../src/io/bvh-units.js';
import { poise } from '../support/command.js';

async function inspected(...argv: string[]): Promise<Inspection> {
  const { status, out } = await poise('inspect', ...argv, '--json');
  expect(status).toBe(0);
  return JSON.parse(out) as Inspection;
}

const height = ({ bounds }: Inspection): number => bounds.max[1] - bounds.min[1];

describe('--units', () => {
  test('is a name, or metres', () => {
    expect(['m', 'dm', 'cm', 'mm', '0.5'].map(parseUnits)).toEqual([1, 0.1, 0.01, 0.001, 0.5]);
    expect(parseUnits('ft') / parseUnits('in')).toBeCloseTo(12, 12);
    for (const text of ['0', '-1', 'yard', 'nan', 'toString']) expect(() => parseUnits(text)).toThrow(text);
  });

  test('and --up are for BVH files', async () => {
    for (const option of ['--units=cm', '--up=z']) {
      expect(await poise('inspect', option)).toMatchObject({
        status: 2,
        err: expect.stringContaining('BVH'),
      });
    }
  });
});

describeWithData('the unit and the up axis of a .bvh', 'bvh', (folder) => {
  // By the makers: centimetres; inches over 0.45 (CMU); decimetres and z up (MakeHuman).
  test.each([
    ['walk01.bvh', 'cm', 'y'],
    ['cmu_12_01_walk.bvh', 'cmu', 'y'],
    ['makehuman_walk1.bvh', 'dm', 'z'],
  ] as const)('of %s are found by the height: %s, %s up', async (name, unit, up) => {
    const path = join(folder, name);
    const found = await inspected(path);
    expect(height(found)).toBeGreaterThan(1.3);
    expect(height(found)).toBeLessThan(2.1);
    expect(found.warnings).toContainEqual(expect.stringContaining(`its unit is ${unit}, by the height`));
    expect(found.warnings.some((text) => text.includes('+Z is up'))).toBe(up === 'z');
    const { bones, bounds } = await inspected(path, '--units', unit, '--up', up);
    expect({ bones, bounds }).toEqual({ bones: found.bones, bounds: found.bounds });
  });

  test('are those that are given', async () => {
    const path = join(folder, 'walk01.bvh');
    const raw = await inspected(path, '--units', 'm', '--up', 'y');
    expect(height(raw)).toBeGreaterThan(100);
    expect(height(await inspected(path, '--units', '0.02'))).toBeCloseTo(0.02 * height(raw), 10);
    const tilted = await inspected(path, '--units', 'm', '--up', 'z');
    expect(tilted.bounds.max[2] - tilted.bounds.min[2]).toBeCloseTo(height(raw), 6);
  });

  test('of a skeleton of no known unit are not guessed', async () => {
    const { warnings } = await inspected(join(folder, 'fair_wave_hello.bvh'));
    expect(warnings).toContainEqual(expect.stringMatching(/m high, read in metres \(--units/));
  });
});
