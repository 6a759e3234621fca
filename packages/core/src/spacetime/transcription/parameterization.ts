/** Parameterization of the motion: which coordinates are splines, which follow the reference, which rotations are displacements. */
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { SplineBasis } from './spline-basis.js';
import type { TimeScaling } from './time-scaling.js';

/** A rotation vector of the pose and its parameterization. */
export interface RotationCoordinates {
  /** Index of its first coordinate in the pose. */
  readonly coordinate: number;
  /** Axes of d where the unknowns are that: R = R_ref exp(d) in the bone's, R = exp(d) R_ref in the parent's. Otherwise they are log R. */
  readonly displaced: 'bone' | 'parent' | undefined;
}

/** Motion splines and what they stand for. Times are nominal, u, unless noted. */
export interface Parameterization {
  readonly figure: Figure;
  readonly basis: SplineBasis;
  readonly timeScaling: TimeScaling;
  /** Coordinates with a spline, ascending. */
  readonly free: Int32Array;
  /** Index in `free` of each coordinate, -1 where it follows the reference. */
  readonly columnOf: Int32Array;
  /** 1 for each coordinate that adds to the reference (for rotation vectors see `rotations`). */
  readonly additive: Uint8Array;
  readonly rotations: readonly RotationCoordinates[];
}

export interface ParameterizationOptions {
  readonly locked: Uint8Array;
  /** Whether every coordinate is a displacement from the reference. */
  readonly displacement: boolean;
  /** First coordinates of rotation vectors that are displacements in any case. */
  readonly displacedRotations: ReadonlySet<number>;
}

export function createParameterization(
  figure: Figure,
  basis: SplineBasis,
  timeScaling: TimeScaling,
  { locked, displacement, displacedRotations }: ParameterizationOptions,
): Parameterization {
  const free = Int32Array.from(
    Array.from({ length: figure.dof }, (_, i) => i).filter((i) => locked[i] === 0),
  );
  const columnOf = new Int32Array(figure.dof).fill(-1);
  free.forEach((i, column) => {
    columnOf[i] = column;
  });
  const rotations = Array.from(rotationVectors(figure), (coordinate) => ({
    coordinate,
    displaced: displacement
      ? ('parent' as const)
      : locked[coordinate] === 1 || displacedRotations.has(coordinate)
        ? ('bone' as const)
        : undefined,
  }));
  const additive = Uint8Array.from(locked, (isLocked) => (displacement || isLocked === 1 ? 1 : 0));
  for (const { coordinate } of rotations) additive.fill(0, coordinate, coordinate + 3);
  return { figure, basis, timeScaling, free, columnOf, additive, rotations };
}

/** Whether a coordinate of the pose is an unknown itself. */
export function isDirect({ additive, rotations }: Parameterization, i: number): boolean {
  const rotation = rotations.find(({ coordinate }) => i >= coordinate && i < coordinate + 3);
  return rotation === undefined ? additive[i] === 0 : rotation.displaced === undefined;
}
