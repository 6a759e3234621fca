import { describe, expect, test } from 'vitest';
import { compareReports, formatComparison, readTables } from '../lib/compare-runs.mjs';

const report = (median: string, success: number, us: number) => `progress
| set | solver | median |
| --- | ------ | -----: |
| a   | p      | 9.9 us |

# Problems

| set | solver | success % | median | p99 |
| --- | ------ | --------: | -----: | --: |
| a   | p      | ${success} | ${median} | 3 ms |

## Work

| work | us / call | asleep after 10 s |
| ---- | --------: | ---: |
| step | ${us} | 7 |
| other | - | 8 |
`;

describe('compareReports', () => {
  test('tables of progress are left out where others stand below headings', () => {
    expect(readTables(report('1 us', 100, 2)).map(({ section }) => section)).toEqual(['Problems', 'Work']);
  });

  test('takes the least time of the rounds, in microseconds, and other numbers as they are', () => {
    const figures = compareReports(
      [report('1.20 ms', 100, 2), report('1.10 ms', 100, 2.5)],
      [report('990 us', 99, 3), report('1.00 ms', 99, 4)],
    );
    expect(figures.map(({ row, column, before, after }) => [row, column, before, after])).toEqual([
      ['Problems: a p', 'success %', 100, 99],
      ['Problems: a p', 'median', 1100, 990],
      ['Problems: a p', 'p99', 3000, 3000],
      ['Work: step', 'us / call', 2, 3],
      ['Work: step', 'asleep after 10 s', 7, 7],
      ['Work: other', 'asleep after 10 s', 8, 8],
    ]);
    const text = formatComparison(figures);
    expect(text).toContain('| Problems: a p | median | 1100 | 990 | 0.90 |');
    expect(text).toContain('| Work: step | us / call | 2 | 3 | 1.50 slower |');
    expect(text).toContain('2 times, 1 slower by more than 3 %.');
    expect(text).toContain('Also changed: Problems: a p, success %: 100 to 99.');
  });

  test('refuses reports of different tables', () => {
    expect(() => compareReports([report('1 us', 1, 1)], ['# nothing'])).toThrow(/different tables/);
  });
});
