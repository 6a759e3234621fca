/** The world of a simulation: a floor, stairs, or the shapes of a file. */
import { FormatError, GoalError, PoiseError } from 'poise';
import type { WorldShape } from 'poise/dynamics';
import type { Triple } from 'poise/figure';
import { readText } from '../io/source.js';

export interface WorldOptions {
  /** Coefficient of friction of floor and stairs. */
  readonly floor?: number;
  /** Steps. */
  readonly stairs?: number;
  /** A file of shapes, in place of the floor. */
  readonly world?: string;
}

/** Index of the up axis: Y, or Z for robots. */
export type UpAxis = 1 | 2;

/** Rise and run of a step, in heights of the figure: 175 mm and 280 mm for 1.75 m. */
const RISE = 0.1;
const RUN = 0.16;
/** Half the width of stairs, and the depth of the landing behind the figure, in heights of the figure. */
const HALF_WIDTH = 3;
const LANDING = 2;

/** Shapes of a file: a list, each with a `type`. The simulation validates them; see {@link withWorldPath}. */
export async function readWorld(path: string): Promise<readonly WorldShape[]> {
  const text = await readText(path);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FormatError('invalid-file', `its JSON does not parse: ${reason}.`, {
      path,
      remedy: EXPECTED,
      cause,
    });
  }
  if (Array.isArray(data)) return data as WorldShape[];
  throw new FormatError('invalid-file', 'is not a list of shapes.', { path, remedy: EXPECTED });
}

const EXPECTED = 'Give a list such as [{ "type": "plane" }, { "type": "sphere", "radius": 0.3 }].';

/** Replaces `world[2].radius` in an error by the location in the file. */
export function withWorldPath(error: unknown, file: string | undefined): unknown {
  if (file === undefined || !(error instanceof PoiseError) || !error.path.startsWith('world[')) return error;
  const what = error.message.slice(error.path.length + 2, error.message.length - error.remedy.length - 1);
  return new FormatError(error.code, what, {
    path: `${file}#${error.path.slice('world'.length)}`,
    remedy: error.remedy,
    cause: error,
  });
}

/** @throws GoalError for mutually exclusive options. */
export function checkWorldOptions({ floor, stairs, world }: WorldOptions): void {
  if (world === undefined || (floor === undefined && stairs === undefined)) return;
  const option = floor === undefined ? '--stairs' : '--floor';
  throw new GoalError('unsupported', 'cannot be combined with --world.', {
    path: option,
    remedy: 'Remove one of them: the file of --world replaces floor and stairs.',
  });
}

/** Height of the top of some stairs for a figure of this height, m. */
export function topOfStairs(stairs: number, height: number): number {
  return stairs * RISE * height;
}

/**
 * A floor at `level`, with stairs that descend in front of the figure (+Z; a robot: +X).
 *
 * @param height - Of the figure, m.
 * @param forward - End of the landing, m along the forward axis.
 */
export function floorAndStairs(
  { floor, stairs = 0 }: WorldOptions,
  up: UpAxis,
  level: number,
  height: number,
  forward: number,
): WorldShape[] {
  const surface = floor === undefined ? {} : { friction: floor };
  const shapes: WorldShape[] = [
    { type: 'plane', normal: fromBodyAxes([0, 1, 0], up), offset: level, ...surface },
  ];
  const back = forward - LANDING * height;
  for (let n = stairs; n > 0; n--) {
    const top = topOfStairs(n, height);
    const front = forward + (stairs - n) * RUN * height;
    const from = n === stairs ? back : front - RUN * height;
    shapes.push({
      type: 'box',
      halfSizes: fromBodyAxes([HALF_WIDTH * height, top / 2, (front - from) / 2], up),
      placement: { position: fromBodyAxes([0, level + top / 2, (from + front) / 2], up) },
      ...surface,
    });
  }
  return shapes;
}

/** World axes from [lateral, up, forward]. */
export function fromBodyAxes([lateral, vertical, forward]: Triple, up: UpAxis): Triple {
  return up === 1 ? [lateral, vertical, forward] : [forward, lateral, vertical];
}
