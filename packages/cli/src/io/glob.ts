/** Patterns of file names: `clips/*.bvh`, quoted or where the shell has no globs. */
import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FormatError } from 'poise';
import { extensionsOf, type InputKind, kindOfName, STANDARD } from './input.js';

/**
 * The paths of command-line arguments: a path that exists (and `-`) is itself, a pattern its files in the order of their names. A path that does
 * not exist and a pattern without a file stay as they are: {@link requireMatch} and reading them say so. Each path comes once.
 *
 * `*` and `?` match within a name, `[a-z]` and `[!a-z]` one character, `{a,b}` one of the words, `**` any folders. Names that begin with a dot match
 * only a pattern that does; `**` follows no links. A link to nothing matches by its name, pipes and the like do not.
 *
 * @param folder - What patterns are relative to, a name whatever characters it has. Default: the working folder, and paths stay relative.
 * @throws FormatError `missing-resource` for a folder that a pattern goes through and that cannot be read.
 */
export async function expandPaths(patterns: readonly string[], folder = ''): Promise<string[]> {
  const paths = new Set<string>();
  for (const pattern of patterns) {
    const path = folder === '' ? pattern : resolve(folder, pattern);
    const found = (await isPattern(pattern, path)) ? await globbed(pattern, folder) : [];
    for (const each of found.length > 0 ? found : [path]) paths.add(each);
  }
  return [...paths];
}

/**
 * {@link expandPaths}, with folders as the files in them of some kinds, in the order of their names.
 *
 * @param what - A file of these kinds, for the message.
 * @throws FormatError `missing-resource` for a folder without one.
 */
export async function expandFiles(
  given: readonly string[],
  kinds: readonly InputKind[],
  what: string,
  folder = '',
): Promise<string[]> {
  const paths = new Set<string>();
  for (const path of await expandPaths(given, folder)) {
    if (path === STANDARD || !(await isDirectory(path))) {
      paths.add(path);
      continue;
    }
    const isOfKind = (name: string): boolean => kinds.some((kind) => kind === kindOfName(name));
    const entries = await entriesOf(path);
    const names = entries
      .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && isOfKind(entry.name))
      .map(({ name }) => name)
      .sort();
    for (const name of names) paths.add(join(path, name));
    if (names.length > 0) continue;
    throw new FormatError('missing-resource', `this folder has no ${what}.`, {
      path,
      remedy: `Give a folder with ${kinds.flatMap(extensionsOf).join(', ')} files, or a pattern.`,
    });
  }
  return [...paths];
}

export async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

const YES_OR_NO = [() => true, () => false] as const;

/** Whether a path is a pattern, and no name of a file that is there. */
async function isPattern(pattern: string, path = pattern): Promise<boolean> {
  return /[*?[{]/.test(pattern) && !(await stat(path).then(...YES_OR_NO));
}

/** Refuses what {@link expandPaths} left as a pattern. @throws FormatError `missing-resource`. */
export async function requireMatch(pattern: string, path = pattern): Promise<void> {
  if (!(await isPattern(pattern, path))) return;
  throw new FormatError('missing-resource', 'this pattern matches no file.', {
    path,
    remedy: 'Check the folder and the words in it; * is any name, ** any folders.',
  });
}

/** Alternatives of one pattern at most: braces multiply. */
const MAX_ALTERNATIVES = 1000;

async function globbed(pattern: string, folder: string): Promise<string[]> {
  const found = new Set<string>();
  for (const alternative of braces([pattern])) {
    const segments = alternative.split('/');
    const isAbsolute = segments[0] === '' && segments.length > 1;
    for await (const path of matches(isAbsolute ? '/' : folder, isAbsolute ? segments.slice(1) : segments)) {
      found.add(path);
    }
  }
  return [...found].sort();
}

/** Innermost braces first, until none is left. */
function braces(patterns: readonly string[]): readonly string[] {
  const expanded = patterns.flatMap((pattern) => {
    const brace = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
    if (brace === null) return [pattern];
    const after = pattern.slice(brace.index + brace[0].length);
    return brace[1].split(',').map((word) => `${pattern.slice(0, brace.index)}${word}${after}`);
  });
  return expanded.length === patterns.length || expanded.length > MAX_ALTERNATIVES
    ? patterns
    : braces(expanded);
}

async function* matches(folder: string, [segment, ...rest]: readonly string[]): AsyncGenerator<string> {
  const isLast = rest.length === 0;
  if (segment === '**' && !isLast) {
    yield* matches(folder, rest);
    for (const entry of await entriesOf(folder)) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) {
        yield* matches(join(folder, entry.name), [segment, ...rest]);
      }
    }
    return;
  }
  if (!/[*?[]/.test(segment)) {
    const path = join(folder, segment);
    const found = await statOf(path);
    if (isLast ? found?.isFile() : found?.isDirectory()) yield* isLast ? [path] : matches(path, rest);
    return;
  }
  const pattern = segmentPattern(segment);
  for (const { name } of await entriesOf(folder)) {
    if (!pattern.test(name) || (name.startsWith('.') && !segment.startsWith('.'))) continue;
    const path = join(folder, name);
    const found = await statOf(path);
    // Who reads a link to nothing says so.
    if (isLast && (found === undefined || found.isFile())) yield path;
    else if (!isLast && found?.isDirectory()) yield* matches(path, rest);
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder === '' ? '.' : folder, { withFileTypes: true }).catch((cause) => {
    if (isAbsent(cause)) return [];
    throw cannotRead(folder, cause);
  });
}

async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch((cause) => {
    if (isAbsent(cause)) return undefined;
    throw cannotRead(path, cause);
  });
}

/** Whether an error of the system says that there is nothing of that name. */
export function isAbsent({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
}

/** The error of a file or a folder that is there and cannot be read. */
export function cannotRead(path: string, cause: NodeJS.ErrnoException): FormatError {
  return new FormatError('missing-resource', `cannot be read (${cause.code}).`, {
    path,
    remedy: 'Check the permissions, or give paths and patterns beside it.',
    cause,
  });
}

/** One name of a path as a regular expression. */
function segmentPattern(segment: string): RegExp {
  const source = segment.replace(/\*+|\?|\[(!?)([^\]]+)\]|[\\^$.|+(){}[\]]/g, (part, not, set) => {
    if (part.startsWith('*')) return '.*';
    if (part === '?') return '.';
    if (set === undefined) return `\\${part}`;
    return `[${not ? '^' : ''}${set.replace(/[\\^\]]/g, '\\$&')}]`;
  });
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    // A range such as [z-a] matches nothing.
    return /^(?!)/;
  }
}
