import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../docs/decisions');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const files = readdirSync(folder)
  .filter((file) => /^\d{4}-.*\.md$/.test(file))
  .sort();
const HEAD = /^# (\d{4}): (.+)\n\n- Date: (\d{4}-\d\d-\d\d)\n- Status: (accepted|superseded by (\d{4}))\n/;

describe('docs/decisions', () => {
  test.each(files)('%s begins with number, title, date and status', (file) => {
    const [, number, , , , successor] = HEAD.exec(read(file)) ?? [];
    expect(number).toBe(file.slice(0, 4));
    if (successor) expect(files.map((name) => name.slice(0, 4))).toContain(successor);
  });

  test('no number is used twice', () => {
    expect(new Set(files.map((file) => file.slice(0, 4))).size).toBe(files.length);
  });

  test('the index lists every decision as its file begins', () => {
    const rows = read('README.md').match(/^\| \[\d{4}\].*$/gm);
    const expected = files.map((file) => {
      const [, number, title, date, status] = HEAD.exec(read(file)) ?? [];
      return `| [${number}](${file}) | ${title} | ${date} | ${status} |`;
    });
    expect(rows).toEqual(expected);
  });
});
