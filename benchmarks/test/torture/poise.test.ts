import { describe, expect, test } from 'vitest';
import { poise } from '../../src/torture/engines/poise.js';
import { play } from '../../src/torture/play.js';
import { makeScene, sharesOf } from '../../src/torture/scenes/index.js';

/** Beyond a limit, rad: poses of Poise are clamped to theirs, to rounding. */
const ROUNDING = 1e-6;

describe('a twentieth of the torture, in short', () => {
  test.each(Object.entries(sharesOf(50)))('scenes of %s (%i) are clean', (kind, count) => {
    const wrong: string[] = [];
    for (let number = 0; number < count; number++) {
      const { id, faults, worst } = play(makeScene(kind, 1, number, true), poise);
      wrong.push(...[...faults].map(([name, text]) => `${id}: ${name}: ${text}`));
      if (worst.limit > ROUNDING) wrong.push(`${id}: ${worst.limit} rad beyond a limit`);
    }
    expect(wrong).toEqual([]);
  });
});
