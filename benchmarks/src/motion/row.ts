/** One way to play the clip. */
export interface Row {
  readonly name: string;
  /** What it was given besides times. */
  readonly given: string;
  /** Evaluates all bones at `frames` moments, the first at `times[0]`; that is what is timed. */
  readonly play: (times: Float64Array) => void;
  /** The quaternion of a bone after `play` with one moment, four numbers. */
  readonly read: (bone: number) => ArrayLike<number>;
}
