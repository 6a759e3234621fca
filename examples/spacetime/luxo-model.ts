/**
 * A desk lamp that jumps, after the lamps of Pixar's film Luxo Jr. (1986) and of Witkin & Kass, Spacetime Constraints (SIGGRAPH 1988).
 *
 * Published numbers that we found:
 * - Of the lamp of the paper none. We had its abstract, its first page and what the SIGGRAPH archive says of its video
 *   (history.siggraph.org/animation-video-pod/spacetime-constraints-by-witkin): muscle power is minimized, and twice the mass in the base
 *   makes the motion larger. We found no masses, lengths, limits or length of the jump, there or elsewhere, and none of the film's lamp.
 * - Of the real lamp, the Luxo L-1 of 1937: a reflector of 160 mm x 170 mm and an arm of 1044 mm in all (baumagazin.de, Eine Leuchte erobert
 *   die Welt), arms of 18 inches each (kk.org/cooltools/luxo-l-1-task-light). We found no masses.
 *
 * So the head has the size of the L-1's reflector, the arms are about half as long as its arms, and all other values are assumptions: half of the
 * mass is in the base, so that a jump begins with the arms and the head alone.
 */
import type { BoneData, FigureData, Triple } from 'poise/figure';

/** Lengths, m, for drawings. Hinges are at the top of the base and at the ends of the arms. */
export const luxoSizes = {
  base: { radius: 0.09, height: 0.03 },
  arm: { radius: 0.012, length: 0.24 },
  /** From its back, behind the hinge, to its rim. */
  head: { radius: 0.085, length: 0.16, behind: 0.04 },
} as const;

/** Masses, kg. */
const masses = { base: 0.8, arm: 0.2, head: 0.4 } as const;

const X: Triple = [1, 0, 0];

/**
 * 9 coordinates: the base in the world, then three hinges about x. At rest it stands on y = 0 with its arms straight up and looks along +z. Angles
 * are positive forwards and downwards: the elbow points back, as in the film, where the lower arm's angle is below 0 and the upper arm's above.
 */
export const luxo: FigureData = {
  name: 'luxo',
  bones: [
    {
      name: 'base',
      joint: { type: 'free' },
      tip: [0, luxoSizes.base.height, 0],
      ...upright(masses.base, luxoSizes.base.radius, luxoSizes.base.height),
    },
    {
      ...hinged('lowerArm', 'base', luxoSizes.base.height, -80, 80),
      tip: [0, luxoSizes.arm.length, 0],
      ...upright(masses.arm, luxoSizes.arm.radius, luxoSizes.arm.length),
    },
    {
      ...hinged('upperArm', 'lowerArm', luxoSizes.arm.length, 0, 150),
      tip: [0, luxoSizes.arm.length, 0],
      ...upright(masses.arm, luxoSizes.arm.radius, luxoSizes.arm.length),
    },
    {
      ...hinged('head', 'upperArm', luxoSizes.arm.length, -110, 90),
      tip: [0, 0, luxoSizes.head.length - luxoSizes.head.behind],
      ...shade(masses.head),
    },
  ],
};

/** A balanced pose, elbow bent and looking slightly down: position and rotation of the base, then the hinges. */
export const luxoStance: readonly number[] = [0, 0, 0, 0, 0, 0, radians(-38), radians(80), radians(-22)];

const EDGE = luxoSizes.base.radius * Math.SQRT1_2;

/** Contact points of the base, in its frame: on its rim, two in front and two behind. */
export const luxoFeet: readonly Triple[] = [
  [EDGE, 0, EDGE],
  [-EDGE, 0, EDGE],
  [-EDGE, 0, -EDGE],
  [EDGE, 0, -EDGE],
];

function hinged(name: string, parent: string, above: number, min: number, max: number): BoneData {
  return {
    name,
    parent,
    rest: { position: [0, above, 0] },
    joint: { type: 'hinge', axis: X },
    limit: { type: 'interval', min: radians(min), max: radians(max) },
  };
}

/** Inertia of a solid cylinder that stands on the origin. */
function upright(mass: number, radius: number, height: number): Partial<BoneData> {
  const across = mass * (radius ** 2 / 4 + height ** 2 / 12);
  return {
    mass,
    centerOfMass: [0, height / 2, 0],
    inertia: [across, (mass * radius ** 2) / 2, across, 0, 0, 0],
  };
}

/** The head as a cone's thin shell along z, its point behind: its centre lies two thirds of the way to the rim. */
function shade(mass: number): Partial<BoneData> {
  const { radius, length, behind } = luxoSizes.head;
  const along = (mass * radius ** 2) / 2;
  const across = mass * (radius ** 2 / 4 + length ** 2 / 18);
  return {
    mass,
    centerOfMass: [0, 0, (2 * length) / 3 - behind],
    inertia: [across, across, along, 0, 0, 0],
  };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
