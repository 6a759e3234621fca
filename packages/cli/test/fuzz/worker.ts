/** Reads the damaged files of one reader in a thread of its own; `scripts/fuzz.mjs` starts it, watches its clock and writes the table. */
import { parentPort, workerData } from 'node:worker_threads';
import { judge } from './judge.js';
import { createReaders, damagedFile } from './readers.js';

/** What the thread is started with. */
export interface FuzzTask {
  readonly data: string;
  readonly reader: string;
  readonly seed: string;
  readonly from: number;
  readonly to: number;
  /** The number of the file that is being read, and the time at which it began, ms since 1970. */
  readonly clock: Float64Array;
  /** Posts the file alone, without reading it. */
  readonly isMakeOnly?: boolean;
}

const { data, reader: name, seed, from, to, clock, isMakeOnly } = workerData as FuzzTask;
const readers = createReaders(data);
const reader = readers.find((each) => each.name === name);

if (reader === undefined) {
  parentPort?.postMessage({ readers: readers.map((each) => ({ name: each.name, ending: each.ending })) });
} else if (isMakeOnly) {
  parentPort?.postMessage({ number: from, bytes: damagedFile(reader, seed, from) });
} else {
  const sum = { read: 0, refused: 0, slowest: 0, heap: 0, bytes: 0 };
  for (let number = from; number < to; number++) {
    clock[0] = number;
    clock[1] = Date.now();
    const { bytes, outcome, milliseconds, heap, fault } = judge(reader, seed, number, true);
    sum[outcome]++;
    sum.slowest = Math.max(sum.slowest, milliseconds);
    sum.heap = Math.max(sum.heap, heap);
    sum.bytes += bytes.length;
    if (fault !== undefined) parentPort?.postMessage({ number, fault, bytes });
    parentPort?.postMessage({ sum });
  }
}
