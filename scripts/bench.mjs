// npm run bench -- NAME [ARGUMENT...]: bundles benchmarks/src/NAME.ts with the sources of the packages and runs it
// with plain Node. Peers stay as their authors ship them. Without a name: lists the benchmarks, which are the files
// whose comments say how they are run (`npm run bench -- NAME`).
//   NODE_FLAGS="--trace-gc --expose-gc" npm run bench -- forward-kinematics
// npm run bench -- --against COMMIT [--rounds N] NAME [ARGUMENT...]: the same of a commit and of the working tree, in turn
// (5 rounds by default), and a table of their times side by side. Nothing is written to benchmarks/results.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { bundleForNode } from './lib/bundle-for-node.mjs';
import { compareReports, formatComparison } from './lib/compare-runs.mjs';
import { root } from './lib/house.mjs';

const cache = join(root, 'benchmarks/.cache');
const flags = (process.env.NODE_FLAGS ?? '').split(' ').filter(Boolean);

const args = process.argv.slice(2);
const commit = takeOption('--against');
const rounds = commit === undefined ? 1 : Number(takeOption('--rounds') ?? 5);
const name = args.shift();

const names = readdirSync(join(root, 'benchmarks/src'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .map((file) => file.slice(0, -'.ts'.length));
if (name === undefined || !names.includes(name) || !(rounds >= 1)) {
  const runnable = names.filter((each) =>
    readFileSync(join(root, 'benchmarks/src', `${each}.ts`), 'utf8').includes(`npm run bench -- ${each}`),
  );
  console.log(
    `usage: npm run bench -- [--against COMMIT [--rounds N]] NAME [ARGUMENT...]\n\nbenchmarks: ${runnable.join(', ')}`,
  );
  process.exit(name === undefined ? 0 : 2);
}

if (commit === undefined) {
  await bundle(root, cache);
  process.exit(runBundle('inherit').status ?? 1);
}
await compareWith(commit);

/**
 * A benchmark of a checkout, bundled with the sources of its packages.
 *
 * @param {string} checkout
 * @param {string} outDir
 */
async function bundle(checkout, outDir) {
  await bundleForNode({
    folder: join(checkout, 'benchmarks'),
    entries: { [`${name}`]: `src/${name}.ts` },
    outDir,
    chunk: `${name}-[name]`,
    sourcemap: true,
  });
}

/** @param {'inherit' | 'pipe'} output */
function runBundle(output) {
  return spawnSync(
    process.execPath,
    ['--enable-source-maps', ...flags, join(cache, `${name}.mjs`), ...args],
    { cwd: root, stdio: ['inherit', output, 'inherit'], encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
}

/**
 * Both versions run from the same file in the same folder: between two checkouts differences of 10 % were seen that were none.
 *
 * @param {string} commit
 */
async function compareWith(commit) {
  const base = join(root, '.cache/against', commit);
  if (!existsSync(base)) checkOut(commit, base);
  const versions = [base, root].map((checkout, i) => ({
    checkout,
    folder: join(cache, i === 0 ? 'before' : 'after'),
  }));
  for (const { checkout, folder } of versions) {
    rmSync(folder, { recursive: true, force: true });
    await bundle(checkout, folder);
  }
  const results = join(root, 'benchmarks/results');
  const saved = join(root, '.cache/against/results');
  cpSync(results, saved, { recursive: true });
  /** @type {string[][]} */
  const reports = [[], []];
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [i, { folder }] of versions.entries()) {
        for (const file of readdirSync(folder)) copyFileSync(join(folder, file), join(cache, file));
        const { status, stdout } = runBundle('pipe');
        if (status !== 0)
          throw new Error(
            `${name} of ${i === 0 ? commit : 'the working tree'} ended with ${status}:\n${stdout}`,
          );
        reports[i].push(stdout);
        console.error(`round ${round + 1} of ${rounds}: ${i === 0 ? commit : 'working tree'} done`);
      }
    }
  } finally {
    rmSync(results, { recursive: true });
    cpSync(saved, results, { recursive: true });
    rmSync(saved, { recursive: true });
  }
  console.log(`# ${name}: the working tree against ${commit}\n`);
  console.log(
    reports[1][0]
      .split('\n')
      .filter((line) => /^- (machine|load|engine|date)/.test(line))
      .join('\n'),
  );
  console.log(
    `- command: \`npm run bench -- --against ${commit} --rounds ${rounds} ${[name, ...args].join(' ')}\``,
  );
  console.log('- both versions in turn from one folder; the least of the rounds\n');
  console.log(formatComparison(compareReports(reports[0], reports[1])));
}

/**
 * A checkout of a commit with packages of its own; what else it needs is found in node_modules of the working tree.
 *
 * @param {string} commit
 * @param {string} folder
 */
function checkOut(commit, folder) {
  mkdirSync(folder, { recursive: true });
  const archive = spawnSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  const unpacked = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  if (archive.status !== 0 || unpacked.status !== 0) {
    rmSync(folder, { recursive: true });
    throw new Error(`${commit} could not be checked out: ${archive.stderr}${unpacked.stderr}`);
  }
  for (const directory of ['packages', 'benchmarks', 'examples', 'scripts/test-support']) {
    const of = join(folder, directory);
    const members = directory === 'packages' ? readdirSync(of).map((each) => join(of, each)) : [of];
    for (const member of members) {
      const { name: packageName } = JSON.parse(readFileSync(join(member, 'package.json'), 'utf8'));
      const link = join(folder, 'node_modules', packageName);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(relative(dirname(link), member), link, 'junction');
    }
  }
  const peers = join(root, 'benchmarks/node_modules');
  if (existsSync(peers)) symlinkSync(peers, join(folder, 'benchmarks/node_modules'), 'junction');
}

/**
 * Value of an option that stands before the name of the benchmark; those after it are the benchmark's own.
 *
 * @param {string} option
 */
function takeOption(option) {
  return args[0] === option ? args.splice(0, 2)[1] : undefined;
}
