/** Reads files from disk. */
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { FormatError } from 'poise';
import type { ReadBvhOptions } from '../bvh/options.js';
import { type BvhClip, readBvh } from '../bvh/read-bvh.js';
import { type GltfDocument, parseGltf } from '../gltf/container/container.js';
import { type GltfRig, type ReadGltfRigOptions, rigFromDocument } from '../gltf/skeleton/read-rig.js';
import type { ReadUrdfOptions } from '../urdf/options.js';
import { readUrdf, type UrdfRobot } from '../urdf/read-urdf.js';
import { reasonOf } from './reason.js';
import { folderResources } from './resources.js';

/**
 * Reads a .glb, .vrm or .gltf file. Buffers and images are read from its folder and below, nowhere else; images only when
 * needed.
 * @throws FormatError `missing-resource` (no such file, or a buffer of it), `unsafe-path` (an address outside the folder), and as `parseGltf`.
 */
export async function readGltfFile(path: string): Promise<GltfDocument> {
  const source = basename(path);
  const bytes = await bytesOf(path);
  return parseGltf(bytes, { source, resource: folderResources(dirname(path)) });
}

/** Reads the rig of a file; `readGltfFile`, then `rigFromDocument`. @throws FormatError as both. */
export async function readGltfRigFile(
  path: string,
  options: Omit<ReadGltfRigOptions, 'source' | 'resource'> = {},
): Promise<GltfRig> {
  return rigFromDocument(await readGltfFile(path), options);
}

/**
 * Reads a .urdf file.
 * @throws FormatError `missing-resource` (no such file), and as `readUrdf`.
 */
export async function readUrdfFile(
  path: string,
  options: Omit<ReadUrdfOptions, 'source'> = {},
): Promise<UrdfRobot> {
  return readUrdf(await bytesOf(path), { ...options, source: basename(path) });
}

/**
 * Reads a .bvh file.
 * @throws FormatError `missing-resource` (no such file), and as `readBvh`.
 */
export async function readBvhFile(
  path: string,
  options: Omit<ReadBvhOptions, 'source'> = {},
): Promise<BvhClip> {
  return readBvh(await bytesOf(path), { ...options, source: basename(path) });
}

async function bytesOf(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new FormatError('missing-resource', `cannot be read (${reasonOf(cause)}).`, {
      path,
      remedy: 'Check the path and the permissions.',
      cause,
    });
  }
}
