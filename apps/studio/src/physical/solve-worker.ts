/** The whole worker: solves one request, and tells how far it is. */
import { type PhysicalAnswer, type PhysicalProgress, type PhysicalRequest, solvePhysical } from './solve.js';
import { failureWords } from './words.js';

export type PhysicalMessage =
  | { readonly progress: PhysicalProgress }
  | { readonly answer: PhysicalAnswer }
  /** What to say, and what the library says. */
  | { readonly error: string; readonly details: string };

/** Between two messages, ms. */
const EVERY = 80;
const send = (message: PhysicalMessage): void => postMessage(message);

addEventListener('message', ({ data }: MessageEvent<PhysicalRequest>) => {
  let sent = Number.NEGATIVE_INFINITY;
  try {
    const answer = solvePhysical(data, (progress) => {
      const now = performance.now();
      if (now - sent < EVERY) return;
      sent = now;
      send({ progress: progress() });
    });
    send({ answer });
  } catch (error) {
    send({
      error: failureWords(error),
      details: error instanceof Error ? error.message : String(error),
    });
  }
});
