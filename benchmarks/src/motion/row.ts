/** One way to play the clip. */
export interface Row {
  readonly name: string;
  /** Its input besides times. */
  readonly given: string;
  /** Evaluates all bones at `frames` times, the first at `times[0]`. This is timed. */
  readonly play: (times: Float64Array) => void;
  /** The quaternion of a bone after `play` with one time, four numbers. */
  readonly read: (bone: number) => ArrayLike<number>;
}
