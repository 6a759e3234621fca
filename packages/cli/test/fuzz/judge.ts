/** Judges what a reader does with a damaged file: a result or an error of the library, in time and memory in proportion to the file. */
import { threadTime } from '@poise/test-support/thread-time';
import { damagedFile, isRefusal, type Reader } from './readers.js';

/** ms of processor time that a reader may take for any file: the clock on the wall depends on what else the machine does. */
export const MAX_TIME = 1000;
/** Heap that a reader may fill before the next collection, bytes: as much for any file, and as much for each byte of it. */
const FREE_HEAP = 192e6;
const HEAP_PER_BYTE = 512;

export interface Verdict {
  readonly bytes: Uint8Array;
  readonly outcome: 'read' | 'refused';
  readonly milliseconds: number;
  /** Growth of the heap and of the arrays outside it, bytes; a collection in between makes it less. */
  readonly heap: number;
  /** What is wrong; undefined for a result or a refusal within the bounds. */
  readonly fault?: string;
}

/** Reads the damaged file with a number. @param isTimed - Whether a file that takes too long is a fault. */
export function judge(reader: Reader, seed: string, number: number, isTimed: boolean): Verdict {
  const bytes = damagedFile(reader, seed, number);
  const first = readOnce(reader, bytes);
  let { milliseconds } = first;
  // The first of its kind is compiled, and the heap may be collected: only what is slow three times is slow.
  for (let k = 0; isTimed && k < 2 && milliseconds > MAX_TIME; k++) {
    milliseconds = Math.min(milliseconds, readOnce(reader, bytes).milliseconds);
  }
  const { heap, outcome, foreign } = first;
  const isSlow = isTimed && milliseconds > MAX_TIME;
  const isLarge = heap > FREE_HEAP + HEAP_PER_BYTE * bytes.length;
  const fault =
    foreign ??
    (isSlow ? `takes ${milliseconds.toFixed(0)} ms` : undefined) ??
    (isLarge ? `fills ${(heap / 1e6).toFixed(0)} MB of heap for ${bytes.length} bytes` : undefined);
  return { bytes, outcome, milliseconds, heap, ...(fault !== undefined && { fault }) };
}

function readOnce(
  { read }: Reader,
  bytes: Uint8Array,
): Pick<Verdict, 'outcome' | 'milliseconds' | 'heap'> & { readonly foreign?: string } {
  const before = heapSize();
  const started = threadTime();
  let outcome: Verdict['outcome'] = 'read';
  let foreign: string | undefined;
  try {
    read(bytes);
  } catch (error) {
    outcome = 'refused';
    if (!isRefusal(error)) foreign = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const milliseconds = threadTime() - started;
  const polluted = Object.keys(Object.prototype).concat('polluted' in {} ? ['polluted'] : []);
  if (polluted.length > 0) foreign = `changes the prototype of all objects: ${polluted.join(', ')}`;
  return { outcome, milliseconds, heap: heapSize() - before, ...(foreign !== undefined && { foreign }) };
}

function heapSize(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
