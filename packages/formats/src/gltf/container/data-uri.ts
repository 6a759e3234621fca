/** `data:` addresses (RFC 2397) and base64 (RFC 4648). Own code, since not every type library declares `atob`. */
import { decodeUtf8, encodeUtf8 } from '../../text/utf8.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Value of each base64 digit by character code, else 255. Includes the URL-safe digits - and _. */
const digitValue = /* @__PURE__ */ (() => {
  const values = new Uint8Array(128).fill(255);
  for (let i = 0; i < 64; i++) values[alphabet.charCodeAt(i)] = i;
  values['-'.charCodeAt(0)] = 62;
  values['_'.charCodeAt(0)] = 63;
  return values;
})();

/** Content of a `data:` address. */
export interface DataUri {
  /** Media type as written, e.g. `image/png`; empty when absent. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** True for a `data:` address; the scheme's case does not matter. */
export function isDataUri(uri: string): boolean {
  return /^data:/i.test(uri);
}

/** Content of a `data:` address, or undefined when it is malformed. */
export function parseDataUri(uri: string): DataUri | undefined {
  const comma = uri.indexOf(',');
  if (!isDataUri(uri) || comma < 0) return undefined;
  const [mediaType, ...parameters] = uri.slice(5, comma).split(';');
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64');
  const body = uri.slice(comma + 1);
  const bytes = isBase64 ? decodeBase64(body) : decodePercent(body);
  return bytes && { mediaType: mediaType.trim().toLowerCase(), bytes };
}

/** A `data:` address in base64. */
export function formatDataUri(mediaType: string, bytes: Uint8Array): string {
  return `data:${mediaType};base64,${encodeBase64(bytes)}`;
}

/** Bytes of base64 text (padding optional, white space skipped), or undefined when it is malformed. */
export function decodeBase64(text: string): Uint8Array | undefined {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '=' || isSpace(text.charCodeAt(end - 1)))) end--;
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  let accumulator = 0;
  let bits = 0;
  let length = 0;
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? digitValue[code] : 255;
    if (value === 255) {
      if (isSpace(code)) continue;
      return undefined;
    }
    accumulator = ((accumulator << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = (accumulator >> bits) & 0xff;
    }
  }
  // Six remaining bits are a digit without a byte.
  return bits >= 6 ? undefined : bytes.subarray(0, length);
}

/** Base64 text of bytes, padded. */
export function encodeBase64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  let chunk = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = (bytes[i] << 16) | ((left > 1 ? bytes[i + 1] : 0) << 8) | (left > 2 ? bytes[i + 2] : 0);
    chunk += alphabet[word >> 18] + alphabet[(word >> 12) & 63];
    chunk += left > 1 ? alphabet[(word >> 6) & 63] : '=';
    chunk += left > 2 ? alphabet[word & 63] : '=';
    if (chunk.length >= 0x2000) {
      chunks.push(chunk);
      chunk = '';
    }
  }
  chunks.push(chunk);
  return chunks.join('');
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** Bytes of percent-encoded text; characters outside ASCII stand for their UTF-8 bytes. */
function decodePercent(text: string): Uint8Array | undefined {
  const source = encodeUtf8(text);
  const bytes = new Uint8Array(source.length);
  let length = 0;
  for (let i = 0; i < source.length; i++) {
    if (source[i] !== 0x25) {
      bytes[length++] = source[i];
      continue;
    }
    const pair = decodeUtf8(source.subarray(i + 1, i + 3).filter((byte) => byte < 128));
    if (!/^[0-9a-fA-F]{2}$/.test(pair)) return undefined;
    bytes[length++] = Number.parseInt(pair, 16);
    i += 2;
  }
  return bytes.subarray(0, length);
}
