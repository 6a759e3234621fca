import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

interface LockEntry {
  resolved?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

const lockfile = join(import.meta.dirname, '../../package-lock.json');
const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as { packages: Record<string, LockEntry> };

test('package-lock.json names no registry: only links into this repository are resolved', () => {
  const hosts = Object.values(packages).filter(({ link, resolved }) => resolved && !link);
  expect(hosts).toEqual([]);
});

test('package-lock.json holds the binaries of every platform, or npm ci refuses it', () => {
  // npm leaves out an optional package that the registry cannot give at the moment of locking.
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isLocked(name, path))
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});

/** Node's lookup: the node_modules of `from`, then of each folder above it. */
function isLocked(name: string, from: string): boolean {
  for (let folder = from; ; folder = dirname(folder)) {
    if (folder === '.' || folder === '') return `node_modules/${name}` in packages;
    if (`${folder}/node_modules/${name}` in packages) return true;
  }
}
