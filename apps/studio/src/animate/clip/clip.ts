import { clampToLimits } from 'poise/figure';
import type { Numbers } from 'poise/math';
import type { Character } from '../../character/character.js';
import { CLIP_RATES, CLIP_SECONDS, type GroundId, type INTERPOLATIONS } from './bounds.js';
import { jointGroups } from './joint-groups.js';

/**
 * How curves pass a key, and leave it for the next of its group.
 *
 * - `auto`: smoothly, between the values of its neighbours; flat beside an equal one, and at the ends.
 * - `smooth`: along the chord of its neighbours, past what they hold.
 * - `flat`: without a rate.
 * - `free`: at the rates of its tangent.
 * - `linear`, `step`: with a corner or a jump.
 */
export type Interpolation = (typeof INTERPOLATIONS)[number];

/** A pose of the joints of a group at a time. */
export interface ClipKey {
  /** s. */
  readonly time: number;
  /** By the coordinates of the group. */
  readonly values: readonly number[];
  readonly interpolation: Interpolation;
  /** Rates of the values, per s: of a free key, and of no other. */
  readonly tangent?: readonly number[];
}

/** A foot or hand that stands still in the clip that was imported. */
export interface ClipContact {
  readonly label: string;
  /** s. */
  readonly from: number;
  readonly to: number;
}

/** An animation of a character. Plain data, never changed in place. */
export interface Clip {
  /** s. */
  readonly duration: number;
  /** Frames a second of the ruler. */
  readonly rate: number;
  /** Joints that its numbers are of, and the size that its lengths are for, m: see {@link clipFor}. */
  readonly joints: string;
  readonly size: number;
  /** Pose of the groups that have no key. */
  readonly base: readonly number[];
  /** By group, each in the order of time, no two at one time. */
  readonly keys: Readonly<Record<string, readonly ClipKey[]>>;
  /** Where it came from; its keys may have been changed since. */
  readonly imported: ImportedClip | undefined;
  /** What it was recorded on. */
  readonly ground: GroundId;
}

export interface ImportedClip {
  readonly name: string;
  /** How far feet in contact slide on this character, mm: most, and the median over contacts. Undefined for its own clip. */
  readonly sliding: { readonly most: number; readonly median: number } | undefined;
  /** Largest distance of a bone at a frame from where it was before keys were left out, mm. */
  readonly deviation: number;
  /** Of a clip of its own skeleton: largest distance of a bone from where the file has it, for its joints move less, mm. */
  readonly lost?: number;
  readonly contacts: readonly ClipContact[];
}

/** What a clip is called in files. */
export function clipName({ imported }: Clip): string {
  return imported?.name ?? 'Clip';
}

/** Keys that were copied: times from the first, s. */
export interface CopiedKeys {
  readonly joints: string;
  readonly size: number;
  readonly keys: readonly (ClipKey & { readonly group: string })[];
}

/** A change, and the keys that it leaves selected. */
export interface KeyChange {
  readonly clip: Clip;
  readonly selected: ReadonlySet<string>;
}

/** A time this near to a frame is on it, in frames. */
const ON_FRAME = 1e-3;

export function emptyClip(character: Character, base: Numbers): Clip {
  return {
    duration: CLIP_SECONDS.usual,
    rate: CLIP_RATES.usual,
    joints: jointsOf(character),
    size: character.size,
    base: Array.from(base),
    keys: {},
    imported: undefined,
    ground: 'flat',
  };
}

/** What tells the joints of a clip. */
export function jointsOf({ figure }: Character): string {
  return figure.bones.map(({ name, dof }) => `${name} ${dof}`).join('\n');
}

/** Whether the numbers of a clip are as many as its joints have: of a file of anybody they may not be. */
function hasAllNumbers({ base, keys }: Clip, character: Character): boolean {
  const groups = new Map(jointGroups(character).map(({ id, coordinates }) => [id, coordinates.length]));
  return (
    base.length === character.figure.dof &&
    Object.entries(keys).every(([id, own]) =>
      own.every(
        ({ values, tangent }) =>
          values.length === groups.get(id) && (tangent === undefined || tangent.length === values.length),
      ),
    )
  );
}

/**
 * A clip on a character: as it is on its own, with the path of the root scaled on the same figure in another size.
 * @returns undefined for another figure.
 */
