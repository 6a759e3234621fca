/** Appends animations to a document: new elements at the end of its arrays, new bytes after its own. */

import { arrayAt, fail, type JsonObject, objectAt } from '../../text/json-checks.js';
import {
  applyEdits,
  elementSpans,
  memberSpans,
  rootSpan,
  setMembers,
  type TextEdit,
} from '../../text/json-text.js';
import { uniqueNames } from '../../text/unique-names.js';
import { encodeUtf8 } from '../../text/utf8.js';
import type { GltfDocument } from '../container/container.js';
import { formatDataUri } from '../container/data-uri.js';
import { assembleGlb } from '../container/serialize.js';
import type { GltfNode } from '../skeleton/nodes.js';
import { decomposeMatrix } from './animation-nodes.js';
import type { GltfAnimationPath, GltfInterpolation } from './animation-player.js';

/** A channel of a node, as stored in the file. */
export interface GltfAnimationChannel {
  /** Index of the node. */
  readonly node: number;
  readonly path: GltfAnimationPath;
  /** `STEP` where the value is constant between jumps. */
  readonly interpolation: GltfInterpolation | 'STEP';
  /** s, strictly increasing, from 0 s or later. */
  readonly times: Float32Array;
  /** Four or three numbers a key; with CUBICSPLINE in-tangent, value and out-tangent of each key. */
  readonly values: Float32Array;
  /** Largest sampled error between the keys, rad or m. */
  readonly error: number;
}

/** An animation, as stored in the file. */
export interface GltfAnimation {
  readonly name: string;
  readonly channels: readonly GltfAnimationChannel[];
}

const FLOAT = 5126;

/**
 * Bytes of the document with the animations appended.
 * @throws FormatError `unsupported` (over 4 GiB; a matrix beside translation, rotation or scale).
 */
export function appendAnimations(
  document: GltfDocument,
  nodes: readonly GltfNode[],
  animations: readonly GltfAnimation[],
): Uint8Array {
  const { text, json, source, kind } = document;
  const count = (key: string): number => arrayAt(json[key], `${source}#/${key}`).length;
  const data = new DataBlock(count('accessors'), count('bufferViews'));
  const elements = animations.map(({ channels }) => animationJson(channels, data));
  const names = uniqueAnimationNames(document, animations);
  const added = new Map<string, unknown[]>([
    ['animations', elements.map((element, i) => ({ name: names[i], ...element }))],
    ['accessors', data.accessors],
  ]);
  const bytes = data.bytes();
  const edits = matrixEdits(document, nodes, animations);
  let { binary } = document;
  const inBinary = kind === 'glb' && (document.buffers.length === 0 || ownsBinary(document));
  if (inBinary) {
    const start = binary === undefined ? 0 : Math.ceil(binary.length / 4) * 4;
    const hasNoTrs = new Uint8Array(start + bytes.length);
    if (binary !== undefined) hasNoTrs.set(binary);
    hasNoTrs.set(bytes, start);
    binary = hasNoTrs;
    added.set('bufferViews', [{ buffer: 0, byteOffset: start, byteLength: bytes.length }]);
    if (document.buffers.length === 0) added.set('buffers', [{ byteLength: hasNoTrs.length }]);
    else edits.push(...lengthEdits(text, hasNoTrs.length));
  } else {
    const uri = formatDataUri('application/octet-stream', bytes);
    added.set('bufferViews', [{ buffer: document.buffers.length, byteOffset: 0, byteLength: bytes.length }]);
    added.set('buffers', [{ byteLength: bytes.length, uri }]);
  }
  edits.push(...appendEdits(text, added));
  const edited = applyEdits(text, edits);
  return kind === 'gltf' ? encodeUtf8(edited) : assembleGlb(edited, binary, document.extraChunks, source);
}

/** Whether the first buffer is the BIN chunk. */
function ownsBinary({ buffers, binary }: GltfDocument): boolean {
  return binary !== undefined && buffers[0].uri === undefined;
}

/** The numbers of all channels; equal arrays are stored once. */
class DataBlock {
  readonly accessors: JsonObject[] = [];
  readonly #arrays: Float32Array[] = [];
  /** Indices of arrays by the hash of their numbers. */
  readonly #known = new Map<number, number[]>();
  readonly #first: number;
  readonly #view: number;
  #length = 0;

  constructor(accessors: number, view: number) {
    this.#first = accessors;
    this.#view = view;
  }

