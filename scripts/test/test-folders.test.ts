import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '../..');
const packages = join(repository, 'packages');

/** The table of CONTRIBUTING.md: folder of sources -> files and folders of tests, all below packages/. */
const table = new Map(
  [
    ...readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8').matchAll(
      /^\| `(\w+\/src(?:\/[\w-]+)?)` \| (.+?) \| .+ \|$/gm,
    ),
  ].map(([, folder, tests]) => [folder, [...tests.matchAll(/`([^`]+)`/g)].map(([, path]) => path)]),
);

const names = foldersIn('.').filter((name) => existsSync(join(packages, name, 'src')));

describe('tests stand where CONTRIBUTING.md says', () => {
  const sources = names.flatMap((name) =>
    foldersIn(`${name}/src`).filter((folder) => hasFiles(join(packages, folder), /\.ts$/)),
  );

  test.each(sources)(
    'packages/%s is tested in the test folder of its name, or where its row says',
    (folder) => {
      const mirrored = folder.replace('/src/', '/test/');
      expect(hasTests(mirrored) || table.has(folder), `needs ${mirrored} or a row in CONTRIBUTING.md`).toBe(
        true,
      );
    },
  );

  test.each([...table])('the row of packages/%s names code and tests that exist', (folder, tests) => {
    expect(existsSync(join(packages, folder))).toBe(true);
    expect(tests).not.toEqual([]);
    expect(tests.filter((path) => !hasTests(path))).toEqual([]);
  });

  test('every test folder is that of a source folder, or in the table', () => {
    const listed = [...table.values()].flat();
    const stray = names
      .flatMap((name) => foldersIn(`${name}/test`))
      .filter((folder) => hasTests(folder) && !existsSync(join(packages, folder.replace('/test/', '/src/'))))
      .filter((folder) => !listed.some((path) => path === folder || path.startsWith(`${folder}/`)));
    expect(stray).toEqual([]);
  });
});

/** Folders directly in a folder below packages/, as paths below packages/. */
function foldersIn(folder: string): string[] {
  const path = join(packages, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => (folder === '.' ? entry.name : `${folder}/${entry.name}`));
}

/** Whether a path below packages/ is a test, or a folder with one. */
function hasTests(path: string): boolean {
  const absolute = join(packages, path);
  if (!existsSync(absolute)) return false;
  return statSync(absolute).isFile() ? /\.test\.ts$/.test(path) : hasFiles(absolute, /\.test\.ts$/);
}

function hasFiles(folder: string, name: RegExp): boolean {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((path) => name.test(path));
}
