import { describe, expect, test } from 'vitest';
import { countTests, skipLines, summaryLine } from '../lib/tally.mjs';
import { CHROMIUM_HINT } from '../test-support/chromium.js';

const file = (name: string, status: string, ...statuses: string[]) => ({
  name,
  status,
  assertionResults: statuses.map((each, i) => ({ fullName: `test ${i}`, status: each })),
});

describe('countTests', () => {
  test('counts tests by their status and names those that failed or were skipped', () => {
    const report = {
      testResults: [file('a', 'failed', 'passed', 'failed', 'pending'), file('b', 'passed', 'passed')],
    };
    expect(countTests(report, 1)).toEqual({
      passed: 2,
      failed: 1,
      skipped: 1,
      failures: ['a: test 1'],
      skips: [{ file: 'a', name: 'test 2' }],
    });
  });

  test('a file that does not load is a failure', () => {
    const report = { testResults: [file('a', 'failed'), file('b', 'failed', 'passed')] };
    expect(countTests(report, 1)).toMatchObject({ passed: 1, failed: 2 });
  });

  test('a run that dies without a report, or ends badly with all tests passed, is a failure', () => {
    expect(countTests(undefined, 137)).toMatchObject({ passed: 0, failed: 1 });
    expect(countTests({ testResults: [file('a', 'passed', 'passed')] }, 1)).toMatchObject({
      passed: 1,
      failed: 1,
    });
  });

  test('todo counts as skipped', () => {
    expect(countTests({ testResults: [file('a', 'passed', 'todo', 'skipped')] }, 0).skipped).toBe(2);
  });
});

describe('skipLines', () => {
  const skip = (file: string, reason: string, name = 'works') => ({
    file,
    name: `a page${reason && ` (skipped: ${reason})`} ${name}`,
  });
  const data = 'no shared data in ../shared/data (put it there or set POISE_DATA)';

  test('are one for each reason, with how many of how many files', () => {
    const skips = [
      skip('a.test.ts', CHROMIUM_HINT),
      skip('a.test.ts', CHROMIUM_HINT, 'opens (twice)'),
      skip('b.test.ts', CHROMIUM_HINT),
      skip('b.test.ts', 'Windows has no such shell'),
    ];
    expect(skipLines(skips, false)).toEqual([
      `skipped: 3 tests in 2 files: ${CHROMIUM_HINT}`,
      'skipped: 1 test in 1 file: Windows has no such shell',
    ]);
    expect(CHROMIUM_HINT).toMatch(/^no Chromium \(.*CHROMIUM_PATH[^()]*\)$/);
  });

  test('name a few of what is missing for one reason', () => {
    const missing = (...files: string[]) =>
      skipLines(
        files.map((file) => skip('a.test.ts', `${data}: ${file}`)),
        false,
      );
    expect(missing('one.bvh', 'two.bvh', 'one.bvh')).toEqual([
      `skipped: 3 tests in 1 file: ${data}: one.bvh, two.bvh`,
    ]);
    expect(missing('one.bvh', 'two.bvh', 'three.bvh', 'four.bvh', 'five.bvh')).toEqual([
      `skipped: 5 tests in 1 file: ${data}: one.bvh, two.bvh, three.bvh and 2 more`,
    ]);
  });

  test('name each test that gives no reason', () => {
    expect(skipLines([skip('a.test.ts', ''), skip('b.test.ts', '', 'opens')], false)).toEqual([
      'skipped: a.test.ts: a page works',
      'skipped: b.test.ts: a page opens',
    ]);
  });

  test('where nothing may be skipped, name each', () => {
    const skips = [skip('a.test.ts', CHROMIUM_HINT), skip('a.test.ts', '', 'opens')];
    expect(skipLines(skips, true)).toEqual([
      `failed (skipped under POISE_NO_SKIP=1): a.test.ts: a page (skipped: ${CHROMIUM_HINT}) works`,
      'failed (skipped under POISE_NO_SKIP=1): a.test.ts: a page opens',
    ]);
  });
});

describe('summaryLine', () => {
  test('names skips only when there are some', () => {
    expect(summaryLine({ passed: 3, failed: 0, skipped: 0 }, false)).toBe('3 passed, 0 failed');
    expect(summaryLine({ passed: 3, failed: 1, skipped: 2 }, false)).toBe('3 passed, 1 failed, 2 skipped');
  });

  test('where nothing may be skipped, a skip is a failure', () => {
    expect(summaryLine({ passed: 3, failed: 1, skipped: 2 }, true)).toBe('3 passed, 3 failed');
  });
});
