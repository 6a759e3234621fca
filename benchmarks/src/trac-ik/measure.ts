import { createPrng } from '../prng.js';
import { median } from '../statistics.js';
import { type Chain, drawTargets, type Frame, judge, TIME_LIMIT } from './chain.js';
import { runYardstick, type Yardstick } from './kdl.js';
import type { ChainSolver } from './solver.js';

/** One solver on one robot. */
export interface Row {
  readonly robot: string;
  readonly source: string;
  readonly solver: string;
  readonly role: 'subject' | 'peer' | 'yardstick';
  readonly rounds: number;
  /** One number a problem, us: the median over the rounds. */
  readonly microseconds: number[];
  /** One character a problem: 1 solved in every round within 5 ms, 0 not. */
  readonly solved: string;
  /** The largest error (m, rad) and the largest excess over a limit (rad) of any answer, the failed included. */
  readonly largestError: number;
  readonly largestLimitExcess: number;
}

/** Other targets of the same kind, from a fixed seed: at least half a second, so that the optimizing compiler has been through. */
const WARM_UP_SEED = 20150703 ^ 0x5eed;
const WARM_UP_MS = 500;

/** One JavaScript solver on the targets of a robot, each problem on its own from mid-range. */
export function measureSolver(
  chain: Chain,
  source: string,
  targets: readonly Frame[],
  solver: ChainSolver,
  role: Row['role'],
): Row {
  const session = solver.create(chain);
  const others = drawTargets(chain, createPrng(WARM_UP_SEED), 500);
  const begin = performance.now();
  for (let i = 0; performance.now() - begin < WARM_UP_MS; i++) {
    session.prepare(others[i % others.length]);
    session.run();
    session.read();
  }
  const timings: number[][] = targets.map(() => []);
  const judged = new Judged(chain, targets);
  for (let round = 0; round < solver.rounds; round++) {
    targets.forEach((target, i) => {
      session.prepare(target);
      const before = performance.now();
      session.run();
      timings[i].push((performance.now() - before) * 1000);
      judged.add(i, session.read());
    });
  }
  return judged.row(source, solver.name, role, solver.rounds, timings.map(median));
}

/** KDL on the same targets. */
export function measureYardstick(
  chain: Chain,
  source: string,
  targets: readonly Frame[],
  yardstick: Yardstick,
): Row[] {
  if (yardstick.program === undefined) return [];
  const judged = new Judged(chain, targets);
  const answers = runYardstick(yardstick.program, chain, targets);
  answers.forEach(({ angles }, i) => {
    judged.add(i, angles);
  });
  return [
    judged.row(
      source,
      'KDL',
      'yardstick',
      1,
      answers.map(({ microseconds }) => microseconds),
    ),
  ];
}

/** The verdicts on a solver's answers to the targets of a robot. */
class Judged {
  private readonly solved: boolean[] = [];
  private error = 0;
  private limitExcess = 0;

  constructor(
    private readonly chain: Chain,
    private readonly targets: readonly Frame[],
  ) {}

  add(i: number, angles: ArrayLike<number>): void {
    const verdict = judge(this.chain, this.targets[i], angles);
    this.solved[i] = verdict.success && this.solved[i] !== false;
    this.error = Math.max(this.error, verdict.error);
    this.limitExcess = Math.max(this.limitExcess, verdict.limitExcess);
  }

  row(
    source: string,
    solver: string,
    role: Row['role'],
    rounds: number,
    microseconds: readonly number[],
  ): Row {
    return {
      robot: this.chain.id,
      source,
      solver,
      role,
      rounds,
      microseconds: microseconds.map((us) => Math.round(100 * us) / 100),
      solved: this.solved
        .map((flag, i) => (flag && microseconds[i] <= 1000 * TIME_LIMIT ? '1' : '0'))
        .join(''),
      largestError: this.error,
      largestLimitExcess: this.limitExcess,
    };
  }
}
