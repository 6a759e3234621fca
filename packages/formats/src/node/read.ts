/** Reading from disk. */
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { FormatError } from 'poise';
import { type GltfDocument, parseGltf } from '../gltf/container.js';
import { type GltfRig, type ReadGltfRigOptions, rigFromDocument } from '../gltf/read-rig.js';
import { reasonOf } from './reason.js';
import { folderResources } from './resources.js';

/**
 * Reads a .glb, .vrm or .gltf file. Buffers and images that it names are looked for in its folder and below, nowhere else;
 * images only when they are needed.
 * @throws FormatError `missing-resource` (no such file, or a buffer of it), `unsafe-path` (an address that leads out of
 * the folder), and as `parseGltf`.
 */
export async function readGltfFile(path: string): Promise<GltfDocument> {
  const source = basename(path);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new FormatError('missing-resource', `cannot be read (${reasonOf(cause)}).`, {
      path,
      remedy: 'Check the path and the rights.',
      cause,
    });
  }
  return parseGltf(bytes, { source, resource: folderResources(dirname(path)) });
}

/** Reads the rig of a file; `readGltfFile`, then `rigFromDocument`. @throws FormatError as both. */
export async function readGltfRigFile(
  path: string,
  options: Omit<ReadGltfRigOptions, 'source' | 'resource'> = {},
): Promise<GltfRig> {
  return rigFromDocument(await readGltfFile(path), options);
}
