/** Serializes a document. Unchanged content keeps its bytes; see docs/decisions/0004. */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields, requireList } from 'poise/internal/checks';
import { arrayAt, fail, type JsonObject, objectAt } from '../../text/json-checks.js';
import {
  applyEdits,
  elementSpans,
  memberSpans,
  rootSpan,
  setMembers,
  type TextEdit,
} from '../../text/json-text.js';
import { encodeUtf8 } from '../../text/utf8.js';
import {
  binChunkType,
  type GlbChunk,
  type GltfDocument,
  type GltfKind,
  glbMagic,
  jsonChunkType,
} from './container.js';
import { formatDataUri } from './data-uri.js';
import { embedInBinary, embedInText } from './embed-buffers.js';

/** New values for members of a node; absent members stay as in the file. */
export interface NodeChange {
  /** Three numbers, units of the parent node. */
  readonly translation?: readonly number[];
  /** Unit quaternion `[x, y, z, w]`. */
  readonly rotation?: readonly number[];
  /** Sixteen numbers, column by column; for nodes that have a matrix in the file. */
  readonly matrix?: readonly number[];
}

/** Options of {@link serializeGltf}. */
export interface SerializeGltfOptions {
  /** Changes by node index. */
  readonly nodes?: ReadonlyMap<number, NodeChange>;
  /** Default: the kind that was read. */
  readonly kind?: GltfKind;
  /**
   * `keep` keeps addresses of external files, so the output belongs in the same folder. `embed` stores their
   * content in the BIN chunk of a GLB, or as data addresses of a .gltf. Default: `embed` where a .gltf
   * becomes a GLB, otherwise `keep`.
   */
  readonly externals?: 'keep' | 'embed';
  /** Indices of the animations that stay, in this order, each as written; the keys of the others stay in the buffers. Default: all. */
  readonly animations?: readonly number[];
}

const FIELDS: FieldsOf<SerializeGltfOptions> = {
  nodes: true,
  kind: true,
  externals: true,
  animations: true,
};

/**
 * Bytes of the document with the changes made. Only the text of changed values differs: every other byte of the
 * JSON and all buffers stay as read. Where a .gltf becomes a GLB its `buffers`, `bufferViews` and `images` are
 * rewritten to point into the one BIN chunk.
 * @throws FormatError `missing-resource` (a missing image to embed), `unsupported` (over 4 GiB), `out-of-range` (no such node or animation), `wrong-size` (no animation).
 */
export function serializeGltf(document: GltfDocument, options: SerializeGltfOptions = {}): Uint8Array {
  requireFields(options, FIELDS, 'options', FormatError);
  const kind = options.kind ?? document.kind;
  const externals = options.externals ?? (kind === 'glb' && document.kind === 'gltf' ? 'embed' : 'keep');
  const edits = [
    ...nodeEdits(document, options.nodes ?? new Map()),
    ...animationEdits(document, options.animations),
  ];
  const isUnchangedContainer = kind === document.kind && externals === 'keep';
  if (isUnchangedContainer && edits.length === 0) return document.bytes.slice();

  let binary = document.binary;
  const top = new Map<string, unknown>();
  if (!isUnchangedContainer && kind === 'glb') {
    const embedded = embedInBinary(document);
    binary = embedded.binary ?? binary;
    for (const [key, value] of embedded.top) top.set(key, value);
  } else if (!isUnchangedContainer) {
    if (externals === 'embed') for (const [key, value] of embedInText(document)) top.set(key, value);
    if (document.kind === 'glb') embedBinaryChunk(document, top);
  }
  if (top.size > 0) {
    const texts = new Map([...top].map(([key, value]) => [key, JSON.stringify(value)]));
    edits.push(...setMembers(document.text, rootSpan(document.text), texts));
  }
  const text = applyEdits(document.text, edits);
  if (kind === 'gltf') return encodeUtf8(text);
  return assembleGlb(text, binary, document.extraChunks, document.source);
}

