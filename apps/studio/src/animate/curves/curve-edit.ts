import { clampToLimits, limitViolation } from 'poise/figure';
import type { Character } from '../../character/character.js';
import { type Clip, type ClipKey, keyId, setTangents, setValues } from '../clip/clip.js';
import { partsOf, poseAt } from '../clip/clip-motion.js';
import { jointGroups } from '../clip/joint-groups.js';
import { ratesAt } from '../clip/tangents.js';
import type { CurveLine, CurveSet } from './curve-sets.js';

/** Violation of a limit that is rounding. */
const WITHIN = 1e-9;
/** Halvings until the end of a limit is found. */
const HALVINGS = 40;

/** Values of lines over times, one row a line: as they are played. */
export function sampleLines(
  clip: Clip,
  character: Character,
  lines: readonly CurveLine[],
  times: readonly number[],
): Float64Array[] {
  const rows = lines.map(() => new Float64Array(times.length));
  const pose = new Float64Array(character.figure.dof);
  times.forEach((time, k) => {
    poseAt(clip, character, time, pose);
    lines.forEach(({ coordinate }, n) => {
      rows[n][k] = pose[coordinate];
    });
  });
  return rows;
}

/** Adds to the values of a line at selected keys, as far as the joint goes: the others of the joint stay. */
export function addToValues(
  clip: Clip,
  character: Character,
  { group }: Pick<CurveSet, 'group'>,
  line: CurveLine,
  selected: ReadonlySet<string>,
  by: number,
): Clip {
  let changed = clip;
  for (const { time, values } of clip.keys[group] ?? []) {
    if (!selected.has(keyId(group, time))) continue;
    const to = nearestWithin(clip, character, group, values, line, values[line.value] + by);
    changed = setValues(
      changed,
      group,
      time,
      values.map((value, n) => (n === line.value ? to : value)),
    );
  }
  return changed;
}

/** The value nearest to one that is asked for at which the limits hold: they are convex, so what is between two such is one too. */
function nearestWithin(
  { base }: Clip,
  character: Character,
  group: string,
  values: readonly number[],
  { coordinate, value: n }: CurveLine,
  asked: number,
): number {
  const pose = Float64Array.from(base);
  const { figure } = character;
  const own = jointGroups(character).find(({ id }) => id === group);
  own?.coordinates.forEach((each, k) => {
    pose[each] = values[k];
  });
  clampToLimits(figure, pose);
  const isWithin = (value: number) => {
    pose[coordinate] = value;
    return limitViolation(figure, pose) < WITHIN;
  };
  if (isWithin(asked)) return asked;
  let [good, bad] = [values[n], asked];
  for (let k = 0; k < HALVINGS; k++) {
    const middle = (good + bad) / 2;
    if (isWithin(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** Rates of all values at a key as it is left, per s. */
export function tangentOf(clip: Clip, character: Character, group: string, key: ClipKey): number[] {
  const keys = clip.keys[group] ?? [];
  const own = jointGroups(character).find(({ id }) => id === group);
  const k = keys.indexOf(key);
  if (own === undefined || k < 0) return key.values.map(() => 0);
  // Beyond the last key nothing moves: there it is how the key is arrived at.
  const side = k === keys.length - 1 ? 'arriving' : 'leaving';
  return partsOf(character.figure, own).flatMap((part) => ratesAt(keys, k, part)[side]);
}

/** Sets the rate of a line at selected keys, which become free; their other rates are those that they had. */
export function withRate(
  clip: Clip,
  character: Character,
  line: CurveLine,
  selected: ReadonlySet<string>,
  rate: number,
): Clip {
  return setTangents(clip, selected, (group, key) =>
    tangentOf(clip, character, group, key).map((own, n) => (n === line.value ? rate : own)),
  );
}
