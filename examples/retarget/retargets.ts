import type { ClipRetargeter } from '@poise/three';
import type { AnimationClip } from 'three';
import { clipData, treeOf } from './object-tree.js';
import type { RetargetAnswer, RetargetMessage, RetargetRequest } from './worker.js';

/** Keys a second. */
const RATE = 60;

/** A result, with the frames a second of its keys. */
export interface RetargetResult extends RetargetAnswer {
  readonly rate: number;
}

/** An error of the worker. */
export class RetargetError extends Error {
  constructor(
    message: string,
    /** Whether it is about what was given. */
    readonly isKnown: boolean,
  ) {
    super(message);
  }
}

/** A worker that puts clips on characters, one at a time: a new one ends the one before. */
export class Retargets {
  #worker: Worker | undefined;
  #cancel: (() => void) | undefined;
  /** Seconds of work a second of clip, of the last. */
  #pace: number | undefined;

  /**
   * Copies the objects and the clip at the call.
   *
   * @param onStep - Called with what it does, and the seconds it will take in all, if known.
   * @returns undefined where another has replaced it.
   * @throws (rejects) RetargetError
   */
  async run(
    { retargeter, source }: ClipRetargeter,
    clip: AnimationClip,
    staysOnFloor: boolean,
    onStep: (step: 'read' | 'retarget', expected: number | undefined) => void,
  ): Promise<RetargetResult | undefined> {
    this.stop();
    const { duration } = clip;
    // Keys are at the same times in the clip, its motion and the result.
    const rate = Math.max(1, Math.round(duration * RATE)) / duration;
    const root = topOf(source);
    const { tree, indices } = treeOf(root);
    const request: RetargetRequest = {
      retargeter,
      tree,
      nodes: source.figure.bones.map(({ index }) => {
        const object = source.objects[index];
        return object === undefined ? -1 : (indices.get(object) ?? -1);
      }),
      clip: clipData(clip),
      rate,
      staysOnFloor,
    };
    this.#worker ??= new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    const worker = this.#worker;
    const started = performance.now();
    const expected = this.#pace === undefined ? undefined : this.#pace * duration;
    onStep('read', expected);
    return new Promise<RetargetResult | undefined>((resolve, reject) => {
      this.#cancel = () => resolve(undefined);
      worker.onmessage = ({ data }: MessageEvent<RetargetMessage>) => {
        if ('isRead' in data) onStep('retarget', expected);
        else if ('error' in data) reject(new RetargetError(data.error, data.isKnown));
        else {
          this.#pace = (performance.now() - started) / 1000 / duration;
          resolve({ ...data.answer, rate });
        }
        if (!('isRead' in data)) this.#cancel = undefined;
      };
      worker.onerror = ({ message }) => {
        this.#worker = undefined;
        this.#cancel = undefined;
        reject(new RetargetError(message || 'The worker has ended.', false));
      };
      worker.postMessage(request);
    });
  }

  /** Ends the one that runs: its result is undefined. */
  stop(): void {
    if (this.#cancel === undefined) return;
    if (this.#worker !== undefined) {
      this.#worker.onmessage = null;
      this.#worker.terminate();
    }
    this.#worker = undefined;
    this.#cancel();
    this.#cancel = undefined;
  }
}

/** The topmost object above the bones. */
function topOf({ objects }: ClipRetargeter['source']) {
  let top = objects.find((object) => object !== undefined);
  while (top?.parent) top = top.parent;
  if (top === undefined) throw new Error('a figure without objects');
  return top;
}
