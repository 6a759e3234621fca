// npm test [STEP...]: all steps, or those named; a failure does not stop the others.
// The last line says `N passed, N failed`, where each step and each vitest test counts as one.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { buildPackages, stalePackages } from './lib/build.mjs';
import { publicPackages, root } from './lib/house.mjs';
import { run } from './lib/run.mjs';
import { schedule } from './lib/schedule.mjs';
import { countTests, skipLines, summaryLine } from './lib/tally.mjs';

const node = process.execPath;
/** After which a step of tests hangs, s: on a machine that is slow and busy, all tests take a while. */
const HANGS = 3600;
/** The same of a step without tests, which has less to do, s. */
const STEP_HANGS = 1200;

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} says what is true when it passes
 * @property {[string, string[]]} command
 * @property {boolean} [show] its output is worth reading when it passes
 * @property {string[]} [after] steps whose work it needs
 * @property {boolean} [counted] vitest, whose tests count one by one
 */

/**
 * One core each. The longest first, and first what others wait for.
 *
 * @type {Step[]}
 */
const single = [
  {
    name: 'browser',
    says: 'pages in a browser',
    command: ['vitest', ['run', '--project=browser']],
    counted: true,
  },
  { name: 'types', says: 'every project type-checks', command: [node, ['scripts/typecheck.mjs']] },
  { name: 'build', says: 'packages compile', command: [node, ['scripts/build.mjs']] },
  { name: 'lint', says: 'formatted and lint-free', command: ['biome', ['check', '--error-on-warnings']] },
  {
    name: 'imports',
    says: 'imports point one way',
    command: ['depcruise', existing('packages', 'apps', 'benchmarks', 'examples', 'scripts')],
  },
  { name: 'unused', says: 'no unused file, export or dependency', command: ['knip', []] },
  {
    name: 'words',
    says: 'file names, exports and headings use the field’s words',
    command: [node, ['scripts/words.mjs']],
  },
  { name: 'docs', says: 'API documentation without a broken link', command: ['typedoc', []] },
  {
    name: 'packages',
    says: 'packages work as published',
    command: [node, ['scripts/check-packages.mjs']],
    after: ['build'],
  },
  {
    name: 'size',
    says: 'a bundle holds what it uses',
    command: [node, ['scripts/bundle-size.mjs']],
    show: true,
    after: ['build'],
  },
  {
    name: 'start',
    says: 'npm start does its job',
    command: [node, ['scripts/check-start.mjs']],
    after: ['build'],
  },
];
/** All cores there are, but for that of the browser while it runs: a file says so (scripts/test-support/busy-core.ts). */
const browserRuns = join(root, '.cache/browser-runs');
/** @type {Step[]} */
const steps = [
  ...single,
  {
    name: 'unit',
    says: 'tests',
    // Tests make much garbage that is soon dead: in a larger young generation it costs a sixth less.
    command: [
      node,
      [
        '--max-semi-space-size=64',
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project=unit',
        '--project=fuzz',
      ],
    ],
    counted: true,
    show: true,
    after: single.map(({ name }) => name).filter((name) => name !== 'browser'),
  },
];

const wanted = process.argv.slice(2);
const names = steps.map((step) => step.name);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`test: no step ${unknown.join(', ')}; there are ${names.join(', ')}`);
  process.exit(2);
}
const chosen = names.filter((name) => wanted.length === 0 || wanted.includes(name));
const noSkip = process.env.POISE_NO_SKIP === '1';
const totals = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failures = [];
/** @type {import('./lib/tally.mjs').Skip[]} */
const skips = [];

// Tests of the command run what is built.
if (chosen.includes('unit') && !chosen.includes('build')) await buildPackages(stalePackages(publicPackages));
mkdirSync(join(root, '.cache'), { recursive: true });
if (chosen.includes('browser')) writeFileSync(browserRuns, '');
else rmSync(browserRuns, { force: true });
await schedule(
  steps.filter(({ name }) => chosen.includes(name)),
  Math.min(availableParallelism(), 4),
  (step) => (step.counted ? runTests(step) : runStep(step)),
);
report();

/** @param {Step} step */
async function runStep({ name, says, command: [program, args], show }) {
  const { code, output, seconds, timedOut } = await run(program, args, { timeout: STEP_HANGS });
  const passed = code === 0 && !timedOut;
  if (passed) totals.passed++;
  else {
    totals.failed++;
    failures.push(`step ${name}`);
  }
  // Others print meanwhile: its own stays together.
  if (show || !passed) process.stdout.write(`\n--- ${name}: ${says}\n${output.trimEnd()}\n`);
  line(passed, name, seconds, timedOut ? `stopped after ${STEP_HANGS} s` : says);
}

/** @param {Step} step */
async function runTests({ name, says, command: [program, args], show }) {
  const file = join(root, `.cache/vitest-${name}.json`);
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const env = { POISE_BUSY_CORE: browserRuns };
  if (show) console.log(`\n--- ${name}: ${says}`);
  const { code, output, seconds } = await run(program, [...args, ...reporters], {
    env,
    show,
    timeout: HANGS,
  });
  if (name === 'browser') rmSync(browserRuns, { force: true });
  if (!show) process.stdout.write(`\n--- ${name}: ${says}\n${output.trimEnd()}\n`);
  const counts = countTests(readReport(file), code);
  totals.passed += counts.passed;
  totals.failed += counts.failed;
  totals.skipped += counts.skipped;
  failures.push(...counts.failures.map((text) => text.replace(root, '')));
  skips.push(...counts.skips.map(({ file, name }) => ({ file: file.replace(root, ''), name })));
  line(counts.failed === 0, name, seconds, `${counts.passed + counts.failed + counts.skipped} tests`);
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string[]} folders */
function existing(...folders) {
  return folders.filter((folder) => existsSync(join(root, folder)));
}

/** @param {boolean} passed @param {string} name @param {number} seconds @param {string} text */
function line(passed, name, seconds, text) {
  console.log(
    `${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s  ${text}`,
  );
}

function report() {
  console.log('');
  for (const text of failures) console.log(`failed: ${text}`);
  for (const text of skipLines(skips, noSkip)) console.log(text);
  console.log(summaryLine(totals, noSkip));
  process.exit(totals.failed + (noSkip ? totals.skipped : 0) > 0 ? 1 : 0);
}
