import { createHash } from 'node:crypto';

/** Digests of one golden entry: numbers and words separately, so that a renamed status changes the words only. */
export interface Digest {
  readonly numbers: string;
  /** Undefined where there are none. */
  readonly words: string | undefined;
}

/** Adds values to the digest, in order. */
export type Take = (...values: readonly unknown[]) => void;

/** The digest of all that `fill` takes. */
export function digestOf(fill: (take: Take) => void): Digest {
  const numbers = createHash('sha256');
  const words = createHash('sha256');
  let spoken = false;
  fill((...values) => {
    for (const value of values) {
      numbers.update(numbersOf(value) ?? '-');
      const said = wordsOf(value);
      if (said !== undefined) spoken = true;
      words.update(said ?? '-');
    }
  });
  return { numbers: short(numbers.digest('hex')), words: spoken ? short(words.digest('hex')) : undefined };
}

const short = (hex: string): string => hex.slice(0, 24);
const sha = (of: string | Uint8Array): string => createHash('sha256').update(of).digest('hex');

/**
 * Hash of the numbers in a value, their bits as they are; undefined where it has none. Of the fields of an object neither names nor order count.
 */
function numbersOf(value: unknown): string | undefined {
  if (typeof value === 'number') return bitsOf([value]);
  if (typeof value === 'boolean') return bitsOf([value ? 1 : 0]);
  if (typeof value !== 'object' || value === null) return undefined;
  if (isNumbers(value)) return bitsOf(value);
  const texts = entriesOf(value).map(([, item]) => numbersOf(item));
  if (Array.isArray(value)) {
    return texts.every((item) => item === undefined)
      ? undefined
      : sha(texts.map((item) => item ?? '-').join());
  }
  const found = texts.filter((item) => item !== undefined).sort();
  return found.length === 0 ? undefined : sha(found.join());
}

/** The words in a value, with the names of the fields that they are in; undefined where it has none. */
function wordsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null || isNumbers(value)) return undefined;
  const texts = entriesOf(value).map(([name, item]) => [name, wordsOf(item)] as const);
  if (texts.every(([, item]) => item === undefined)) return undefined;
  if (Array.isArray(value)) return `[${texts.map(([, item]) => item ?? '-').join()}]`;
  const found = texts.filter(([, item]) => item !== undefined).map(([name, item]) => `${name}:${item}`);
  return `{${found.sort().join()}}`;
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  if (value instanceof Set) return [...value].sort().map((each) => ['', each]);
  return Object.entries(value);
}

function isNumbers(value: object): value is ArrayLike<number> {
  if (ArrayBuffer.isView(value)) return true;
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'number');
}

const NOT_A_NUMBER = [0, 0, 0, 0, 0, 0, 0xf8, 0x7f];

/** Eight bytes a number, little endian; one pattern for all that is not a number. */
function bitsOf(numbers: ArrayLike<number>): string {
  const bytes = new Uint8Array(8 * numbers.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < numbers.length; i++) {
    if (Number.isNaN(numbers[i])) bytes.set(NOT_A_NUMBER, 8 * i);
    else view.setFloat64(8 * i, numbers[i], true);
  }
  return sha(bytes);
}
