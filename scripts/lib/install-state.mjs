import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Why `npm ci` is needed, or undefined when node_modules holds what package-lock.json asks for.
 *
 * Contents are compared, not times: git sets the times of a checkout, and npm writes its own record
 * (node_modules/.package-lock.json) a moment before the lockfile.
 *
 * @param {string} root folder with package-lock.json
 * @returns {string | undefined}
 */
export function whyInstall(root) {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return 'node_modules is missing';
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const installed = packagesOf(record);
  for (const [path, entry] of Object.entries(wanted)) {
    // '' and workspace folders are sources of this repository; optional packages depend on the platform.
    if (!path.includes('node_modules/') || entry.optional || entry.devOptional || entry.peer) continue;
    const there = installed[path];
    if (!there || !existsSync(join(root, path))) return `${path} is missing`;
    if (there.version !== entry.version || there.integrity !== entry.integrity) {
      return `${path} is ${there.version}, package-lock.json asks for ${entry.version}`;
    }
  }
  return undefined;
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }} LockEntry
 *
 * @param {string} file
 * @returns {Record<string, LockEntry>}
 */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}
