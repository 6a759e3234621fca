import type { Triple } from 'poise/figure';
import type { Character } from '../../character/character.js';
import type { Handle } from '../../character/handles.js';
import { session, useStudio } from '../../session/store.js';
import type { Clip } from '../clip/clip.js';
import { curvesOf } from '../clip/clip-motion.js';
import { cancelPreview, changeClip, clipOf, goTo, previewClip, useAnimate } from '../store.js';
import { timeline } from '../timeline.js';
import { type Bend, REACH } from './bend.js';
import type { BendAnswer, BendRequest } from './bend-worker.js';
import { editedClip } from './edited-clip.js';
import { pinnedWith } from './trail.js';

type Request = { readonly bend: Bend } | { readonly by: Triple };

let worker: Worker | undefined;
let drags = 0;
/** What has not been kept or put back yet: the next one begins after it. */
let pending: Bending | undefined;

/** Whether a path may be bent now. */
export function canBend(): boolean {
  return pending === undefined;
}

/** A drag of a point of a path: the clip is bent in a worker, and shown as it comes. */
export class Bending {
  readonly #drag = ++drags;
  readonly #clip: Clip;
  readonly #character: Character;
  readonly #handle: Handle;
  readonly #at: number;
  /** The time that was shown, s. */
  readonly #before = timeline.time;
  #bent: Clip | undefined;
  #isBusy = false;
  #next: Triple | undefined;
  #isOver = false;
  #isCancelled = false;

  /** @param at - The time of the point, which is shown until it ends, s. */
  constructor(handle: Handle, at: number) {
    pending = this;
    this.#character = session.character;
    this.#clip = clipOf(useStudio.getState().document);
    this.#handle = handle;
    this.#at = at;
    goTo(at);
    worker ??= new Worker(new URL('./bend-worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<BendAnswer>) => this.#take(data);
    worker.onerror = ({ message }) => {
      worker = undefined;
      this.#take({ drag: this.#drag, error: message || 'The worker has ended.' });
    };
    const { figure } = this.#character;
    const { bone, point } = handle;
    this.#send({
      bend: {
        figure,
        motion: curvesOf(this.#clip, this.#character),
        bone: figure.bones[bone].name,
        point: triple(point),
        at,
        pinned: pinnedWith(this.#character, handle),
        size: this.#character.size,
      },
    });
    useAnimate.setState({ problem: '' });
  }

  /** Moves the point by a vector of the world of the figure, m. */
  by(vector: readonly number[]): void {
    if (this.#isOver) return;
    this.#next = triple(vector);
    this.#request();
  }

  /** Keeps what it makes of the clip, as one step of undo. */
  end(): void {
    if (this.#isCancelled) return;
    this.#isOver = true;
    if (!this.#isBusy) this.#keep();
  }

  /** Puts the clip back. */
  cancel(): void {
    this.#isOver = true;
    this.#isCancelled = true;
    if (pending === this) pending = undefined;
    // Another mode shows what it shows.
    if (useStudio.getState().mode !== 'animate') return;
    cancelPreview();
    goTo(this.#before);
  }

  /** Whether another mode, character or clip has come meanwhile. */
  get #isStale(): boolean {
    const { mode, document } = useStudio.getState();
    return mode !== 'animate' || session.character !== this.#character || clipOf(document) !== this.#clip;
  }

  #send(request: Request): void {
    const message: BendRequest = { drag: this.#drag, ...request };
    worker?.postMessage(message);
  }

  #request(): void {
    if (this.#isBusy || this.#next === undefined) return;
    this.#isBusy = true;
    this.#send({ by: this.#next });
    this.#next = undefined;
  }

  #take(answer: BendAnswer): void {
    if (answer.drag !== this.#drag || this.#isCancelled) return;
    this.#isBusy = false;
    if (this.#isStale) {
      this.cancel();
      return;
    }
    if ('error' in answer) {
      this.cancel();
      useAnimate.setState({ problem: answer.error });
      return;
    }
    const span = [this.#at - REACH, this.#at + REACH] as const;
    this.#bent = editedClip(this.#clip, this.#character, answer.motion, this.#at, span);
    previewClip(this.#bent);
    if (this.#next !== undefined) this.#request();
    else if (this.#isOver) this.#keep();
  }

  #keep(): void {
    if (this.#isStale) {
      this.cancel();
      return;
    }
    pending = undefined;
    previewClip(undefined);
    goTo(this.#before);
    if (this.#bent !== undefined)
      changeClip(`Bend the path of the ${this.#handle.label.toLowerCase()}`, this.#bent);
  }
}

function triple(numbers: ArrayLike<number>): Triple {
  return [numbers[0], numbers[1], numbers[2]];
}
