/** The glTF 2.0 container: a GLB (header, JSON chunk, BIN chunk) or a .gltf (JSON with buffers elsewhere). */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { budgetOf, type ReadBudget } from '../../budget.js';
import { arrayAt, countAt, fail, type JsonObject, objectAt, optionalTextAt } from '../../text/json-checks.js';
import { parseJson } from '../../text/parse-json.js';
import { decodeUtf8 } from '../../text/utf8.js';
import { isDataUri, parseDataUri } from './data-uri.js';

/** `glb`: one binary file. `gltf`: JSON text. A VRM file is a `glb`. */
export type GltfKind = 'glb' | 'gltf';

/**
 * Returns the content of a file that a glTF references by relative address (as written, percent-encoded), or undefined if
 * there is none. `path` is the location of the address, for errors of the resolver.
 */
export type ResourceResolver = (uri: string, path: string) => Uint8Array | undefined;

/** Options of {@link parseGltf}. */
export interface ParseGltfOptions {
  /** Name of the file, for error messages. Default: `gltf`. */
  readonly source?: string;
  /** Resolves files that the glTF references. Without it a glTF with external buffers is refused. */
  readonly resource?: ResourceResolver;
  /** How much the file may ask for. */
  readonly budget?: ReadBudget;
}

const FIELDS: FieldsOf<ParseGltfOptions> = { source: true, resource: true, budget: true };

/** A buffer of the file. */
export interface GltfBuffer {
  /** Stated length, bytes. */
  readonly byteLength: number;
  /** The content, at least `byteLength` long; absent where only an extension (e.g. meshopt) has it. */
  readonly bytes?: Uint8Array;
  /** Address as written; absent for the BIN chunk. */
  readonly uri?: string;
}

/** A chunk of a GLB besides JSON and the first BIN. */
export interface GlbChunk {
  readonly type: number;
  readonly bytes: Uint8Array;
}

/**
 * A parsed file: its JSON and bytes, uninterpreted and complete. Immutable after parsing;
 * `serializeGltf` makes a changed copy.
 */
export interface GltfDocument {
  readonly kind: GltfKind;
  /** Name of the file, for messages. */
  readonly source: string;
  /** The file as given. */
  readonly bytes: Uint8Array;
  /** Text of the JSON part. */
  readonly text: string;
  readonly json: JsonObject;
  readonly buffers: readonly GltfBuffer[];
  /** Payload of the BIN chunk, padding included. */
  readonly binary?: Uint8Array;
  readonly extraChunks: readonly GlbChunk[];
  readonly resource?: ResourceResolver;
  readonly warnings: readonly string[];
  /** How much the file may ask for. */
  readonly budget: Required<ReadBudget>;
}

export const glbMagic = 0x46546c67; // 'glTF'
export const jsonChunkType = 0x4e4f534a; // 'JSON'
export const binChunkType = 0x004e4942; // 'BIN\0'

/**
 * Reads a GLB or .gltf file into its parts. Every length is checked; buffers are views of the input, not copies.
 * @throws FormatError `invalid-file` (not a glTF, truncated, wrong lengths, malformed JSON), `unsupported`
 * (glTF 1), `missing-resource` (an external buffer that `resource` does not resolve).
 */
export function parseGltf(input: Uint8Array | ArrayBuffer, options: ParseGltfOptions = {}): GltfDocument {
  requireFields(options, FIELDS, 'options', FormatError);
  const source = options.source ?? 'gltf';
  const bytes = input instanceof Uint8Array ? input : new Uint8Array(input);
  const container = splitContainer(bytes, source);
  const json = jsonOf(container, source);
  requireVersion2(json, source);
  const resource = options.resource && loadedOnce(options.resource);
  const buffers = readBuffers(json, container.binary, source, resource);
  const { kind, text, binary, extraChunks, warnings } = container;
  return {
    kind,
    source,
    bytes,
    text,
    json,
    buffers,
    ...(binary && { binary }),
    extraChunks,
    ...(resource && { resource }),
    warnings,
    budget: budgetOf(options.budget, bytes.length + externalBytes(buffers)),
  };
}

