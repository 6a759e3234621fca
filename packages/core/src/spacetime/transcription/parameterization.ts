/** How unknown numbers make a motion: which coordinates are splines, which follow the reference, which rotations are displacements. */
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { SplineBasis } from './spline-basis.js';
import type { Clock } from './time-scaling.js';

/** A rotation vector of a figure's pose and how it is written. */
export interface TurningPlace {
  /** Index in the pose of the first of its three numbers. */
  readonly coordinate: number;
  /** R = R_ref exp(d); else the numbers are the rotation vector itself. */
  readonly displaced: boolean;
}

/** The curve part of a problem. Times are nominal, u, unless said otherwise. */
export interface Path {
  readonly figure: Figure;
  readonly basis: SplineBasis;
  readonly clock: Clock;
  /** Coordinates that are unknown, ascending. */
  readonly free: Int32Array;
  /** Place in `free` of each coordinate, -1 for one that moves as in the reference. */
  readonly columnOf: Int32Array;
  /** 1 for each coordinate to which the reference is added (rotation vectors have `turnings` instead). */
  readonly additive: Uint8Array;
  readonly turnings: readonly TurningPlace[];
}

export interface PathChoice {
  readonly locked: Uint8Array;
  /** Every coordinate is a displacement from the reference. */
  readonly displacement: boolean;
  /** Rotation vectors (first coordinates) that are displacements even where the others are not. */
  readonly displacedTurns: ReadonlySet<number>;
}

export function createPath(
  figure: Figure,
  basis: SplineBasis,
  clock: Clock,
  { locked, displacement, displacedTurns }: PathChoice,
): Path {
  const free = Int32Array.from(
    Array.from({ length: figure.dof }, (_, i) => i).filter((i) => locked[i] === 0),
  );
  const columnOf = new Int32Array(figure.dof).fill(-1);
  free.forEach((i, column) => {
    columnOf[i] = column;
  });
  const turnings = Array.from(rotationVectors(figure), (coordinate) => ({
    coordinate,
    displaced: displacement || locked[coordinate] === 1 || displacedTurns.has(coordinate),
  }));
  const additive = Uint8Array.from(locked, (isLocked) => (displacement || isLocked === 1 ? 1 : 0));
  for (const { coordinate } of turnings) additive.fill(0, coordinate, coordinate + 3);
  return { figure, basis, clock, free, columnOf, additive, turnings };
}

/** Whether the number in the pose is the unknown itself. */
export function isDirect({ additive, turnings }: Path, i: number): boolean {
  const turning = turnings.find(({ coordinate }) => i >= coordinate && i < coordinate + 3);
  return turning === undefined ? additive[i] === 0 : !turning.displaced;
}
