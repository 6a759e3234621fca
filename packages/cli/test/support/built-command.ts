/** The command as processes run it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll } from 'vitest';

export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The main file of what is built, before the tests of a file where it is stale. */
export function builtCommand(): string {
  beforeAll(() => {
    const script =
      "const { buildPackages, stalePackages } = await import('./scripts/lib/build.mjs');" +
      "process.exit((await buildPackages(stalePackages(['core', 'formats', 'cli']))) ? 0 : 1);";
    const built = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    });
    if (built.status !== 0) throw new Error(`the build failed:\n${built.stdout}${built.stderr}`);
  });
  return join(root, 'packages/cli/dist/main.js');
}
