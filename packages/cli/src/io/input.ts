/** Input files: by path or from stdin, and what kind they are. */
import { basename, dirname, extname } from 'node:path';
import type { ResourceResolver } from '@poise/formats';
import { folderResources, readBytes } from '@poise/formats/node';
import { FormatError } from 'poise';
import type { Io } from './io.js';

/** What a file holds, by its extension; of stdin and unknown extensions by its content. */
export type InputKind =
  | 'gltf'
  | 'urdf'
  | 'mjcf'
  | 'osim'
  | 'bvh'
  | 'asf'
  | 'amc'
  | 'mot'
  | 'trc'
  | 'c3d'
  | 'json';

/** A file that was read. */
export interface Input {
  /** As given; `-` is stdin. */
  readonly path: string;
  /** Name for messages. */
  readonly name: string;
  readonly kind: InputKind;
  readonly bytes: Uint8Array;
  /** Files beside it; stdin has none. */
  readonly resource?: ResourceResolver;
}

/** The path of stdin and stdout. */
export const STANDARD = '-';

/** Whether an output is stdout: `-`, or `-.glb` with the kind of file. */
export function isStandardOutput(path: string): boolean {
  return path === STANDARD || /^-\.\w+$/.test(path);
}

const KINDS: Readonly<Record<string, InputKind>> = {
  '.glb': 'gltf',
  '.gltf': 'gltf',
  '.vrm': 'gltf',
  '.vrma': 'gltf',
  '.bvh': 'bvh',
  '.asf': 'asf',
  '.amc': 'amc',
  '.mot': 'mot',
  '.sto': 'mot',
  '.trc': 'trc',
  '.c3d': 'c3d',
  '.osim': 'osim',
  '.urdf': 'urdf',
  '.xacro': 'urdf',
  '.json': 'json',
};

/** File extensions that commands read. */
export const KNOWN_INPUTS = '.glb, .gltf, .vrm, .vrma, .bvh, .asf, .amc, .urdf, .xml (MJCF), .osim or .json';

/** The kinds of files with clips that a folder is looked through for. */
export const CLIP_KINDS = ['bvh', 'amc', 'gltf', 'mot'] as const satisfies readonly InputKind[];

/** What a file holds by its extension; undefined for one that says nothing. */
export function kindOfName(path: string): InputKind | undefined {
  const ending = extname(path).toLowerCase();
  return Object.hasOwn(KINDS, ending) ? KINDS[ending] : undefined;
}

/** The extensions that say a kind. */
export function extensionsOf(kind: InputKind): string[] {
  return Object.keys(KINDS).filter((ending) => KINDS[ending] === kind);
}

/** @throws FormatError `missing-resource`; `unsupported` for a file of no known kind. */
export async function readInput(path: string, io?: Pick<Io, 'input'>): Promise<Input> {
  if (path === STANDARD) {
    const bytes = await standardInput(io);
    return { path, name: 'stdin', kind: requireKind(kindOfContent(bytes), bytes, path), bytes };
  }
  const bytes = await readBytes(path);
  const kind = kindOfName(path) ?? requireKind(kindOfContent(bytes), bytes, path);
  return { path, name: basename(path), kind, bytes, resource: folderResources(dirname(path)) };
}

async function standardInput(io: Pick<Io, 'input'> | undefined): Promise<Uint8Array> {
  const bytes = await io?.input?.();
  if (bytes !== undefined && bytes.length > 0) return bytes;
  throw new FormatError('missing-resource', 'standard input is empty.', {
    path: STANDARD,
    remedy: 'Pipe a file into the command, or give its path.',
  });
}

/** How many bytes tell what a file is. */
const HEAD = 4096;

/** What a file is by its first bytes; undefined where they fit nothing. */
function kindOfContent(bytes: Uint8Array): InputKind | undefined {
  const head = new TextDecoder().decode(bytes.subarray(0, HEAD)).trimStart();
  if (head.startsWith('glTF')) return 'gltf';
  if (/^HIERARCHY\b/i.test(head)) return 'bvh';
  if (/^PathFileType\b/i.test(head)) return 'trc';
  // The block of its parameters, no letter, then the format's key.
  if (bytes[0] < 0x20 && bytes[1] === 0x50) return 'c3d';
  if (head.startsWith('<')) {
    // The root of a model may stand behind a long comment.
    const text = new TextDecoder().decode(bytes);
    return /<mujoco[\s>]/.test(text) ? 'mjcf' : /<OpenSimDocument[\s>]/.test(text) ? 'osim' : 'urdf';
  }
  if (!/^[{[]/.test(head)) return undefined;
  return /"asset"\s*:\s*\{/.test(new TextDecoder().decode(bytes)) ? 'gltf' : 'json';
}

function requireKind(kind: InputKind | undefined, bytes: Uint8Array, path: string): InputKind {
  if (kind !== undefined) return kind;
  const ending = extname(path).toLowerCase();
  const what =
    bytes.length === 0
      ? 'is empty.'
      : path === STANDARD
        ? 'is of no kind that Poise reads.'
        : `${ending === '' ? 'has no file extension and' : `'${ending}'`} is no kind of file that Poise reads.`;
  throw new FormatError('unsupported', what, { path, remedy: `Give a file of ${KNOWN_INPUTS}.` });
}
