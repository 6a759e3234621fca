/**
 * The families of six-hinge arms with a closed form, after D. Pieper (1968) and, for three parallel axes, K. Hawkins (2013);
 * both in the subproblems of Elias and Wen (2022). Everything is in the base frame, axes at zero angles: h_k directions,
 * e_k rotations about the lines, R_k their linear parts.
 */
import * as mat3 from '../../../math/geometry/mat3.js';
import * as rigid from '../../../math/geometry/rigid-transform.js';
import { add, cross, dot, perpendicular, subtract } from '../../../math/geometry/vec3.js';
import type { Mat3x4, Vec3 } from '../../../math/linear/types.js';
import { wrapAngle } from './angle-in-limits.js';
import { type Branch, type RedundantAngles, splitAngle } from './redundant-angles.js';
import {
  distanceFrom,
  type Line,
  nearestPoint,
  rotationAbout,
  type SixHinges,
  sineBetween,
} from './screws.js';
import {
  type AnyAngle,
  rotate,
  rotateToDistance,
  rotateToHeight,
  rotateTowards,
  rotateTwice,
} from './subproblems.js';

/** The families of solvable arms. */
export type ArmFamily =
  /** Axes 4, 5, 6 meet; 2 and 3 are parallel: Puma, most industrial arms. Up to 8 solutions. */
  | 'wrist-and-parallel-elbow'
  /** Axes 4, 5, 6 meet; 1 and 2 meet. Up to 8 solutions. */
  | 'wrist-and-meeting-shoulder'
  /** Axes 2, 3, 4 are parallel; 5 and 6 meet: Universal Robots. Up to 8 solutions. */
  | 'three-parallel';

/** Tolerance of intersections (relative to the arm's size) and of parallel axes (rad): rounding, and URDF's eleven digits. */
const EXACT = 1e-9;
/** Least sine between two axes that must not be parallel. */
const MIN_SINE = 1e-3;

/** Sine between axis 6 and the three parallel axes below which all four are parallel. */
const ALIGNED = 1e-7;
/** Offsets at which a redundant angle is tried, nearest first. */
const OFFSETS = [0, 1, -1, 2, -2, 3, -3, 4].map((eighth) => (eighth * Math.PI) / 4);

/** The family of an arm, or why it is of none. */
export function familyOf(arm: SixHinges): { readonly family: ArmFamily } | { readonly reason: string } {
  const [one, two, three, four, five, six] = arm.lines;
  const parallel = (a: Line, b: Line): boolean => sineBetween(a, b) <= EXACT;
  const apart = (a: Line, b: Line): boolean => sineBetween(a, b) >= MIN_SINE;
  const meet = (a: Line, b: Line): boolean =>
    apart(a, b) && distanceFrom(b, nearestPoint(a, b)) <= EXACT * arm.size;
  if (parallel(two, three) && parallel(three, four) && apart(one, two) && apart(four, five)) {
    if (meet(five, six)) return { family: 'three-parallel' };
    return { reason: 'axes 2, 3 and 4 are parallel, but 5 and 6 do not meet' };
  }
  const isWrist =
    meet(four, five) && meet(five, six) && distanceFrom(six, nearestPoint(four, five)) <= EXACT * arm.size;
  if (!isWrist) return { reason: 'axes 4, 5 and 6 do not meet in a point' };
  if (parallel(two, three) && apart(one, two)) return { family: 'wrist-and-parallel-elbow' };
  if (meet(one, two)) return { family: 'wrist-and-meeting-shoulder' };
  return { reason: 'axes 4, 5 and 6 meet, but neither are 2 and 3 parallel nor do 1 and 2 meet' };
}

/**
 * All angles in (-pi, pi] with the tip at the target, up to rounding of the geometry. The sum of a wrist in line is split within the
 * limits.
 *
 * @param free - The values of redundant angles.
 */
