// Each published package as its users get it: packed by npm, linted by publint, then unpacked where only built
// files are seen; every entry point is imported by plain Node and type-checked with Node's own resolution.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { manifest, publicPackages, root } from './lib/house.mjs';
import { run } from './lib/run.mjs';

/** @type {string[]} */
const faults = [];

// Below the repository, so that third-party dependencies are found in its node_modules.
mkdirSync(join(root, '.cache'), { recursive: true });
const place = mkdtempSync(join(root, '.cache/packages-'));
try {
  for (const name of publicPackages) await lintAndUnpack(name);
  if (faults.length === 0) for (const name of publicPackages) await useEntryPoints(name);
  await checkTypes();
} finally {
  rmSync(place, { recursive: true, force: true });
}
for (const fault of faults) console.error(`packages: ${fault}`);
console.log(`packages: ${publicPackages.length} packages, ${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);

/** @param {string} name */
async function lintAndUnpack(name) {
  const pkgDir = join(root, 'packages', name);
  const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place], {
    cwd: pkgDir,
  });
  const tarball = readdirSync(place).find((file) => file.endsWith('.tgz'));
  if (packed.code !== 0 || !tarball) {
    faults.push(`${name}: npm pack failed: ${packed.output}`);
    return;
  }
  const { buffer } = new Uint8Array(readFileSync(join(place, tarball)));
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: buffer } });
  for (const message of messages) {
    if (message.type === 'suggestion') continue;
    faults.push(`${name}: ${formatMessage(message, pkg, { color: false })}`);
  }
  const target = join(place, 'node_modules', manifest(name).name);
  mkdirSync(target, { recursive: true });
  const untar = await run('tar', ['-xzf', join(place, tarball), '-C', target, '--strip-components=1']);
  rmSync(join(place, tarball));
  if (untar.code !== 0) faults.push(`${name}: ${untar.output}`);
  for (const file of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (/(^|\/)(test|\.cache)\/|\.test\.|tsbuildinfo/.test(file)) faults.push(`${name}: ships ${file}`);
  }
  for (const needed of ['LICENSE', 'README.md']) {
    if (!readdirSync(target).includes(needed)) faults.push(`${name}: ships no ${needed}`);
  }
}

/** @param {string} name */
async function useEntryPoints(name) {
  const specifiers = Object.keys(manifest(name).exports ?? {}).map((subpath) =>
    subpath.replace(/^\./, manifest(name).name),
  );
  const script = specifiers.map(
    (specifier) =>
      `if (!Object.keys(await import('${specifier}')).length) throw new Error('${specifier} is empty');`,
  );
  const { code, output } = await run(process.execPath, ['--input-type=module', '-e', script.join('\n')], {
    cwd: place,
  });
  if (code !== 0) faults.push(`${name}: its entry points in Node: ${output.trim()}`);
  for (const target of Object.values(manifest(name).bin ?? {})) {
    const file = join(place, 'node_modules', manifest(name).name, target);
    const { code, output } = await run(process.execPath, [file, '--help'], { cwd: place });
    if (code !== 0) faults.push(`${name}: ${target} --help: ${output.trim()}`);
  }
  if (specifiers.length > 0) writeUse(name, specifiers);
}

/**
 * A program that imports all entry points of a package.
 *
 * @param {string} name
 * @param {string[]} specifiers
 */
function writeUse(name, specifiers) {
  const folder = join(place, `use-${name}`);
  mkdirSync(folder, { recursive: true });
  const imports = specifiers.map((specifier, i) => `import * as m${i} from '${specifier}';\n`);
  writeFileSync(
    join(folder, 'use.mts'),
    `${imports.join('')}export default [${specifiers.map((_, i) => `m${i}`)}];\n`,
  );
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    // core needs neither a DOM nor Node, and all its types are checked.
    lib: name === 'core' ? ['ES2022'] : ['ES2022', 'DOM', 'DOM.Iterable'],
    types: name === 'core' ? [] : ['node'],
    skipLibCheck: name !== 'core',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.mts'] }));
}

async function checkTypes() {
  const programs = readdirSync(place).filter((folder) => folder.startsWith('use-'));
  const { code, output } = await run('tsc', ['-b', ...programs, '--pretty', 'false'], { cwd: place });
  if (code !== 0) faults.push(`types: ${output.trim()}`);
}
