import { PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { median } from './statistics.js';

export interface HeapSample {
  readonly calls: number;
  /** Growth of the used heap, bytes a call: the median over the chunks, so that a collection in one does not hide it. */
  readonly bytesPerCall: number;
  /** Garbage collections over all calls. */
  readonly collections: number;
}

const CHUNKS = 50;

/**
 * What `calls` calls of warmed-up code allocate, by the used heap before and after each of fifty chunks. Reading the heap
 * allocates a few hundred bytes itself, so code that allocates nothing shows some hundredths of a byte a call.
 */
export async function sampleHeap(loop: (calls: number) => void, calls: number): Promise<HeapSample> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  const growth = new Array<number>(CHUNKS).fill(0);
  loop(20_000);
  collect();
  collect();
  await new Promise((resolve) => setTimeout(resolve, 20));
  observer.observe({ entryTypes: ['gc'] });
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    const before = process.memoryUsage().heapUsed;
    loop(calls / CHUNKS);
    growth[chunk] = process.memoryUsage().heapUsed - before;
  }
  // Entries are delivered in a later event loop turn.
  await new Promise((resolve) => setTimeout(resolve, 20));
  observer.disconnect();
  return { calls, bytesPerCall: median(growth) / (calls / CHUNKS), collections };
}
