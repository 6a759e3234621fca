/** What a batch says: on a terminal, as lines, as events of `--json`. */
import { basename, dirname, join, relative } from 'node:path';
import { commandText } from '../io/cures.js';
import { EXIT } from '../io/exit-codes.js';
import { errorLine, type Io, line, styled, warn } from '../io/io.js';
import { count, significant } from '../io/parse-number.js';
import { COMMANDS } from './commands.js';
import type { Conclusion } from './conclude.js';
import type { BatchJob, FailureClass, JobOutcome } from './job.js';
import { changesText } from './make-manifest.js';
import { BATCH_FOLDER } from './manifest.js';
import { createBatchProgress, durationText, rateText } from './progress.js';
import { jobsOf, type Prepared, type Solved, sizeOf } from './run-batch.js';

interface Json {
  readonly json?: boolean;
}

/** Failures that are said on stderr; the others are in failed.jsonl. */
const SAID = 10;

/** How a batch ended. */
export interface End {
  readonly solved: Solved;
  /** Left out where a signal came first, or the disk is full. */
  readonly conclusion?: Conclusion;
}

/** Says what happens: events as JSON, or progress and the first failures. */
export function tellerOf(
  { plan, shard }: Prepared,
  { json }: Json,
  noun: string,
  io: Io,
): {
  outcome(job: BatchJob, outcome: JobOutcome, isLast: boolean, solved: Solved): void;
  end(): void;
} {
  const total = sizeOf(shard, plan.jobs);
  const progress = createBatchProgress(io, noun, () => performance.now());
  let said = 0;
  return {
    outcome({ id, input, output }, outcome, isLast, solved) {
      const { result, ...rest } = outcome;
      if (json)
        event(io, {
          event: result,
          id,
          input,
          output,
          ...rest,
          ...(result === 'failed' && { again: !isLast }),
        });
      else if (outcome.result === 'failed' && said < SAID) {
        said++;
        progress.end();
        const { code, path: at, what, remedy } = outcome;
        // A reader names its file alone, and there may be many of that name.
        const path = at.startsWith(basename(input)) ? join(dirname(input), at) : at;
        const again = isLast ? '' : ' It is tried again.';
        errorLine(io, `${styled(io, 'red', `failed[${code}]`)} ${path}: ${what} ${remedy}${again}`);
        if (said === SAID) errorLine(io, 'more failures are in batch/failed.jsonl at the end.');
      }
      if (!json) progress.step({ total, done: solved.done, before: solved.before, failed: failures(solved) });
    },
    end: () => progress.end(),
  };
}

function failures({ failed }: Pick<Solved, 'failed'>): number {
  return [...failed.values()].reduce((sum, n) => sum + n, 0);
}

/** An event, on a line. */
function event(io: Io, value: object): void {
  io.out(`${JSON.stringify(value)}\n`);
}

export function sayStart(
  { plan, shard, changes }: Prepared,
  threads: number | undefined,
  { json }: Json,
  io: Io,
): void {
  const { noun } = COMMANDS[plan.command];
  const jobs = sizeOf(shard, plan.jobs);
  if (shard.count > 1 && changes && changes.added + changes.removed > 0) {
    warn(io, [
      `${shown(plan.out)}: its inputs have changed (${changesText(changes, noun)}): run each shard again that began before.`,
    ]);
  }
  if (json) {
    const part = shard.count > 1 && { shard: `${shard.index}/${shard.count}` };
    event(io, {
      event: 'plan',
      command: plan.command,
      out: plan.out,
      jobs,
      ...part,
      ...(threads !== undefined && { threads }),
      ...(changes && { changes }),
    });
    return;
  }
  const part = shard.count > 1 ? ` (shard ${shard.index}/${shard.count} of ${plan.jobs})` : '';
  const known = changes === undefined ? '' : `, ${changesText(changes, noun)}`;
  const by = threads === undefined ? 'by workers of a queue' : count(threads, 'thread');
  line(io, `${count(jobs, noun)}${part}, ${by}${known}`);
}

/** `--dry-run`. */
export async function sayPlan(prepared: Prepared, options: Json, io: Io): Promise<number> {
  const counts = { done: 0, open: 0, failed: 0, 'set-aside': 0 };
  for await (const { standing } of jobsOf(prepared)) counts[standing]++;
  const { plan, changes } = prepared;
  if (options.json) event(io, { event: 'dry-run', ...counts, ...(changes && { changes }) });
  else {
    const { noun } = COMMANDS[plan.command];
    line(
      io,
      `${count(counts.open, noun)} to do, ${counts.done} done, ${counts.failed} failed, ${counts['set-aside']} set aside`,
    );
    line(io, `wrote ${fileOf(plan.out, 'manifest.jsonl')}`);
  }
  return EXIT.done;
}

