import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

/** Root of the repository. */
const repository = fileURLToPath(new URL('../../', import.meta.url));

/** As people know it. */
const folder = process.env.POISE_DATA ?? '../shared/data';

/** Folder of the shared test data: `POISE_DATA`, or `../shared/data` beside the repository. */
export const sharedDataFolder: string = resolve(repository, folder);

/** True when a missing tool or data file must fail the tests (`POISE_NO_SKIP=1`, as `.ci/run` sets it). */
export const noSkip: boolean = process.env.POISE_NO_SKIP === '1';

/**
 * Absolute path of a file or folder of the shared test data, or undefined when it is absent.
 *
 * @throws Error when it is absent and `POISE_NO_SKIP=1`.
 */
export function sharedData(relativePath: string): string | undefined {
  const path = join(sharedDataFolder, relativePath);
  if (existsSync(path)) return path;
  if (noSkip) throw new Error(`POISE_NO_SKIP=1, but ${path} is missing. ${HOW_TO_GET}`);
  return undefined;
}

/**
 * A `describe` block over a file or folder of the shared data: runs with its absolute path, or is skipped as a
 * whole, with the reason in its title, when the data is absent.
 *
 * @param relativePath inside the data folder, e.g. `gltf/Fox.glb`
 */
export function describeWithData(title: string, relativePath: string, body: (path: string) => void): void {
  const path = sharedData(relativePath);
  if (path !== undefined) {
    describe(title, () => body(path));
    return;
  }
  // The body still runs to register its tests: each is counted as skipped, not silently lost. It may only touch
  // the file inside tests and hooks, which a skipped block never runs.
  const reason = `no shared data in ${folder} (put it there or set POISE_DATA)`;
  describe.skip(`${title} (skipped: ${reason}: ${relativePath})`, () =>
    body(join(sharedDataFolder, relativePath)));
}

const HOW_TO_GET =
  'Put the shared data folder at ../shared/data beside the repository, or set POISE_DATA to it.';
