import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { goalPictures } from '../lib/goal-pictures.mjs';
import { pictureSets } from '../lib/picture-sets.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const goals = `${root}docs/goals/`;
const NUMBER = /-?\d+(?:\.\d+)?/g;
/** Pixels: rounding to thousandths, and engines that differ in the last bit of a sine. */
const SAME = 0.01;

const all = pictureSets.flatMap(({ place, pictures }) =>
  Object.entries(pictures).map(([name, draw]) => [`${place}/${name}.svg`, draw] as const),
);

describe('the pictures of docs are what the library draws: else run node scripts/draw-pictures.mjs', () => {
  it.each(all)('%s', (place, draw) => {
    const file = root + place;
    expect(existsSync(file), file).toBe(true);
    const kept = readFileSync(file, 'utf8');
    const drawn = draw().toString();
    expect(kept.length).toBeLessThan(30_000);
    // Words and shapes alike, numbers near enough. The angles in labels are numbers too.
    expect(drawn.replace(NUMBER, '#')).toBe(kept.replace(NUMBER, '#'));
    const numbers = (kept.match(NUMBER) ?? []).map(Number);
    const worst = (drawn.match(NUMBER) ?? []).reduce(
      (max, text, n) => Math.max(max, Math.abs(Number(text) - numbers[n])),
      0,
    );
    expect(worst).toBeLessThanOrEqual(SAME);
  });

  it('no picture is left over', () => {
    for (const { place, pictures } of pictureSets) {
      const files = readdirSync(root + place).filter((file) => file.endsWith('.svg'));
      expect(files.sort()).toEqual(
        Object.keys(pictures)
          .map((name) => `${name}.svg`)
          .sort(),
      );
    }
  });

  it('each goal has a page that shows it', () => {
    const pages = readdirSync(goals).filter((file) => file.endsWith('.md') && file !== 'README.md');
    const shown = pages.map(
      (file) => /\(pictures\/([a-z-]+)\.svg\)/.exec(readFileSync(goals + file, 'utf8'))?.[1],
    );
    const names = Object.keys(goalPictures).sort();
    expect(shown.sort()).toEqual(names);
  });
});
