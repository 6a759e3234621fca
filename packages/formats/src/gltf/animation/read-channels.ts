/** The channels of an animation in a file, checked. */

import { arrayAt, describe, fail, indexAt, type JsonObject, objectAt } from '../../text/json-checks.js';
import { accessorNumbers, type NumbersType } from '../container/accessor-numbers.js';
import { readAccessor } from '../container/accessors.js';
import type { GltfDocument } from '../container/container.js';
import type { FileKey, GltfInterpolation } from './animation-player.js';

/** A member of a node over time. */
export interface NodeChannel {
  /** `fox.glb#/animations/0/channels/3` */
  readonly place: string;
  readonly node: number;
  readonly path: 'rotation' | 'translation' | 'scale';
  readonly interpolation: GltfInterpolation | 'STEP';
  /** One at least, times strictly increasing from 0 s or later. Rotations are unit quaternions but for CUBICSPLINE, which keeps the numbers of the file. */
  readonly keys: readonly FileKey[];
}

/** A channel that moves no node: `weights` of a mesh, something that an extension points at. */
export interface OtherChannel {
  readonly place: string;
  /** -1 where none is named. */
  readonly node: number;
  readonly path: string;
}

/** An animation of a file. */
export interface FileAnimation {
  readonly place: string;
  /** As written; empty where the file has none. */
  readonly name: string;
  readonly channels: readonly NodeChannel[];
  readonly others: readonly OtherChannel[];
  /** First and last key of all its samplers that are used, s. */
  readonly start: number;
  readonly end: number;
}

const NODE_PATHS: readonly string[] = ['rotation', 'translation', 'scale'] satisfies NodeChannel['path'][];
const damaged = 'Correct the file or export it again.';

/**
 * @param index - Of an animation that the file has.
 * @throws FormatError `invalid-file`, `out-of-range`, `wrong-size`, `not-increasing`, `not-finite`, `not-unit`, `unsupported` (compressed keys), at
 *   `file#/animations/0/channels/3`.
 */
export function readChannels(document: GltfDocument, index: number): FileAnimation {
  const { json, source } = document;
  const place = `${source}#/animations/${index}`;
  const animation = objectAt(arrayAt(json.animations, `${source}#/animations`)[index], place);
  const samplers = arrayAt(animation.samplers, `${place}/samplers`);
  const nodeCount = arrayAt(json.nodes, `${source}#/nodes`).length;
  const known = new Map<number, Float64Array>();
  const timesOf = (sampler: JsonObject, at: string): Float64Array => {
    const accessor = accessorAt(document, sampler.input, `${at}/input`);
    const times =
      known.get(accessor) ??
      checkedTimes(numbersOf(document, accessor, 'SCALAR', `${at}/input`), `${at}/input`);
    known.set(accessor, times);
    return times;
  };
  const channels: NodeChannel[] = [];
  const others: OtherChannel[] = [];
  const seen = new Set<string>();
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const [i, entry] of arrayAt(animation.channels, `${place}/channels`).entries()) {
    const at = `${place}/channels/${i}`;
    const channel = objectAt(entry, at);
    const target = objectAt(channel.target, `${at}/target`);
    const node =
      target.node === undefined ? -1 : indexAt(target.node, `${at}/target/node`, nodeCount, 'node');
    const path = String(target.path);
    const s = indexAt(channel.sampler, `${at}/sampler`, samplers.length, 'sampler');
    const samplerPlace = `${place}/samplers/${s}`;
    const sampler = objectAt(samplers[s], samplerPlace);
    const times = timesOf(sampler, samplerPlace);
    start = Math.min(start, times[0]);
    end = Math.max(end, times[times.length - 1]);
    if (node < 0 || !isNodePath(path)) {
      others.push({ place: at, node, path });
      continue;
    }
    if (seen.has(`${node} ${path}`)) {
      fail('invalid-file', at, `moves the ${path} of node ${node}, which another channel moves.`, damaged);
    }
    seen.add(`${node} ${path}`);
    requireNoMatrix(document, node, at);
    const interpolation = interpolationOf(sampler, samplerPlace);
    const accessor = accessorAt(document, sampler.output, `${samplerPlace}/output`);
    const values = numbersOf(
      document,
      accessor,
      path === 'rotation' ? 'VEC4' : 'VEC3',
      `${samplerPlace}/output`,
    );
    const keys = keysOf(times, values, path, interpolation, `${samplerPlace}/output`);
    channels.push({ place: at, node, path, interpolation, keys });
  }
  if (!(start <= end)) fail('invalid-file', `${place}/channels`, 'the animation has no channel.', damaged);
  return {
    place,
    name: typeof animation.name === 'string' ? animation.name : '',
    channels,
    others,
    start,
    end,
  };
}

