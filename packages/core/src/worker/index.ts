export {
  type ConnectIkOptions,
  connectIk,
  type RemoteIk,
  type RemoteIkHost,
  type RemoteSolved,
  type RemoteSolveOptions,
  type RemoteSuperseded,
} from './connect.js';
export {
  type ConnectSpacetimeOptions,
  connectSpacetime,
  type RemoteSpacetime,
  type RemoteSpacetimeOptions,
  type RemoteSpacetimeRun,
} from './connect-spacetime.js';
export type { RemoteIkOptions, SolvedClip } from './messages.js';
export type { IkPort } from './port.js';
export { type CreateIk, serveIk } from './serve.js';
export { serveSpacetime } from './serve-spacetime.js';
export { type SolveManyOptions, solveMany } from './solve-many.js';
export type { RemoteSpacetimeProgress, RemoteSpacetimeSolution } from './spacetime-messages.js';