export function branchesOf(
  arm: SixHinges,
  family: ArmFamily,
  target: Mat3x4,
  free: RedundantAngles,
): Branch[] {
  // target = e1 ... e6 tip
  const all = rigid.compose(target, rigid.inverse(arm.tip));
  if (family === 'three-parallel') return threeParallel(arm, all, free);
  const [, , , four, five] = arm.lines;
  const center = nearestPoint(four, five);
  const wrist = rigid.transformPoint(all, center);
  const shoulders =
    family === 'wrist-and-parallel-elbow'
      ? parallelElbow(arm, center, wrist, free)
      : meetingShoulder(arm, center, wrist, free);
  return shoulders.flatMap((shoulder) => wristAngles(arm, shoulder, all, free));
}

/** Uses the redundant angle of hinge k, and records it. */
function useRedundantAngle({ angles, used }: RedundantAngles, k: number): AnyAngle {
  return () => {
    used[k] = 1;
    return angles[k];
  };
}

/** R_1 ... of the first angles. */
function rotationOf({ lines }: SixHinges, angles: readonly number[]): number[] {
  let r = mat3.identity();
  angles.forEach((angle, k) => {
    r = mat3.multiply(r, rotationAbout(lines[k], angle));
  });
  return r;
}

/**
 * e1 e2 e3 c = w with h2, h3 parallel. The component along h2 is invariant under rotations about h2: h2.R1^T (w - o1) = h2.(c - o1)
 * gives q1; the distance from axis 2 gives q3, the direction from it q2.
 */
function parallelElbow(
  { lines: [one, two, three] }: SixHinges,
  c: Vec3,
  w: Vec3,
  free: RedundantAngles,
): Branch[] {
  const back = [-one.direction[0], -one.direction[1], -one.direction[2]];
  const h = two.direction;
  const height = dot(h, subtract(c, one.point));
  return rotateToHeight(h, back, subtract(w, one.point), height, useRedundantAngle(free, 0)).flatMap(
    (q1, i) => {
      const from = subtract(add(one.point, rotate(back, q1, subtract(w, one.point))), two.point);
      return elbow(three, two.point, c, Math.hypot(...from), useRedundantAngle(free, 2)).map(
        ([q3, reached], j) => ({
          angles: [q1, rotateTowards(h, reached, from, useRedundantAngle(free, 1)), q3],
          name: `${i}${j}`,
        }),
      );
    },
  );
}

/** e1 e2 e3 c = w with axes 1 and 2 through o: |e3 c - o| = |w - o| gives q3, the direction q1 and q2. */
function meetingShoulder(
  { lines: [one, two, three] }: SixHinges,
  c: Vec3,
  w: Vec3,
  free: RedundantAngles,
): Branch[] {
  const o = nearestPoint(one, two);
  const to = subtract(w, o);
  return elbow(three, o, c, Math.hypot(...to), useRedundantAngle(free, 2)).flatMap(([q3, reached], i) =>
    rotateTwice(
      one.direction,
      two.direction,
      reached,
      to,
      useRedundantAngle(free, 0),
      useRedundantAngle(free, 1),
    ).map(([q1, q2], j) => ({
      angles: [q1, q2, q3],
      name: `${i}${j}`,
    })),
  );
}

/** The angles of a joint that bring c to a distance from o, and e c - o for each. */
function elbow(joint: Line, o: Vec3, c: Vec3, distance: number, free: AnyAngle): [number, number[]][] {
  const arm = subtract(c, joint.point);
  const to = subtract(o, joint.point);
  return rotateToDistance(joint.direction, arm, to, distance, free).map((q) => [
    q,
    subtract(rotate(joint.direction, q, arm), to),
  ]);
}

