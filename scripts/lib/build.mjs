import { chmodSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bundleForNode } from './bundle-for-node.mjs';
import { entryPoints, executables, newestFile, publicPackages, root } from './house.mjs';
import { run } from './run.mjs';

/**
 * Compiles packages into their dist/: libraries one module for each source file, as it stands, with types and maps
 * (docs/decisions/0002), the command in one with the libraries that it uses (0030). In the order of publicPackages, since each sees the others through their built types.
 * Prints one line for each; on an error the compiler's message as well.
 *
 * @param {readonly string[]} names folders below packages/
 * @returns {Promise<boolean>} false when one failed; those after it are not built
 */
export async function buildPackages(names) {
  for (const name of publicPackages.filter((candidate) => names.includes(candidate))) {
    const folder = join(root, 'packages', name);
    const dist = join(folder, 'dist');
    const entries = entryPoints(name);
    if (!allThere(name, Object.values(entries))) return false;
    const started = Date.now();
    const { code, output, seconds } = await (name === 'cli' ? bundleCommand(folder) : compile(folder));
    if (code !== 0) {
      process.stderr.write(output);
      console.error(`build: packages/${name} does not compile`);
      return false;
    }
    // The old output is removed last, so that processes running from dist/ never find it empty.
    removeOlderThan(dist, started - 1000);
    if (
      !allThere(
        name,
        Object.keys(entries).map((stem) => `dist/${stem}.js`),
      )
    )
      return false;
    for (const target of executables(name)) chmodSync(join(folder, target), 0o755);
    console.log(`build: packages/${name}/dist in ${seconds.toFixed(1)} s`);
  }
  return true;
}

/** @param {string} folder */
function compile(folder) {
  // Types are checked by scripts/typecheck.mjs: here they only are written.
  return run('tsc', ['-p', 'tsconfig.build.json', '--noCheck'], { cwd: folder });
}

/**
 * The command and its thread, with what they share in a third file.
 *
 * @param {string} folder
 */
async function bundleCommand(folder) {
  const started = performance.now();
  const end = (/** @type {number} */ code, output = '') => ({
    code,
    output,
    seconds: (performance.now() - started) / 1000,
  });
  try {
    await bundleForNode({
      folder,
      entries: { main: 'src/main.ts', 'job-thread': 'src/job-thread.ts' },
      outDir: 'dist',
      extension: 'js',
    });
    return end(0);
  } catch (error) {
    return end(1, `${error instanceof Error ? error.message : error}\n`);
  }
}

/**
 * The packages whose dist/ is missing or older than a source, a manifest or a dependency.
 *
 * @param {readonly string[]} names
 */
export function stalePackages(names) {
  let newestSource = 0;
  return publicPackages.filter((name) => {
    if (!names.includes(name)) return false;
    const folder = join(root, 'packages', name);
    const manifests = ['package.json', 'tsconfig.json', 'tsconfig.build.json']
      .map((file) => join(folder, file))
      .filter((file) => existsSync(file));
    const times = manifests.map((file) => statSync(file).mtimeMs);
    newestSource = Math.max(newestSource, newestFile(join(folder, 'src')), ...times);
    const outputs = Object.keys(entryPoints(name)).map((stem) => join(folder, 'dist', `${stem}.js`));
    return outputs.some((file) => !existsSync(file)) || oldestFile(join(folder, 'dist')) < newestSource;
  });
}

/**
 * Whether all entry points of a package, given as paths in it, are there; says which are not.
 *
 * @param {string} name
 * @param {string[]} paths
 */
function allThere(name, paths) {
  const missing = paths.filter((path) => !existsSync(join(root, 'packages', name, path)));
  if (missing.length > 0) console.error(`build: packages/${name} has no ${missing.join(', ')}`);
  return missing.length === 0;
}

/** @param {string} folder @param {number} time */
function removeOlderThan(folder, time) {
  for (const file of filesBelow(folder)) if (statSync(file).mtimeMs < time) rmSync(file);
}

/** @param {string} folder */
function oldestFile(folder) {
  return Math.min(...filesBelow(folder).map((file) => statSync(file).mtimeMs));
}

/** @param {string} folder */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
