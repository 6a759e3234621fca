/** Embeds external files into a document: in one BIN chunk, or as data addresses. */
import { arrayAt, countAt, type JsonObject, objectAt, optionalTextAt } from '../../text/json-checks.js';
import { type GltfDocument, loadUri } from './container.js';
import { formatDataUri, isDataUri, parseDataUri } from './data-uri.js';

/** New top-level members, and the BIN chunk if there is one. */
export interface Embedded {
  readonly top: ReadonlyMap<string, readonly unknown[]>;
  readonly binary?: Uint8Array;
}

/** Extensions of a bufferView that name a buffer and an offset of their own. */
const viewExtensions = ['EXT_meshopt_compression', 'KHR_meshopt_compression'];

/**
 * Concatenates all buffers (each at a multiple of 4, so that accessors keep their alignment), then all
 * images with an address. `bufferViews` are moved by the offset of their buffer; every other member of buffers,
 * bufferViews and images is kept. Buffers without content (an extension's fallback) follow the merged one.
 */
export function embedInBinary(document: GltfDocument): Embedded {
  const { source, buffers } = document;
  const chunks: { bytes: Uint8Array; offset: number }[] = [];
  let length = 0;
  const append = (bytes: Uint8Array): number => {
    const offset = Math.ceil(length / 4) * 4;
    chunks.push({ bytes, offset });
    length = offset + bytes.length;
    return offset;
  };

  const oldBuffers = entries(document, 'buffers');
  const offsets = buffers.map((buffer) =>
    buffer.bytes ? append(buffer.bytes.subarray(0, buffer.byteLength)) : 0,
  );
  const empty = oldBuffers.filter((_, i) => !buffers[i].bytes);
  const filled = oldBuffers.filter((_, i) => buffers[i].bytes);
  let emptyCount = 0;
  const newIndex = buffers.map((buffer) => (buffer.bytes ? 0 : ++emptyCount));

  const move = (view: JsonObject, path: string): JsonObject => {
    const index = countAt(view.buffer, `${path}/buffer`);
    const byteOffset = countAt(view.byteOffset, `${path}/byteOffset`, 0) + (offsets[index] ?? 0);
    const { byteOffset: _, ...rest } = view;
    return { ...rest, buffer: newIndex[index] ?? index, ...(byteOffset > 0 && { byteOffset }) };
  };
  const views: JsonObject[] = entries(document, 'bufferViews').map((view, i) => {
    const path = `${source}#/bufferViews/${i}`;
    const moved = move(view, path);
    if (view.extensions === undefined) return moved;
    const extensions: Record<string, unknown> = { ...objectAt(view.extensions, `${path}/extensions`) };
    for (const name of viewExtensions) {
      const at = `${path}/extensions/${name}`;
      if (extensions[name] !== undefined) extensions[name] = move(objectAt(extensions[name], at), at);
    }
    return { ...moved, extensions };
  });

  let newImages = 0;
  const viewOfUri = new Map<unknown, number>();
  const images = entries(document, 'images').map((image, i) => {
    const content = imageContent(document, image, i);
    if (!content) return image;
    newImages++;
    const { uri, ...rest } = image;
    const bufferView = viewOfUri.get(uri) ?? views.length;
    if (bufferView === views.length)
      views.push({ buffer: 0, byteOffset: append(content.bytes), byteLength: content.bytes.length });
    viewOfUri.set(uri, bufferView);
    return { ...rest, bufferView, mimeType: content.mediaType };
  });

  const top = new Map<string, readonly unknown[]>();
  if (chunks.length === 0) return { top };
  const { uri: _, ...only } = filled.length === 1 ? filled[0] : ({} as JsonObject);
  top.set('buffers', [{ ...only, byteLength: length }, ...empty]);
  if (views.length > 0) top.set('bufferViews', views);
  if (newImages > 0) top.set('images', images);
  const binary = new Uint8Array(Math.ceil(length / 4) * 4);
  for (const chunk of chunks) binary.set(chunk.bytes, chunk.offset);
  return { top, binary };
}

/** Addresses of other files replaced by data addresses; data addresses stay as they are. */
export function embedInText(document: GltfDocument): Map<string, readonly unknown[]> {
  const top = new Map<string, readonly unknown[]>();
  const buffers = entries(document, 'buffers').map((buffer, i) => {
    const { uri, bytes, byteLength } = document.buffers[i];
    if (uri === undefined || isDataUri(uri) || !bytes) return buffer;
    return { ...buffer, uri: formatDataUri('application/octet-stream', bytes.subarray(0, byteLength)) };
  });
  if (document.buffers.some(({ uri }) => uri !== undefined && !isDataUri(uri))) top.set('buffers', buffers);
  let changed = false;
  const images = entries(document, 'images').map((image, i) => {
    if (typeof image.uri === 'string' && isDataUri(image.uri)) return image;
    const content = imageContent(document, image, i);
    if (!content) return image;
    changed = true;
    return { ...image, uri: formatDataUri(content.mediaType, content.bytes) };
  });
  if (changed) top.set('images', images);
  return top;
}

/** Content of an image that has an address; undefined for one in a bufferView. */
function imageContent(
  document: GltfDocument,
  image: JsonObject,
  index: number,
): { bytes: Uint8Array; mediaType: string } | undefined {
  const path = `${document.source}#/images/${index}`;
  const uri = optionalTextAt(image.uri, `${path}/uri`);
  if (uri === undefined) return undefined;
  const bytes = loadUri(uri, `${path}/uri`, document.resource);
  const stated = optionalTextAt(image.mimeType, `${path}/mimeType`);
  const inAddress = isDataUri(uri) ? parseDataUri(uri)?.mediaType : undefined;
  return { bytes, mediaType: stated ?? sniffImage(bytes) ?? (inAddress || 'application/octet-stream') };
}

/** Media type of an image by its first bytes. */
function sniffImage(bytes: Uint8Array): string | undefined {
  const starts = (offset: number, ...values: number[]) =>
    values.every((value, i) => bytes[offset + i] === value);
  if (starts(0, 0x89, 0x50, 0x4e, 0x47)) return 'image/png';
  if (starts(0, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0, 0x52, 0x49, 0x46, 0x46) && starts(8, 0x57, 0x45, 0x42, 0x50)) return 'image/webp';
  if (starts(0, 0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30)) return 'image/ktx2';
  return undefined;
}

function entries(document: GltfDocument, key: string): JsonObject[] {
  const path = `${document.source}#/${key}`;
  return arrayAt(document.json[key], path).map((entry, i) => objectAt(entry, `${path}/${i}`));
}
