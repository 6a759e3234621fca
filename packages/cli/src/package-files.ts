/** Files of this package, one folder above or beside this one, which lies in src/ or is a part of a bundle in dist/. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a thread of a batch runs. */
export const JOB_THREAD = fileURLToPath(new URL('./job-thread.js', import.meta.url));

/** Version of this package. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}
