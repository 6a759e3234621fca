import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Problem } from '../problem/problem.js';

/** The three columns of a rotation vector in a problem. */
export interface RotationVectorBlock {
  readonly column: number;
  readonly coordinate: number;
  /** Limited: by its coordinates, in one chart. Unlimited: along the geodesic, or by its parameterization. */
  readonly integration: 'coordinates' | 'geodesic' | 'parameterization';
}

/** @param free - Integration of the rotation vectors without a limit. */
export function rotationVectorsOf(
  { figure, coordinates, jacobian }: Problem,
  free: 'geodesic' | 'parameterization',
): RotationVectorBlock[] {
  const limited = new Set(figure.limitComponents.map((limit) => limit.coordinate));
  return figure.bones.flatMap((bone) => {
    const offset = jointTypes[bone.joint.type].rotationVector;
    const coordinate = bone.coordinate + offset;
    const column = offset < 0 ? -1 : jacobian.columnOf[coordinate];
    if (column < 0 || coordinates[column + 2] !== coordinate + 2) return [];
    return [{ column, coordinate, integration: limited.has(coordinate) ? 'coordinates' : free }];
  });
}