  /** Index of the accessor of these numbers; equal arrays share one. */
  add(numbers: Float32Array, type: 'SCALAR' | 'VEC3' | 'VEC4', width: number, bounds: boolean): number {
    const key = hashOf(numbers);
    const alike = this.#known.get(key) ?? [];
    const known = alike.find((k) => this.accessors[k].type === type && isEqual(this.#arrays[k], numbers));
    if (known !== undefined) return this.#first + known;
    const index = this.accessors.length;
    this.#known.set(key, [...alike, index]);
    this.accessors.push({
      bufferView: this.#view,
      byteOffset: this.#length,
      componentType: FLOAT,
      count: numbers.length / width,
      type,
      // glTF requires both for key times.
      ...(bounds && { min: [numbers[0]], max: [numbers[numbers.length - 1]] }),
    });
    this.#arrays.push(numbers);
    this.#length += numbers.byteLength;
    return this.#first + index;
  }

  /** Little-endian on every machine. */
  bytes(): Uint8Array {
    const out = new Uint8Array(this.#length);
    const view = new DataView(out.buffer);
    let at = 0;
    for (const array of this.#arrays) {
      for (let i = 0; i < array.length; i++) view.setFloat32(at + 4 * i, array[i], true);
      at += array.byteLength;
    }
    return out;
  }
}

function isEqual(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** FNV-1a over the bits, 32 at a time; 0 and -0 are equal. */
function hashOf(numbers: Float32Array): number {
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  let hash = 0x811c9dc5;
  for (let i = 0; i < bits.length; i++) hash = Math.imul(hash ^ (numbers[i] === 0 ? 0 : bits[i]), 0x01000193);
  return hash;
}

function animationJson(channels: readonly GltfAnimationChannel[], data: DataBlock): JsonObject {
  const samplers = channels.map(({ path, interpolation, times, values }) => {
    const [type, width] = path === 'rotation' ? (['VEC4', 4] as const) : (['VEC3', 3] as const);
    const input = data.add(times, 'SCALAR', 1, true);
    return { input, output: data.add(values, type, width, false), interpolation };
  });
  return {
    samplers,
    channels: channels.map(({ node, path }, sampler) => ({ sampler, target: { node, path } })),
  };
}

/** Names of the new animations, distinct from existing ones. */
function uniqueAnimationNames(
  { json, source }: GltfDocument,
  animations: readonly GltfAnimation[],
): string[] {
  const old = arrayAt(json.animations, `${source}#/animations`).map((entry, index) => {
    const { name } = objectAt(entry, `${source}#/animations/${index}`);
    return { index, ...(typeof name === 'string' && { name }) };
  });
  const all = [...old, ...animations.map(({ name }, i) => ({ index: old.length + i, name }))];
  return uniqueNames(all).slice(old.length);
}

/** Appends elements to arrays of the root; missing arrays are created. */
function appendEdits(text: string, added: ReadonlyMap<string, readonly unknown[]>): TextEdit[] {
  const root = rootSpan(text);
  const members = memberSpans(text, root);
  const edits: TextEdit[] = [];
  const created = new Map<string, string>();
  for (const [key, elements] of added) {
    const inner = elements.map((element) => JSON.stringify(element)).join(',');
    const span = members.get(key);
    if (span === undefined) {
      created.set(key, `[${inner}]`);
      continue;
    }
    const empty = elementSpans(text, span).length === 0;
    const end = span.end - 1;
    edits.push({ start: end, end, text: `${empty ? '' : ','}${inner}` });
  }
  if (created.size > 0) edits.push(...setMembers(text, root, created));
  return edits;
}

/** Sets the length of the first buffer. */
function lengthEdits(text: string, length: number): TextEdit[] {
  const buffers = memberSpans(text, rootSpan(text)).get('buffers');
  const first = buffers && elementSpans(text, buffers)[0];
  return first ? setMembers(text, first, new Map([['byteLength', String(length)]])) : [];
}

/** Replaces the matrix of every animated node by translation, rotation and scale. */
function matrixEdits(
  { text, source }: GltfDocument,
  nodes: readonly GltfNode[],
  animations: readonly GltfAnimation[],
): TextEdit[] {
  const animated = new Set(animations.flatMap(({ channels }) => channels.map(({ node }) => node)));
  const edits: TextEdit[] = [];
  const list = memberSpans(text, rootSpan(text)).get('nodes');
  const spans = animated.size > 0 && list ? elementSpans(text, list) : [];
  for (const index of animated) {
    const trs = decomposeMatrix(nodes[index]);
    if (trs === undefined) continue;
    const members = memberSpans(text, spans[index]);
    const matrix = members.get('matrix');
    const key = matrix ? text.lastIndexOf('"matrix"', matrix.start) : -1;
    const hasNoTrs = ['translation', 'rotation', 'scale'].every((name) => !members.has(name));
    if (!matrix || key < spans[index].start || !hasNoTrs) {
      fail(
        'unsupported',
        `${source}#/nodes/${index}`,
        'has both a matrix and translation, rotation or scale, and is animated.',
        'Remove one of the two from the file.',
      );
    }
    const values = Object.entries(trs).map(([name, numbers]) => `"${name}":${JSON.stringify(numbers)}`);
    edits.push({ start: key, end: matrix.end, text: values.join(',') });
  }
  return edits;
}
