/** Reads data of anybody as a project: every value is checked, nothing else is taken over. */
import { FormatError } from 'poise';
import type { LimitData } from 'poise/figure';
import { DETAIL_BONES, HUMAN_BONES, type HumanBoneMap } from 'poise/humanoid';
import { CLIP_RATES, CLIP_SECONDS, GROUND_IDS, INTERPOLATIONS } from '../../animate/clip/bounds.js';
import type { Clip, ClipContact, ClipKey, ImportedClip } from '../../animate/clip/clip.js';
import { type CharacterFile, HEIGHTS } from '../../character/character.js';
import { CHARACTER_FILES, endingOf } from '../../character/files.js';
import type { Holds } from '../../character/handles.js';
import type { Document, NamedPose, Pin, SessionState } from '../../document/document.js';
import {
  type CharacterData,
  PROJECT_FORMAT,
  PROJECT_VERSION,
  type ProjectData,
  type ProjectSettings,
} from './project.js';

/** Longest name that is taken, characters, and most numbers of a pose: readers of characters have less bones. */
const LONGEST_NAME = 1000;
const MOST_COORDINATES = 100_000;
/** Of numbers that place and turn a character: its metres, turns and seconds are far below. */
const LARGEST_NUMBER = 1e6;
/** Sizes of the character of a clip, m. */
const SIZES = { min: 1e-3, max: 1e6 };
const HOLDS: readonly Holds[] = ['place', 'rotation', 'both'];
const HUMANS: readonly string[] = [...HUMAN_BONES, ...DETAIL_BONES];