/** R4 R5 R6 = (R1 R2 R3)^T R: the image of h6 gives q4 and q5, that of a normal to it q6. In line only q4 +- q6 is determined. */
function wristAngles(arm: SixHinges, { angles, name }: Branch, all: Mat3x4, free: RedundantAngles): Branch[] {
  const [four, five, six] = arm.lines.slice(3).map(({ direction }) => direction);
  const left = mat3.multiply(mat3.transpose(rotationOf(arm, angles)), all);
  const across = perpendicular(six);
  let inLine = false;
  const anyFourth = (): number => {
    inLine = true;
    return free.angles[3];
  };
  const pairs = rotateTwice(
    four,
    five,
    six,
    mat3.multiplyVector(left, six),
    anyFourth,
    useRedundantAngle(free, 4),
  );
  return pairs.map(([q4, q5], k) => {
    const seen = rotate(five, -q5, rotate(four, -q4, mat3.multiplyVector(left, across)));
    const q6 = rotateTowards(six, across, seen, useRedundantAngle(free, 5));
    const branch = { angles: [...angles, q4, q5, q6], name: `${name}${k}` };
    if (!inLine) return branch;
    const sign = dot(four, rotate(five, q5, six)) > 0 ? 1 : -1;
    const { start, intervals } = free;
    const split = splitAngle(q4 + sign * q6, sign, [start[3], start[5]], [intervals[3], intervals[5]]);
    return split === undefined ? branch : { ...branch, angles: [...angles, split[0], q5, split[1]] };
  });
}

/**
 * h = h2 = h3 = h4. The intersection c of 5 and 6 is invariant under both, and h.x under 2, 3, 4: h.R1^T (all c - o1) = h.(c - o1)
 * gives q1; h.R5 h6 = h.R1^T R h6 gives q5; R6^T R5^T h = R^T R1 h gives q6. The rest is planar, normal to h: a two-bone problem and
 * a direction.
 */
function threeParallel(arm: SixHinges, all: Mat3x4, free: RedundantAngles): Branch[] {
  const [one, two, , , five, six] = arm.lines;
  const h = two.direction;
  const back = [-one.direction[0], -one.direction[1], -one.direction[2]];
  const c = nearestPoint(five, six);
  const w = subtract(rigid.transformPoint(all, c), one.point);
  const sixth = mat3.multiplyVector(all, six.direction);
  const height = dot(h, subtract(c, one.point));
  return rotateToHeight(h, back, w, height, useRedundantAngle(free, 0)).flatMap((q1, i) => {
    const along = dot(h, rotate(back, q1, sixth));
    return rotateToHeight(h, five.direction, six.direction, along, useRedundantAngle(free, 4)).flatMap(
      (q5, j) => {
        const seen = mat3.transposeMultiplyVector(all, rotate(one.direction, q1, h));
        const from = rotate(five.direction, -q5, h);
        // Where h lies along axis 6 four axes are parallel: every q6 has the right orientation, but the elbow does not reach from all.
        const isAny = Math.hypot(...cross(six.direction, from)) < ALIGNED;
        // R6^T from = seen: the rotation by -q6.
        const sixths = isAny
          ? (free.searchAround ? OFFSETS : [0]).map((angle) =>
              wrapAngle(useRedundantAngle(free, 5)() + angle),
            )
          : [wrapAngle(-rotateTowards(six.direction, from, seen, () => -useRedundantAngle(free, 5)()))];
        for (const q6 of sixths) {
          const behind = rigid.compose(rotationAbout(five, q5), rotationAbout(six, q6));
          const plane = rigid.compose(
            rigid.inverse(rotationAbout(one, q1)),
            rigid.compose(all, rigid.inverse(behind)),
          );
          const found = planar(arm, plane, free);
          if (found.length === 0) continue;
          return found.map(([q2, q3, q4], k) => ({ angles: [q1, q2, q3, q4, q5, q6], name: `${i}${j}${k}` }));
        }
        return [];
      },
    );
  });
}

/** e2 e3 e4 = a planar motion normal to h: the distance of o4 from axis 2 gives q3, its direction q2, the rotation q4. */
function planar(
  { lines: [, two, three, four] }: SixHinges,
  motion: Mat3x4,
  free: RedundantAngles,
): number[][] {
  const h = two.direction;
  const to = subtract(rigid.transformPoint(motion, four.point), two.point);
  return elbow(three, two.point, four.point, Math.hypot(...to), useRedundantAngle(free, 2)).map(
    ([q3, reached]) => {
      const q2 = rotateTowards(h, reached, to, useRedundantAngle(free, 1));
      const across = perpendicular(h);
      const rotated = rotate(three.direction, -q3, rotate(h, -q2, mat3.multiplyVector(motion, across)));
      return [q2, q3, rotateTowards(four.direction, across, rotated, useRedundantAngle(free, 3))];
    },
  );
}
