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
export type { MessagePortLike } from './protocol/message-port.js';
export type { RemoteIkOptions, SolvedClip } from './protocol/messages.js';
export type { RemoteSpacetimeProgress, RemoteSpacetimeSolution } from './protocol/spacetime-messages.js';
export { serveIk, serveIkWith } from './serve.js';
export { serveSpacetime } from './serve-spacetime.js';
export { type SolveManyOptions, solveMany } from './solve-many.js';
