/** Solves and frames in the averages. */
const SOLVES = 60;
const FRAMES = 45;
const ENOUGH = 5;
/** A longer gap is a pause, not a slow frame. */
const PAUSE = 400;

/** Measures solve and frame times during a drag. */
export class FrameTimer {
  readonly #solves: number[] = [];
  readonly #frames: number[] = [];
  #last = 0;

  solved(milliseconds: number): void {
    this.#solves.push(milliseconds);
    if (this.#solves.length > SOLVES) this.#solves.shift();
  }

  frame(counts: boolean): void {
    const now = performance.now();
    const gap = now - this.#last;
    this.#last = now;
    if (!counts || gap > PAUSE) return;
    this.#frames.push(gap);
    if (this.#frames.length > FRAMES) this.#frames.shift();
  }

  /** Mean time of the last measured frames; 0 before there are enough. */
  frameMilliseconds(): number {
    return this.#frames.length < ENOUGH ? 0 : (mean(this.#frames) as number);
  }

  timing(): { solveMilliseconds: number | undefined; framesPerSecond: number | undefined } {
    const frame = mean(this.#frames);
    return {
      solveMilliseconds: mean(this.#solves),
      framesPerSecond: frame === undefined ? undefined : 1000 / frame,
    };
  }
}

function mean(samples: readonly number[]): number | undefined {
  return samples.length === 0 ? undefined : samples.reduce((sum, x) => sum + x, 0) / samples.length;
}
