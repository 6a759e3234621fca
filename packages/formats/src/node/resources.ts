/** Files beside a glTF, read from its own folder and nowhere else. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { FormatError, type PoiseErrorCode } from 'poise';
import type { ResourceResolver } from '../gltf/container/container.js';
import { reasonOf } from './reason.js';

/**
 * A resolver for the files that a glTF in `folder` names. A name that leads outside (an address with a scheme, an
 * absolute path, `..`, a symbolic link) is refused, a name that leads to no file gives undefined.
 * @throws FormatError `unsafe-path`, naming the address.
 */
export function folderResources(folder: string): ResourceResolver {
  return (uri, place) => {
    const name = decode(uri, place);
    const fault = faultOf(folder, name);
    if (fault) refuse('unsafe-path', place, `the address '${shorten(uri)}' ${fault}.`);
    const root = real(folder);
    const path = real(join(folder, name));
    if (root === undefined || path === undefined) return undefined;
    if (!leads(root, path)) {
      refuse(
        'unsafe-path',
        place,
        `the address '${shorten(uri)}' leads out of the folder by a symbolic link.`,
      );
    }
    try {
      return statSync(path).isFile() ? readFileSync(path) : undefined;
    } catch (cause) {
      const what = `the file '${shorten(uri)}' cannot be read (${reasonOf(cause)}).`;
      throw new FormatError('missing-resource', what, { path: place, remedy: 'Check its rights.', cause });
    }
  };
}

/** Why a name must not be followed; undefined where it may. */
function faultOf(folder: string, name: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(name)) return 'has a scheme';
  if (/[\\\0]/.test(name)) return 'has a character that no relative address has';
  if (isAbsolute(name) || name.startsWith('/')) return 'is absolute';
  return leads(folder, join(folder, name)) ? undefined : 'leads out of the folder';
}

/** Whether `path` lies inside `folder`, by name. */
function leads(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The path without symbolic links, or undefined where nothing is there. */
function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function decode(uri: string, place: string): string {
  try {
    return decodeURIComponent(uri);
  } catch (cause) {
    return refuse(
      'invalid-file',
      place,
      `the address '${shorten(uri)}' is not percent-encoded rightly.`,
      cause,
    );
  }
}

function refuse(code: PoiseErrorCode, path: string, what: string, cause?: unknown): never {
  throw new FormatError(code, what, {
    path,
    remedy: 'Put the file into the folder of the glTF and name it by a relative address.',
    ...(cause !== undefined && { cause }),
  });
}

function shorten(uri: string): string {
  return uri.length > 80 ? `${uri.slice(0, 77)}...` : uri;
}
