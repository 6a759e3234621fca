import type { ReadBudget } from '../budget.js';

/** Options of `readOsim`. */
export interface ReadOsimOptions {
  /** Name of the file, for messages. Default: `model.osim`. */
  readonly source?: string;
  /** Name of the figure. Default: the model's. */
  readonly name?: string;
  /**
   * Locked coordinates. `fixed`: their limits are their default value alone, so no solver moves them. `free`: as the others.
   * Default: `fixed`.
   */
  readonly locked?: 'fixed' | 'free';
  /** How much the file may ask for: of the entries `bones` applies, six and more a joint. */
  readonly budget?: ReadBudget;
}

/** Options of `readIkTasks`, `readIkSetup` and `readStorage`. */
export interface ReadOpensimOptions {
  /** Name of the file, for messages. */
  readonly source?: string;
}
