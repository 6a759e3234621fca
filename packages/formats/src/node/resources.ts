/** Files beside a glTF, read from its own folder and nowhere else. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { FormatError, type PoiseErrorCode } from 'poise';
import type { ResourceResolver } from '../gltf/container.js';

/**
 * A resolver for the files that a glTF in `folder` names. A name that leads outside (an address with a scheme, an
 * absolute path, `..`, a symbolic link) is refused, a name that leads to no file gives undefined.
 * @throws FormatError `unsafe-path`, naming the address.
 */
export function folderResources(folder: string, source = folder): ResourceResolver {
  return (uri) => {
    const name = decode(uri, source);
    const outside = /^[a-z][a-z0-9+.-]*:/i.test(name)
      ? 'has a scheme'
      : name.includes('\\') || name.includes('\0')
        ? 'has a character that no relative address has'
        : isAbsolute(name) || name.startsWith('/')
          ? 'is absolute'
          : leads(folder, join(folder, name))
            ? undefined
            : 'leads out of the folder';
    if (outside) refuse('unsafe-path', source, `the address '${shorten(uri)}' ${outside}.`);
    const root = real(folder);
    const path = real(join(folder, name));
    if (root === undefined || path === undefined || !statSync(path).isFile()) return undefined;
    if (!leads(root, path)) {
      refuse(
        'unsafe-path',
        source,
        `the address '${shorten(uri)}' leads out of the folder by a symbolic link.`,
      );
    }
    return readFileSync(path);
  };
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

function decode(uri: string, source: string): string {
  try {
    return decodeURIComponent(uri);
  } catch (cause) {
    return refuse(
      'invalid-file',
      source,
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
