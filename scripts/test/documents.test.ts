import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...markdownBelow('docs'),
  ...markdownBelow('benchmarks'),
  ...markdownBelow('examples'),
  ...markdownBelow('packages'),
];

/** What the two companion pages may name besides exports: joint types, limits, fields and options. */
const FIELDS = new Set([
  'form',
  'reference',
  'revolutions',
  'coordinates',
  'limit',
  'drag',
  'curves',
  'spacetime',
]);

test.each(documents)('%s links to files and headings that exist', (document) => {
  const broken: string[] = [];
  const text = withoutCode(readFileSync(join(repository, document), 'utf8'));
  const targets = [
    ...[...text.matchAll(/\]\(([^)\s]+)\)/g)].map((m) => m[1]),
    ...[...text.matchAll(/^\[[^\]]+\]: (\S+)$/gm)].map((m) => m[1]),
  ].filter((target) => !/^[a-z]+:/.test(target));
  for (const target of targets) {
    const [path, anchor] = target.split('#');
    const file = path === '' ? join(repository, document) : join(repository, dirname(document), path);
    if (relative(repository, file).startsWith('docs/api')) continue;
    if (!existsSync(file)) broken.push(target);
    else if (anchor !== undefined && file.endsWith('.md') && !anchors(file).has(anchor)) broken.push(target);
  }
  expect(broken).toEqual([]);
});

test.each(documents)('%s has no table that an empty line splits', (document) => {
  const lines = withoutCode(readFileSync(join(repository, document), 'utf8')).split('\n');
  const isRow = (k: number): boolean => /^\|.*\|$/.test(lines[k] ?? '');
  const split = lines.filter(
    (_, k) => isRow(k) && !isRow(k - 1) && !/^\|( *:?-+:? *\|)+$/.test(lines[k + 1] ?? ''),
  );
  expect(split).toEqual([]);
});

test.each(readdirSync(join(repository, 'packages')))(
  'the README of packages/%s links to nothing that its package lacks',
  (name) => {
    const folder = join(repository, 'packages', name);
    const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { files: string[] };
    const text = withoutCode(readFileSync(join(folder, 'README.md'), 'utf8'));
    const dead = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target)
      .filter((target) => !/^(https?:|#)/.test(target))
      .filter(
        (target) =>
          !existsSync(join(folder, target)) || !files.some((packed) => target.startsWith(`${packed}/`)),
      );
    expect(dead).toEqual([]);
  },
);

describe.each(['docs/paper.md', 'docs/lecture-notes.md'])('%s', (document) => {
  const text = readFileSync(join(repository, document), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| '));

  test('names functions that the packages export', async () => {
    const exported = new Set((await Promise.all(doors().map((door) => import(door)))).flatMap(Object.keys));
    const named = rows
      .flatMap((row) => [...row.split(' | ')[1].matchAll(/`([a-z]+[A-Z]\w*)(?:\([^`]*\))?`/g)])
      .map((match) => match[1]);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !exported.has(name) && !FIELDS.has(name) && name !== 'tangentsAs')).toEqual(
      [],
    );
  });

  test('names tests that exist', () => {
    const folder = join(repository, 'packages/core/test');
    const named = rows.flatMap((row) => {
      const paths = [...(row.split(' | ').at(-1) ?? '').matchAll(/`([\w/-]+(?:\.test\.ts)?)`/g)].map(
        (match) => match[1],
      );
      // `a/b.test.ts`, `c.test.ts`: the second one stands in the folder of the first.
      return paths.map((path) => (existsSync(join(folder, path)) ? path : join(dirname(paths[0]), path)));
    });
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });
});

function doors(): string[] {
  const manifest = JSON.parse(readFileSync(join(repository, 'packages/core/package.json'), 'utf8'));
  return Object.keys(manifest.exports)
    .filter((door) => !door.includes('*') && !door.includes('internal') && !door.endsWith('.json'))
    .map((door) => `poise${door.slice(1)}`);
}

function markdownBelow(folder: string): string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (['node_modules', 'dist', 'api', 'raw'].includes(entry.name)) return [];
    if (statSync(join(repository, path)).isDirectory()) return markdownBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Anchors of a page, as GitHub makes them of its headings. */
function anchors(file: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading] of withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let name = slug;
    for (let n = 1; found.has(name); n++) name = `${slug}-${n}`;
    found.add(name);
  }
  return found;
}

function withoutCode(markdown: string): string {
  return markdown
    .replace(/^([ \t]*)(`{3,}|~{3,})[\s\S]*?^\1\2[ \t]*$/gm, '')
    .replace(/^<!--[\s\S]*?-->$/gm, '');
}
