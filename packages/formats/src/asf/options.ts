import type { ReadBudget } from '../budget.js';

/** Options of `readAsf`. */
export interface ReadAsfOptions {
  /** Name of the file, for messages. Default: `skeleton.asf`. */
  readonly source?: string;
  /** Name of the figure. Default: the file's, without its extension. */
  readonly name?: string;
  /**
   * Metres per unit of the file. `auto`: 0.0254 / 0.45 where the file says `length 0.45`, as those of the CMU motion capture database do,
   * which count inches times 0.45; else 1 / `length`, with a warning. Default: `auto`.
   */
  readonly scale?: number | 'auto';
  /**
   * Joints of two or three rotations. `ball`: rotation vectors, without limits. `euler`: the angles of the file, within its limits.
   * Default: `ball`.
   */
  readonly joints?: 'ball' | 'euler';
  /** How much the file may ask for: of the entries `bones` applies. */
  readonly budget?: ReadBudget;
}

/** Options of `readAmc`. */
export interface ReadAmcOptions {
  /** Name of the file, for messages. Default: `motion.amc`. */
  readonly source?: string;
  /** Name of the motion. Default: the file's, without its extension. */
  readonly name?: string;
  /** Duration of a frame, s: the format has none. Default: 1/120, the CMU database's. */
  readonly frameTime?: number;
  /** How much the file may ask for: of the entries `keys` applies, one a number. */
  readonly budget?: ReadBudget;
}
