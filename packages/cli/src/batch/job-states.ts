/** The states of the jobs of a batch, some tens of bytes each: a million fit. */
import { FAILURES, FAULTLESS, type FailureClass } from './job.js';

/** Of one job, over all its attempts that count. */
export interface JobState {
  readonly done: boolean;
  /** Done, but a goal is not met or the solve did not converge. */
  readonly unmet: boolean;
  /** Size of the output, where it is done. */
  readonly bytes: number;
  /** Attempts that failed for the job's own sake. */
  readonly failures: number;
  /** Attempts that ended their thread. */
  readonly kills: number;
  /** Attempts that began and have no end: their process died, or is at them now. */
  readonly lost: number;
  /** Of the last failure that was read. */
  readonly class?: FailureClass;
}

/** What changes a state; the rest of an event does not matter here. */
export interface StateEvent {
  readonly event: string;
  readonly id: string;
  readonly class?: FailureClass;
  readonly bytes?: number;
  readonly unmet?: boolean;
  readonly failures?: number;
  readonly kills?: number;
  readonly lost?: number;
}

/** Failures that end a thread. */
const KILLS: readonly FailureClass[] = ['time', 'memory', 'crash'];

const UNKNOWN: JobState = { done: false, unmet: false, bytes: 0, failures: 0, kills: 0, lost: 0 };

/** Counts of a job in one row of a table of bytes; no count exceeds 255. */
const STARTS = 0;
const ENDS = 1;
const FAILED = 2;
const KILLED = 3;
/** Those that a retry has voided. */
const VOID_FAILED = 4;
const VOID_KILLED = 5;
const VOID_LOST = 6;
/** 1 + index of the class, with what follows. */
const FLAGS = 7;
const COUNTS = 8;
const DONE = 128;
const UNMET = 64;
/** Among the jobs that are looked at. */
const LISTED = 32;
const CLASS = 31;

/** A hash table with open addressing: 64 bits of the id as the key, so that two of 10^6 jobs meet with a probability of 3e-8. */
export class JobStates {
  #size = 0;
  #keys = new BigUint64Array(1024);
  #counts = new Uint8Array(1024 * COUNTS);
  #bytes = new Float64Array(1024);

  /** Jobs with a state. */
  get size(): number {
    return this.#size;
  }

  of(id: string): JobState {
    const row = this.#row(keyOf(id));
    if (this.#keys[row] === 0n) return UNKNOWN;
    const at = (count: number): number => this.#counts[row * COUNTS + count];
    const flags = at(FLAGS);
    const index = (flags & CLASS) - 1;
    return {
      done: (flags & DONE) !== 0,
      unmet: (flags & UNMET) !== 0,
      bytes: this.#bytes[row],
      failures: Math.max(0, at(FAILED) - at(VOID_FAILED)),
      kills: Math.max(0, at(KILLED) - at(VOID_KILLED)),
      lost: Math.max(0, at(STARTS) - at(ENDS) - at(VOID_LOST)),
      ...(index >= 0 && { class: FAILURES[index] }),
    };
  }

  /** The counts of a retry: of all that went wrong so far, whatever was void before. */
  voidsOf(id: string): Pick<JobState, 'failures' | 'kills' | 'lost'> {
    const row = this.#row(keyOf(id));
    const at = (count: number): number => this.#counts[row * COUNTS + count];
    return { failures: at(FAILED), kills: at(KILLED), lost: Math.max(0, at(STARTS) - at(ENDS)) };
  }

  /** Whether a job is among those that are looked at; a journal also has jobs of inputs that are gone. */
  isListed(id: string): boolean {
    const row = this.#row(keyOf(id));
    return this.#keys[row] !== 0n && (this.#counts[row * COUNTS + FLAGS] & LISTED) !== 0;
  }

  list(id: string, listed: boolean): void {
    const at = this.#rowFor(id) * COUNTS + FLAGS;
    this.#counts[at] = listed ? this.#counts[at] | LISTED : this.#counts[at] & ~LISTED;
  }

  record(event: StateEvent): void {
    const row = this.#rowFor(event.id);
    const add = (count: number): void => {
      const at = row * COUNTS + count;
      if (this.#counts[at] < 255) this.#counts[at]++;
    };
    const raise = (count: number, value = 0): void => {
      const at = row * COUNTS + count;
      this.#counts[at] = Math.max(this.#counts[at], Math.min(255, value));
    };
    switch (event.event) {
      case 'start':
        add(STARTS);
        return;
      case 'stopped':
        add(ENDS);
        return;
      case 'done':
        add(ENDS);
        this.#counts[row * COUNTS + FLAGS] =
          (this.#counts[row * COUNTS + FLAGS] & LISTED) | DONE | (event.unmet ? UNMET : 0);
        this.#bytes[row] = event.bytes ?? 0;
        return;
      case 'failed': {
        add(ENDS);
        const kind = event.class ?? 'internal';
        if (!FAULTLESS.includes(kind)) add(KILLS.includes(kind) ? KILLED : FAILED);
        const flags = row * COUNTS + FLAGS;
        this.#counts[flags] = (this.#counts[flags] & ~CLASS) | (1 + FAILURES.indexOf(kind));
        return;
      }
      case 'retry': {
        raise(VOID_FAILED, event.failures);
        raise(VOID_KILLED, event.kills);
        raise(VOID_LOST, event.lost);
      }
    }
  }

  /** The row of a job, made where there is none. */
  #rowFor(id: string): number {
    const key = keyOf(id);
    const row = this.#row(key);
    if (this.#keys[row] !== 0n) return row;
    if (this.#size + 1 > 0.7 * this.#keys.length) {
      this.#grow();
      return this.#rowFor(id);
    }
    this.#size++;
    this.#keys[row] = key;
    return row;
  }

  /** The row of a key, or the empty one where it would stand. */
  #row(key: bigint): number {
    const mask = this.#keys.length - 1;
    let row = Number(key & 0xffffffffn) & mask;
    while (this.#keys[row] !== 0n && this.#keys[row] !== key) row = (row + 1) & mask;
    return row;
  }

  #grow(): void {
    const [keys, counts, bytes] = [this.#keys, this.#counts, this.#bytes];
    this.#keys = new BigUint64Array(2 * keys.length);
    this.#counts = new Uint8Array(2 * counts.length);
    this.#bytes = new Float64Array(2 * bytes.length);
    for (let from = 0; from < keys.length; from++) {
      if (keys[from] === 0n) continue;
      const to = this.#row(keys[from]);
      this.#keys[to] = keys[from];
      this.#counts.set(counts.subarray(from * COUNTS, (from + 1) * COUNTS), to * COUNTS);
      this.#bytes[to] = bytes[from];
    }
  }
}

/** The first 16 digits of an id; never 0, which is an empty row. */
function keyOf(id: string): bigint {
  return BigInt(`0x${id.slice(1, 17)}`) || 1n;
}
