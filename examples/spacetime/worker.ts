/** The whole worker. */
import { type MessagePortLike, serveSpacetime } from 'poise/worker';

serveSpacetime(self as unknown as MessagePortLike);
