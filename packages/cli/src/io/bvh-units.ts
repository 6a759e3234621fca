/** Units and up axis of a .bvh, which the file does not state. */
import { type BvhClip, type ReadBvhOptions, readBvh } from '@poise/formats';
import { GoalError } from 'poise';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { findHumanoid } from 'poise/humanoid';
import { rigid } from 'poise/math';
import { decimals, parseNumber } from './parse-number.js';

/** Metres in a unit. CMU's is an inch over 0.45. */
const UNITS: Readonly<Record<string, number>> = {
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

/** Parser of `--units`: a unit, or metres per unit of the file. @throws GoalError. */
export function parseUnits(text: string): number {
  if (Object.hasOwn(UNITS, text)) return UNITS[text];
  const value = /^[a-z]+$/i.test(text) ? 0 : parseNumber(text, `--units ${text}`);
  if (value > 0) return value;
  throw new GoalError('out-of-range', 'is no unit.', {
    path: `--units ${text}`,
    remedy: `Use one of ${Object.keys(UNITS).join(', ')}, or the metres in a unit of the file.`,
  });
}

/**
 * Reads a .bvh. What is not given is found where the skeleton is a person's: up by the way from feet to head at rest, the unit by the height. A note
 * says what was found.
 *
 * @throws FormatError.
 */
export function readBvhOfAnyUnit(
  bytes: Uint8Array,
  { scale, fileUpAxis, ...options }: ReadBvhOptions & { readonly source: string },
): { clip: BvhClip; notes: readonly string[] } {
  const first = readBvh(bytes, { ...options, scale: scale ?? 1, fileUpAxis: fileUpAxis ?? 'y' });
  const up = fileUpAxis ?? upOf(first.figure);
  const units = scale === undefined ? heightOf(first.figure, fileUpAxis === undefined ? up : 'y') : undefined;
  const isPerson =
    findHumanoid(first.figure, { up: fileUpAxis === undefined ? AXES[up] : AXES.y }) !== undefined;
  const found =
    units !== undefined && isPerson
      ? Object.keys(UNITS).find((name) => isOfPerson(units * UNITS[name]))
      : undefined;
  const notes: string[] = [];
  if (up !== 'y' && fileUpAxis === undefined) {
    notes.push(
      `${options.source}: +Z is up, by the way from feet to head (--up y, or "fileUpAxis": "y" in a scene, reads it as it is).`,
    );
  }
  if (units !== undefined && found !== undefined && found !== 'm') {
    const height = decimals(units * UNITS[found], 2);
    notes.push(
      `${options.source}: its unit is ${found}, by the height of ${height} m (--units m, or "scale": 1 in a scene, reads it as it is).`,
    );
  } else if (units !== undefined && found === undefined && units > MAX_USUAL_HEIGHT) {
    notes.push(
      `${options.source}: is ${decimals(units, 1)} m high, read in metres (--units cm, in, ..., or "scale" in a scene, says the unit).`,
    );
  }
  const factor = scale ?? (found === undefined ? 1 : UNITS[found]);
  if (factor === (scale ?? 1) && up === (fileUpAxis ?? 'y')) return { clip: first, notes };
  return { clip: readBvh(bytes, { ...options, scale: factor, fileUpAxis: up }), notes };
}

const AXES = { y: [0, 1, 0], z: [0, 0, 1] } as const;

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
