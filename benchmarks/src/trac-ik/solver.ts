import type { Chain, Frame } from './chain.js';

/** A solver on one chain. Only `run` is timed. */
export interface ChainSolver {
  readonly name: string;
  readonly version: string;
  readonly settings: string;
  /** Timings of each problem; the median counts. */
  readonly rounds: number;
  create(chain: Chain): ChainSession;
}

export interface ChainSession {
  /** Back to mid-range, and the target in the solver's own form. */
  prepare(target: Frame): void;
  run(): void;
  /** Angles of the chain's moving joints. */
  read(): ArrayLike<number>;
}

/** Unit quaternion [x, y, z, w] of a frame's rotation, by the largest of the four. */
export function quaternionOf(m: Frame): [number, number, number, number] {
  const squares = [
    1 + m[0] - m[4] - m[8],
    1 - m[0] + m[4] - m[8],
    1 - m[0] - m[4] + m[8],
    1 + m[0] + m[4] + m[8],
  ];
  const [a, b, c] = [m[7] - m[5], m[2] - m[6], m[3] - m[1]];
  const [d, e, f] = [m[1] + m[3], m[2] + m[6], m[5] + m[7]];
  const rows = [
    [squares[0], d, e, a],
    [d, squares[1], f, b],
    [e, f, squares[2], c],
    [a, b, c, squares[3]],
  ];
  const q = rows[squares.indexOf(Math.max(...squares))];
  const n = Math.hypot(...q);
  return [q[0] / n, q[1] / n, q[2] / n, q[3] / n];
}
