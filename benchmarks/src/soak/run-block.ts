/** Runs pieces of a stream one after the other, some of them twice, and adds up what was seen. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadTime } from '../../../scripts/test-support/thread-time.js';
import { dynamicsStreams } from './dynamics.js';
import { ikStreams } from './ik.js';
import { createPiece, fail, type Piece, type Stream } from './piece.js';
import { spacetimeStreams } from './spacetime.js';

export const STREAMS: readonly Stream[] = [...ikStreams, ...dynamicsStreams, ...spacetimeStreams];

/** What was seen of a block. */
export interface Sum {
  pieces: number;
  count: number;
  readonly outcomes: Record<string, number>;
  /** Processor time of all and of the slowest piece, ms. */
  milliseconds: number;
  slowest: number;
  slowestNumber: number;
  /** Largest excess of a limit, rad or length scales. */
  excess: number;
  /** Pieces that ran a second time, and gave the same bits. */
  repeated: number;
  /** Of the heap after a collection, from a quarter of the block to its end, bytes. */
  growth: number;
}

/** One piece in so many runs again at the end of its block, after all others: a second run sees what the first left behind. */
const REPEATED = 16;
/** Growth of the heap over three quarters of a block that is no leak: compiled code and its feedback, bytes. */
const GROWTH = 16e6;

/**
 * @param isTimed - Whether a piece that takes too long, and a heap that grows, are faults.
 * @param begin - Called before each piece.
 */
export function runBlock(
  stream: Stream,
  seed: number,
  from: number,
  to: number,
  report: (number: number, fault: string) => void,
  { isTimed = true, begin }: { readonly isTimed?: boolean; readonly begin?: (number: number) => void } = {},
): Sum {
  const sum: Sum = {
    pieces: 0,
    count: 0,
    outcomes: {},
    milliseconds: 0,
    slowest: 0,
    slowestNumber: from,
    excess: 0,
    repeated: 0,
    growth: 0,
  };
  const collect = isTimed ? collector() : undefined;
  const sample: { readonly number: number; readonly digest: number }[] = [];
  let heap = 0;
  for (let number = from; number < to; number++) {
    begin?.(number);
    if (number === from + Math.ceil((to - from) / 4)) heap = collect?.() ?? 0;
    let { piece, milliseconds } = runOne(stream, seed, number);
    // The first of its kind is compiled, and the heap may be collected: only what is slow three times is slow.
    for (let k = 0; isTimed && k < 2 && milliseconds > stream.most; k++) {
      milliseconds = Math.min(milliseconds, runOne(stream, seed, number).milliseconds);
    }
    if (isTimed && milliseconds > stream.most) fail(piece, `takes ${milliseconds.toFixed(0)} ms`);
    for (const fault of piece.faults) report(number, fault);
    if ((number - from) % REPEATED === 0) sample.push({ number, digest: piece.digest });
    sum.pieces++;
    sum.count += piece.count;
    sum.milliseconds += milliseconds;
    sum.outcomes[piece.outcome] = (sum.outcomes[piece.outcome] ?? 0) + 1;
    sum.excess = Math.max(sum.excess, piece.excess);
    if (milliseconds > sum.slowest) [sum.slowest, sum.slowestNumber] = [milliseconds, number];
  }
  if (heap > 0 && collect !== undefined) {
    sum.growth = collect() - heap;
    if (sum.growth > GROWTH)
      report(from, `the heap grows by ${(sum.growth / 1e6).toFixed(0)} MB from ${from} to ${to}`);
  }
  for (const { number, digest } of sample.reverse()) {
    begin?.(number);
    const { piece } = runOne(stream, seed, number);
    sum.repeated++;
    if (piece.digest !== digest) report(number, 'gives other bits when it runs again');
  }
  return sum;
}

function runOne(stream: Stream, seed: number, number: number): { piece: Piece; milliseconds: number } {
  const started = threadTime();
  let piece: Piece;
  try {
    piece = stream.run(seed, number);
  } catch (error) {
    piece = createPiece();
    piece.outcome = 'throws';
    fail(piece, error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return { piece, milliseconds: threadTime() - started };
}

/** Collects the heap of this thread and gives what is left in it, bytes. */
function collector(): () => number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
}

/** A seed as a number: digits as they are, other texts by their letters (FNV-1a). */
export function seedOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
