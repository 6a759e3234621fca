import { WorkerError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { Goal } from '../ik/goals/types/goal.js';
import { createIk, createIkWith, solveIk } from '../ik/solve-ik.js';
import type { Ik, IkOptions, IkWithOptions } from '../ik/types.js';
import type { MessagePortLike } from './protocol/message-port.js';
import {
  type ClipRequest,
  type IkMethods,
  PROTOCOL,
  type Request,
  type SolvedClip,
} from './protocol/messages.js';
import { type HandlerResult, handleRequests } from './protocol/request-handler.js';
import { updateGoals } from './protocol/update-goals.js';

type CreateIk = (figure: Figure, goals: readonly Goal[], options: IkOptions) => Ik;

interface Solver {
  readonly ik: Ik;
  /** The goals that `ik` was created with and reads. */
  readonly goals: Goal[];
}

interface Server {
  readonly createIk: CreateIk;
  readonly figures: Map<number, Figure>;
  readonly solvers: Map<number, Solver>;
}

/**
 * Handles the requests of {@link connectIk} at the other end of a port: the whole script of a worker is
 * `serveIk(self)` in a browser and `serveIk(parentPort)` in Node.
 *
 * It runs `solveIk` on the same numbers, so results are equal bit for bit (on one engine). Requests are handled in
 * order; errors are sent back.
 */
export function serveIk(port: MessagePortLike): void {
  serve(port, createIk);
}

/** {@link serveIk} with the goal types and stages given only; the worker's bundle leaves out the others. */
export function serveIkWith(port: MessagePortLike, parts: Pick<IkWithOptions, 'goalTypes' | 'stages'>): void {
  serve(port, (figure, goals, options) => createIkWith(figure, goals, { ...options, ...parts }));
}

function serve(port: MessagePortLike, createIk: CreateIk): void {
  const server: Server = { createIk, figures: new Map(), solvers: new Map() };
  handleRequests<IkMethods>(port, PROTOCOL, (request) => handleRequest(server, request));
}

function handleRequest(server: Server, request: Request<IkMethods>): HandlerResult {
  switch (request.method) {
    case 'hello':
      return { result: {}, transfer: [] };
    case 'create':
      return create(server, request.params);
    case 'solve':
      return solve(solverOf(server, request.params.solver), request.params);
    case 'solveClips':
      return solveClips(solverOf(server, request.params.solver), request.params.clips);
    case 'dispose':
      server.solvers.delete(request.params.solver);
      return { result: {}, transfer: [] };
    case 'disposeFigure':
      server.figures.delete(request.params.figure);
      return { result: {}, transfer: [] };
  }
}

function create(
  { createIk, figures, solvers }: Server,
  { solver, figure: number, data, goals, options }: IkMethods['create']['params'],
): HandlerResult {
  if (data !== undefined) figures.set(number, data);
  const figure = figures.get(number);
  if (figure === undefined) {
    throw new WorkerError('worker-failed', 'did not arrive.', {
      path: 'figure',
      remedy: 'Create the solver again: the message with the figure was lost.',
    });
  }
  const own = [...goals];
  solvers.set(solver, { ik: createIk(figure, own, options), goals: own });
  return { result: {}, transfer: [] };
}

function solverOf({ solvers }: Server, number: number): Solver {
  const solver = solvers.get(number);
  if (solver !== undefined) return solver;
  throw new WorkerError('worker-failed', 'has been disposed of.', {
    path: 'ik',
    remedy: 'Make another with createIk.',
  });
}

function solve({ ik, goals }: Solver, { pose, goals: updated }: IkMethods['solve']['params']): HandlerResult {
  updateGoals(goals, updated);
  const report = solveIk(ik, pose);
  return { result: { pose, result: report }, transfer: [pose.buffer as ArrayBuffer] };
}

function solveClips({ ik, goals }: Solver, clips: readonly ClipRequest[]): HandlerResult {
  const { dof } = ik.figure;
  const solved = clips.map(({ start, goals: frames }): SolvedClip => {
    const poses = new Float64Array(dof * frames.length);
    let last = start;
    const results = frames.map((updated, frame) => {
      const pose = poses.subarray(dof * frame, dof * frame + dof);
      pose.set(last);
      updateGoals(goals, updated);
      last = pose;
      return solveIk(ik, pose);
    });
    return { poses, results };
  });
  return { result: { clips: solved }, transfer: solved.map(({ poses }) => poses.buffer as ArrayBuffer) };
}
