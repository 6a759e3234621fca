/** Judges what a reader does with a damaged file: a result or an error of the library, in time and memory in proportion to the file. */
import { GCProfiler, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadTime } from '@poise/test-support/thread-time';
import { damagedFile, isRefusal, type Reader } from './readers.js';

/** ms of processor time that a reader may take for any file: the clock on the wall depends on what else the machine does. */
export const MAX_TIME = 1000;
/**
 * Heap that a reader may need, bytes: for each byte of the file; and for any file, of which a collection does not see the youngest, two times 16 MB.
 * Garbage does not count.
 */
const FREE_HEAP = 32e6;
const HEAP_PER_BYTE = 20;

export interface Verdict {
  readonly bytes: Uint8Array;
  readonly outcome: 'read' | 'refused';
  readonly milliseconds: number;
  /** Growth of the heap and of the arrays outside it, bytes, with garbage; a collection in between makes it less. */
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
  const bound = (reader.freeHeap ?? FREE_HEAP) + HEAP_PER_BYTE * bytes.length;
  const needed = heap > bound ? heapNeeded(reader, bytes) : heap;
  const fault =
    foreign ??
    (isSlow ? `takes ${milliseconds.toFixed(0)} ms` : undefined) ??
    (needed > bound ? `needs ${(needed / 1e6).toFixed(0)} MB of heap for ${bytes.length} bytes` : undefined);
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

/** The most that collections left of what a reader made, bytes; what it made where none came. */
function heapNeeded({ read }: Reader, bytes: Uint8Array): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const before = heapSize();
  const profiler = new GCProfiler();
  profiler.start();
  try {
    read(bytes);
  } catch {
    // The first read has judged it.
  }
  const after = heapSize();
  const { statistics } = profiler.stop() as unknown as GcProfile;
  const left = statistics.map(
    ({ afterGC: { heapStatistics } }) => heapStatistics.usedHeapSize + heapStatistics.externalMemory,
  );
  return (left.length > 0 ? Math.max(...left) : after) - before;
}

/** What `GCProfiler.stop` gives; its type lacks it. */
interface GcProfile {
  readonly statistics: readonly {
    readonly afterGC: {
      readonly heapStatistics: { readonly usedHeapSize: number; readonly externalMemory: number };
    };
  }[];
}

function heapSize(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
