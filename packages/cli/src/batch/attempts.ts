/** How often a job is tried. */
import type { FailureClass } from './job.js';
import type { JobState } from './job-states.js';

/** Attempts that end their thread, before a job is set aside. */
export const MAX_KILLS = 3;
/**
 * Attempts whose process died, before a job is set aside. More than of threads: a process is also killed for what no job of it has done, and then all
 * that it was at are lost.
 */
export const MAX_LOST = 6;

/**
 * - `open`: to be tried.
 * - `done`: where its output is there too.
 * - `failed`: it fails whenever it is tried; another input, or `poise batch retry`, tries it again.
 * - `set-aside`: it ended its thread or its process too often.
 */
export type Standing = 'open' | 'done' | 'failed' | 'set-aside';

export function standingOf({ done, failures, kills, lost }: JobState): Standing {
  if (done) return 'done';
  if (failures > 0) return 'failed';
  return kills >= MAX_KILLS || lost >= MAX_LOST ? 'set-aside' : 'open';
}

/** The standing of a job whose output is known not to be there: that it was done once says nothing. */
export function withoutOutput(state: JobState): Exclude<Standing, 'done'> {
  return standingOf({ ...state, done: false }) as Exclude<Standing, 'done'>;
}

/** The class of a job that failed or was set aside. */
export function failureOf({ class: last, kills, lost }: JobState): FailureClass {
  return kills < MAX_KILLS && lost >= MAX_LOST ? 'lost' : (last ?? 'lost');
}

/** Seconds before an attempt, 0 before the first: 1, 4, 16, ... and up to a half more, by the id, so that jobs that failed together are not tried together. */
export function backOff(id: string, { kills }: Pick<JobState, 'kills'>): number {
  if (kills === 0) return 0;
  const jitter = Number.parseInt(id.slice(-8), 16) / 2 ** 32;
  return 4 ** (kills - 1) * (1 + 0.5 * jitter);
}
