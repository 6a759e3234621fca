/** Text of a file that is given as text or as bytes. */
import { fail } from './json-checks.js';
import { decodeUtf8 } from './utf8.js';

/**
 * Text of a file, from text or UTF-8 bytes; a byte-order mark is dropped.
 * @throws FormatError `invalid-file`.
 */
export function textOf(input: string | Uint8Array | ArrayBuffer, source: string): string {
  if (typeof input === 'string') return input.charCodeAt(0) === 0xfeff ? input.slice(1) : input;
  try {
    return decodeUtf8(input instanceof Uint8Array ? input : new Uint8Array(input));
  } catch {
    return fail('invalid-file', source, 'is not UTF-8 text.', 'Save the file as UTF-8.');
  }
}