/** Edits of the JSON text for changes of nodes. */
function nodeEdits(document: GltfDocument, changes: ReadonlyMap<number, NodeChange>): TextEdit[] {
  if (changes.size === 0) return [];
  const { text } = document;
  const nodes = memberSpans(text, rootSpan(text)).get('nodes');
  const spans = nodes ? elementSpans(text, nodes) : [];
  const edits: TextEdit[] = [];
  for (const [index, change] of changes) {
    if (!spans[index]) {
      const what = `there is no node ${index} to change.`;
      fail('out-of-range', `${document.source}#/nodes`, what, `Use an index below ${spans.length}.`);
    }
    const values = new Map<string, string>();
    for (const key of ['translation', 'rotation', 'matrix'] as const) {
      const value = change[key];
      if (value) values.set(key, numbersText(value, `${document.source}#/nodes/${index}/${key}`));
    }
    edits.push(...setMembers(text, spans[index], values));
  }
  return edits;
}

/** Edits that leave these animations alone in the file. */
function animationEdits({ text, source }: GltfDocument, chosen: readonly number[] | undefined): TextEdit[] {
  if (chosen === undefined) return [];
  requireList(chosen, 'options.animations', FormatError, 'Give the indices of animations.');
  if (chosen.length === 0) {
    fail('wrong-size', 'options.animations', 'is empty, and glTF has no empty list.', 'Give at least one.');
  }
  const list = memberSpans(text, rootSpan(text)).get('animations');
  const spans = list ? elementSpans(text, list) : [];
  const texts = chosen.map((index) => {
    const span = spans[index];
    if (span) return text.slice(span.start, span.end);
    const what = `there is no animation ${index} to keep.`;
    return fail('out-of-range', `${source}#/animations`, what, `The file has ${spans.length}.`);
  });
  return list ? [{ ...list, text: `[${texts.join(',')}]` }] : [];
}

/** JSON of numbers: the shortest text that parses to the same double, including -0. */
function numbersText(values: readonly number[], path: string): string {
  const texts = values.map((value) => {
    if (!Number.isFinite(value))
      fail('not-finite', path, 'a number to write is not finite.', 'Check the pose.');
    return Object.is(value, -0) ? '-0.0' : String(value);
  });
  return `[${texts.join(',')}]`;
}

/** Stores the BIN chunk as a data address, since a .gltf has no chunks. */
function embedBinaryChunk(document: GltfDocument, top: Map<string, unknown>): void {
  const first = document.buffers[0];
  if (!first?.bytes || first.uri !== undefined) return;
  const path = `${document.source}#/buffers`;
  const buffers = [...arrayAt(top.get('buffers') ?? document.json.buffers, path)];
  const uri = formatDataUri('application/octet-stream', first.bytes.subarray(0, first.byteLength));
  buffers[0] = { ...(objectAt(buffers[0], `${path}/0`) as JsonObject), uri };
  top.set('buffers', buffers);
}

/** Header, JSON chunk padded with spaces, BIN chunk padded with zeros, further chunks as they were. */
export function assembleGlb(
  text: string,
  binary: Uint8Array | undefined,
  extraChunks: readonly GlbChunk[],
  source: string,
): Uint8Array {
  const chunks: GlbChunk[] = [{ type: jsonChunkType, bytes: encodeUtf8(text.trimEnd()) }];
  if (binary) chunks.push({ type: binChunkType, bytes: binary });
  for (const chunk of extraChunks) chunks.push(chunk);
  const total = chunks.reduce((sum, chunk) => sum + 8 + padded(chunk.bytes.length), 12);
  if (total > 0xffffffff) {
    fail(
      'unsupported',
      source,
      `would be ${total} bytes as a GLB; the limit is 4 GiB.`,
      'Write it as .gltf.',
    );
  }
  const out = new Uint8Array(total);
  const view = new DataView(out.buffer);
  view.setUint32(0, glbMagic, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, total, true);
  let at = 12;
  for (const { type, bytes } of chunks) {
    const size = padded(bytes.length);
    view.setUint32(at, size, true);
    view.setUint32(at + 4, type, true);
    out.set(bytes, at + 8);
    if (type === jsonChunkType) out.fill(0x20, at + 8 + bytes.length, at + 8 + size);
    at += 8 + size;
  }
  return out;
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}