export function clipFor(clip: Clip | undefined, character: Character): Clip | undefined {
  if (clip === undefined || clip.joints !== jointsOf(character) || !hasAllNumbers(clip, character))
    return undefined;
  if (clip.size === character.size) return clip;
  const factor = character.size / clip.size;
  const isLength = lengths(character);
  const keys = Object.fromEntries(
    jointGroups(character).flatMap(({ id, coordinates }) => {
      const own = clip.keys[id];
      const scale = (value: number, n: number) => (isLength.has(coordinates[n]) ? factor * value : value);
      return own === undefined ? [] : [[id, own.map((key) => changed(key, scale))]];
    }),
  );
  const base = clip.base.map((value, n) => (isLength.has(n) ? factor * value : value));
  return { ...clip, size: character.size, base, keys };
}

/** A key with other values, and its tangent with them. */
function changed({ tangent, ...key }: ClipKey, change: (value: number, n: number) => number): ClipKey {
  return { ...key, values: key.values.map(change), ...(tangent && { tangent: tangent.map(change) }) };
}

/** Coordinates that are the place of the root. */
function lengths({ figure }: Character): ReadonlySet<number> {
  return new Set(
    figure.bones.flatMap(({ joint, coordinate }) =>
      joint.type === 'free' ? [coordinate, coordinate + 1, coordinate + 2] : [],
    ),
  );
}

/** What a selection holds of a key. */
export function keyId(group: string, time: number): string {
  return `${group} ${time}`;
}

export function hasKeys({ keys }: Clip): boolean {
  return Object.values(keys).some((own) => own.length > 0);
}

/** Times at which any group has a key, in order, s. */
export function keyTimes(clip: Clip): number[] {
  const times = new Set(Object.values(clip.keys).flatMap((keys) => keys.map(({ time }) => time)));
  return [...times].sort((a, b) => a - b);
}

/** Selected keys in the order of groups and times. */
export function selectedKeys(
  { keys }: Clip,
  selected: ReadonlySet<string>,
): { readonly group: string; readonly key: ClipKey }[] {
  return Object.entries(keys).flatMap(([group, own]) =>
    own.filter(({ time }) => selected.has(keyId(group, time))).map((key) => ({ group, key })),
  );
}

/** Those of a selection that a clip has. */
export function stillSelected(clip: Clip, selected: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(selectedKeys(clip, selected).map(({ group, key }) => keyId(group, key.time)));
}

/** A time on its frame where it is near to one, not before the start, s: what moves forth and back is where it was, to the bit. */
function onFrame({ rate }: Pick<Clip, 'rate'>, time: number): number {
  const frame = Math.round(time * rate);
  return Math.max(0, Math.abs(frame - time * rate) < ON_FRAME ? frame / rate : time);
}

/** The nearest frame within the clip, s. */
export function nearestFrame({ rate, duration }: Pick<Clip, 'rate' | 'duration'>, time: number): number {
  const last = Math.floor(duration * rate + ON_FRAME);
  return Math.min(Math.max(Math.round(time * rate), 0), last) / rate;
}

/** Keys of groups at a time from a pose, clamped to the limits; in place of those that are there, with their interpolation. */
export function putKeys(
  clip: Clip,
  character: Character,
  time: number,
  pose: Numbers,
  groups: readonly string[],
  interpolation: Interpolation = 'auto',
): Clip {
  const allowed = Float64Array.from(pose);
  clampToLimits(character.figure, allowed);
  const at = Math.min(onFrame(clip, time), clip.duration);
  const put = jointGroups(character).flatMap(({ id, coordinates }) => {
    if (!groups.includes(id)) return [];
    const own = clip.keys[id] ?? [];
    const before = own.find((key) => key.time === at);
    const values = coordinates.map((n) => allowed[n]);
    const key: ClipKey = before === undefined ? { time: at, values, interpolation } : { ...before, values };
    return [[id, merged(own, [key])] as const];
  });
  return put.length === 0 ? clip : { ...clip, keys: { ...clip.keys, ...Object.fromEntries(put) } };
}

export function deleteKeys(clip: Clip, selected: ReadonlySet<string>): Clip {
  const left = changeKeys(clip, selected, () => []).clip;
  return hasKeys(left) ? left : { ...left, ground: 'flat' };
}

export function setInterpolation(
  clip: Clip,
  selected: ReadonlySet<string>,
  interpolation: Interpolation,
): Clip {
  return changeKeys(clip, selected, ({ tangent: _, ...key }) => [{ ...key, interpolation }]).clip;
}

/** Keys with rates of their own, per s. */
export function setTangents(
  clip: Clip,
  selected: ReadonlySet<string>,
  tangent: (group: string, key: ClipKey) => readonly number[],
): Clip {
  const keys = Object.entries(clip.keys).map(([group, own]) => {
    const free = (key: ClipKey): ClipKey =>
      selected.has(keyId(group, key.time))
        ? { ...key, interpolation: 'free', tangent: tangent(group, key) }
        : key;
    return [group, own.map(free)] as const;
  });
  return { ...clip, keys: Object.fromEntries(keys) };
}

