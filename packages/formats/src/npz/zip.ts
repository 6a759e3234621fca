/** ZIP archives whose entries are stored, not compressed: what `numpy.savez` writes. */

import { fail } from '../text/json-checks.js';
import { encodeUtf8 } from '../text/utf8.js';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_SIZE = 22;
/** 1980-01-01, the first date of the format: the same archive gives the same bytes. */
const DATE = 0x21;

/** Whether bytes begin as an archive does. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === LOCAL;
}

/**
 * Entries of an archive by name, as views of its bytes.
 *
 * @throws FormatError `invalid-file`, `unsupported` for compressed entries.
 */
export function readZip(bytes: Uint8Array, source: string): ReadonlyMap<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(view, source);
  const count = view.getUint16(end + 10, true);
  let o = view.getUint32(end + 16, true);
  const entries = new Map<string, Uint8Array>();
  for (let k = 0; k < count; k++) {
    if (o + 46 > end || view.getUint32(o, true) !== CENTRAL)
      damaged(source, 'its list of entries is damaged');
    const method = view.getUint16(o + 10, true);
    const size = view.getUint32(o + 24, true);
    const nameSize = view.getUint16(o + 28, true);
    const skipped = view.getUint16(o + 30, true) + view.getUint16(o + 32, true);
    const start = view.getUint32(o + 42, true);
    if (o + 46 + nameSize > end) damaged(source, 'its list of entries is damaged');
    let name = '';
    for (let n = 0; n < nameSize; n++) name += String.fromCharCode(bytes[o + 46 + n]);
    o += 46 + nameSize + skipped;
    if (method !== 0) {
      fail(
        'unsupported',
        `${source}#/${name}`,
        'is compressed.',
        'Save it with numpy.savez, not savez_compressed.',
      );
    }
    if (start + 30 > bytes.length || view.getUint32(start, true) !== LOCAL)
      damaged(source, `the entry ${name} is damaged`);
    const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    if (from + size > bytes.length) damaged(source, `the entry ${name} is cut off`);
    entries.set(name, bytes.subarray(from, from + size));
  }
  return entries;
}

/** Offset of the end record, which a comment of up to 65,535 bytes may follow. */
function endOf(view: DataView, source: string): number {
  const last = view.byteLength - END_SIZE;
  for (let o = last; o >= Math.max(0, last - 0xffff); o--) if (view.getUint32(o, true) === END) return o;
  return damaged(source, 'it has no end: it is cut off');
}

function damaged(source: string, what: string): never {
  return fail(
    'invalid-file',
    source,
    `is no ZIP archive that can be read: ${what}.`,
    'Write the file again.',
  );
}

/** An archive of stored entries. */
export function writeZip(entries: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const names = [...entries.keys()].map(encodeUtf8);
  const contents = [...entries.values()];
  const length = contents.reduce(
    (sum, content, k) => sum + content.length + 76 + 2 * names[k].length,
    END_SIZE,
  );
  const out = new Uint8Array(length);
  const view = new DataView(out.buffer);
  const starts: number[] = [];
  const checksums = contents.map(crc32);
  let o = 0;
  /** Version, flags, method, time and date, checksum, sizes, and size of the name: the same in both headers. */
  const writeHeader = (k: number): void => {
    view.setUint16(o, 20, true);
    view.setUint16(o + 8, DATE, true);
    view.setUint32(o + 10, checksums[k], true);
    view.setUint32(o + 14, contents[k].length, true);
    view.setUint32(o + 18, contents[k].length, true);
    view.setUint16(o + 22, names[k].length, true);
    o += 26;
  };
  contents.forEach((content, k) => {
    starts.push(o);
    view.setUint32(o, LOCAL, true);
    o += 4;
    writeHeader(k);
    out.set(names[k], o);
    out.set(content, o + names[k].length);
    o += names[k].length + content.length;
  });
  const directory = o;
  contents.forEach((_, k) => {
    view.setUint32(o, CENTRAL, true);
    view.setUint16(o + 4, 20, true);
    o += 6;
    writeHeader(k);
    view.setUint32(o + 10, starts[k], true);
    o += 14;
    out.set(names[k], o);
    o += names[k].length;
  });
  view.setUint32(o, END, true);
  view.setUint16(o + 8, contents.length, true);
  view.setUint16(o + 10, contents.length, true);
  view.setUint32(o + 12, o - directory, true);
  view.setUint32(o + 16, directory, true);
  return out;
}

/** CRC-32 of ISO 3309. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]) & 0xff];
  return ~crc >>> 0;
}

const TABLE = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});
