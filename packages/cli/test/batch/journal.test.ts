/** Journals, from which alone the state of a batch is known. */
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { backOff, failureOf, MAX_KILLS, MAX_LOST, standingOf } from '../../src/batch/attempts.js';
import { JobStates } from '../../src/batch/job-states.js';
import { type JournalEntry, openJournal, readEvents, readStates } from '../../src/batch/journal.js';
import { temporaryFolder } from '../support/command.js';
import { testRandom } from '../support/random.js';

const folder = temporaryFolder();

const idOf = (k: number): string => `j${k.toString(16).padStart(16, '0')}${'0'.repeat(16)}`;
const failed = (id: string, kind: 'bad-input' | 'time'): JournalEntry => ({
  event: 'failed',
  id,
  class: kind,
  code: 'invalid-file',
  path: 'a.bvh',
  what: 'is torn.',
  remedy: 'Mend it.',
  seconds: 1,
});
const done = (id: string, bytes: number): JournalEntry => ({
  event: 'done',
  id,
  unmet: false,
  seconds: 1,
  memory: 1,
  bytes,
  sha256: '',
  row: {},
});

describe('the state of a job', () => {
  test('is the same in whatever order journals are read', () => {
    const random = testRandom(1);
    const events = [
      { event: 'start', id: idOf(1) },
      { event: 'failed', id: idOf(1), class: 'time' as const },
      { event: 'start', id: idOf(1) },
      { event: 'start', id: idOf(1) },
      { event: 'retry', id: idOf(1), failures: 0, kills: 1, lost: 0 },
      { event: 'done', id: idOf(1), bytes: 12 },
    ];
    const stateOf = (order: typeof events) => {
      const states = new JobStates();
      for (const event of order) states.record(event);
      return states.of(idOf(1));
    };
    const expected = stateOf(events);
    expect(expected).toMatchObject({ done: true, bytes: 12, failures: 0, kills: 0, lost: 1 });
    for (let k = 0; k < 20; k++) {
      const order = events.map((event) => [random(), event] as const).sort(([a], [b]) => a - b);
      const { class: _, ...counts } = stateOf(order.map(([, event]) => event));
      const { class: __, ...wanted } = expected;
      expect(counts).toEqual(wanted);
    }
  });

  test('is kept for 100,000 jobs, apart from each other', () => {
    const states = new JobStates();
    const ids = Array.from({ length: 100_000 }, (_, k) => idOf(2 + k * 7919));
    for (const [k, id] of ids.entries()) states.record({ event: 'done', id, bytes: k });
    expect(states.size).toBe(100_000);
    expect(ids.every((id, k) => states.of(id).bytes === k)).toBe(true);
    expect(states.of(idOf(1)).done).toBe(false);
  });
});

describe('a job', () => {
  const standing = (...events: readonly { event: string; class?: 'time' | 'bad-input' }[]) => {
    const states = new JobStates();
    for (const event of events) states.record({ id: idOf(1), ...event });
    return standingOf(states.of(idOf(1)));
  };
  const killed = [{ event: 'start' }, { event: 'failed', class: 'time' as const }];

  test('that ends its thread is set aside after three times', () => {
    expect(MAX_KILLS).toBe(3);
    expect(standing(...killed, ...killed)).toBe('open');
    expect(standing(...killed, ...killed, ...killed)).toBe('set-aside');
  });

  test('whose process dies is set aside after six times', () => {
    const starts = Array.from({ length: MAX_LOST }, () => ({ event: 'start' }));
    expect(standing(...starts.slice(1))).toBe('open');
    expect(standing(...starts)).toBe('set-aside');
    const states = new JobStates();
    for (const event of starts) states.record({ id: idOf(1), ...event });
    expect(failureOf(states.of(idOf(1)))).toBe('lost');
  });

  test('of bad input is tried once, and one that was stopped as if it had not begun', () => {
    expect(standing({ event: 'start' }, { event: 'failed', class: 'bad-input' })).toBe('failed');
    const stopped = [{ event: 'start' }, { event: 'stopped' }];
    expect(standing(...Array.from({ length: 20 }, () => stopped).flat())).toBe('open');
  });

  test('waits longer from time to time, each for a time of its own', () => {
    const waits = [0, 1, 2].map((kills) => backOff(idOf(1), { kills }));
    expect(waits).toEqual([0, 1, 4]);
    expect(backOff(`${idOf(1).slice(0, -8)}ffffffff`, { kills: 1 })).toBeCloseTo(1.5, 6);
  });
});

describe('a journal', () => {
  test('whose last line is torn has all lines before it', async () => {
    const out = join(folder, 'torn');
    const journal = openJournal(out);
    journal.append({ event: 'start', id: idOf(1), attempt: 1 });
    journal.append(done(idOf(1), 5));
    journal.append({ event: 'start', id: idOf(2), attempt: 1 });
    journal.close();
    const [name] = readdirSync(join(out, 'batch/journal'));
    appendFileSync(join(out, 'batch/journal', name), 'null\n{}\n{"event":"done","id":"j0000');
    const states = await readStates(out);
    expect(states.of(idOf(1))).toMatchObject({ done: true, bytes: 5, lost: 0 });
    expect(states.of(idOf(2))).toMatchObject({ done: false, lost: 1 });
  });

  test('is one of a process: two are read as one', async () => {
    const out = join(folder, 'two');
    const journals = [openJournal(out), openJournal(out)];
    journals[0].append(failed(idOf(1), 'time'));
    journals[1].append(failed(idOf(1), 'time'));
    for (const journal of journals) journal.close();
    expect(readdirSync(join(out, 'batch/journal'))).toHaveLength(2);
    expect((await readStates(out)).of(idOf(1))).toMatchObject({ kills: 2, class: 'time' });
    const events = [];
    for await (const event of readEvents(out)) events.push(event);
    expect(events[0]).toMatchObject({ event: 'failed', id: idOf(1), what: 'is torn.' });
    expect(events[0].at).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  test('of a folder without any is no state', async () => {
    expect((await readStates(join(folder, 'none'))).size).toBe(0);
  });
});
