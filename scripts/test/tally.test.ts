import { describe, expect, test } from 'vitest';
import { countTests, summaryLine } from '../lib/tally.mjs';

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
      skips: ['a: test 2'],
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

describe('summaryLine', () => {
  test('names skips only when there are some', () => {
    expect(summaryLine({ passed: 3, failed: 0, skipped: 0 }, false)).toBe('3 passed, 0 failed');
    expect(summaryLine({ passed: 3, failed: 1, skipped: 2 }, false)).toBe('3 passed, 1 failed, 2 skipped');
  });

  test('where nothing may be skipped, a skip is a failure', () => {
    expect(summaryLine({ passed: 3, failed: 1, skipped: 2 }, true)).toBe('3 passed, 3 failed');
  });
});
