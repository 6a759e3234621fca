/** The picture of limits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { poise, temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();

test('draws them: each limit that has a form, in the views that show it, as docs/figure.md has it', async () => {
  const picture = join(folder, 'limits.svg');
  const { status, out: report } = await poise('limits', 'human', '--picture', picture, '--json');
  expect([status, JSON.parse(report).picture]).toEqual([0, picture]);
  const svg = readFileSync(picture, 'utf8');
  const kept = readFileSync(new URL('../../../../docs/figures/limits.svg', import.meta.url), 'utf8');
  // Words and shapes alike; numbers by a rounding, since engines differ in the last bit of a sine. Made anew by
  // `npx poise limits human --picture docs/figures/limits.svg`.
  const number = /-?\d+(?:\.\d+)?/g;
  expect(svg.replace(number, '#')).toBe(kept.replace(number, '#'));
  const numbers = kept.match(number)?.map(Number) ?? [];
  const off = (svg.match(number) ?? []).map((text, n) => Math.abs(Number(text) - numbers[n]));
  expect(Math.max(...off)).toBeLessThan(0.11);
  const fans = svg.match(/<g><title>[^<]*/g) ?? [];
  const of = (bone: string): number => fans.filter((text) => text.includes(`>${bone}:`)).length;
  // From the front, from the right, and of level limbs from above; a swing and a twist each.
  expect([of('leftUpperArm'), of('rightUpperArm'), of('leftLowerLeg'), of('rightLowerLeg')]).toEqual([
    4, 6, 1, 2,
  ]);
  expect(fans).toContain('<g><title>rightLowerLeg: flexion 140°');
  const { out } = await poise('limits', '--picture', '-');
  expect(String(out)).toBe(svg);
});
