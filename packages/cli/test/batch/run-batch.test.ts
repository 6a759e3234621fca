/** The stages of a batch in this process, with jobs that need no thread. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { concludeBatch } from '../../src/batch/conclude.js';
import type { JobOutcome } from '../../src/batch/job.js';
import { eventOf, openJournal, readStates } from '../../src/batch/journal.js';
import { jobsOf, solveBatch } from '../../src/batch/run-batch.js';
import { crash, makeBatch, runner, write } from '../queue/support.js';
import { temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();
const shard = { index: 0, count: 1 };

test('a job whose output is gone and whose input is bad by now is failed, in the counts and in failed.jsonl', async () => {
  const { plan, jobs } = makeBatch(folder, 1);
  const journal = openJournal(plan.out);
  journal.append(eventOf(jobs[0].id, write(plan, jobs[0])));
  rmSync(join(plan.out, jobs[0].output));
  const prepared = { plan, shard, states: await readStates(plan.out) };
  const never = new AbortController().signal;
  const lasts: boolean[] = [];
  const bad = { ...crash, class: 'bad-input' } as JobOutcome;
  const solved = await solveBatch(
    prepared,
    runner(async () => bad),
    1,
    journal,
    { stopping: never, now: never },
    { outcome: (_, __, isLast) => lasts.push(isLast) },
  );
  journal.close();
  expect([lasts, [...solved.failed]]).toEqual([[true], [['bad-input', 1]]]);
  const { tally } = await concludeBatch(plan, prepared.states);
  expect(tally).toMatchObject({ done: 0, open: 0, failed: new Map([['bad-input', 1]]) });
  expect(readFileSync(join(plan.out, 'batch/failed.jsonl'), 'utf8')).toContain('"class":"bad-input"');
});

test('an output of another content is removed where contents are looked at, so that all see that it is not done', async () => {
  const { plan, jobs } = makeBatch(folder, 2);
  const journal = openJournal(plan.out);
  const hashes = new Map<string, string>();
  for (const job of jobs) {
    const outcome = write(plan, job);
    journal.append(eventOf(job.id, outcome));
    if (outcome.result === 'done') hashes.set(job.id, outcome.sha256);
  }
  journal.close();
  writeFileSync(join(plan.out, jobs[0].output), 'x'.repeat(jobs[0].id.length));
  const states = await readStates(plan.out);
  const standings = async (contents?: typeof hashes): Promise<string[]> => {
    const found: string[] = [];
    for await (const { standing } of jobsOf({ plan, shard, states }, contents)) found.push(standing);
    return found;
  };
  expect(await standings()).toEqual(['done', 'done']);
  expect(await standings(hashes)).toEqual(['open', 'done']);
  expect(await standings()).toEqual(['open', 'done']);
});
