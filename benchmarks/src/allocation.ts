import { PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface HeapSample {
  readonly calls: number;
  /** Growth of the used heap over the calls, bytes. */
  readonly bytes: number;
  /** Garbage collections during the calls; the growth is the allocation only where this is 0. */
  readonly collections: number;
}

/** Used heap before and after `calls` calls of warmed-up code, with the collections in between counted. */
export async function sampleHeap(loop: (calls: number) => void, calls: number): Promise<HeapSample> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  loop(20_000);
  collect();
  collect();
  await new Promise((resolve) => setTimeout(resolve, 20));
  observer.observe({ entryTypes: ['gc'] });
  const before = process.memoryUsage().heapUsed;
  loop(calls);
  const bytes = process.memoryUsage().heapUsed - before;
  // Entries are delivered on a later turn.
  await new Promise((resolve) => setTimeout(resolve, 20));
  observer.disconnect();
  return { calls, bytes, collections };
}
