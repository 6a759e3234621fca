/** Runs a block of a stream in a thread of its own; `scripts/soak.mjs` starts it, watches its clock and keeps what it finds. */
import { parentPort, workerData } from 'node:worker_threads';
import { runBlock, STREAMS, seedOf } from './run-block.js';

/** What the thread is started with. */
interface SoakTask {
  /** PART/NAME; without one the thread posts the list of all. */
  readonly stream: string;
  readonly seed: string;
  readonly from: number;
  readonly to: number;
  /** The number of the piece that is running, and the time at which it began, ms since 1970. */
  readonly clock: Float64Array;
}

const { stream: wanted, seed, from, to, clock } = workerData as SoakTask;
const stream = STREAMS.find(({ part, name }) => `${part}/${name}` === wanted);

if (stream === undefined) {
  parentPort?.postMessage({ streams: STREAMS.map(({ run: _, ...rest }) => rest) });
} else {
  const sum = runBlock(
    stream,
    seedOf(seed),
    from,
    to,
    (number, fault) => parentPort?.postMessage({ number, fault }),
    {
      begin(number) {
        clock[0] = number;
        clock[1] = Date.now();
      },
    },
  );
  parentPort?.postMessage({ sum });
}
