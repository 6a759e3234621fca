/** Reads and checks the channels of an animation in a file. */

import { createMeter } from '../../budget.js';
import {
  arrayAt,
  describe,
  fail,
  indexAt,
  type JsonObject,
  objectAt,
  wordOf,
} from '../../text/json-checks.js';
import { accessorNumbers, type NumbersType } from '../container/accessor-numbers.js';
import { readAccessor } from '../container/accessors.js';
import type { GltfDocument } from '../container/container.js';
import type { FileKey, GltfInterpolation } from './animation-player.js';

/** An animated property of a node. */
export interface NodeChannel {
  /** `fox.glb#/animations/0/channels/3` */
  readonly location: string;
  readonly node: number;
  readonly path: 'rotation' | 'translation' | 'scale';
  readonly interpolation: GltfInterpolation | 'STEP';
  /** At least one; times strictly increase from 0 s or later. Rotations are normalized, except with CUBICSPLINE, which keeps the numbers of the file. */
  readonly keys: readonly FileKey[];
}

/** A channel that animates no transform: `weights` of a mesh, or a target of an extension. */
export interface OtherChannel {
  readonly location: string;
  /** -1 if the channel names none. */
  readonly node: number;
  readonly path: string;
}

/** An animation of a file. */
export interface FileAnimation {
  readonly location: string;
  /** As written; empty where the file has none. */
  readonly name: string;
  readonly channels: readonly NodeChannel[];
  readonly others: readonly OtherChannel[];
  /** First and last key of all samplers in use, s. */
  readonly start: number;
  readonly end: number;
}

const NODE_PATHS: readonly string[] = ['rotation', 'translation', 'scale'] satisfies NodeChannel['path'][];
const damaged = 'Correct the file or export it again.';

/**
 * @param index - Of an animation that the file has.
 * @param spendKeys - Counts the keys of all channels; several animations that are read together share one meter.
 * @throws FormatError `invalid-file`, `out-of-range`, `wrong-size`, `not-increasing`, `not-finite`, `not-unit`, `unsupported` (compressed keys), at
 *   `file#/animations/0/channels/3`.
 */
export function readChannels(
  document: GltfDocument,
  index: number,
  spendKeys: (count: number) => void = createMeter(
    document.budget,
    'keys',
    `${document.source}#/animations/${index}`,
  ),
): FileAnimation {
  const { json, source } = document;
  const location = `${source}#/animations/${index}`;
  const animation = objectAt(arrayAt(json.animations, `${source}#/animations`)[index], location);
  const samplers = arrayAt(animation.samplers, `${location}/samplers`);
  const nodeCount = arrayAt(json.nodes, `${source}#/nodes`).length;
  const keysCache = new Map<string, readonly FileKey[]>();
  const timesCache = new Map<number, Float64Array>();
  const timesOf = (sampler: JsonObject, at: string): Float64Array => {
    const accessor = accessorAt(document, sampler.input, `${at}/input`);
    const times =
      timesCache.get(accessor) ??
      checkedTimes(numbersOf(document, accessor, 'SCALAR', `${at}/input`), `${at}/input`);
    timesCache.set(accessor, times);
    return times;
  };
  const channels: NodeChannel[] = [];
  const others: OtherChannel[] = [];
  const seen = new Set<string>();
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const [i, entry] of arrayAt(animation.channels, `${location}/channels`).entries()) {
    const at = `${location}/channels/${i}`;
    const channel = objectAt(entry, at);
    const target = objectAt(channel.target, `${at}/target`);
    const node =
      target.node === undefined ? -1 : indexAt(target.node, `${at}/target/node`, nodeCount, 'node');
    const path = wordOf(target.path);
    const s = indexAt(channel.sampler, `${at}/sampler`, samplers.length, 'sampler');
    const samplerLocation = `${location}/samplers/${s}`;
    const sampler = objectAt(samplers[s], samplerLocation);
    const times = timesOf(sampler, samplerLocation);
    start = Math.min(start, times[0]);
    end = Math.max(end, times[times.length - 1]);
    if (node < 0 || !isNodePath(path)) {
      others.push({ location: at, node, path });
      continue;
    }
    if (seen.has(`${node} ${path}`)) {
      fail(
        'invalid-file',
        at,
        `animates the ${path} of node ${node}, which another channel animates already.`,
        damaged,
      );
    }
    seen.add(`${node} ${path}`);
    requireNoMatrix(document, node, at);
    const interpolation = interpolationOf(sampler, samplerLocation);
    const accessor = accessorAt(document, sampler.output, `${samplerLocation}/output`);
    spendKeys(times.length);
    // Channels may share their keys.
    const output = `${samplerLocation}/output`;
    const type = path === 'rotation' ? 'VEC4' : 'VEC3';
    const shared = `${sampler.input} ${accessor} ${interpolation} ${type}`;
    const keys =
      keysCache.get(shared) ??
      keysOf(times, numbersOf(document, accessor, type, output), path, interpolation, output);
    keysCache.set(shared, keys);
    channels.push({ location: at, node, path, interpolation, keys });
  }
  if (!(start <= end))
    fail('invalid-file', `${location}/channels`, 'the animation has no channels.', damaged);
  return {
    location,
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

function accessorAt({ json, source }: GltfDocument, value: unknown, location: string): number {
  return indexAt(value, location, arrayAt(json.accessors, `${source}#/accessors`).length, 'accessor');
}

function numbersOf(document: GltfDocument, index: number, type: NumbersType, location: string): Float64Array {
  const accessor = readAccessor(document, index);
  if (accessor.type !== type) {
    fail('invalid-file', location, `holds ${accessor.type} instead of ${type}.`, damaged);
  }
  const numbers = accessorNumbers(document, accessor, type);
  if (numbers === undefined) {
    const what = 'its numbers are compressed by an extension that is not supported.';
    return fail('unsupported', location, what, 'Decompress the file first.');
  }
  const bad = numbers.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) fail('not-finite', location, `number ${bad} is ${numbers[bad]}.`, damaged);
  return numbers;
}