/** A value and where it stands, for errors. */
interface At {
  readonly value: unknown;
  readonly path: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * A project of plain data.
 *
 * @param value - An object; contents of files are bytes.
 * @param source - Name of the file, for errors.
 * @throws FormatError for what is no project, or of a newer studio, or damaged: with the place.
 */
export function checkProject(value: unknown, source: string): ProjectData {
  if (!isFields(value) || value.format !== PROJECT_FORMAT) {
    throw new FormatError('invalid-file', 'is no project of the studio.', {
      path: source,
      remedy: 'Give a file that "Save project" wrote.',
    });
  }
  if (value.version !== PROJECT_VERSION) {
    throw new FormatError('unsupported', 'was saved by a newer studio.', {
      path: source,
      remedy: 'Load this page again while you are online, then open it.',
    });
  }
  const at = (name: string): At => ({ value: value[name], path: `${source}#${name}` });
  const plain = Object.fromEntries(
    Object.entries(PLAIN).map(([name, check]) => [name, check(at(name))]),
  ) as unknown as Plain;
  return {
    character: character(at('character')),
    limits: limits(at('limits')),
    pose: numbers(at('pose')),
    pins: pins(at('pins')),
    gaze: isAbsent(at('gaze')) ? undefined : numbers(at('gaze'), 3),
    ...plain,
    settings: settings(at('settings')),
  };
}

type Plain = Omit<Document, keyof SessionState>;

/** How each field of a document is read that is in no session: one for each, so that none is left out of a file. */
const PLAIN: { readonly [K in keyof Plain]-?: (at: At) => Plain[K] } = {
  poses: (at) =>
    items(at).map((each): NamedPose => {
      const one = fieldsOf(each);
      return { name: name(one('name')), pose: numbers(one('pose')) };
    }),
  clip: (at) => (isAbsent(at) ? undefined : clip(at)),
};

function character(at: At): CharacterData {
  const field = fieldsOf(at);
  const type = oneOf(field('type'), ['human', 'made', 'file'] as const);
  if (type === 'human') return { type, height: within(field('height'), HEIGHTS.min, HEIGHTS.max) };
  if (type === 'made') return { type, name: name(field('name')) };
  const files = items(field('files')).map((each): CharacterFile => {
    const file = fieldsOf(each);
    return { name: name(file('name')), bytes: bytes(file('bytes')) };
  });
  if (files.length === 0 || !CHARACTER_FILES.includes(endingOf(files[0].name)))
    throw damaged(field('files'), 'hold no character');
  return { type, files, bones: bones(field('bones')) };
}

function bones(at: At): HumanBoneMap<string | null> {
  if (at.value === undefined) return {};
  return Object.fromEntries(
    entries(at).map(([human, each]) => [
      oneOf({ value: human, path: each.path }, HUMANS),
      each.value === null ? null : name(each),
    ]),
  );
}

/** What a limit may be is checked where the character gets it; here, that it is of plain numbers and words. */
function limits(at: At): Record<string, LimitData> {
  if (isAbsent(at)) return {};
  return Object.fromEntries(
    entries(at).map(([bone, each]) => {
      fieldsOf(each);
      return [bone, plainData(each) as unknown as LimitData];
    }),
  );
}

function plainData(at: At): unknown {
  const { value, path } = at;
  // An end that is open.
  if (value === null) return null;
  if (typeof value === 'string') return name(at);
  if (Array.isArray(value)) return numbers(at);
  if (isFields(value)) return Object.fromEntries(entries(at).map(([key, each]) => [key, plainData(each)]));
  return number({ value, path });
}

function pins(at: At): Record<string, Pin> {
  return Object.fromEntries(
    entries(at).map(([id, each]): [string, Pin] => {
      const pin = fieldsOf(each);
      return [
        id,
        {
          holds: oneOf(pin('holds'), HOLDS),
          target: numbers(pin('target'), 3),
          orientation: unit(pin('orientation')),
        },
      ];
    }),
  );
}

function settings(at: At): ProjectSettings {
  const field = fieldsOf(at);
  return {
    ground: flag(field('ground')),
    balance: flag(field('balance')),
    apart: !isAbsent(field('apart')) && flag(field('apart')),
    limits: flag(field('limits')),
  };
}

function clip(at: At): Clip {
  const field = fieldsOf(at);
  const duration = within(field('duration'), 0, CLIP_SECONDS.max);
  if (duration === 0) throw damaged(field('duration'), 'is no length');
  const imported = field('imported');
  const ground = field('ground');
  return {
    duration,
    rate: within(field('rate'), CLIP_RATES.min, CLIP_RATES.max),
    joints: text(field('joints')),
    size: within(field('size'), SIZES.min, SIZES.max),
    base: numbers(field('base')),
    keys: Object.fromEntries(entries(field('keys')).map(([group, each]) => [group, keys(each)])),
    imported: isAbsent(imported) ? undefined : importedClip(imported),
    ground: isAbsent(ground) ? 'flat' : oneOf(ground, GROUND_IDS),
  };
}

/** In the order of time, no two at one. */
function keys(at: At): ClipKey[] {
  const read = items(at).map((each): ClipKey => {
    const key = fieldsOf(each);
    const values = numbers(key('values'));
    const interpolation = oneOf(key('interpolation'), INTERPOLATIONS);
    return {
      time: within(key('time'), 0, CLIP_SECONDS.max),
      values,
      interpolation,
      ...(interpolation === 'free' && { tangent: numbers(key('tangent'), values.length) }),
    };
  });
  for (let k = 1; k < read.length; k++)
    if (read[k].time <= read[k - 1].time) throw damaged(at, 'are out of order');
  return read;
}

function importedClip(at: At): ImportedClip {
  const field = fieldsOf(at);
  const sliding = field('sliding');
  const size = fieldsOf(isAbsent(sliding) ? { ...sliding, value: {} } : sliding);
  const lost = field('lost');
  const positive = (each: At) => within(each, 0, LARGEST_NUMBER);
  return {
    name: name(field('name')),
    sliding: isAbsent(sliding)
      ? undefined
      : { most: positive(size('most')), median: positive(size('median')) },
    deviation: positive(field('deviation')),
    ...(!isAbsent(lost) && { lost: positive(lost) }),
    contacts: items(field('contacts')).map((each): ClipContact => {
      const contact = fieldsOf(each);
      return { label: name(contact('label')), from: number(contact('from')), to: number(contact('to')) };
    }),
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAbsent({ value }: At): boolean {
  return value === undefined || value === null;
}

function fieldsOf({ value, path }: At): (name: string) => At {
  if (!isFields(value)) throw damaged({ value, path }, 'is no object');
  return (name) => ({ value: Object.hasOwn(value, name) ? value[name] : undefined, path: `${path}.${name}` });
}

function entries({ value, path }: At): [string, At][] {
  if (!isFields(value)) throw damaged({ value, path }, 'is no object');
  return Object.entries(value).map(([key, each]) => {
    if (key.length > LONGEST_NAME) throw damaged({ value, path }, 'has a name that is too long');
    return [key, { value: each, path: `${path}.${key}` }];
  });
}

function items({ value, path }: At): At[] {
  if (!Array.isArray(value)) throw damaged({ value, path }, 'is no list');
  return value.map((each, k) => ({ value: each, path: `${path}[${k}]` }));
}

function numbers(at: At, length?: number): number[] {
  const { value } = at;
  if (!Array.isArray(value) || value.length > MOST_COORDINATES || !value.every(isNumber))
    throw damaged(at, 'is no list of numbers');
  if (length !== undefined && value.length !== length) throw damaged(at, `has not ${length} numbers`);
  return value.slice();
}

function unit(at: At): number[] {
  const given = numbers(at, 4);
  if (Math.abs(Math.hypot(...given) - 1) > 1e-6) throw damaged(at, 'is no rotation');
  return given;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= LARGEST_NUMBER;
}

function number(at: At): number {
  if (!isNumber(at.value)) throw damaged(at, 'is no number');
  return at.value;
}

function within(at: At, least: number, most: number): number {
  const value = number(at);
  if (value < least || value > most) throw damaged(at, `is not between ${least} and ${most}`);
  return value;
}

function flag(at: At): boolean {
  if (typeof at.value !== 'boolean') throw damaged(at, 'is neither on nor off');
  return at.value;
}

function text(at: At): string {
  if (typeof at.value !== 'string') throw damaged(at, 'is no text');
  return at.value;
}

function name(at: At): string {
  const value = text(at);
  if (value.length > LONGEST_NAME) throw damaged(at, 'is too long');
  return value;
}

function oneOf<T extends string>(at: At, words: readonly T[]): T {
  const found = words.find((word) => word === at.value);
  if (found === undefined) throw damaged(at, 'is none that this studio has');
  return found;
}

function bytes(at: At): Uint8Array<ArrayBuffer> {
  if (!(at.value instanceof Uint8Array) || !(at.value.buffer instanceof ArrayBuffer))
    throw damaged(at, 'is no content of a file');
  return at.value as Uint8Array<ArrayBuffer>;
}

function damaged({ path }: At, what: string): FormatError {
  return new FormatError('invalid-file', `${what}: the project is damaged.`, {
    path,
    remedy: 'Open an earlier copy of it.',
  });
}
