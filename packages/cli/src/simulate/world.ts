/** The world of a simulation: a floor, stairs, or the shapes of a file. */
import { parseJson } from '@poise/formats';
import { FormatError, GoalError, PoiseError } from 'poise';
import type { WorldShape } from 'poise/dynamics';
import type { Figure, Quadruple, Triple } from 'poise/figure';
import { type Numbers, quat, vec3 } from 'poise/math';
import { readText } from '../io/source.js';

export interface WorldOptions {
  /** Coefficient of friction of floor and stairs. */
  readonly floor?: number;
  /** Steps. */
  readonly stairs?: number;
  /** A file of shapes, in place of the floor. */
  readonly world?: string;
}

/** Directions of the lateral, up and forward axis of a figure, in world axes; right-handed. */
export type BodyAxes = readonly [lateral: Triple, up: Triple, forward: Triple];

/** Characters with +Y up face +Z; robots with +Z up face +X. */
export function bodyAxesOf({ up }: Figure): BodyAxes {
  const forward = up[1] === 1 ? [0, 0, 1] : up[2] === 1 ? [1, 0, 0] : vec3.perpendicular(up);
  const lateral = vec3.cross(up, forward);
  return [lateral, up, forward] as unknown as BodyAxes;
}

/** Rise and run of a step, in heights of the figure: 175 mm and 280 mm for 1.75 m. */
const RISE = 0.1;
const RUN = 0.16;
/** Half the width of stairs, and the depth of the landing behind the figure, in heights of the figure. */
const HALF_WIDTH = 3;
const LANDING = 2;

/** Shapes of a file: a list, each with a `type`. The simulation validates them; see {@link withWorldPath}. */
export async function readWorld(path: string): Promise<readonly WorldShape[]> {
  const data = parseJson(await readText(path), path, EXPECTED);
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
  axes: BodyAxes,
  level: number,
  height: number,
  forward: number,
): WorldShape[] {
  const surface = floor === undefined ? {} : { friction: floor };
  const shapes: WorldShape[] = [{ type: 'plane', normal: axes[1], offset: level, ...surface }];
  const back = forward - LANDING * height;
  for (let n = stairs; n > 0; n--) {
    const top = topOfStairs(n, height);
    const front = forward + (stairs - n) * RUN * height;
    const from = n === stairs ? back : front - RUN * height;
    shapes.push({
      type: 'box',
      halfSizes: [HALF_WIDTH * height, top / 2, (front - from) / 2],
      placement: {
        position: fromBodyAxes([0, level + top / 2, (from + front) / 2], axes),
        rotation: rotationOf(axes),
      },
      ...surface,
    });
  }
  return shapes;
}

/** World axes from [lateral, up, forward]. */
export function fromBodyAxes(v: Numbers, axes: BodyAxes): Triple {
  const [x, y, z] = [0, 1, 2].map((k) => axes[0][k] * v[0] + axes[1][k] * v[1] + axes[2][k] * v[2]);
  return [x, y, z];
}

function rotationOf([lateral, up, forward]: BodyAxes): Quadruple {
  const columns = [0, 1, 2].flatMap((k) => [lateral[k], up[k], forward[k]]);
  const [x, y, z, w] = quat.fromMatrix(columns);
  return [x, y, z, w];
}
