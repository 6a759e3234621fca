/** What the readers of marker files give. */

/** Measured markers over time. */
export interface MarkerClip {
  readonly names: readonly string[];
  readonly frames: number;
  /** Frames a second. */
  readonly rate: number;
  /** Time of each frame, s. */
  readonly times: Float64Array;
  /** Frame by frame, three numbers a marker, m, in the axes of the file; NaN where a marker is missing. */
  readonly positions: Float64Array;
  /** Which axis of the file points up, where it says. */
  readonly up?: 'x' | 'y' | 'z';
  /** One sentence each, starting with the location in the file. */
  readonly warnings: readonly string[];
}

/** Options of `readTrc` and `readC3d`. */
export interface ReadMarkersOptions {
  /** Name of the file, for messages. */
  readonly source?: string;
}

/** Metres per unit; undefined for a unit that is not known. */
export function metresPer(unit: string): number | undefined {
  return { m: 1, meters: 1, metres: 1, dm: 0.1, cm: 0.01, mm: 0.001, in: 0.0254, ft: 0.3048 }[
    unit.toLowerCase()
  ];
}