/** The end in words, or as an event. @returns the exit status. */
export function sayEnd(
  { plan, shard }: Prepared,
  { solved, conclusion }: End,
  seconds: number,
  { json }: Json,
  io: Io,
): number {
  const { noun } = COMMANDS[plan.command];
  const { done, before, unmet, ended } = solved;
  const failed = failures(solved);
  const status = statusOf(solved);
  if (json) {
    const reason = typeof ended === 'object' ? ended.code : ended;
    event(io, {
      event: 'end',
      done,
      before,
      failed,
      unmet,
      classes: Object.fromEntries(solved.failed),
      seconds,
      status,
      ...(reason !== undefined && { ended: reason }),
    });
  } else {
    const rate = done > 0 ? `, ${durationText(seconds)}, ${rateText(done / seconds)}` : '';
    const skipped = before > 0 ? `, ${before} done before` : '';
    const not = unmet > 0 ? `, ${unmet} not met or not converged` : '';
    line(io, `${done} done${skipped}, ${failed} failed${not}${rate}`);
    if (shard.count === 1 && conclusion) for (const text of qualityText(conclusion)) line(io, text);
    if (conclusion) line(io, `wrote ${fileOf(plan.out, 'report.html')}`);
    if (conclusion && failed > 0)
      line(io, `wrote ${fileOf(plan.out, 'failed.jsonl')}: ${classesText(solved.failed)}`);
    if (failed > (solved.failed.get('bad-input') ?? 0) && ended === undefined)
      line(io, `'poise batch retry ${shown(plan.out)}' tries again what failed, with other limits too.`);
  }
  if (typeof ended === 'object') {
    const { code, path, what, remedy } = ended;
    errorLine(io, `${styled(io, 'red', `error[${code}]`)} ${path}: ${what} ${commandText(remedy)}`);
    const open = conclusion === undefined ? '' : ` ${count(conclusion.tally.open, noun)} to do;`;
    errorLine(io, `ended:${open} the same command continues.`);
  } else if (ended !== undefined) {
    const go = ended === 'cancelled' ? `'poise batch retry ${shown(plan.out)}'` : 'the same command';
    errorLine(io, `ended by ${ended === 'cancelled' ? 'poise batch cancel' : ended}; ${go} continues.`);
  }
  return status;
}

/** A file of the batch as one would type it. */
function fileOf(out: string, name: string): string {
  return shown(join(out, BATCH_FOLDER, name));
}

/** A path relative to the working folder where it is below it. */
function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near === '' || near.startsWith('..') ? path : near;
}

function classesText(classes: ReadonlyMap<FailureClass, number>): string {
  return [...classes].map(([kind, n]) => `${n} ${kind}`).join(', ');
}

/** Median and worst of each number of quality. */
function qualityText({ quality }: Conclusion): string[] {
  return quality.flatMap(({ name, unit, values, worst }) => {
    if (worst.length === 0) return [];
    const median = values.slice().sort()[Math.floor(values.length / 2)];
    const suffix = unit === '' ? '' : ` ${unit}`;
    return [
      `${name}: median ${significant(median)}${suffix}, worst ${significant(worst[0].value)}${suffix} (${worst[0].job.output})`,
    ];
  });
}

function statusOf({ failed, ended }: Solved): number {
  if (ended === 'SIGTERM') return EXIT.terminated;
  if (ended === 'SIGINT') return EXIT.interrupted;
  if (ended !== undefined) return EXIT.someFailed;
  if (failures({ failed }) === 0) return EXIT.done;
  return failed.size === 1 && failed.has('bad-input') ? EXIT.doNotRetry : EXIT.someFailed;
}

/** `poise batch status`. */
export function sayStatus(
  { plan, tally, failed, seconds }: Conclusion,
  cancelled: boolean,
  { json }: Json,
  io: Io,
): void {
  const { total, done, unmet, open } = tally;
  const { noun } = COMMANDS[plan.command];
  if (json) {
    event(io, {
      format: 'poise-batch-status',
      version: 1,
      command: plan.command,
      total,
      done,
      unmet,
      open,
      failed: failed.length,
      classes: Object.fromEntries(tally.failed),
      seconds,
      cancelled,
    });
    return;
  }
  line(
    io,
    `${done} of ${count(total, noun)} done, ${failed.length} failed, ${open} to do${cancelled ? ', cancelled' : ''}`,
  );
  if (unmet > 0) line(io, `${unmet} not met or not converged`);
  if (done > 0) line(io, `${durationText(seconds)} of one thread, ${significant(seconds / done)} s each`);
  if (failed.length > 0) {
    line(io, `wrote ${fileOf(plan.out, 'failed.jsonl')}: ${classesText(tally.failed)}`);
  }
}
