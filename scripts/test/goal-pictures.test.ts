import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { goalPictures } from '../lib/goal-pictures.mjs';

const goals = fileURLToPath(new URL('../../docs/goals/', import.meta.url));
const NUMBER = /-?\d+(?:\.\d+)?/g;
/** Pixels: rounding to thousandths, and engines that differ in the last bit of a sine. */
const SAME = 0.01;

describe('the pictures of docs/goals are what the solver draws: else run node scripts/draw-goals.mjs', () => {
  it.each(Object.entries(goalPictures))('%s', (name, draw) => {
    const file = `${goals}pictures/${name}.svg`;
    expect(existsSync(file), file).toBe(true);
    const kept = readFileSync(file, 'utf8');
    const drawn = draw().toString();
    expect(kept.length).toBeLessThan(15_000);
    // Words and shapes alike, numbers near enough. The angles in labels are numbers too.
    expect(drawn.replace(NUMBER, '#')).toBe(kept.replace(NUMBER, '#'));
    const numbers = (kept.match(NUMBER) ?? []).map(Number);
    const worst = (drawn.match(NUMBER) ?? []).reduce(
      (most, text, n) => Math.max(most, Math.abs(Number(text) - numbers[n])),
      0,
    );
    expect(worst).toBeLessThanOrEqual(SAME);
  });

  it('each has a page that shows it, and no picture is left over', () => {
    const pages = readdirSync(goals).filter((file) => file.endsWith('.md') && file !== 'README.md');
    const shown = pages.map(
      (file) => /\(pictures\/([a-z-]+)\.svg\)/.exec(readFileSync(goals + file, 'utf8'))?.[1],
    );
    const names = Object.keys(goalPictures).sort();
    expect(shown.sort()).toEqual(names);
    expect(readdirSync(`${goals}pictures`).sort()).toEqual(names.map((name) => `${name}.svg`).sort());
  });
});
