import { readFileSync } from 'node:fs';

/** Version of this package; its package.json lies one folder above both src/ and dist/. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}
