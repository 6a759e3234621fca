/** UTF-8 with the platform's TextDecoder and TextEncoder: browsers and Node have both, but no common type library declares them. */
import { fail } from './json-checks.js';

interface Coders {
  readonly TextDecoder: new (
    label: string,
    options: { fatal: boolean },
  ) => { decode(bytes: Uint8Array): string };
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
}

const coders = globalThis as unknown as Coders;
/** Made once: words of long files are decoded one by one. */
let decoder: InstanceType<Coders['TextDecoder']> | undefined;

/**
 * Text of UTF-8 bytes; a byte-order mark is dropped.
 * @throws TypeError (the platform's) when the bytes are not UTF-8.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  decoder ??= new coders.TextDecoder('utf-8', { fatal: true });
  return decoder.decode(bytes);
}

/** UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array {
  return new coders.TextEncoder().encode(text);
}

/**
 * Text of a file given as text or UTF-8 bytes; a byte-order mark is dropped.
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

/** UTF-8 bytes of a file given as text or as such bytes, which are not copied and may be of another encoding; a byte-order mark is dropped. */
export function bytesOf(input: string | Uint8Array | ArrayBuffer): Uint8Array {
  const bytes =
    typeof input === 'string'
      ? encodeUtf8(input)
      : input instanceof Uint8Array
        ? input
        : new Uint8Array(input);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
