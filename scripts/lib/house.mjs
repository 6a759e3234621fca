import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Packages that are built and published, those that others stand on first. */
export const publicPackages = ['core', 'formats', 'three', 'cli'];

/**
 * The package.json of a package.
 *
 * @param {string} name folder below packages/
 * @returns {{
 *   name: string,
 *   version: string,
 *   exports?: Record<string, Record<string, string>>,
 *   bin?: Record<string, string>,
 *   dependencies?: Record<string, string>
 * }}
 */
export function manifest(name) {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
}

/**
 * Entry points of a package: output path without extension (below `dist/`) -> source file (below the package).
 * Read from the `exports` and `bin` of its package.json, so an entry point is declared in one place only.
 *
 * @param {string} name folder below packages/
 * @returns {Record<string, string>}
 */
export function entryPoints(name) {
  /** @type {Record<string, string>} */
  const entries = {};
  for (const [subpath, target] of Object.entries(manifest(name).exports ?? {})) {
    const source = target['poise-source'];
    if (!source)
      throw new Error(`packages/${name}/package.json: exports["${subpath}"] has no "poise-source".`);
    entries[stem(source)] = source;
  }
  // An executable outside dist/ is a stub over dist/main.js: npm links only what is there when it installs.
  for (const target of executables(name)) {
    const entry = target.startsWith('./dist/') ? stem(target) : 'main';
    entries[entry] = `./src/${entry}.ts`;
  }
  return entries;
}

/** Executables of a package, e.g. `./bin/poise.js`. @param {string} name folder below packages/ */
export function executables(name) {
  return Object.values(manifest(name).bin ?? {});
}

/** `./src/math/index.ts` or `./dist/math/index.js` -> `math/index` @param {string} path */
function stem(path) {
  return path.replace(/^\.\/(src|dist)\//, '').replace(/\.[jt]s$/, '');
}

/**
 * Time of the newest file below a folder, ms since 1970; 0 when there is none.
 *
 * @param {string} folder
 * @returns {number}
 */
export function newestFile(folder) {
  let newest = 0;
  for (const entry of readdirIfThere(folder)) {
    if (entry.isFile()) newest = Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs);
  }
  return newest;
}

/** @param {string} folder */
function readdirIfThere(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
}
