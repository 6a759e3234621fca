/** Steps, recorded poses and report lines of a run. */
import { GoalError } from 'poise';
import type { PushSpec } from './parse-push.js';
import { type Scenario, stepOf } from './run-simulation.js';

export interface TimingOptions {
  readonly seconds?: number;
  /** Steps, and recorded poses, per second. */
  readonly rate?: number;
  readonly fps?: number;
}

/** Steps of a run at most. */
const MAX_STEPS = 1_000_000;
/** Report lines at most, and the intervals to choose from, s. */
const MAX_LINES = 25;
const INTERVALS = [0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 3600];

type Timing = Pick<Scenario, 'steps' | 'rate' | 'fps' | 'every'>;

/** @throws GoalError `out-of-range`. */
export function timingOf({ seconds = 5, rate = 120, fps = Math.min(30, rate) }: TimingOptions): Timing {
  if (fps > rate) {
    throw new GoalError('out-of-range', `is more than the steps per second (${rate}).`, {
      path: `--fps ${fps}`,
      remedy: 'Give a smaller number, or a larger --rate.',
    });
  }
  const steps = Math.max(1, Math.round(seconds * rate));
  if (steps > MAX_STEPS) {
    throw new GoalError('out-of-range', `are ${steps} steps at ${rate} per second.`, {
      path: `--seconds ${seconds}`,
      remedy: `Stay within ${MAX_STEPS} steps.`,
    });
  }
  const every = INTERVALS.find((interval) => seconds / interval <= MAX_LINES) ?? seconds;
  return { steps, rate, fps, every };
}

/** @throws GoalError `out-of-range` for a push after the end. */
export function checkPushTimes(pushes: readonly PushSpec[], { steps, rate }: Timing): void {
  for (const push of pushes) {
    if (stepOf(push, rate) < steps) continue;
    throw new GoalError('out-of-range', `is at ${push.time} s, after the end.`, {
      path: `${push.text} (time)`,
      remedy: `Give a time below ${steps / rate} s, or more --seconds.`,
    });
  }
}
