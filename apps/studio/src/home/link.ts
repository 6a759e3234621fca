/** A small scene in the fragment of an address, which no server sees: a character of the studio, its pose and clip, deflated, in base64url. */
import { FormatError } from 'poise';
import type { ProjectData } from './project/project.js';
import { fromBase64, readProject, toBase64, writeProject } from './project/project-file.js';

/** What a fragment with a scene begins with. */
export const LINK_PREFIX = '#scene=';
/** Longest link, characters: chats and mail programs keep one of 8000 whole, few a longer one. */
export const LONGEST_LINK = 8000;
/** Most bytes that a link may unfold to. A link of the longest length has a tenth of it. */
const MOST_BYTES = 2 ** 20;
/** Name of a scene of a link, for errors. */
const SOURCE = 'The scene of the link';

/**
 * The fragment that holds a project.
 * @throws FormatError `unsupported` for a character of a file, `over-budget` for one that is too large.
 */
export async function writeLink(project: ProjectData): Promise<string> {
  if (project.character.type === 'file') {
    throw new FormatError('unsupported', 'cannot hold a character of a file.', {
      path: 'A link',
      remedy: 'Save the project, and send the file.',
    });
  }
  const text = new TextEncoder().encode(writeProject(project));
  const fragment = LINK_PREFIX + toBase64Url(await throughStream(text, new CompressionStream('deflate-raw')));
  if (fragment.length > LONGEST_LINK) {
    throw new FormatError('over-budget', 'cannot hold so much.', {
      path: 'A link',
      remedy: 'Delete poses or keys, or save the project and send the file.',
    });
  }
  return fragment;
}

/**
 * The project of a fragment; undefined for one that holds none.
 * @throws FormatError for one that is damaged, too large, or holds files.
 */
export async function readLink(fragment: string): Promise<ProjectData | undefined> {
  if (!fragment.startsWith(LINK_PREFIX)) return undefined;
  if (fragment.length > LONGEST_LINK) throw damaged();
  let text: string;
  try {
    const packed = fromBase64Url(fragment.slice(LINK_PREFIX.length));
    text = new TextDecoder('utf-8', { fatal: true }).decode(
      await throughStream(packed, new DecompressionStream('deflate-raw'), MOST_BYTES),
    );
  } catch {
    throw damaged();
  }
  const project = readProject(text, SOURCE);
  if (project.character.type === 'file') throw damaged();
  return project;
}

function damaged(): FormatError {
  return new FormatError('invalid-file', 'is damaged or was cut off.', {
    path: SOURCE,
    remedy: 'Ask for the link again, whole.',
  });
}

/** What comes out of a stream. @throws Error for more than `most` bytes. */
async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error('too much');
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}
