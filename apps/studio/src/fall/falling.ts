/** The fall of the page: which body falls, on what, and what of it the panel shows. */
import { PoiseError } from 'poise';
import { create } from 'zustand';
import type { GroundId } from '../animate/clip/bounds.js';
import { type Clip, clipFor, hasKeys } from '../animate/clip/clip.js';
import { poseAt } from '../animate/clip/clip-motion.js';
import type { Character } from '../character/character.js';
import { ragdollMaker } from '../character/shapes.js';
import type { Document } from '../document/document.js';
import { type Driver, live } from '../live/driver.js';
import { GROUNDS } from '../scene/ground.js';
import { view } from '../scene/view.js';
import { messageOf, useStudio } from '../session/store.js';
import { Fall } from './fall.js';
import { createFallBody, type FallBody } from './fall-body.js';

/** Factor of time in slow motion. */
const SLOW = 0.2;
/** Between two samples of the energy, s, and how many are kept. */
const SAMPLE = 1 / 60;
const SAMPLES = 600;

/**
 * - `ready`: stands as it is posed, until it is dropped.
 * - `falls`: moves.
 * - `rests`: has come to rest.
 * - `held`: the pointer holds it.
 */
export type Phase = 'ready' | 'falls' | 'rests' | 'held';

interface FallSettings {
  readonly ground: GroundId;
  readonly isSlow: boolean;
  /** Of the drives, 0 to 1. */
  readonly strength: number;
  readonly balances: boolean;
  /** Whether the drives follow the clip, in place of holding the pose. */
  readonly follows: boolean;
  /** The bone from which on it falls, by index; undefined for all. */
  readonly below: number | undefined;
}

interface FallView extends FallSettings {
  readonly phase: Phase;
  /** Why the character cannot fall. */
  readonly problem: string;
  /** Whether it can fall as a whole, off a height. */
  readonly isFree: boolean;
  /** Whether there is a clip to follow. */
  readonly hasClip: boolean;
  /** Incremented when the body begins anew. */
  readonly starts: number;
}

export const useFall = create<FallView>(() => ({
  ground: 'flat',
  isSlow: false,
  strength: 0,
  balances: false,
  follows: false,
  below: undefined,
  phase: 'ready',
  problem: '',
  isFree: true,
  hasClip: false,
  starts: 0,
}));

/** The clip of a document, where it has keys of its character. */
function clipOf({ clip, character }: Document): Clip | undefined {
  const own = clipFor(clip, character);
  return own !== undefined && hasKeys(own) ? own : undefined;
}

/** What the drives follow of a clip. */
function followed(clip: Clip, character: Character) {
  return { start: 0, end: clip.duration, poseAt: (time: number) => poseAt(clip, character, time) };
}

class Falling implements Driver {
  fall: Fall | undefined;
  /** Times and energies since the drop: s, and J of kinetic, potential and all. */
  readonly samples: [number[], number[], number[], number[]] = [[], [], [], []];

