/** UTF-8 in and out, through the platform's own coders: they stand in every browser and in Node, under no shared type library. */

interface Coders {
  readonly TextDecoder: new (
    label: string,
    options: { fatal: boolean },
  ) => { decode(bytes: Uint8Array): string };
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
}

const coders = globalThis as unknown as Coders;

/**
 * Text of UTF-8 bytes; a byte-order mark is dropped.
 * @throws TypeError (the platform's) when the bytes are not UTF-8.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return new coders.TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array {
  return new coders.TextEncoder().encode(text);
}
