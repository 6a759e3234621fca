import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A script of one file. */
export interface Bundle {
  readonly file: string;
  readonly remove: () => void;
}

/**
 * A module made into one script that needs nothing: Node 20 does not load a worker from TypeScript, and no test may pass on a
 * stale build, so the sources are bundled here as they are.
 */
export async function bundle(name: string, code: string): Promise<Bundle> {
  // Below the repository, so that workspace packages are found.
  mkdirSync(join(root, '.cache'), { recursive: true });
  const path = mkdtempSync(join(root, '.cache/worker-test-'));
  const entry = join(path, `${name}.entry.ts`);
  writeFileSync(entry, code);
  await build({
    configFile: false,
    root: path,
    logLevel: 'error',
    resolve: { conditions: ['poise-source'] },
    build: {
      outDir: join(path, 'out'),
      target: 'es2022',
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => `${name}.mjs` },
      rollupOptions: { external: [/^node:/] },
    },
  });
  return {
    file: join(path, 'out', `${name}.mjs`),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The whole script of a worker in Node. */
export const NODE_WORKER = `
  import { parentPort } from 'node:worker_threads';
  import { serveIk } from 'poise/worker';
  serveIk(parentPort!);
`;

export const startWorker = (file: string): Worker => new Worker(file);

export const bytes = (numbers: Float64Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength).slice();