function isNodePath(path: string): path is NodeChannel['path'] {
  return NODE_PATHS.includes(path);
}

function accessorAt({ json, source }: GltfDocument, value: unknown, place: string): number {
  return indexAt(value, place, arrayAt(json.accessors, `${source}#/accessors`).length, 'accessor');
}

function numbersOf(document: GltfDocument, index: number, type: NumbersType, place: string): Float64Array {
  const accessor = readAccessor(document, index);
  if (accessor.type !== type) {
    fail('invalid-file', place, `holds ${accessor.type} where ${type} belongs.`, damaged);
  }
  const numbers = accessorNumbers(document, accessor, type);
  if (numbers === undefined) {
    const what = 'its numbers are in no buffer that is read (compressed by an extension).';
    return fail('unsupported', place, what, 'Decompress the file first.');
  }
  const bad = numbers.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) fail('not-finite', place, `number ${bad} is ${numbers[bad]}.`, damaged);
  return numbers;
}

function checkedTimes(times: Float64Array, place: string): Float64Array {
  if (times.length === 0) fail('wrong-size', place, 'has no key.', damaged);
  if (times[0] < 0) fail('out-of-range', place, `begins at ${times[0]} s, before 0.`, damaged);
  for (let i = 1; i < times.length; i++) {
    if (times[i] > times[i - 1]) continue;
    fail(
      'not-increasing',
      place,
      `key ${i} is at ${times[i]} s, after ${times[i - 1]} s.`,
      'Sort the keys by time.',
    );
  }
  return times;
}

function interpolationOf(
  { interpolation = 'LINEAR' }: JsonObject,
  place: string,
): NodeChannel['interpolation'] {
  if (interpolation === 'LINEAR' || interpolation === 'STEP' || interpolation === 'CUBICSPLINE') {
    return interpolation;
  }
  const what = `is ${describe(interpolation)}.`;
  return fail('invalid-file', `${place}/interpolation`, what, 'glTF has LINEAR, STEP and CUBICSPLINE.');
}

function requireNoMatrix({ json }: GltfDocument, node: number, place: string): void {
  if ((json.nodes as JsonObject[])[node].matrix === undefined) return;
  const what = `moves node ${node}, which has a matrix.`;
  fail('invalid-file', place, what, 'Give the node translation, rotation and scale, as the standard asks.');
}

function keysOf(
  times: Float64Array,
  values: Float64Array,
  path: NodeChannel['path'],
  interpolation: NodeChannel['interpolation'],
  place: string,
): FileKey[] {
  const width = path === 'rotation' ? 4 : 3;
  const parts = interpolation === 'CUBICSPLINE' ? 3 : 1;
  if (values.length !== parts * width * times.length) {
    const what = `has ${values.length / width} elements for ${times.length} keys of ${interpolation}.`;
    fail('wrong-size', place, what, damaged);
  }
  const part = (key: number, k: number): Float64Array =>
    values.slice(width * (parts * key + k), width * (parts * key + k + 1));
  return Array.from(times, (time, i): FileKey => {
    const value = part(i, parts === 3 ? 1 : 0);
    if (path === 'rotation') {
      const length = Math.hypot(...value);
      if (!(length > 0)) {
        fail('not-unit', place, `key ${i} is a quaternion of length zero, no rotation.`, damaged);
      }
      if (parts === 1) for (let k = 0; k < 4; k++) value[k] /= length;
    }
    return parts === 1 ? { time, value } : { time, value, arriving: part(i, 0), leaving: part(i, 2) };
  });
}
