/**
 * What happened to the jobs: a file a process, appended to by that process alone, a line an event. All journals of a folder together are the state of
 * its batch; nothing else holds any. Counts are sums over all journals, in whatever order they are read, since clocks of machines disagree.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FormatError } from 'poise';
import type { FailureClass, JobDone, JobFailed, JobOutcome } from './job.js';
import { type JobState, JobStates } from './job-states.js';
import { linesOf } from './lines.js';
import { BATCH_FOLDER } from './manifest.js';

export type JournalEvent = { readonly id: string; readonly at: string } & (
  | { readonly event: 'start'; readonly attempt: number }
  | ({ readonly event: 'done' } & Omit<JobDone, 'result'>)
  | ({ readonly event: 'failed' } & Omit<JobFailed, 'result'>)
  | { readonly event: 'stopped' }
  | { readonly event: 'set-aside'; readonly class: FailureClass; readonly attempts: number }
  /** The counts of all that went wrong before it, which no longer count. */
  | ({ readonly event: 'retry' } & Pick<JobState, 'failures' | 'kills' | 'lost'>)
);

/** An event without its time. */
export type JournalEntry = JournalEvent extends infer E ? (E extends unknown ? Omit<E, 'at'> : never) : never;

export interface Journal {
  /** @throws FormatError `cannot-write`: the disk is full. */
  append(entry: JournalEntry): void;
  close(): void;
}

export function journalFolder(out: string): string {
  return join(out, BATCH_FOLDER, 'journal');
}

/** A new journal of this process. @throws FormatError `cannot-write`. */
export function openJournal(out: string): Journal {
  const folder = journalFolder(out);
  const name = `${journalHost()}-${process.pid}-${randomBytes(4).toString('hex')}.jsonl`;
  const path = join(folder, name);
  let file: number | undefined;
  let isTorn = false;
  return {
    append(entry) {
      const { event, id, ...rest } = entry;
      // After a line that the disk cut short the next one begins anew.
      const text = `${isTorn ? '\n' : ''}${JSON.stringify({ event, id, at: new Date().toISOString(), ...rest })}\n`;
      isTorn = true;
      try {
        if (file === undefined) {
          mkdirSync(folder, { recursive: true });
          file = openSync(path, 'ax');
        }
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      } catch (cause) {
        throw cannotWrite(path, cause);
      }
      isTorn = false;
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** This host in the name of a journal. */
export function journalHost(): string {
  return hostname().replace(/[^\w.-]/g, '_');
}

/** The error of a file or folder of a batch that cannot be written. */
export function cannotWrite(path: string, cause: unknown): FormatError {
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code === 'ENOSPC' ? 'the disk is full' : code === 'EACCES' ? 'permission denied' : code;
  return new FormatError('cannot-write', `cannot be written (${reason}).`, {
    path,
    remedy: 'Make room or correct the permissions, then run the same command again: what is done stays done.',
    cause,
  });
}

/** The event of an outcome. */
export function eventOf(id: string, outcome: JobOutcome): JournalEntry {
  const { result, ...rest } = outcome;
  return { event: result, id, ...rest } as JournalEntry;
}

/** All events of a folder, journal by journal. A line that is cut short, by kill -9 or a full disk, is left out. */
export async function* readEvents(out: string): AsyncGenerator<JournalEvent> {
  const folder = journalFolder(out);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names.filter((each) => each.endsWith('.jsonl')).sort()) {
    for await (const line of linesOf(join(folder, name))) {
      const event = parseEvent(line);
      if (event !== undefined) yield event;
    }
  }
}

/** The event of a line; undefined for one that is cut short or is none. */
export function parseEvent(line: string): JournalEvent | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value?.id === 'string' && typeof value.event === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The state of every job that a journal of the folder names. */
export async function readStates(out: string): Promise<JobStates> {
  const states = new JobStates();
  for await (const event of readEvents(out)) states.record(event);
  return states;
}
