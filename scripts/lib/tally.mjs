/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
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
 * @returns {Counts & { failures: string[], skips: string[] }}
 */
export function countTests(report, exitCode) {
  const failures = [];
  const skips = [];
  let passed = 0;
  for (const file of report?.testResults ?? []) {
    const failedHere = [];
    for (const { fullName, status } of file.assertionResults) {
      if (status === 'passed') passed++;
      else if (status === 'failed') failedHere.push(`${file.name}: ${fullName}`);
      else skips.push(`${file.name}: ${fullName}`);
    }
    if (file.status === 'failed' && failedHere.length === 0)
      failedHere.push(`${file.name}: did not run to its end`);
    failures.push(...failedHere);
  }
  if (exitCode !== 0 && failures.length === 0) failures.push(`vitest ended with status ${exitCode}`);
  return { passed, failed: failures.length, skipped: skips.length, failures, skips };
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
