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
import { type MessagePortLike, post } from './protocol/message-port.js';
import type { Request } from './protocol/messages.js';
import { type HandlerResult, handleRequests } from './protocol/request-handler.js';
import {
  type RemoteSpacetimeSolution,
  SPACETIME_PROTOCOL,
  type SpacetimeEvent,
  type SpacetimeMethods,
} from './protocol/spacetime-messages.js';

interface Run {
  readonly solver: SpacetimeSolver;
  /** Iteration limit. */
  readonly end: number;
  /** Progress interval, ms; undefined without progress. */
  readonly interval: number | undefined;
  interrupted: boolean;
  /** Progress has been sent and not yet acknowledged. */
  awaitingAcknowledgement: boolean;
  failed: boolean;
  error: unknown;
}

/** Time between two checks for messages, ms: a timer may cost 4. */
const POLL_INTERVAL = 50;
const MAX_ITERATIONS = 300;

declare const setTimeout: (listener: () => void, milliseconds: number) => unknown;

/**
 * Solves the trajectory problems of `connectSpacetime` at the other end of a port: the whole script of a worker is
 * `serveSpacetime(self)` in a browser and `serveSpacetime(parentPort)` in Node. A worker may also serve `serveIk` on
 * the same port.
 *
 * The iterations are those of `solveSpacetime` on the same numbers, so solutions are equal bit for bit (on one engine). Messages
 * are handled between iterations; several runs alternate.
 */
export function serveSpacetime(port: MessagePortLike): void {
  const runs = new Map<number, Run>();
  const postEvent = (event: SpacetimeEvent): void => post(port, event, []);
  handleRequests<SpacetimeMethods>(port, SPACETIME_PROTOCOL, (request) =>
    handleRequest(runs, postEvent, request),
  );
}

function handleRequest(
  runs: Map<number, Run>,
  postEvent: (event: SpacetimeEvent) => void,
  { method, params }: Request<SpacetimeMethods>,
): HandlerResult {
  const empty: HandlerResult = { result: {}, transfer: [] };
  switch (method) {
    case 'hello':
      return empty;
    case 'start': {
      const run = startRun(params);
      runs.set(params.run, run);
      void runSolver(run, params.run, postEvent);
      return empty;
    }
    case 'interrupt': {
      const run = runs.get(params.run);
      if (run !== undefined) run.interrupted = true;
      return empty;
    }
    case 'acknowledge': {
      const run = runs.get(params.run);
      if (run !== undefined) run.awaitingAcknowledgement = false;
      return empty;
    }
    case 'takeSolution': {
      const run = runs.get(params.run);
      runs.delete(params.run);
      if (run === undefined) {
        throw new WorkerError('worker-failed', 'has been fetched already.', {
          path: 'takeSolution',
          remedy: 'Solve it again.',
        });
      }
      if (run.failed) throw run.error;
      return { result: solutionOf(run), transfer: [] };
    }
  }
}

/** @throws SpacetimeError, GoalError, FigureError, MotionError */
function startRun({ figure, data, options, interval }: SpacetimeMethods['start']['params']): Run {
  const solverOptions: SpacetimeOptions = options;
  const solver = createSpacetimeSolver(createSpacetimeProblem(figure, data), solverOptions);
  return {
    solver,
    end: solver.solver.progress.iterations + (solverOptions.maxIterations ?? MAX_ITERATIONS),
    interval,
    interrupted: false,
    awaitingAcknowledgement: false,
    failed: false,
    error: undefined,
  };
}

/** Iterates until the run ends, with pauses in which messages are handled. */
async function runSolver(
  run: Run,
  number: number,
  postEvent: (event: SpacetimeEvent) => void,
): Promise<void> {
  const { solver, end, interval } = run;
  const header = { protocol: SPACETIME_PROTOCOL, run: number } as const;
  let lastProgress = Number.NEGATIVE_INFINITY;
  let polled = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      if (Date.now() - polled >= POLL_INTERVAL) {
        await new Promise<void>((resolve) => setTimeout(resolve, 0));
        polled = Date.now();
      }
      if (!(solver.solver.progress.iterations < end && !run.interrupted && stepSpacetime(solver))) break;
      if (interval === undefined || run.awaitingAcknowledgement || Date.now() - lastProgress < interval)
        continue;
      const { trajectory, ...progress } = spacetimeProgress(solver);
      postEvent({
        ...header,
        event: 'progress',
        progress: { ...progress, motion: trajectoryMotion(trajectory()) },
      });
      lastProgress = Date.now();
      run.awaitingAcknowledgement = true;
    }
  } catch (error) {
    run.failed = true;
    run.error = error;
  }
  postEvent({ ...header, event: 'done' });
}

function solutionOf({ solver, interrupted }: Run): RemoteSpacetimeSolution {
  const solution = getSpacetimeSolution(solver, interrupted ? 'interrupted' : 'iteration-limit');
  const { trajectory: _, ...plain } = solution;
  return { ...plain, motion: motionFromSolution(solution) };
}
