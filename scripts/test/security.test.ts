import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');

/** What SECURITY.md says that the packages and the studio do not do. */
const forbidden = {
  'code from data': /\beval\s*\(|\bnew\s+Function\s*\(|['"]node:vm['"]/,
  'a connection':
    /\b(?:fetch|importScripts)\s*\(|\bnew\s+(?:XMLHttpRequest|WebSocket|EventSource)\b|\bsendBeacon\b|['"]node:(?:http2?|https|net|tls|dgram|dns)['"/]/,
  'a process': /['"]node:child_process['"]/,
};

const sources = readdirSync(join(repository, 'packages'))
  .map((name) => join(repository, 'packages', name, 'src'))
  .concat(join(repository, 'apps/studio/src'))
  .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

test.each(Object.entries(forbidden))('no source makes or opens %s', (_, pattern) => {
  expect(sources.length).toBeGreaterThan(100);
  const found = sources.filter((path) => pattern.test(withoutComments(readFileSync(path, 'utf8'))));
  expect(found.map((path) => relative(repository, path))).toEqual([]);
});

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}