function checkedTimes(times: Float64Array, location: string): Float64Array {
  if (times.length === 0) fail('wrong-size', location, 'has no keys.', damaged);
  if (times[0] < 0) fail('out-of-range', location, `begins at ${times[0]} s, before 0.`, damaged);
  for (let i = 1; i < times.length; i++) {
    if (times[i] > times[i - 1]) continue;
    fail(
      'not-increasing',
      location,
      `key ${i} is at ${times[i]} s, after ${times[i - 1]} s.`,
      'Sort the keys by time.',
    );
  }
  return times;
}

function interpolationOf(
  { interpolation = 'LINEAR' }: JsonObject,
  location: string,
): NodeChannel['interpolation'] {
  if (interpolation === 'LINEAR' || interpolation === 'STEP' || interpolation === 'CUBICSPLINE') {
    return interpolation;
  }
  const what = `is ${describe(interpolation)}.`;
  return fail('invalid-file', `${location}/interpolation`, what, 'Use LINEAR, STEP or CUBICSPLINE.');
}

function requireNoMatrix({ json }: GltfDocument, node: number, location: string): void {
  if ((json.nodes as JsonObject[])[node].matrix === undefined) return;
  const what = `animates node ${node}, which has a matrix.`;
  fail('invalid-file', location, what, 'Give the node translation, rotation and scale, as glTF requires.');
}

function keysOf(
  times: Float64Array,
  values: Float64Array,
  path: NodeChannel['path'],
  interpolation: NodeChannel['interpolation'],
  location: string,
): FileKey[] {
  const width = path === 'rotation' ? 4 : 3;
  const valuesPerKey = interpolation === 'CUBICSPLINE' ? 3 : 1;
  if (values.length !== valuesPerKey * width * times.length) {
    const what = `has ${values.length / width} elements for ${times.length} keys of ${interpolation}.`;
    fail('wrong-size', location, what, damaged);
  }
  const elementAt = (key: number, k: number): Float64Array =>
    values.slice(width * (valuesPerKey * key + k), width * (valuesPerKey * key + k + 1));
  return Array.from(times, (time, i): FileKey => {
    const value = elementAt(i, valuesPerKey === 3 ? 1 : 0);
    if (path === 'rotation') {
      const length = Math.hypot(...value);
      if (!(length > 0)) {
        fail('not-unit', location, `key ${i} is a quaternion of length zero.`, damaged);
      }
      if (valuesPerKey === 1) for (let k = 0; k < 4; k++) value[k] /= length;
    }
    return valuesPerKey === 1
      ? { time, value }
      : { time, value, inTangent: elementAt(i, 0), outTangent: elementAt(i, 2) };
  });
}
