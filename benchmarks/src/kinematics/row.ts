/** One measured way of doing the work. `loop` runs it `calls` times over the cycle of poses. */
export interface Row {
  readonly name: string;
  readonly loop: (calls: number) => void;
}

/** Number of poses in the cycle. */
export const POSES = 64;
