/** Progress: separate lines without a terminal, one overwritten line on a terminal. */
import { describe, expect, test } from 'vitest';
import { createProgress } from '../../src/optimize/progress.js';

function shown(live: boolean, first: number, iterations: number, max: number): string {
  let err = '';
  let time = 0;
  const io = {
    out() {},
    err: (text: string) => {
      err += text;
    },
    color: false,
    live,
  };
  const progress = createProgress(io, first, max, () => time);
  for (let n = 1; n <= iterations; n++) {
    time += 30;
    progress.show({ iteration: first + n, cost: 1000 / n, violation: 10 ** -n });
  }
  progress.end();
  return err;
}

describe('progress', () => {
  test('without a terminal is a line at 1, 2, 5, 10, 20, 50, ... counted from the start of the run', () => {
    const lines = shown(false, 40, 120, 300).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => Number(/^iteration (\d+): cost \S+, violation \S+$/.exec(line)?.[1]))).toEqual(
      [1, 2, 5, 10, 20, 50, 100].map((n) => 40 + n),
    );
    expect(lines[1]).toBe('iteration 42: cost 500.000, violation 1.0e-2');
  });

  test('on a terminal is one line, updated at intervals and cleared at the end', () => {
    const err = shown(true, 0, 12, 12);
    expect(err).not.toContain('\n');
    const writes = err.split('\r').filter((text) => text.trim() !== '');
    // 12 iterations of 30 ms, no more than one write in 80 ms.
    expect(writes.length).toBe(4);
    expect(writes[0]).toMatch(/^\[##-{22}\] iteration 1: cost 1000\.00, violation 1\.0e-1/);
    expect(writes[3]).toMatch(/^\[#{20}-{4}\] iteration 10: /);
    expect(err).toMatch(/\r +\r$/);
  });
});
