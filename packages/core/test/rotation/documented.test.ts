import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as alternatives from '../../src/rotation/alternatives/index.js';
import * as rotation from '../../src/rotation/index.js';

const page = new URL('../../../../docs/rotation.md', import.meta.url);
const text = readFileSync(page, 'utf8');

describe('docs/rotation.md', () => {
  it('names every function and constant that poise/rotation exports', () => {
    const missing = Object.keys(rotation).filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
    expect(missing).toEqual([]);
  });

  it('names no function that they do not export', () => {
    // In words of code, called or alone: camelCase that begins with a small letter.
    const named = [...text.matchAll(/`([a-z]+[A-Z]\w*)(?=[`(])/g)].map((m) => m[1]);
    expect(named.length).toBeGreaterThan(80);
    expect(named.filter((name) => !(name in rotation || name in alternatives))).toEqual([]);
  });

  it('links to files that exist, and uses no link that it does not define', () => {
    const inline = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map((m) => m[1]);
    const defined = new Map([...text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map((m) => [m[1], m[2]]));
    const files = [...inline, ...defined.values()];
    expect(files.length).toBeGreaterThan(25);
    expect(files.filter((file) => !existsSync(new URL(file, page)))).toEqual([]);
    // The last column of each row is one or two of the links defined.
    const rows = text.split('\n').filter((line) => line.startsWith('| ') && line.endsWith('] |'));
    const used = rows.flatMap((row) =>
      [...row.slice(row.lastIndexOf(' | ')).matchAll(/\[([^\]]+)\]/g)].map((m) => m[1]),
    );
    expect(used.length).toBeGreaterThan(60);
    expect(used.filter((name) => !defined.has(name))).toEqual([]);
  });
});
