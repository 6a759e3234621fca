/** The second stage of a batch by workers of a queue, in place of threads of this process. */
import { dirname, join } from 'node:path';
import { FormatError } from 'poise';
import { failureOf, type Standing } from '../batch/attempts.js';
import type { BatchJob, FailureClass, JobOutcome } from '../batch/job.js';
import type { JobState } from '../batch/job-states.js';
import type { JournalEvent } from '../batch/journal.js';
import {
  type Ending,
  endedBy,
  jobsOf,
  type Listener,
  type Prepared,
  type Solved,
} from '../batch/run-batch.js';
import type { ConnectedQueue } from './connect-queue.js';
import { enqueueJobs } from './enqueue-jobs.js';

/** As `solveBatch`. @param onWarning - Told sentences for stderr. @throws FormatError `access-denied` by a Redis that has another password by now. */
export async function solveOverQueue(
  prepared: Prepared,
  { address, clients }: ConnectedQueue,
  { stopping }: Pick<Ending, 'stopping'>,
  listener: Listener,
  onWarning: (text: string) => void,
  hashes?: ReadonlyMap<string, string>,
): Promise<Solved> {
  const { plan, states } = prepared;
  const failed = new Map<FailureClass, number>();
  const folders = new Set<string>();
  const solved = { done: 0, before: 0, unmet: 0, failed, folders, ended: undefined as Solved['ended'] };
  const count = (kind: FailureClass): void => {
    failed.set(kind, (failed.get(kind) ?? 0) + 1);
  };
  const open = async function* (): AsyncGenerator<BatchJob> {
    for await (const { job, standing } of jobsOf(prepared, hashes)) {
      const state = states.of(job.id);
      if (standing === 'open') {
        folders.add(dirname(join(plan.out, job.output)));
        yield job;
      } else if (standing === 'done') {
        solved.before++;
        if (state.unmet) solved.unmet++;
      } else count(failureOf(state));
    }
  };
  const onEvent = (job: BatchJob, event: JournalEvent, isLast: boolean): void => {
    if (event.event === 'set-aside') count(event.class);
    if (event.event !== 'done' && event.event !== 'failed') return;
    const { event: result, id: _, at: __, ...rest } = event;
    const outcome = { result, ...rest } as JobOutcome;
    if (outcome.result === 'done') {
      solved.done++;
      if (outcome.unmet) solved.unmet++;
    } else if (outcome.result === 'failed' && isLast) count(outcome.class);
    listener.outcome(job, outcome, isLast, solved);
  };
  const onFound = (state: JobState, standing: Standing): void => {
    if (standing !== 'done') count(failureOf(state));
    else {
      solved.before++;
      if (state.unmet) solved.unmet++;
    }
  };
  try {
    const areEnded = await enqueueJobs({
      plan,
      jobs: open(),
      address,
      clients,
      onEvent,
      onFound,
      onWarning,
      signal: stopping,
    });
    if (!areEnded) solved.ended = stopping.reason as Solved['ended'];
  } catch (error) {
    // Redis takes no more: the same command may do later.
    if (!(error instanceof FormatError) || error.code !== 'cannot-write') throw error;
    solved.ended = endedBy(error);
  }
  return solved;
}
