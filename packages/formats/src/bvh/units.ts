/** Unit and up axis of a BVH file, which does not state them: found by the skeleton of a person. */
import {
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  type Quadruple,
} from 'poise/figure';
import { findHumanoid } from 'poise/humanoid';
import { rigid } from 'poise/math';
import type { BvhJoint } from './hierarchy.js';
import { bonesOf } from './joints.js';
import type { ReadBvhOptions } from './options.js';

/** Metres in a unit of BVH files. CMU's (`cmu`) is an inch over 0.45. */
export const BVH_UNITS: Readonly<Record<'m' | 'dm' | 'cm' | 'mm' | 'ft' | 'in' | 'cmu', number>> = {
  m: 1,
  dm: 0.1,
  cm: 0.01,
  mm: 0.001,
  ft: 0.3048,
  in: 0.0254,
  cmu: 0.0254 / 0.45,
};

/** Height of a person's skeleton, m: no two units put a file into it. */
const PERSON = { min: 1.3, max: 2.1 };
/** Height above which a skeleton of no known unit is worth a word, m. */
const MAX_USUAL_HEIGHT = 10;

const AXES = { y: [0, 1, 0], z: [0, 0, 1] } as const;

/**
 * The scale and the up axis of a file. Of `auto` up is found by the way from feet to head at rest, the unit by the height; of another skeleton than
 * a person's they are 1 and `y`.
 *
 * @param warnings - Gets what was found, and the height of a figure that is far too high.
 * @param rotations - Rotations of the joints at rest.
 */
export function resolveUnits(
  joints: readonly BvhJoint[],
  { scale, fileUpAxis = 'y' }: Pick<ReadBvhOptions, 'scale' | 'fileUpAxis'>,
  source: string,
  warnings: string[],
  rotations?: readonly Quadruple[],
): { scale: number; fileUpAxis: 'y' | 'z' } {
  if (typeof scale === 'number' && fileUpAxis !== 'auto') return { scale, fileUpAxis };
  const figure = createFigure({ bones: bonesOf(joints, 1, 'y', rotations) });
  const up = fileUpAxis === 'auto' ? upOf(figure) : fileUpAxis;
  if (up === 'z' && fileUpAxis === 'auto') {
    warnings.push(`${source}: +Z is up, by the way from feet to head (the option fileUpAxis sets it).`);
  }
  if (typeof scale === 'number') return { scale, fileUpAxis: up };
  const units = heightOf(figure, up);
  const isPerson = scale === 'auto' && findHumanoid(figure, { up: AXES[up] }) !== undefined;
  const found = isPerson
    ? Object.entries(BVH_UNITS).find(([, metres]) => isOfPerson(units * metres))
    : undefined;
  if (found === undefined) {
    if (units > MAX_USUAL_HEIGHT) {
      const height = Number(units.toFixed(1));
      const cure = scale === 'auto' ? 'says the unit' : "says the unit, 'auto' finds a person's";
      warnings.push(`${source}: is ${height} m high, read in metres (the option scale ${cure}).`);
    }
    return { scale: 1, fileUpAxis: up };
  }
  const [unit, metres] = found;
  if (unit !== 'm') {
    const height = Number((units * metres).toFixed(2));
    warnings.push(
      `${source}: its unit is ${unit}, by the height of ${height} m (the option scale sets another).`,
    );
  }
  return { scale: metres, fileUpAxis: up };
}

function isOfPerson(height: number): boolean {
  return height >= PERSON.min && height <= PERSON.max;
}

/** Z where only that makes the skeleton stand; else Y. */
function upOf(figure: Figure): 'y' | 'z' {
  if (findHumanoid(figure, { up: AXES.y }) !== undefined) return 'y';
  return findHumanoid(figure, { up: AXES.z }) === undefined ? 'y' : 'z';
}

/** Extent of origins and tips at rest along an axis, without the world's origin. */
function heightOf(figure: Figure, axis: 'y' | 'z'): number {
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const k = axis === 'y' ? 1 : 2;
  const values = figure.bones.flatMap(({ index, tip }) => {
    const frame = state.worldFromBone.subarray(12 * index, 12 * index + 12);
    return [frame[9 + k], ...(tip ? [rigid.transformPoint(frame, tip)[k]] : [])];
  });
  return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
}
