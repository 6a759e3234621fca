import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useStudio } from './store.js';

/** Something that is loaded when it is first asked for. */
export class Loaded<T> {
  /** It, once it is there. */
  it: T | undefined;
  #asked: Promise<void> | undefined;
  readonly #load: () => Promise<T>;
  readonly #problem: string;

  /** @param what - As a sentence begins with it. */
  constructor(load: () => Promise<T>, what: string) {
    this.#load = load;
    this.#problem = `${what} could not be loaded: try again with a network.`;
  }

  /** Ends when it is there, or cannot be loaded, which the page then says: it may be asked for again. */
  ask(): Promise<void> {
    this.#asked ??= this.#load()
      .then(
        (it) => {
          this.it = it;
          if (useStudio.getState().problem === this.#problem) useStudio.setState({ problem: '' });
        },
        () => useStudio.setState({ problem: this.#problem }),
      )
      .finally(() => {
        this.#asked = undefined;
      });
    return this.#asked;
  }
}

/**
 * A part of the page that is loaded when it is first shown. Where it cannot be loaded the page says so and the rest stays; it is asked for again when it is shown
 * anew, or of something else.
 *
 * @param what - As a sentence begins with it.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  what: string,
): ComponentType<Props> {
  const loaded = new Loaded(load, what);
  return function LazyPart(props: Props) {
    const [, setCount] = useState(0);
    const asked = useRef<unknown[] | undefined>(undefined);
    const isThere = useRef(false);
    useEffect(() => {
      isThere.current = true;
      return () => {
        isThere.current = false;
      };
    }, []);
    useEffect(() => {
      const values = Object.values(props);
      if (loaded.it !== undefined) return;
      if (asked.current !== undefined && values.every((value, n) => value === asked.current?.[n])) return;
      asked.current = values;
      void loaded.ask().then(() => isThere.current && setCount((count) => count + 1));
    });
    const Part = loaded.it;
    return Part === undefined ? null : <Part {...props} />;
  };
}
