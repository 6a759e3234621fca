/** Judges what a reader does with a damaged file: a result or an error of the library, in time and memory in proportion to the file. */
import { GCProfiler, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadTime } from '@poise/test-support/thread-time';
import { damagedFile, isRefusal, type Reader } from './readers.js';

/** ms of processor time that a reader may take for any file: the clock on the wall depends on what else the machine does. */
export const MAX_TIME = 1000;
/**
 * Memory that a reader may need, bytes: for each byte of the file; and for any file, of which a collection does not see the youngest, two times 16 MB.
 * `memoryNeeded` says what counts.
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
  const { heap, made, outcome, foreign } = first;
  const isSlow = isTimed && milliseconds > MAX_TIME;
  const bound = (reader.freeHeap ?? FREE_HEAP) + HEAP_PER_BYTE * bytes.length;
  const needed = made > bound ? memoryNeeded(reader, bytes) : made;
  const fault =
    foreign ??
    (isSlow ? `takes ${milliseconds.toFixed(0)} ms` : undefined) ??
    (needed > bound
      ? `needs ${(needed / 1e6).toFixed(0)} MB of memory for ${bytes.length} bytes`
      : undefined);
  return { bytes, outcome, milliseconds, heap, ...(fault !== undefined && { fault }) };
}

function readOnce(
  { read }: Reader,
  bytes: Uint8Array,
): Pick<Verdict, 'outcome' | 'milliseconds' | 'heap'> & {
  /** Bytes that the read asked for, freed or not. */
  readonly made: number;
  readonly foreign?: string;
} {
  // What others dropped must not be freed meanwhile.
  if (memoryNow().arrays > arraysAtRest + FREE_HEAP / 4) arraysAtRest = collect().arrays;
  const profiler = new GCProfiler();
  profiler.start();
  const before = memoryNow();
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
  const after = memoryNow();
  let made = 0;
  let left = before;
  const addMade = (now: Memory): void => {
    // Arrays that a collection found dead are freed while the read goes on.
    made += now.objects - left.objects + Math.max(0, now.arrays - left.arrays);
  };
  for (const collection of collectionsOf(profiler)) {
    addMade(collection.before);
    left = collection.after;
  }
  addMade(after);
  const polluted = Object.keys(Object.prototype).concat('polluted' in {} ? ['polluted'] : []);
  if (polluted.length > 0) foreign = `changes the prototype of all objects: ${polluted.join(', ')}`;
  const heap = sum(after) - sum(before);
  return { outcome, milliseconds, heap, made, ...(foreign !== undefined && { foreign }) };
}

/**
 * The most that a reader had at one time, bytes. Objects count where a collection left them, and where the read returns; garbage
 * among them is what no collection has seen yet, or what was moved to the old objects. Arrays outside the heap count before a
 * collection too: one that is made by a count in a header may be dropped before the first.
 */
function memoryNeeded({ read }: Reader, bytes: Uint8Array): number {
  const before = collect();
  const profiler = new GCProfiler();
  profiler.start();
  try {
    read(bytes);
  } catch {
    // The first read has judged it.
  }
  const atReturn = memoryNow();
  let most = sum(atReturn);
  let { objects } = before;
  for (const collection of collectionsOf(profiler)) {
    most = Math.max(most, objects + collection.before.arrays, sum(collection.after));
    ({ objects } = collection.after);
  }
  return most - sum(before);
}

/** Bytes of the heap of the thread, and of its arrays outside it. */
interface Memory {
  readonly objects: number;
  readonly arrays: number;
}

/** Bytes of arrays after the last collection that was asked for. */
let arraysAtRest = Number.NEGATIVE_INFINITY;

/** Collects all garbage. */
function collect(): Memory {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  // The second waits until the arrays that the first found dead are freed.
  gc();
  return memoryNow();
}

function memoryNow(): Memory {
  const { heapUsed, external } = process.memoryUsage();
  return { objects: heapUsed, arrays: external };
}

function sum({ objects, arrays }: Memory): number {
  return objects + arrays;
}

/** Stops the profiler. @returns The memory before and after each collection that it saw. */
function collectionsOf(profiler: GCProfiler): { readonly before: Memory; readonly after: Memory }[] {
  const { statistics } = profiler.stop() as unknown as GcProfile;
  const memoryOf = ({ heapStatistics: { usedHeapSize, externalMemory } }: GcStatistics): Memory => ({
    objects: usedHeapSize,
    arrays: externalMemory,
  });
  return statistics.map(({ beforeGC, afterGC }) => ({
    before: memoryOf(beforeGC),
    after: memoryOf(afterGC),
  }));
}

/** What `GCProfiler.stop` gives; its type lacks it. */
interface GcProfile {
  readonly statistics: readonly { readonly beforeGC: GcStatistics; readonly afterGC: GcStatistics }[];
}

interface GcStatistics {
  readonly heapStatistics: { readonly usedHeapSize: number; readonly externalMemory: number };
}