/** Replaces the values of a key. */
export function setValues(clip: Clip, group: string, time: number, values: readonly number[]): Clip {
  const own = clip.keys[group]?.map((key) => (key.time === time ? { ...key, values } : key));
  return own === undefined ? clip : { ...clip, keys: { ...clip.keys, [group]: own } };
}

/** Moves keys in time, s, no further than to the ends of the clip; they replace those where they arrive. */
export function moveKeys(clip: Clip, selected: ReadonlySet<string>, by: number): KeyChange {
  const times = selectedKeys(clip, selected).map(({ key }) => key.time);
  if (times.length === 0) return { clip, selected };
  const first = times.reduce((a, b) => Math.min(a, b));
  const last = times.reduce((a, b) => Math.max(a, b));
  const shift = Math.min(Math.max(by, -first), Math.max(0, clip.duration - last));
  return changeKeys(clip, selected, (key) => [{ ...key, time: onFrame(clip, key.time + shift) }]);
}

/** Stretches keys about a time by a factor, within the clip. */
export function scaleKeys(
  clip: Clip,
  selected: ReadonlySet<string>,
  about: number,
  factor: number,
): KeyChange {
  return changeKeys(clip, selected, ({ tangent, ...key }) => {
    const time = onFrame(clip, about + factor * (key.time - about));
    return [
      {
        ...key,
        time: Math.min(time, Math.max(clip.duration, key.time)),
        ...(tangent && { tangent: tangent.map((rate) => rate / factor) }),
      },
    ];
  });
}

export function copyKeys(clip: Clip, selected: ReadonlySet<string>): CopiedKeys {
  const found = selectedKeys(clip, selected);
  const start = found.reduce((first, { key }) => Math.min(first, key.time), Infinity);
  const { joints, size } = clip;
  return { joints, size, keys: found.map(({ group, key }) => ({ ...key, group, time: key.time - start })) };
}

/** Keys from a time on, in place of those that are there; the clip lasts to the last. */
export function pasteKeys(clip: Clip, { joints, keys }: CopiedKeys, time: number): KeyChange {
  if (joints !== clip.joints || keys.length === 0) return { clip, selected: new Set() };
  const end = keys.reduce((last, key) => Math.max(last, time + key.time), clip.duration);
  const longer = { ...clip, duration: Math.min(end, CLIP_SECONDS.max) };
  const selected = new Set<string>();
  const pasted: Record<string, ClipKey[]> = {};
  for (const { group, ...key } of keys) {
    const at = onFrame(longer, time + key.time);
    pasted[group] ??= [];
    pasted[group].push({ ...key, time: at });
    selected.add(keyId(group, at));
  }
  const changed = Object.entries(pasted).map(([group, own]) => [group, merged(clip.keys[group] ?? [], own)]);
  return { clip: { ...longer, keys: { ...clip.keys, ...Object.fromEntries(changed) } }, selected };
}

/** Keys after the end are kept, and played again when the clip is longer. */
export function setDuration(clip: Clip, duration: number): Clip {
  if (!Number.isFinite(duration)) return clip;
  const within = Math.min(Math.max(duration, 1 / clip.rate), CLIP_SECONDS.max);
  return within === clip.duration ? clip : { ...clip, duration: within };
}

/** Frames a second of the ruler; keys stay at their times. */
export function setRate(clip: Clip, rate: number): Clip {
  if (!Number.isFinite(rate)) return clip;
  const within = Math.min(Math.max(Math.round(rate), CLIP_RATES.min), CLIP_RATES.max);
  return within === clip.rate ? clip : { ...clip, rate: within };
}

function changeKeys(
  clip: Clip,
  selected: ReadonlySet<string>,
  change: (key: ClipKey) => readonly ClipKey[],
): KeyChange {
  const next = new Set<string>();
  const keys = Object.entries(clip.keys).map(([group, own]) => {
    const isSelected = ({ time }: ClipKey) => selected.has(keyId(group, time));
    if (!own.some(isSelected)) return [group, own] as const;
    const changed = own.filter(isSelected).flatMap((key) => change(key));
    for (const { time } of changed) next.add(keyId(group, time));
    const left = own.filter((key) => !isSelected(key));
    return [group, merged(left, changed)] as const;
  });
  return { clip: { ...clip, keys: Object.fromEntries(keys) }, selected: next };
}

/** In the order of time; of two at one time the later of the second list stays. */
function merged(keys: readonly ClipKey[], others: readonly ClipKey[]): ClipKey[] {
  const byTime = new Map([...keys, ...others].map((key) => [key.time, key]));
  return [...byTime.values()].sort((a, b) => a.time - b.time);
}
