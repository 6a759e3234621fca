/** The whole worker: makes a part of a clip repeat. */
import { type LoopAnswer, type LoopRequest, makeLoop } from './loop.js';

export type LoopMessage = { readonly answer: LoopAnswer } | { readonly error: string };

const send = (message: LoopMessage): void => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<LoopRequest>) => {
  try {
    send({ answer: makeLoop(data) });
  } catch (error) {
    send({ error: error instanceof Error ? error.message : String(error) });
  }
});
