import { jointTypes } from '../../../figure/joints/joint-types.js';
import type { Figure } from '../../../figure/model/figure.js';

/** Coordinates that are driven, and rub, together. */
export interface DriveGroup {
  readonly bone: number;
  readonly coordinate: number;
  /** 3 for a rotation vector or a position, else 1. */
  readonly size: 1 | 3;
  readonly turns: boolean;
}

export function driveGroups(figure: Figure): DriveGroup[] {
  return figure.bones.flatMap(({ index, joint, coordinate, dof }): DriveGroup[] => {
    const { rotationVector } = jointTypes[joint.type];
    if (dof === 0) return [];
    const turning = { bone: index, coordinate: coordinate + rotationVector, size: 3, turns: true } as const;
    if (joint.type === 'free') return [{ bone: index, coordinate, size: 3, turns: false }, turning];
    if (rotationVector >= 0) return [turning];
    return Array.from({ length: dof }, (_, k) => ({
      bone: index,
      coordinate: coordinate + k,
      size: 1 as const,
      turns: false,
    }));
  });
}
