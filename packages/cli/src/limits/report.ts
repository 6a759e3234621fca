/** What `poise limits --json` prints. */
import type { Movement } from '../io/body-limits.js';
import type { Source } from '../io/source.js';

export interface LimitsReport {
  readonly format: 'poise-limits-report';
  readonly version: 1;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly figure: string;
  readonly bones: readonly LimitedBone[];
  /** Bones between human bones, whose joints are fixed; and those below, which turn by at most 60 degrees. */
  readonly fixed: readonly string[];
  readonly loose: readonly string[];
  readonly output?: string;
  readonly picture?: string;
  /** The HTML file. */
  readonly report?: string;
  readonly warnings: readonly string[];
}

export interface LimitedBone {
  readonly human: string;
  readonly bone: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly joint: string;
  /** From the rest pose, degrees, both directions of each coordinate; left out for a joint with a limit of its own. */
  readonly movements?: readonly Movement[];
  /** The same in words. */
  readonly text: string;
}
