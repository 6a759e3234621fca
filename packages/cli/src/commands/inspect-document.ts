/** Files of Poise that are no figures, as `poise inspect` shows them: motions, samples, poses, scenes. */
import { readPose, readScene } from '@poise/formats';
import { FormatError } from 'poise';
import type { ClipInfo } from '../io/clips.js';
import { readMotionFile } from '../optimize/motion-file.js';
import type { TrajectoryFile } from '../trajectory/trajectory-file.js';

/** What a file of Poise without a figure holds. */
export interface InspectedDocument {
  readonly format: 'poise-inspect';
  readonly version: 1;
  readonly source: { readonly kind: 'motion' | 'pose' | 'scene' | 'trajectory'; readonly path: string };
  readonly name: string;
  /** Name of the figure that it is for. */
  readonly figure?: string;
  readonly clips?: readonly ClipInfo[];
  readonly warnings: readonly string[];
}

/** What it holds, and the line that says so. */
export interface DocumentReport {
  readonly inspection: InspectedDocument;
  readonly text: string;
}

const base = { format: 'poise-inspect', version: 1, warnings: [] } as const;

/**
 * The report of a parsed file; undefined for anything that is not a motion, a pose or a scene of Poise.
 *
 * @throws FormatError for one that is damaged.
 */
export function documentReport(data: unknown, text: string, path: string): DocumentReport | undefined {
  const format = typeof data === 'object' && data !== null && 'format' in data ? data.format : undefined;
  switch (format) {
    case 'poise-motion': {
      const { name, figure, clip } = readMotionFile(text, path);
      return {
        inspection: { ...base, source: { kind: 'motion', path }, name, figure, clips: [clip] },
        text: `a motion of ${figure}`,
      };
    }
    case 'poise-pose': {
      const { figure, bones } = readPose(text, { source: path });
      const count = Object.keys(bones).length;
      return {
        inspection: { ...base, source: { kind: 'pose', path }, name: figure, figure },
        text: `a pose of ${figure}, coordinates of ${count} bones; 'poise pose RIG --from' reads it`,
      };
    }
    case 'poise-trajectory': {
      const { figure, times, rate, coordinates } = data as Partial<TrajectoryFile>;
      const isValid =
        typeof figure === 'string' &&
        Array.isArray(times) &&
        times.every(Number.isFinite) &&
        Array.isArray(coordinates);
      if (!isValid || times.length === 0) {
        throw new FormatError('invalid-file', 'is damaged.', {
          path,
          remedy: "Write it again with 'poise convert'.",
        });
      }
      const clip = {
        name: figure,
        start: times[0],
        end: times[times.length - 1],
        frames: times.length,
        ...(typeof rate === 'number' && { rate }),
        channels: coordinates.length,
      };
      return {
        inspection: { ...base, source: { kind: 'trajectory', path }, name: figure, figure, clips: [clip] },
        text: `samples of ${figure}`,
      };
    }
    case 'poise-scene': {
      const { name = 'scene', terms, duration } = readScene(text, { source: path });
      const seconds = typeof duration === 'number' ? `${duration} s` : 'a free duration';
      return {
        inspection: { ...base, source: { kind: 'scene', path }, name },
        text: `a scene of ${terms.length} terms, ${seconds}; 'poise optimize' solves it`,
      };
    }
    default:
      return undefined;
  }
}
