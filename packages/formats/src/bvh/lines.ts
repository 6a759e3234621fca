/** Lines of a file and the numbers on them, read from its bytes: a text of a long file takes longer to make than to read. */
import { isDecimal } from '../text/decimal.js';
import { decimalQuotient, EXACT_POWERS, LOW, MAX_DIGITS } from '../text/decimal-quotient.js';
import { decodeUtf8, textOf } from '../text/utf8.js';

/** A line with something on it: where it starts and ends among the bytes, and its number, counted from 1. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

const SPACE = 32;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const LOWER_E = 101;
const LOWER_M = 109;
const FIRST_NON_ASCII = 128;
/** Digits of an integer that fits 32 bits, signed. */
const SHORT_DIGITS = 9;
/** Digits of the lower part of an integer in two parts. */
const LOW_DIGITS = 8;

/**
 * The lines of a file up to MOTION, and where the line after it starts: undefined where nothing is after it.
 * @throws FormatError `invalid-file` for bytes that are not UTF-8.
 */
export function linesToMotion(
  bytes: Uint8Array,
  source: string,
): {
  readonly lines: string[];
  readonly motion: number | undefined;
} {
  const cursor = { at: 0, number: 0 };
  for (let line = nextLine(bytes, cursor, source); line; line = nextLine(bytes, cursor, source)) {
    if (line.end < bytes.length && isMotion(bytes, line, source)) {
      return { lines: linesOf(bytes.subarray(0, line.end), source), motion: cursor.at };
    }
  }
  return { lines: linesOf(bytes, source), motion: undefined };
}

function linesOf(bytes: Uint8Array, source: string): string[] {
  return textOf(bytes, source).split(/\r\n|\n|\r/);
}

function isMotion(bytes: Uint8Array, line: TextLine, source: string): boolean {
  let i = line.start;
  while (isSpace(bytes[i])) i++;
  const isCandidate = bytes[i] >= FIRST_NON_ASCII || (bytes[i] | SPACE) === LOWER_M;
  return isCandidate && /^\s*MOTION\s*$/i.test(textOfLine(bytes, line, source));
}

/** @throws FormatError as {@link linesToMotion}. */
export function textOfLine(bytes: Uint8Array, { start, end }: TextLine, source: string): string {
  return textOf(bytes.subarray(start, end), source);
}

/** Where the next character is that is neither a space nor the end of a line. */
export function skipBlank(bytes: Uint8Array, at: number): number {
  let i = at;
  for (; i < bytes.length; i++) {
    const c = bytes[i];
    if (c !== LINE_FEED && c !== CARRIAGE_RETURN && !isSpace(c)) break;
  }
  return i;
}

/**
 * The next line that is not blank; the cursor is then behind it. At the end its number is that of the last line.
 * @throws FormatError as {@link linesToMotion}.
 */
export function nextLine(
  bytes: Uint8Array,
  cursor: { at: number; number: number },
  source: string,
): TextLine | undefined {
  while (cursor.at <= bytes.length) {
    const start = cursor.at;
    let end = start;
    let isBlank = true;
    let isAscii = true;
    for (; end < bytes.length; end++) {
      const c = bytes[end];
      if (c === LINE_FEED || c === CARRIAGE_RETURN) break;
      if (c >= FIRST_NON_ASCII) isAscii = false;
      else if (!isSpace(c)) isBlank = false;
    }
    if (isBlank && !isAscii) isBlank = textOf(bytes.subarray(start, end), source).trim() === '';
    const isPair = bytes[end] === CARRIAGE_RETURN && bytes[end + 1] === LINE_FEED;
    cursor.at = end + (isPair ? 2 : 1);
    cursor.number++;
    if (!isBlank) return { start, end, number: cursor.number };
  }
  return undefined;
}

/** White space in a line: space, tab, vertical tab, form feed. */
function isSpace(c: number): boolean {
  return c === SPACE || c === 9 || c === 11 || c === 12;
}

/** Bytes whose last line has an end, without which {@link readRow} does not read it; a copy where it has none. */
export function withLastEnd(bytes: Uint8Array): Uint8Array {
  const last = bytes[bytes.length - 1];
  if (last === LINE_FEED || last === CARRIAGE_RETURN) return bytes;
  const copy = new Uint8Array(bytes.length + 1);
  copy.set(bytes);
  copy[bytes.length] = LINE_FEED;
  return copy;
}

/**
 * The numbers of a line. Those of the form `-12.345` are an integer by a power of ten: where a double has both exactly, their quotient is the nearest
 * double (Clinger, *How to Read Floating Point Numbers Accurately*, 1990). Others go through their text.
 *
 * @param bytes - The line has an end: no character is asked whether it is the last one.
 * @returns where the line ends; -1 where there is another word, or not as many numbers as wanted.
 */
