import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import config from '../../.dependency-cruiser.mjs';
import { boxes } from '../lib/architecture-picture.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/architecture.md`, 'utf8');

/** Layer -> the layers it may import, as .dependency-cruiser.mjs says. */
const layers = new Map(
  (config.forbidden as unknown as readonly { name: string; to: { pathNot?: unknown } }[]).flatMap(
    ({ name, to }) => {
      const layer = /^core-(\w+)-looks-down-only$/.exec(name ?? '')?.[1];
      const seen = /src\/\(([^)]*)\)/.exec(String(to.pathNot))?.[1].split('|') ?? [];
      return layer === undefined ? [] : [[layer, seen.filter((other) => other !== layer)] as const];
    },
  ),
);

describe('docs/architecture.md', () => {
  test('its picture has every layer of core above all that it may import', () => {
    const height = new Map(boxes.map(({ name, y }) => [name, y]));
    expect([...layers.keys()].sort()).toEqual(
      boxes.flatMap(({ name, kind }) => (kind === 'package' ? [] : [name])).sort(),
    );
    for (const [layer, below] of layers) {
      for (const other of below)
        expect(height.get(layer), `${layer} over ${other}`).toBeGreaterThan(height.get(other)!);
    }
  });

  test.each([...new Set(page.match(/`(?:packages|apps|scripts|benchmarks|docs)\/[^`*]+`/g))])(
    'the file %s is there',
    (quoted) => {
      expect(existsSync(root + quoted.slice(1, -1))).toBe(true);
    },
  );

  test.each([
    ...new Set(
      page.match(/`(?:math|rotation|figure|humanoid|ik|motion|dynamics|spacetime|editing|worker)\/[^`*]+`/g),
    ),
  ])('the file of core %s is there', (quoted) => {
    expect(existsSync(`${root}packages/core/src/${quoted.slice(1, -1)}`)).toBe(true);
  });
});

describe('the ten questions of CONTRIBUTING.md', () => {
  const contributing = readFileSync(`${root}CONTRIBUTING.md`, 'utf8');
  const rows = [...contributing.matchAll(/^\| (.+\?) \| "(.+)" \| (.+) \|$/gm)].map(
    ([, question, words, answer]) => [question, words, answer.match(/`[^`]+\.ts`/g) ?? []] as const,
  );

  test('there are at least ten', () => expect(rows.length).toBeGreaterThanOrEqual(10));

  test.each(rows)('%s', (_, words, files) => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(2);
    const texts = files.map((quoted) => {
      const file = quoted.slice(1, -1);
      return readFileSync(root + (file.startsWith('packages/') ? file : `packages/core/src/${file}`), 'utf8');
    });
    expect(texts[0].toLowerCase()).toContain(words.toLowerCase());
  });
});
