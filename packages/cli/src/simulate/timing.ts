/** Steps, poses and lines of a run. */
import { GoalError } from 'poise';
import type { PushSpec } from './parse-push.js';
import { type Scenario, stepOf } from './run-simulation.js';

export interface TimingOptions {
  readonly seconds?: number;
  /** Steps, and poses kept, a second. */
  readonly rate?: number;
  readonly fps?: number;
}

/** Steps of one run at most. */
const MOST_STEPS = 1_000_000;
/** Lines of the report at most, and the times between them that it may choose, s. */
const MOST_LINES = 25;
const INTERVALS = [0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 3600];

type Timing = Pick<Scenario, 'steps' | 'rate' | 'fps' | 'every'>;

/** @throws GoalError `out-of-range`. */
export function timingOf({ seconds = 5, rate = 120, fps = Math.min(30, rate) }: TimingOptions): Timing {
  if (fps > rate) {
    throw new GoalError('out-of-range', `is more than there are steps a second (${rate}).`, {
      path: `--fps ${fps}`,
      remedy: 'Give a smaller number, or a larger --rate.',
    });
  }
  const steps = Math.max(1, Math.round(seconds * rate));
  if (steps > MOST_STEPS) {
    throw new GoalError('out-of-range', `are ${steps} steps at ${rate} a second.`, {
      path: `--seconds ${seconds}`,
      remedy: `Stay within ${MOST_STEPS} steps.`,
    });
  }
  const every = INTERVALS.find((interval) => seconds / interval <= MOST_LINES) ?? seconds;
  return { steps, rate, fps, every };
}

/** @throws GoalError `out-of-range` for a push after the end. */
export function checkPushTimes(pushes: readonly PushSpec[], { steps, rate }: Timing): void {
  for (const push of pushes) {
    if (stepOf(push, rate) < steps) continue;
    throw new GoalError('out-of-range', `is at ${push.time} s, when all is over.`, {
      path: `${push.text} (time)`,
      remedy: `Give a time below ${steps / rate} s, or more --seconds.`,
    });
  }
}