/**
 * Addresses of the external files of a glTF, as written in it: buffers first, then images. Fetch them and pass them as
 * `resource`. Empty for a self-contained file.
 * @throws FormatError as {@link parseGltf}; buffers are not checked.
 */
export function externalUris(input: Uint8Array | ArrayBuffer, options: ParseGltfOptions = {}): string[] {
  requireFields(options, FIELDS, 'options', FormatError);
  const source = options.source ?? 'gltf';
  const bytes = input instanceof Uint8Array ? input : new Uint8Array(input);
  const json = jsonOf(splitContainer(bytes, source), source);
  const uris = new Set<string>();
  for (const key of ['buffers', 'images']) {
    arrayAt(json[key], `${source}#/${key}`).forEach((entry, i) => {
      const path = `${source}#/${key}/${i}`;
      const uri = optionalTextAt(objectAt(entry, path).uri, `${path}/uri`);
      if (uri !== undefined && !isDataUri(uri)) uris.add(uri);
    });
  }
  return [...uris];
}

interface Container {
  readonly kind: GltfKind;
  readonly text: string;
  readonly binary?: Uint8Array;
  readonly extraChunks: readonly GlbChunk[];
  readonly warnings: readonly string[];
}

function splitContainer(bytes: Uint8Array, source: string): Container {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 4 && view.getUint32(0, true) === glbMagic) return splitGlb(bytes, view, source);
  let first = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (bytes[first] === 32 || (bytes[first] >= 9 && bytes[first] <= 13)) first++;
  if (bytes[first] !== 0x7b) {
    fail(
      'invalid-file',
      source,
      `is not a glTF: it starts with neither 'glTF' (GLB) nor '{' (JSON).`,
      'Give a .glb, .vrm or .gltf file.',
    );
  }
  return { kind: 'gltf', text: decodeText(bytes, source), extraChunks: [], warnings: [] };
}

/** Chunks of a GLB at most: it has two, and some of extensions. An empty one takes 8 bytes of the file, and a hundred in memory. */
const MAX_CHUNKS = 1024;

/** GLB: 12-byte header (magic, version, length), then chunks (length, type, payload); JSON first, BIN second. */
function splitGlb(bytes: Uint8Array, view: DataView, source: string): Container {
  const truncated = 'The file is cut off or damaged; fetch or export it again.';
  if (bytes.length < 12)
    fail('invalid-file', source, `has ${bytes.length} bytes, less than a GLB header.`, truncated);
  const version = view.getUint32(4, true);
  if (version !== 2) {
    fail(
      'unsupported',
      source,
      `is GLB version ${version}; only version 2 is supported.`,
      'Convert the file to glTF 2.0.',
    );
  }
  const length = view.getUint32(8, true);
  if (length > bytes.length) {
    fail('invalid-file', source, `states ${length} bytes but has ${bytes.length}.`, truncated);
  }
  const warnings: string[] = [];
  if (length < bytes.length) {
    warnings.push(`${source}: ${bytes.length - length} bytes after the end of the GLB are ignored.`);
  }
  const chunks: GlbChunk[] = [];
  for (let at = 12; at < length; ) {
    const left = length - at - 8;
    const size = left < 0 ? 0 : view.getUint32(at, true);
    if (size > left) {
      const what =
        left < 0 ? 'ends inside a chunk header.' : `has ${left} bytes for a chunk that states ${size}.`;
      fail('invalid-file', `${source}#chunk${chunks.length}`, what, truncated);
    }
    chunks.push({ type: view.getUint32(at + 4, true), bytes: bytes.subarray(at + 8, at + 8 + size) });
    if (chunks[0].type !== jsonChunkType || chunks.length > MAX_CHUNKS) break;
    at += 8 + size;
  }
  if (chunks[0]?.type !== jsonChunkType) {
    fail('invalid-file', `${source}#chunk0`, 'is not the JSON chunk.', truncated);
  }
  if (chunks.length > MAX_CHUNKS) {
    fail('invalid-file', `${source}#chunk${MAX_CHUNKS}`, `is one more than ${MAX_CHUNKS} chunks.`, truncated);
  }
  const hasBinary = chunks[1]?.type === binChunkType;
  return {
    kind: 'glb',
    text: decodeText(chunks[0].bytes, source),
    ...(hasBinary && { binary: chunks[1].bytes }),
    extraChunks: chunks.slice(hasBinary ? 2 : 1),
    warnings,
  };
}

