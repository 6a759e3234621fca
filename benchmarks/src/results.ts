import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './problems.js';

/**
 * Writes files, and says where.
 *
 * @param files - Their texts, by names below the folder: `motion.md`, `raw/motion.json`.
 * @param folder - By default that of the committed results.
 */
export function writeResults(
  files: Readonly<Record<string, string>>,
  folder = join(repositoryRoot(), 'benchmarks', 'results'),
): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  console.log(`\nwritten to ${folder}`);
}

/** Raw samples as JSON with one row a line: compact, and a diff that can be read. `rows` are JSON already. */
export function rowsJson(head: Readonly<Record<string, unknown>>, rows: readonly string[]): string {
  const entries = Object.entries(head).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`,
  );
  return `{\n${entries.join('')}  "rows": [\n${rows.map((row) => `    ${row}`).join(',\n')}\n  ]\n}\n`;
}

/** Raw samples of a benchmark that measures on the shared problems and on some that it draws: a file for each, by its name. */
export function rawFiles(
  name: string,
  head: readonly string[],
  sources: readonly { readonly name: string; readonly rows: readonly unknown[] }[],
): Record<string, string> {
  return Object.fromEntries(
    sources.map(({ name: source, rows }) => {
      const text = rowsJson(
        { about: head },
        rows.map((row) => JSON.stringify(row)),
      );
      return [`raw/${name}-${source === 'shared' ? 'shared' : 'drawn'}.json`, text];
    }),
  );
}
