/** Reads files from disk. */
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { FormatError } from 'poise';
import type { ReadBvhOptions } from '../bvh/options.js';
import { type BvhClip, readBvh } from '../bvh/read-bvh.js';
import { type GltfDocument, type ParseGltfOptions, parseGltf } from '../gltf/container/container.js';
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
export async function readGltfFile(
  path: string,
  options: Omit<ParseGltfOptions, 'source' | 'resource'> = {},
): Promise<GltfDocument> {
  const source = basename(path);
  const bytes = await readBytes(path);
  return parseGltf(bytes, { ...options, source, resource: folderResources(dirname(path)) });
}

/** Reads the rig of a file; `readGltfFile`, then `rigFromDocument`. @throws FormatError as both. */
export async function readGltfRigFile(
  path: string,
  options: Omit<ReadGltfRigOptions, 'source' | 'resource'> = {},
): Promise<GltfRig> {
  const { budget } = options;
  return rigFromDocument(await readGltfFile(path, budget && { budget }), options);
}

/**
 * Reads a .urdf file.
 * @throws FormatError `missing-resource` (no such file), and as `readUrdf`.
 */
export async function readUrdfFile(
  path: string,
  options: Omit<ReadUrdfOptions, 'source'> = {},
): Promise<UrdfRobot> {
  return readUrdf(await readBytes(path), { ...options, source: basename(path) });
}

/**
 * Reads a .bvh file.
 * @throws FormatError `missing-resource` (no such file), and as `readBvh`.
 */
export async function readBvhFile(
  path: string,
  options: Omit<ReadBvhOptions, 'source'> = {},
): Promise<BvhClip> {
  return readBvh(await readBytes(path), { ...options, source: basename(path) });
}

/** Largest read of the system, bytes. */
const MAX_READ = 2 ** 30;

/**
 * The content of a file, of more than 2 GiB too.
 * @throws FormatError `missing-resource`, with the system's reason.
 */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      // `readFile` also reads what has no size, such as a pipe, and refuses 2 GiB.
      if (size <= MAX_READ) return await file.readFile();
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await file.read(bytes, at, Math.min(MAX_READ, size - at), at);
        if (bytesRead === 0) return bytes.subarray(0, at);
        at += bytesRead;
      }
      return bytes;
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new FormatError('missing-resource', `cannot be read (${reasonOf(cause)}).`, {
      path,
      remedy: 'Check the path and the permissions.',
      cause,
    });
  }
}