export function readRow(bytes: Uint8Array, at: number, count: number, out: Float64Array, o: number): number {
  let i = at;
  for (let k = 0; k < count; k++) {
    let c = bytes[i];
    while (c <= SPACE && isSpace(c)) c = bytes[++i];
    const word = i;
    const isNegative = c === MINUS;
    if (isNegative || c === PLUS) c = bytes[++i];
    // Modulo 2^32 until it is known that the digits are few enough.
    let integer = 0;
    let digit = c - ZERO;
    const first = i;
    for (; digit >= 0 && digit <= 9; digit = bytes[++i] - ZERO)
      integer = (Math.imul(integer, 10) + digit) | 0;
    let digits = i - first;
    let decimals = 0;
    if (digit === POINT - ZERO) {
      const point = ++i;
      digit = bytes[i] - ZERO;
      for (; digit >= 0 && digit <= 9; digit = bytes[++i] - ZERO)
        integer = (Math.imul(integer, 10) + digit) | 0;
      decimals = i - point;
      digits += decimals;
    }
    if (digits > 0 && digits <= SHORT_DIGITS && isWordEnd(digit + ZERO)) {
      const value = integer / EXACT_POWERS[decimals];
      out[o + k] = isNegative ? -value : value;
    } else {
      const mantissaEnd = i;
      while (!isWordEnd(bytes[i])) i++;
      const value =
        digits > 0 ? longNumber(bytes, word, mantissaEnd, i, decimals) : wordNumber(bytes, word, i);
      if (value === undefined) return -1;
      out[o + k] = value;
    }
  }
  for (; isSpace(bytes[i]); i++);
  return isWordEnd(bytes[i]) ? i : -1;
}

/** Whether a character is white space or the end of a line. */
function isWordEnd(c: number): boolean {
  return c <= SPACE && (c === SPACE || c === LINE_FEED || c === CARRIAGE_RETURN || isSpace(c));
}

/** A number of many digits or with an exponent, its word of the form `-12.345e-6`; undefined for another word. */
function longNumber(
  bytes: Uint8Array,
  start: number,
  mantissaEnd: number,
  end: number,
  decimals: number,
): number | undefined {
  // The number is an integer by 10^power.
  const power = decimals - exponentOf(bytes, mantissaEnd, end);
  if (!(Math.abs(power) < EXACT_POWERS.length)) return wordNumber(bytes, start, end);
  let first = start;
  while (first < mantissaEnd && !(bytes[first] > ZERO)) first++;
  const hasPoint = first < mantissaEnd - decimals && bytes[mantissaEnd - decimals - 1] === POINT;
  const count = mantissaEnd - first - (hasPoint ? 1 : 0);
  if (count > MAX_DIGITS) return wordNumber(bytes, start, end);
  let high = 0;
  let low = 0;
  let left = count;
  for (let i = first; i < mantissaEnd; i++) {
    if (bytes[i] === POINT) continue;
    if (left > LOW_DIGITS) high = 10 * high + bytes[i] - ZERO;
    else low = 10 * low + bytes[i] - ZERO;
    left--;
  }
  const integer = high * LOW + low;
  let value: number;
  if (integer > Number.MAX_SAFE_INTEGER) value = power < 0 ? Number.NaN : decimalQuotient(high, low, power);
  else value = power < 0 ? integer * EXACT_POWERS[-power] : integer / EXACT_POWERS[power];
  if (Number.isNaN(value)) return wordNumber(bytes, start, end);
  return bytes[start] === MINUS ? -value : value;
}

/** The exponent at the end of a word: 0 without one, NaN where there is something else. */
function exponentOf(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return 0;
  let i = start + 1;
  const isNegative = bytes[i] === MINUS;
  if (isNegative || bytes[i] === PLUS) i++;
  if ((bytes[start] | SPACE) !== LOWER_E || i === end) return Number.NaN;
  let exponent = 0;
  for (; i < end; i++) {
    const digit = bytes[i] - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    exponent = 10 * exponent + digit;
  }
  return isNegative ? -exponent : exponent;
}

/** The number that a word is; undefined where it is none, or not finite. */
function wordNumber(bytes: Uint8Array, start: number, end: number): number | undefined {
  for (let i = start; i < end; i++) if (bytes[i] >= FIRST_NON_ASCII) return undefined;
  const text = decodeUtf8(bytes.subarray(start, end));
  const value = isDecimal(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
