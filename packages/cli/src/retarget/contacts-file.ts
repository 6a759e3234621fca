/** Contacts of a clip from a file: `--contacts FILE.json`, as a report of `poise retarget` has them. */
import { FormatError } from 'poise';
import type { FootContact, HandContact } from 'poise/retarget';
import { readInput } from '../io/input.js';
import { jsonOf } from '../io/source.js';

/** A point of a foot or of a hand, in a report. */
export interface ContactSummary {
  readonly foot?: 'left' | 'right';
  readonly hand?: 'left' | 'right';
  readonly point: 'heel' | 'ball' | 'palm';
  /** First and last moment of each contact of the source, s. */
  readonly over: readonly (readonly [from: number, to: number])[];
  /** mm. */
  readonly sliding: number;
  readonly penetration: number;
  /** Share of the frames of contact that are kept, 0 to 1. */
  readonly kept: number;
}

/** The file that `--contacts` names; undefined for `found` and `none`. */
export function contactsPath({ contacts }: { readonly contacts?: string }): string | undefined {
  return contacts === 'found' || contacts === 'none' ? undefined : contacts;
}

/** Contacts, and where each stands in the file. */
export interface GivenContacts {
  readonly contacts: readonly (FootContact | HandContact)[];
  readonly places: readonly string[];
}

/** Members of a contact in a report: those beside `foot`, `hand`, `point` and `over` say what became of it. */
const MEMBERS: Readonly<Record<keyof ContactSummary, true>> = {
  foot: true,
  hand: true,
  point: true,
  over: true,
  sliding: true,
  penetration: true,
  kept: true,
};

const REMEDY =
  'Give what --report FILE.json or --json says: { "contacts": [{ "foot": "left", "point": "heel", "over": [[0.1, 0.5]] }, { "hand": "left", "over": [[1, 2]] }] }, in seconds.';

/** @throws FormatError `invalid-file` with the place. */
export async function readContacts(path: string): Promise<GivenContacts> {
  return contactsOfData(jsonOf(await readInput(path)), path);
}

/** The contacts of JSON that was read. @throws FormatError `invalid-file` with the place. */
export function contactsOfData(data: unknown, path: string): GivenContacts {
  const list = isObject(data) ? data.contacts : undefined;
  if (!Array.isArray(list)) throw invalid(path, 'has no list of contacts.');
  const found = list.flatMap((entry: unknown, k) => contactsOf(entry, `${path}#/contacts/${k}`));
  return { contacts: found.map(({ contact }) => contact), places: found.map(({ place }) => place) };
}

function contactsOf(
  entry: unknown,
  path: string,
): { readonly contact: FootContact | HandContact; readonly place: string }[] {
  if (!isObject(entry)) throw invalid(path, 'is no object.');
  const { foot, hand, point, over } = entry;
  const unknown = Object.keys(entry).find((key) => !Object.hasOwn(MEMBERS, key));
  if (unknown !== undefined) throw invalid(`${path}/${unknown}`, 'is no member of a contact.');
  if ((foot === undefined) === (hand === undefined))
    throw invalid(path, 'is of neither a foot nor a hand, or of both.');
  const side = foot ?? hand;
  if (side !== 'left' && side !== 'right')
    throw invalid(`${path}/${foot === undefined ? 'hand' : 'foot'}`, "is neither 'left' nor 'right'.");
  if (foot !== undefined && point !== 'heel' && point !== 'ball')
    throw invalid(`${path}/point`, "is neither 'heel' nor 'ball'.");
  if (hand !== undefined && point !== undefined && point !== 'palm')
    throw invalid(`${path}/point`, "is not 'palm'.");
  if (!Array.isArray(over)) throw invalid(`${path}/over`, 'is no list of spans.');
  return over.map((span: unknown, s) => {
    const place = `${path}/over/${s}`;
    if (!isSpan(span))
      throw invalid(place, 'is no span: two times in seconds, the first not above the second.');
    return {
      contact:
        foot === undefined
          ? { hand: side, over: span }
          : { foot: side, point: point as 'heel' | 'ball', over: span },
      place,
    };
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSpan(value: unknown): value is readonly [number, number] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every((x) => typeof x === 'number' && Number.isFinite(x)) &&
    value[0] <= value[1]
  );
}

function invalid(path: string, what: string): FormatError {
  return new FormatError('invalid-file', what, { path, remedy: REMEDY });
}
