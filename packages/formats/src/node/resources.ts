/** Files beside a glTF or an MJCF, read from its own folder and nowhere else. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { FormatError, type PoiseErrorCode } from 'poise';
import type { ResourceResolver } from '../gltf/container/container.js';
import { reasonOf } from './reason.js';

/**
 * A resolver for the files that a glTF or an MJCF in `folder` references. An address outside the folder (a scheme, an absolute path,
 * `..`, a symbolic link) is refused; a missing file gives undefined.
 * @throws FormatError `unsafe-path`, naming the address.
 */
export function folderResources(folder: string): ResourceResolver {
  return (uri, location) => {
    const name = decode(uri, location);
    const reason = refusalOf(folder, name);
    if (reason) refuse('unsafe-path', location, `the address '${shorten(uri)}' ${reason}.`);
    const root = real(folder);
    const path = real(join(folder, name));
    if (root === undefined || path === undefined) return undefined;
    if (!contains(root, path)) {
      refuse(
        'unsafe-path',
        location,
        `the address '${shorten(uri)}' points outside the folder through a symbolic link.`,
      );
    }
    try {
      return statSync(path).isFile() ? readFileSync(path) : undefined;
    } catch (cause) {
      const what = `the file '${shorten(uri)}' cannot be read (${reasonOf(cause)}).`;
      throw new FormatError('missing-resource', what, {
        path: location,
        remedy: 'Check its permissions.',
        cause,
      });
    }
  };
}

/** Why an address is refused; undefined if it is safe. */
function refusalOf(folder: string, name: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(name)) return 'has a scheme';
  if (/[\\\0]/.test(name)) return 'has a character that is not allowed in a relative address';
  if (isAbsolute(name) || name.startsWith('/')) return 'is absolute';
  return contains(folder, join(folder, name)) ? undefined : 'points outside the folder';
}

/** Whether `path` lies inside `folder`, by name. */
function contains(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path);
  return (
    fromFolder !== '' && fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder)
  );
}

/** The path with symbolic links resolved; undefined if it does not exist. */
function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function decode(uri: string, location: string): string {
  try {
    return decodeURIComponent(uri);
  } catch (cause) {
    return refuse(
      'invalid-file',
      location,
      `the address '${shorten(uri)}' is not valid percent-encoding.`,
      cause,
    );
  }
}

function refuse(code: PoiseErrorCode, path: string, what: string, cause?: unknown): never {
  throw new FormatError(code, what, {
    path,
    remedy: 'Put the file into the folder of the file that names it and use a relative address.',
    ...(cause !== undefined && { cause }),
  });
}

function shorten(uri: string): string {
  return uri.length > 80 ? `${uri.slice(0, 77)}...` : uri;
}
