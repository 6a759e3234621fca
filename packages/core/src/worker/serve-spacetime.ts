import { WorkerError } from '../errors.js';
import { createSpacetimeProblem } from '../spacetime/problem.js';
import {
  createSpacetimeSolver,
  getSpacetimeSolution,
  motionFromSolution,
  type SpacetimeOptions,
  type SpacetimeSolver,
  spacetimeProgress,
  stepSpacetime,
} from '../spacetime/solve.js';
import { trajectoryMotion } from '../spacetime/trajectory.js';
import { type IkPort, post } from './protocol/message-port.js';
import type { Request } from './protocol/messages.js';
import { answerRequests, type Served } from './protocol/request-handler.js';
import {
  type RemoteSpacetimeSolution,
  SPACETIME_PROTOCOL,
  type SpacetimeExchanges,
  type SpacetimeNews,
} from './protocol/spacetime-messages.js';

interface Run {
  readonly under: SpacetimeSolver;
  /** Iterations at which it stops. */
  readonly end: number;
  /** ms; undefined where nobody asks for progress. */
  readonly interval: number | undefined;
  interrupted: boolean;
  /** Progress has been sent that the other end has not yet dealt with. */
  unseen: boolean;
  failed: boolean;
  error: unknown;
}

/** Work goes on so long before messages are looked for, ms: a timer may cost 4. */
const BREATH = 50;
const MOST_ITERATIONS = 300;

declare const setTimeout: (listener: () => void, milliseconds: number) => unknown;

/**
 * Solves the trajectory problems of `connectSpacetime` at the other end of a port: the whole script of a worker is
 * `serveSpacetime(self)` in a browser and `serveSpacetime(parentPort)` in Node. A worker may serve `serveIk` on the same port too.
 *
 * It takes the steps that `solveSpacetime` takes, on the same numbers, so solutions are the same bit for bit (on one engine). Between iterations it
 * listens; several runs take turns.
 */
export function serveSpacetime(port: IkPort): void {
  const runs = new Map<number, Run>();
  const tell = (news: SpacetimeNews): void => post(port, news, []);
  answerRequests<SpacetimeExchanges>(port, SPACETIME_PROTOCOL, (request) => serve(runs, tell, request));
}

function serve(
  runs: Map<number, Run>,
  tell: (news: SpacetimeNews) => void,
  { name, ask }: Request<SpacetimeExchanges>,
): Served {
  const plain: Served = { answer: {}, transfer: [] };
  switch (name) {
    case 'hello':
      return plain;
    case 'start': {
      const run = begin(ask);
      runs.set(ask.run, run);
      void go(run, ask.run, tell);
      return plain;
    }
    case 'interrupt': {
      const run = runs.get(ask.run);
      if (run !== undefined) run.interrupted = true;
      return plain;
    }
    case 'seen': {
      const run = runs.get(ask.run);
      if (run !== undefined) run.unseen = false;
      return plain;
    }
    case 'take': {
      const run = runs.get(ask.run);
      runs.delete(ask.run);
      if (run === undefined) {
        throw new WorkerError('worker-failed', 'has been taken already.', {
          path: 'take',
          remedy: 'Solve it again.',
        });
      }
      if (run.failed) throw run.error;
      return { answer: solutionOf(run), transfer: [] };
    }
  }
}

/** @throws SpacetimeError, GoalError, FigureError, MotionError */
function begin({ figure, data, options, interval }: SpacetimeExchanges['start']['ask']): Run {
  const given: SpacetimeOptions = options;
  const under = createSpacetimeSolver(createSpacetimeProblem(figure, data), given);
  return {
    under,
    end: under.solver.iterations + (given.maxIterations ?? MOST_ITERATIONS),
    interval,
    interrupted: false,
    unseen: false,
    failed: false,
    error: undefined,
  };
}

/** Works until the run is done, with pauses in which messages are heard. */
async function go(run: Run, number: number, tell: (news: SpacetimeNews) => void): Promise<void> {
  const { under, end, interval } = run;
  const about = { protocol: SPACETIME_PROTOCOL, run: number } as const;
  let told = Number.NEGATIVE_INFINITY;
  let breath = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      if (Date.now() - breath >= BREATH) {
        await new Promise<void>((resolve) => setTimeout(resolve, 0));
        breath = Date.now();
      }
      if (!(under.solver.iterations < end && !run.interrupted && stepSpacetime(under))) break;
      if (interval === undefined || run.unseen || Date.now() - told < interval) continue;
      const { trajectory, ...progress } = spacetimeProgress(under);
      tell({ ...about, news: 'progress', progress: { ...progress, motion: trajectoryMotion(trajectory()) } });
      told = Date.now();
      run.unseen = true;
    }
  } catch (error) {
    run.failed = true;
    run.error = error;
  }
  tell({ ...about, news: 'done' });
}

function solutionOf({ under, interrupted }: Run): RemoteSpacetimeSolution {
  const solution = getSpacetimeSolution(under, interrupted ? 'interrupted' : 'iteration-limit');
  const { trajectory: _, ...plain } = solution;
  return { ...plain, motion: motionFromSolution(solution) };
}
