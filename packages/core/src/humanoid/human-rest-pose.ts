/** The rest pose of a humanoid in a word. */
import { originOf, restOf } from '../figure/kinematics/rest-pose.js';
import type { Figure } from '../figure/model/figure.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Humanoid } from './find-humanoid.js';

/** What {@link humanRestPose} finds. */
export interface HumanRestPose {
  /** `T`: straight arms to the sides, up to 20 degrees from level. `A`: straight arms 20 to 70 degrees down. `other`: all else, as arms that differ by more than 20 degrees and legs that do not stand. */
  readonly kind: 'T' | 'A' | 'other';
  /** Mean angle of the upper arms below level, rad. */
  readonly armAngle: number;
}

const DEGREE = Math.PI / 180;
/** Bounds of the angle below level of arms of a T and of an A, and how far either may be off its plane, an elbow be bent, and a leg be off vertical. */
const T_ARMS = 20 * DEGREE;
const A_ARMS = 70 * DEGREE;
const OFF_PLANE = 30 * DEGREE;
const BENT = 35 * DEGREE;
const OFF_VERTICAL = 25 * DEGREE;

/**
 * The kind of the rest pose (all coordinates 0): a clip that is copied by rotations fits rigs of one kind alone, `createRetargeter` all.
 *
 * @param humanoid - Of `findHumanoid(figure)`.
 */
export function humanRestPose(figure: Figure, humanoid: Humanoid): HumanRestPose {
  const { bones, left, up, forward } = humanoid;
  const rest = restOf(figure);
  const between = (from: number | undefined, to: number | undefined): number[] | undefined => {
    if (from === undefined || to === undefined) return undefined;
    const way = vec3.subtract(originOf(rest, to), originOf(rest, from));
    return vec3.norm(way) > 0 ? vec3.normalize(way) : undefined;
  };
  const sides = (['left', 'right'] as const).map((side) => {
    const upper = between(bones[`${side}UpperArm`], bones[`${side}LowerArm`]) ?? [0, 0, 0];
    const fore = between(bones[`${side}LowerArm`], bones[`${side}Hand`]) ?? upper;
    const leg = between(bones[`${side}UpperLeg`], bones[`${side}Foot`] ?? bones[`${side}LowerLeg`]) ?? [
      0, 0, 0,
    ];
    const outward = (side === 'left' ? 1 : -1) * vec3.dot(upper, left);
    return {
      angle: Math.atan2(-vec3.dot(upper, up), Math.max(0, outward)),
      isStraight: vec3.dot(upper, fore) > Math.cos(BENT),
      isSideways: Math.abs(vec3.dot(upper, forward)) < Math.sin(OFF_PLANE) && outward > 0,
      stands: -vec3.dot(leg, up) > Math.cos(OFF_VERTICAL),
    };
  });
  const armAngle = (sides[0].angle + sides[1].angle) / 2;
  const isOther =
    Math.abs(sides[0].angle - sides[1].angle) > T_ARMS ||
    sides.some(({ isStraight, isSideways, stands }) => !(isStraight && isSideways && stands));
  const kind = isOther || armAngle < -T_ARMS || armAngle > A_ARMS ? 'other' : armAngle <= T_ARMS ? 'T' : 'A';
  return { kind, armAngle };
}