function decodeText(bytes: Uint8Array, source: string): string {
  try {
    return decodeUtf8(bytes);
  } catch {
    return fail('invalid-file', source, 'its JSON is not UTF-8 text.', 'Save the file as UTF-8.');
  }
}

function jsonOf({ text }: { readonly text: string }, source: string): JsonObject {
  return objectAt(parseJson(text, source, 'Fetch or export the file again.'), `${source}#`);
}

function requireVersion2(json: JsonObject, source: string): void {
  const version = objectAt(json.asset, `${source}#/asset`).version;
  if (typeof version === 'string' && /^2\.\d+$/.test(version)) return;
  fail(
    'unsupported',
    `${source}#/asset/version`,
    `is ${JSON.stringify(version) ?? 'missing'}; only 2.x is supported.`,
    'Convert the file to glTF 2.0.',
  );
}

function readBuffers(
  json: JsonObject,
  binary: Uint8Array | undefined,
  source: string,
  resource: ResourceResolver | undefined,
): GltfBuffer[] {
  return arrayAt(json.buffers, `${source}#/buffers`).map((entry, i) => {
    const path = `${source}#/buffers/${i}`;
    const buffer = objectAt(entry, path);
    const byteLength = countAt(buffer.byteLength, `${path}/byteLength`);
    const uri = optionalTextAt(buffer.uri, `${path}/uri`);
    const bytes = uri === undefined ? (i === 0 ? binary : undefined) : loadUri(uri, `${path}/uri`, resource);
    if (!bytes && buffer.extensions === undefined) {
      const what = 'has no content: neither a uri nor a BIN chunk.';
      fail('invalid-file', path, what, 'The data are cut off; fetch or export the file again.');
    }
    if (bytes && bytes.length < byteLength) {
      fail(
        'invalid-file',
        `${path}/byteLength`,
        `states ${byteLength} bytes, the buffer has ${bytes.length}.`,
        'The data are cut off; fetch or export the file again.',
      );
    }
    return { byteLength, ...(bytes && { bytes }), ...(uri !== undefined && { uri }) };
  });
}

/** A resolver that asks once for each address: thousands of buffers may name one file. */
function loadedOnce(resource: ResourceResolver): ResourceResolver {
  const loaded = new Map<string, Uint8Array | undefined>();
  return (uri, path) => {
    if (!loaded.has(uri)) loaded.set(uri, resource(uri, path));
    return loaded.get(uri);
  };
}

/** Size of the external files of all buffers, each counted once. */
function externalBytes(buffers: readonly GltfBuffer[]): number {
  const external = buffers.filter(({ uri }) => uri !== undefined && !isDataUri(uri));
  const files = new Set(external.map(({ bytes }) => bytes));
  return [...files].reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0);
}

/** Content of an address in the file. @throws FormatError `invalid-file` | `missing-resource`. */
export function loadUri(uri: string, path: string, resource: ResourceResolver | undefined): Uint8Array {
  if (isDataUri(uri)) {
    const data = parseDataUri(uri);
    return (
      data?.bytes ?? fail('invalid-file', path, 'is a malformed data: address.', 'Export the file again.')
    );
  }
  const bytes = resource?.(uri, path);
  if (bytes) return bytes;
  const shown = uri.length > 80 ? `${uri.slice(0, 77)}...` : uri;
  return fail(
    'missing-resource',
    path,
    `references the file '${shown}', which does not exist.`,
    resource ? 'Put it into the folder of the glTF.' : "Pass its content through the option 'resource'.",
  );
}
