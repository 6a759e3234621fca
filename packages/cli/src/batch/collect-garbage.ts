import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Used heap below which nothing is collected, bytes. */
const COLLECTED = 24e6;
/** Growth of the used heap since the last collection at which the next one is due. */
const GROWTH = 1.5;
/** Largest share of the time that collections take. */
const SHARE = 0.02;

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
const last = { ended: 0, milliseconds: 0, bytes: 0 };

/**
 * Collects the garbage of this thread between jobs. V8 by itself first does so at tens of MB, which thousands of small jobs fill: memory would
 * grow from job to job.
 */
export function collectGarbage(): void {
  const started = performance.now();
  if (getHeapStatistics().used_heap_size < Math.max(COLLECTED, GROWTH * last.bytes)) return;
  if (SHARE * (started - last.ended) < last.milliseconds) return;
  gc();
  last.ended = performance.now();
  last.milliseconds = last.ended - started;
  last.bytes = getHeapStatistics().used_heap_size;
}
