/** Presses of keys on one thing within this time are one step of undo, ms. */
const RUN = 1000;

interface Press {
  readonly currentTarget: unknown;
  readonly timeStamp: number;
  readonly repeat: boolean;
}

let last: Press | undefined;

/** Whether a key is held, or was pressed soon after another, on the same thing. */
export function continuesRun({ currentTarget, timeStamp, repeat }: Press): boolean {
  const before = last;
  last = { currentTarget, timeStamp, repeat };
  if (before === undefined || before.currentTarget !== currentTarget) return false;
  return repeat || timeStamp - before.timeStamp < RUN;
}
