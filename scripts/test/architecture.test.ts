import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import config from '../../.dependency-cruiser.mjs';
import { boxes } from '../lib/architecture-picture.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Sources of all packages: path below the repository, and text in lower case with comments unwrapped. */
const sources = new Map(
  readdirSync(`${root}packages`).flatMap((name) =>
    readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => {
        const path = join('packages', name, 'src', file);
        return [path, unwrapped(readFileSync(root + path, 'utf8')).toLowerCase()] as const;
      }),
  ),
);

/** Comments that go on in the next line as one line. */
function unwrapped(text: string): string {
  return text.replace(/\n\s*(?:\*|\/\/) +(?=\S)/g, ' ');
}

/** The files in which a search finds the words. */
function found(words: string): string[] {
  return [...sources].flatMap(([path, text]) => (text.includes(words.toLowerCase()) ? [path] : []));
}

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

  test.each(rows)('%s', (_, words, answer) => {
    const files = answer.map((quoted) => {
      const file = quoted.slice(1, -1);
      return file.startsWith('packages/') ? file : `packages/core/src/${file}`;
    });
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(2);
    for (const file of files) expect(sources.has(file), file).toBe(true);
    const hits = found(words);
    expect(hits).toContain(files[0]);
    expect(hits.length, `"${words}" is in ${hits.join(', ')}`).toBeLessThanOrEqual(4);
  });
});

describe('docs/glossary.md', () => {
  const entries = [...readFileSync(`${root}docs/glossary.md`, 'utf8').matchAll(/^- (.*)$/gm)].map(
    ([, line]) => line,
  );

  test.each(entries.flatMap((line) => [...line.matchAll(/\*\*`?([^*`]+)`?\*\*/g)].map(([, word]) => word)))(
    'the code uses the word %s',
    (word) => expect(found(word)).not.toEqual([]),
  );

  test('every entry has its source', () => {
    expect(entries.filter((line) => !line.includes('Source: '))).toEqual([]);
  });
});
