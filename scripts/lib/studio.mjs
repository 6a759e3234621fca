import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { newestFile, root } from './house.mjs';

/** Folder of the studio. */
export const studio = join(root, 'apps/studio');

/** Folder of the lessons and examples, which the studio has below learn/. */
const examples = join(root, 'examples');

/** Builds the studio with its lessons and examples into apps/studio/dist, unless that is newer than everything it is made of. */
export async function buildStudio() {
  // Written last.
  const page = join(studio, 'dist/learn/index.html');
  if (existsSync(page) && statSync(page).mtimeMs > newestSource()) {
    console.log('build: apps/studio/dist is up to date');
    return;
  }
  const started = performance.now();
  await build({ root: studio, logLevel: 'warn' });
  await build({
    root: examples,
    logLevel: 'warn',
    build: { outDir: join(studio, 'dist/learn'), emptyOutDir: true },
  });
  console.log(`build: apps/studio/dist in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

function newestSource() {
  const folders = [
    ...['src', 'public', 'offline'].map((name) => join(studio, name)),
    ...readdirSync(examples, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['dist', 'node_modules', 'test'].includes(entry.name))
      .map((entry) => join(examples, entry.name)),
    ...['core', 'formats', 'three'].map((name) => join(root, 'packages', name, 'src')),
  ];
  const files = [studio, examples].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(folder, entry.name)).mtimeMs),
  );
  return Math.max(...files, ...folders.map(newestFile), statSync(join(root, 'package-lock.json')).mtimeMs);
}
