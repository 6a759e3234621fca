/** What a folder of a batch holds, from its manifest and journals: counts, `failed.jsonl`, and the numbers of the report. */
import { join } from 'node:path';
import { failureOf } from './attempts.js';
import { COMMANDS, type Quality } from './commands.js';
import type { BatchJob, BatchPlan, FailureClass, JobFailed } from './job.js';
import type { JobStates } from './job-states.js';
import { readEvents } from './journal.js';
import { writeLines } from './make-manifest.js';
import { BATCH_FOLDER, readJobs } from './manifest.js';
import { jobsOf } from './run-batch.js';

/** Jobs of a batch by what became of them. */
export interface Tally {
  readonly total: number;
  readonly done: number;
  /** Of those done. */
  readonly unmet: number;
  /** Neither done nor failed. */
  readonly open: number;
  readonly failed: ReadonlyMap<FailureClass, number>;
}

/** A job that failed or was set aside; a line of `failed.jsonl`. */
export type FailedJob = Pick<BatchJob, 'id' | 'input' | 'output'> &
  Pick<JobFailed, 'class' | 'code' | 'path' | 'what' | 'remedy'> & {
    /** Attempts that ended their thread or their process. */
    readonly attempts: number;
    readonly setAside: boolean;
  };

/** Numbers of one kind over all jobs that are done. */
export interface Distribution extends Quality {
  /** In no order. */
  readonly values: Float32Array;
  /** The worst ones, worst first; empty where no end is worse. */
  readonly worst: readonly { readonly job: BatchJob; readonly value: number }[];
}

export interface Conclusion {
  readonly plan: BatchPlan;
  readonly tally: Tally;
  readonly failed: readonly FailedJob[];
  /** Time of a job, s; heap of a thread after it, MB; size of an output, MB. */
  readonly costs: readonly Distribution[];
  readonly quality: readonly Distribution[];
  /** Seconds of all jobs together. */
  readonly seconds: number;
}

const WORST = 5;
const COSTS: readonly Quality[] = [
  { name: 'time', unit: 's', worse: 'high' },
  { name: 'heap', unit: 'MB' },
  { name: 'size', unit: 'MB' },
];

/** Reads the folder, and writes its `failed.jsonl`. @throws FormatError `cannot-write`. */
export async function concludeBatch(plan: BatchPlan, states: JobStates): Promise<Conclusion> {
  const conclusion = await readConclusion(plan, states);
  await writeFailed(conclusion);
  return conclusion;
}

/** Writes `failed.jsonl`. @throws FormatError `cannot-write`. */
export async function writeFailed({ plan, failed }: Conclusion): Promise<void> {
  await writeLines(join(plan.out, BATCH_FOLDER, 'failed.jsonl'), '', async function* () {
    for (const each of failed) yield `${JSON.stringify(each)}\n`;
  });
}

export async function readConclusion(plan: BatchPlan, states: JobStates): Promise<Conclusion> {
  const whole = { index: 0, count: 1 };
  const counts = { total: 0, done: 0, unmet: 0, open: 0 };
  const byClass = new Map<FailureClass, number>();
  const failed = new Map<string, FailedJob>();
  for await (const { job, standing } of jobsOf({ plan, shard: whole, states })) {
    const { id, input, output } = job;
    const state = states.of(id);
    counts.total++;
    states.list(id, standing === 'done');
    if (standing === 'done' && state.unmet) counts.unmet++;
    if (standing === 'done' || standing === 'open') counts[standing]++;
    else {
      const kind = failureOf(state);
      byClass.set(kind, (byClass.get(kind) ?? 0) + 1);
      failed.set(id, {
        id,
        input,
        output,
        class: kind,
        code: 'worker-lost',
        path: input,
        what: 'ended its process each time.',
        remedy: 'Run it alone, with more memory.',
        attempts: state.kills + state.lost,
        setAside: standing === 'set-aside',
      });
    }
  }
  const numbers = await measured(plan, states, failed);
  return {
    plan,
    tally: { ...counts, failed: byClass },
    failed: [...failed.values()],
    ...numbers,
  };
}

/** The numbers of all jobs that are done, and the causes of those that failed. */
async function measured(
  plan: BatchPlan,
  states: JobStates,
  failed: Map<string, FailedJob>,
): Promise<Pick<Conclusion, 'costs' | 'quality' | 'seconds'>> {
  const kinds = [...COSTS, ...COMMANDS[plan.command].quality];
  const columns = kinds.map(() => new Column());
  const worst = kinds.map((): { id: string; value: number }[] => []);
  let seconds = 0;
  for await (const event of readEvents(plan.out)) {
    const { id } = event;
    const known = failed.get(id);
    if (event.event === 'failed' && known !== undefined && event.class === known.class) {
      const { code, path, what, remedy } = event;
      failed.set(id, { ...known, code, path, what, remedy });
    }
    // A job that was done twice, since its output was gone, counts once.
    if (event.event !== 'done' || !states.isListed(id)) continue;
    states.list(id, false);
    seconds += event.seconds;
    const row = [event.seconds, event.memory / 1e6, event.bytes / 1e6];
    kinds.forEach(({ name, worse }, k) => {
      const value = k < COSTS.length ? row[k] : event.row[name];
      if (value === undefined) return;
      columns[k].push(value);
      if (worse === undefined) return;
      worst[k].push({ id, value });
      worst[k].sort((a, b) => (worse === 'high' ? b.value - a.value : a.value - b.value));
      worst[k].length = Math.min(WORST, worst[k].length);
    });
  }
  const wanted = new Set(worst.flat().map(({ id }) => id));
  const jobs = new Map<string, BatchJob>();
  for await (const job of readJobs(plan.out)) if (wanted.has(job.id)) jobs.set(job.id, job);
  const distributions = kinds.map((kind, k) => ({
    ...kind,
    values: columns[k].values(),
    worst: worst[k].map(({ id, value }) => ({ job: jobs.get(id) as BatchJob, value })),
  }));
  return { costs: distributions.slice(0, COSTS.length), quality: distributions.slice(COSTS.length), seconds };
}

/** Numbers that become more. */
class Column {
  #length = 0;
  #data = new Float32Array(256);

  push(value: number): void {
    if (this.#length === this.#data.length) {
      const data = new Float32Array(2 * this.#length);
      data.set(this.#data);
      this.#data = data;
    }
    this.#data[this.#length++] = value;
  }

  values(): Float32Array {
    return this.#data.subarray(0, this.#length);
  }
}
