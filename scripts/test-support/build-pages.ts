import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { findChromium } from './chromium.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs before all tests of pages: builds the studio and the examples, which the test files serve from below POISE_PAGES. */
export default async function buildPages(): Promise<(() => void) | undefined> {
  if (!findChromium().available) return undefined;
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache/pages-'));
  // As they are served: where NODE_ENV says test, React is built with all its checks.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  for (const name of ['apps/studio', 'examples'])
    await build({ root: join(root, name), logLevel: 'error', build: { outDir: join(folder, name) } });
  process.env.NODE_ENV = NODE_ENV;
  process.env.POISE_PAGES = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
