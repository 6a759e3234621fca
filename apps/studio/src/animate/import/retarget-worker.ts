/** The whole worker: puts a motion of one human on another. */
import { putOn, type RetargetAnswer, type RetargetRequest } from './put-on.js';

export type RetargetMessage = { readonly answer: RetargetAnswer } | { readonly error: string };

const send = (message: RetargetMessage): void => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<RetargetRequest>) => {
  try {
    send({ answer: putOn(data) });
  } catch (error) {
    send({ error: error instanceof Error ? error.message : String(error) });
  }
});
