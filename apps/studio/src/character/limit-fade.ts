/** Time constant of the fade, s, and share below which it is over. */
const FADE = 0.08;
const OVER = 0.01;

/** How far each bone of a body shows the colour of its limits, which fades towards what is asked for. */
export class LimitFade {
  /** By bone, 0 to 1. */
  readonly shares: number[];
  readonly #wanted: number[];

  constructor(bones: number) {
    this.shares = Array.from({ length: bones }, () => 0);
    this.#wanted = this.shares.slice();
  }

  set(bone: number, share: number): void {
    this.#wanted[bone] = share;
  }

  /** @returns the bones whose share has changed. */
  step(seconds: number): number[] {
    const step = 1 - Math.exp(-seconds / FADE);
    return this.#wanted.flatMap((wanted, b) => {
      const gap = wanted - this.shares[b];
      if (gap === 0) return [];
      this.shares[b] = Math.abs(gap) < OVER ? wanted : this.shares[b] + step * gap;
      return [b];
    });
  }
}
