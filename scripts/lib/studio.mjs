import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { newestFile, root } from './house.mjs';

/** Folder of the studio. */
export const studio = join(root, 'apps/studio');

/** Builds the studio into apps/studio/dist, unless that is newer than everything it is made of. */
export async function buildStudio() {
  const page = join(studio, 'dist/index.html');
  if (existsSync(page) && statSync(page).mtimeMs > newestSource()) {
    console.log('build: apps/studio/dist is up to date');
    return;
  }
  const started = performance.now();
  await build({ root: studio, logLevel: 'warn' });
  console.log(`build: apps/studio/dist in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

function newestSource() {
  const folders = [
    ...['src', 'public'].map((name) => join(studio, name)),
    ...['core', 'formats', 'three'].map((name) => join(root, 'packages', name, 'src')),
  ];
  const files = readdirSync(studio, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(studio, entry.name)).mtimeMs);
  return Math.max(...files, ...folders.map(newestFile), statSync(join(root, 'package-lock.json')).mtimeMs);
}