  #body: FallBody | undefined;
  #document: Document | undefined;
  #isShown = false;
  /** What has fallen is brought back. */
  readonly #cancels = (): boolean => {
    if (useFall.getState().phase === 'ready') return false;
    this.restart();
    return true;
  };

  get isMoving(): boolean {
    const { phase } = useFall.getState();
    return phase === 'falls' || phase === 'held' || !this.#isShown;
  }

  get isPulled(): boolean {
    return useFall.getState().phase === 'held';
  }

  step(seconds: number): Float64Array | undefined {
    const { fall } = this;
    if (fall === undefined) return undefined;
    const { phase } = useFall.getState();
    const moved = (phase === 'falls' || phase === 'held') && fall.step(seconds);
    if (moved) this.#sample(fall);
    if (phase !== 'ready') this.#setPhase(fall.isHeld ? 'held' : fall.isAsleep ? 'rests' : 'falls');
    if (!moved && this.#isShown) return undefined;
    this.#isShown = true;
    return fall.pose;
  }

  /** Takes the document on screen, where it is another, and drives the figure. */
  enter(document: Document): void {
    if (this.#document === document && live.driver === this) return;
    if (this.#document?.character !== document.character) {
      this.#body = undefined;
      useFall.setState({ below: undefined });
    }
    this.#document = document;
    live.driver = this;
    live.cancels = this.#cancels;
    this.restart();
  }

  leave(): void {
    this.fall?.release();
    this.fall = undefined;
    this.#document = undefined;
    useFall.setState({ phase: 'ready', problem: '' });
    if (live.driver === this) live.driver = undefined;
    if (live.cancels === this.#cancels) live.cancels = undefined;
  }

  /** Back to the pose that was posed. */
  restart(): void {
    const document = this.#document;
    if (document === undefined) return;
    const { ground, below, strength, balances, follows, isSlow, starts } = useFall.getState();
    const clip = clipOf(document);
    const motion = follows && clip !== undefined ? followed(clip, document.character) : undefined;
    this.fall = undefined;
    for (const row of this.samples) row.length = 0;
    let problem = '';
    try {
      this.#body ??= createFallBody(document.character, ragdollMaker(document.character, view.body));
      this.fall = new Fall(this.#body, motion?.poseAt(0) ?? document.pose, {
        ground: GROUNDS.find(({ id }) => id === ground) ?? GROUNDS[0],
        below,
        strength,
        balances,
        motion,
      });
      this.fall.speed = isSlow ? SLOW : 1;
    } catch (error) {
      if (!(error instanceof PoiseError)) throw error;
      problem = messageOf(error);
    }
    const isFree = (this.#body?.isFree ?? true) && below === undefined;
    useFall.setState({ phase: 'ready', problem, isFree, hasClip: clip !== undefined, starts: starts + 1 });
    this.#shows();
  }

  /** Drops what stands; brings back what has fallen. */
  toggle(): void {
    if (useFall.getState().phase !== 'ready') this.restart();
    else this.drop();
  }

  drop(): void {
    if (this.fall === undefined) return;
    this.#setPhase('falls');
    this.#sample(this.fall);
    view.invalidate();
  }

  /** Settings, which a fall takes as it moves; ground, what falls and what is followed begin it anew. */
  set(settings: Partial<FallSettings>): void {
    useFall.setState(settings);
    const { strength, balances, isSlow, phase } = useFall.getState();
    if ('ground' in settings || 'below' in settings || 'follows' in settings) {
      this.restart();
      return;
    }
    if (this.fall === undefined) return;
    this.fall.speed = isSlow ? SLOW : 1;
    if ('strength' in settings || 'balances' in settings) this.fall.setDrives(strength, balances);
    if (phase === 'rests') this.drop();
  }

  /** Begins anew with the clip to follow, by all its strength where it was limp, or with the pose to hold. */
  follow(follows: boolean): void {
    const { strength } = useFall.getState();
    this.set(follows && strength === 0 ? { follows, strength: 1 } : { follows });
  }

  /** Drops it, if it stands, and pushes it along a direction of the scene. */
  push(...blow: Parameters<Fall['push']>): void {
    if (this.fall === undefined) return;
    this.drop();
    this.fall.push(...blow);
  }

  grab(hit: Parameters<Fall['grab']>[0]): void {
    if (this.fall === undefined) return;
    this.drop();
    this.fall.grab(hit);
    this.#setPhase('held');
  }

  pull(target: readonly number[]): void {
    this.fall?.pull(target);
    view.invalidate();
  }

  release(): void {
    if (!this.fall?.isHeld) return;
    this.fall.release();
    this.#setPhase('falls');
    view.invalidate();
  }

  /** Takes the pose that lies there as that of the document. */
  keep(): void {
    if (this.fall === undefined || useFall.getState().phase === 'ready') return;
    const { pose } = this.fall;
    // The floor of the document is flat.
    useFall.setState({ ground: 'flat' });
    useStudio.getState().keepPose('Keep the fall', Float64Array.from(pose));
  }

  /** Takes what was simulated as the clip, and shows it in Animate. */
  async record(): Promise<void> {
    const { fall } = this;
    const document = this.#document;
    const { fallClip } = await import('./fall-clip.js');
    if (fall === undefined || document === undefined || this.fall !== fall) return;
    const clip = fallClip(fall, document.character);
    if (clip === undefined) return;
    // The pose of the document stays: the clip alone is new.
    useStudio.getState().setMode('animate');
    useStudio.getState().change('Record the fall', { clip });
  }

  #sample(fall: Fall): void {
    const { time, kinetic, potential } = fall.energy;
    const [times] = this.samples;
    if (times.length > 0 && time < times[times.length - 1] + SAMPLE - 1e-9) return;
    [time, kinetic, potential, kinetic + potential].forEach((x, row) => {
      this.samples[row].push(x);
      if (this.samples[row].length > SAMPLES) this.samples[row].shift();
    });
  }

  #shows(): void {
    this.#isShown = false;
    view.invalidate();
  }

  #setPhase(phase: Phase): void {
    if (phase !== useFall.getState().phase) useFall.setState({ phase });
  }
}

export const falling = new Falling();
