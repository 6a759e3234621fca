/** What `poise fit --json` prints. */
import type { Source } from '../io/source.js';
import type { MarkerResidual, WorstResidual } from './fit-frames.js';

export interface FitReport {
  readonly format: 'poise-fit-report';
  readonly version: 1;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly figure: string;
  readonly frames: number;
  /** Frames a second of the marker file. */
  readonly rate: number;
  /** First and last time, s. */
  readonly start: number;
  readonly end: number;
  /** Over all frames and markers, mm. */
  readonly rms: number;
  readonly worst: WorstResidual;
  readonly markers: readonly MarkerResidual[];
  /** Frames without an observed marker, which keep the pose before. */
  readonly unobserved: number;
  readonly framesPerSecond: number;
  readonly output?: string;
  /** The HTML file. */
  readonly report?: string;
  readonly warnings: readonly string[];
}
