/** The whole worker. */
import { type IkPort, serveSpacetime } from 'poise/worker';

serveSpacetime(self as unknown as IkPort);
