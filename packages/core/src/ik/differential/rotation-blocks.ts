import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Problem } from '../problem/problem.js';

/** A rotation vector among the columns of a problem. */
export interface VectorBlock {
  readonly column: number;
  readonly coordinate: number;
  /** A limited one along its coordinates, in its one chart; else along the geodesic, or as its form does. */
  readonly moves: 'coordinates' | 'geodesic' | 'form';
}

/** @param free - How those without a limit move. */
export function rotationVectorsOf(
  { figure, coordinates, jacobian }: Problem,
  free: 'geodesic' | 'form',
): VectorBlock[] {
  const limited = new Set(figure.limitParts.map((part) => part.coordinate));
  return figure.bones.flatMap((bone) => {
    const offset = jointTypes[bone.joint.type].rotationVector;
    const coordinate = bone.coordinate + offset;
    const column = offset < 0 ? -1 : jacobian.columnOf[coordinate];
    if (column < 0 || coordinates[column + 2] !== coordinate + 2) return [];
    return [{ column, coordinate, moves: limited.has(coordinate) ? 'coordinates' : free }];
  });
}
