/** A time later, s: in a loop what is left of the clip is not lost at its end, so that it continues without a jump in time. */
export function advanced(
  time: number,
  seconds: number,
  duration: number,
  loops: boolean,
): { readonly time: number; readonly ends: boolean } {
  const next = time + seconds;
  if (next < duration) return { time: next, ends: false };
  return loops ? { time: next % duration, ends: false } : { time: duration, ends: true };
}

type Listener = (time: number) => void;

/** The time that is shown, s. It changes every frame, so it is no state of React: who shows it listens. */
class Timeline {
  #time = 0;
  readonly #listeners = new Set<Listener>();

  get time(): number {
    return this.#time;
  }

  set time(time: number) {
    this.#time = time;
    for (const listener of this.#listeners) listener(time);
  }

  /** Calls now and at every change. @returns what ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    listener(this.#time);
    return () => this.#listeners.delete(listener);
  }
}

/** The one of the page. */
export const timeline: Timeline = new Timeline();
