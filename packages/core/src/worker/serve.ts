import { WorkerError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Goal } from '../ik/goals/types/goal.js';
import { createIk as createAnyIk, solveIk } from '../ik/solve-ik.js';
import type { Ik, IkOptions } from '../ik/types.js';
import type { IkPort } from './protocol/message-port.js';
import {
  type ClipRequest,
  type IkExchanges,
  PROTOCOL,
  type Request,
  type SolvedClip,
} from './protocol/messages.js';
import { answerRequests, type Served } from './protocol/request-handler.js';
import { updateInPlace } from './protocol/update-goals.js';

/** Makes the solvers of a worker: `createIk`, or what `createIkWith` gives. */
export type CreateIk = (figure: Figure, goals: readonly Goal[], options?: IkOptions) => Ik;

interface Solver {
  readonly ik: Ik;
  /** The goals that `ik` was made with and reads. */
  readonly goals: Goal[];
}

interface Server {
  readonly createIk: CreateIk;
  readonly figures: Map<number, Figure>;
  readonly solvers: Map<number, Solver>;
}

/**
 * Answers the solvers of {@link connectIk} at the other end of a port: the whole script of a worker is
 * `serveIk(self)` in a browser and `serveIk(parentPort)` in Node.
 *
 * It runs the same `solveIk` on the same numbers, so answers are the same bit for bit (on one engine). One request after the
 * other; what is thrown goes back as it is.
 *
 * @param createIk - A maker from `createIkWith`, for a worker that holds only the goal types it needs.
 */
export function serveIk(port: IkPort, createIk: CreateIk = createAnyIk): void {
  const server: Server = { createIk, figures: new Map(), solvers: new Map() };
  answerRequests<IkExchanges>(port, PROTOCOL, (request) => serve(server, request));
}

function serve(server: Server, request: Request<IkExchanges>): Served {
  switch (request.name) {
    case 'hello':
      return { answer: {}, transfer: [] };
    case 'create':
      return create(server, request.ask);
    case 'solve':
      return solve(solverOf(server, request.ask.solver), request.ask);
    case 'clips':
      return solveClips(solverOf(server, request.ask.solver), request.ask.clips);
    case 'dispose':
      server.solvers.delete(request.ask.solver);
      return { answer: {}, transfer: [] };
    case 'forget':
      server.figures.delete(request.ask.figure);
      return { answer: {}, transfer: [] };
  }
}

function create(
  { createIk, figures, solvers }: Server,
  { solver, figure: number, data, goals, options }: IkExchanges['create']['ask'],
): Served {
  if (data !== undefined) figures.set(number, data);
  const figure = figures.get(number);
  if (figure === undefined) {
    throw new WorkerError('worker-failed', 'did not arrive.', {
      path: 'figure',
      remedy: 'Make the solver again: the message that brought the figure was lost.',
    });
  }
  const own = [...goals];
  solvers.set(solver, { ik: createIk(figure, own, options), goals: own });
  return { answer: {}, transfer: [] };
}

function solverOf({ solvers }: Server, number: number): Solver {
  const solver = solvers.get(number);
  if (solver !== undefined) return solver;
  throw new WorkerError('worker-failed', 'has been disposed of.', {
    path: 'ik',
    remedy: 'Make another with createIk.',
  });
}

function solve({ ik, goals }: Solver, { pose, goals: now }: IkExchanges['solve']['ask']): Served {
  updateInPlace(goals, now);
  const result = solveIk(ik, pose);
  return { answer: { pose, result }, transfer: [pose.buffer as ArrayBuffer] };
}

function solveClips({ ik, goals }: Solver, clips: readonly ClipRequest[]): Served {
  const { dof } = ik.figure;
  const solved = clips.map(({ start, goals: frames }): SolvedClip => {
    const poses = new Float64Array(dof * frames.length);
    let last = start;
    const results = frames.map((now, frame) => {
      const pose = poses.subarray(dof * frame, dof * frame + dof);
      pose.set(last);
      updateInPlace(goals, now);
      last = pose;
      return solveIk(ik, pose);
    });
    return { poses, results };
  });
  return { answer: { clips: solved }, transfer: solved.map(({ poses }) => poses.buffer as ArrayBuffer) };
}
