/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ file: string, name: string }} Skip
 *
 * The part of vitest's JSON report that is read here.
 * @typedef {{
 *   testResults: {
 *     name: string,
 *     status: string,
 *     assertionResults: { fullName: string, status: string }[]
 *   }[]
 * }} VitestReport
 */

/**
 * Counts of a vitest run. A file that fails without a failed test of its own (it does not load, a hook throws)
 * counts as one failure, and so does a run that ends badly with nothing else to show for it.
 *
 * @param {VitestReport | undefined} report undefined when vitest died before writing one
 * @param {number} exitCode
 * @returns {Counts & { failures: string[], skips: Skip[] }}
 */
export function countTests(report, exitCode) {
  const failures = [];
  /** @type {Skip[]} */
  const skips = [];
  let passed = 0;
  for (const file of report?.testResults ?? []) {
    const failedHere = [];
    for (const { fullName, status } of file.assertionResults) {
      if (status === 'passed') passed++;
      else if (status === 'failed') failedHere.push(`${file.name}: ${fullName}`);
      else skips.push({ file: file.name, name: fullName });
    }
    if (file.status === 'failed' && failedHere.length === 0)
      failedHere.push(`${file.name}: did not run to its end`);
    failures.push(...failedHere);
  }
  if (exitCode !== 0 && failures.length === 0) failures.push(`vitest ended with status ${exitCode}`);
  return { passed, failed: failures.length, skipped: skips.length, failures, skips };
}

/** How many of the things that are missing for one reason are named. */
const NAMED = 3;

/**
 * What was skipped, for people: a line for each reason, or, where that is a failure or no reason is known, for each test.
 * The reason is what a title has as `(skipped: REASON)` or `(skipped: REASON: WHAT IS MISSING)`.
 *
 * @param {readonly Skip[]} skips
 * @param {boolean} noSkip
 * @returns {string[]}
 */
export function skipLines(skips, noSkip) {
  if (noSkip)
    return skips.map(({ file, name }) => `failed (skipped under POISE_NO_SKIP=1): ${file}: ${name}`);
  /** @type {Map<string, { tests: number, files: Set<string>, missing: Set<string> }>} */
  const groups = new Map();
  const lines = [];
  for (const { file, name } of skips) {
    const text = /\(skipped: (?<text>(?:[^()]|\([^()]*\))+)\)/.exec(name)?.groups?.text;
    if (text === undefined) {
      lines.push(`skipped: ${file}: ${name}`);
      continue;
    }
    const [reason, missing] = text.split(/: (.*)/);
    const group = groups.get(reason) ?? { tests: 0, files: new Set(), missing: new Set() };
    groups.set(reason, group);
    group.tests++;
    group.files.add(file);
    if (missing !== undefined) group.missing.add(missing);
  }
  const grouped = [...groups].map(([reason, { tests, files, missing }]) => {
    const more = missing.size > NAMED ? ` and ${missing.size - NAMED} more` : '';
    const names = missing.size > 0 ? `: ${[...missing].slice(0, NAMED).join(', ')}${more}` : '';
    return `skipped: ${counted(tests, 'test')} in ${counted(files.size, 'file')}: ${reason}${names}`;
  });
  return [...grouped, ...lines];
}

/** @param {number} n @param {string} noun */
function counted(n, noun) {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/**
 * The last line of a test run. Where nothing may be skipped, a skip is a failure.
 *
 * @param {Counts} counts
 * @param {boolean} noSkip
 * @returns {string}
 */
export function summaryLine({ passed, failed, skipped }, noSkip) {
  if (noSkip) return `${passed} passed, ${failed + skipped} failed`;
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
