/** Reads a glTF with three.js, which makes whatever a file asks for: the library has checked it before. */
import type { GltfRig } from '@poise/formats/gltf';
import { FormatError } from 'poise';
import { LoadingManager, Object3D } from 'three';
import type { GLTF } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { BUDGET, requireAtMost, requireDepth } from './budget.js';
import type { CharacterFile } from './character.js';
import { fileNamed } from './files.js';

export interface LoadedScene {
  readonly gltf: GLTF;
  readonly rig: GltfRig;
  /** The file, then those that it names. */
  readonly files: readonly CharacterFile[];
}

/**
 * @param others - Files that it may name, as seen from its folder. It opens none from elsewhere.
 * @throws PoiseError for what cannot be read, with what to do.
 */
export async function loadScene(file: File, others: readonly File[] = []): Promise<LoadedScene> {
  const { externalUris } = await import('@poise/formats/gltf');
  const own = await contentOf(file);
  const named = externalUris(own.bytes, { source: file.name }).map((uri) => fileNamed(uri, others));
  const needed = [...new Set(named.filter((given) => given !== undefined))];
  const files = [own, ...(await Promise.all(needed.map(contentOf)))];
  const rig = await readRig(files);
  requireDrawable(rig);
  const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');
  const urls = new Map(needed.map((given) => [given, URL.createObjectURL(given)]));
  const manager = new LoadingManager();
  manager.setURLModifier((url) => {
    if (/^(data|blob):/.test(url)) return url;
    const given = fileNamed(url, needed);
    return (given && urls.get(given)) ?? 'data:,';
  });
  const gltf = await new GLTFLoader(manager).parseAsync(own.bytes.buffer, '').finally(() => {
    for (const url of urls.values()) URL.revokeObjectURL(url);
  });
  // By these the command line finds bones of a pose.
  for (const [node, object] of objectsOfNodes(gltf)) if (object.name === '') object.name = `node_${node}`;
  return { gltf, rig, files };
}

/** What three.js made of each node. */
export function objectsOfNodes({ parser }: GLTF): Map<number, Object3D> {
  const objects = new Map<number, Object3D>();
  for (const [object, made] of parser.associations) {
    // Of clones of a mesh there is nothing, whatever their type says.
    const node = (made as typeof made | undefined)?.nodes;
    if (node !== undefined && object instanceof Object3D) objects.set(node, object);
  }
  return objects;
}

/** The rig of a glTF as the library reads it. @throws FormatError */
export async function readRig([file, ...others]: readonly CharacterFile[]): Promise<GltfRig> {
  const { readGltfRig } = await import('@poise/formats/gltf');
  return readGltfRig(file.bytes, {
    source: file.name,
    resource: (uri, path) => fileNamed(uri, others)?.bytes ?? missing(uri, path),
    budget: BUDGET,
  });
}

/** @throws FormatError */
function missing(uri: string, path: string): never {
  const shown = uri.length > 80 ? `${uri.slice(0, 77)}...` : uri;
  throw new FormatError('missing-resource', `references the file '${shown}', which was not given.`, {
    path,
    remedy: 'Choose or drop both at once, or open their folder: Open folder in the File menu.',
  });
}

export async function contentOf(file: File): Promise<CharacterFile> {
  return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
}

type Entry = Readonly<Record<string, unknown>>;

/** Holds what three.js makes of a few words to the budget: vertices of meshes that nodes share, numbers that are all zero. */
function requireDrawable({ document, binding }: GltfRig): void {
  const { json, source } = document;
  const accessors = entries(json.accessors);
  const counts = accessors.map(({ count }) => Number(count));
  const verticesOf = entries(json.meshes).map(({ primitives }) =>
    sum(entries(primitives).map(({ attributes }) => counts[Number((attributes as Entry)?.POSITION)] ?? 0)),
  );
  const drawn = binding.nodes.map(({ mesh }) => (mesh === undefined ? 0 : verticesOf[mesh]));
  const zero = counts.filter((_, k) => accessors[k].bufferView === undefined);
  requireAtMost(BUDGET.vertices, sum(drawn), 'vertices', `${source}#/meshes`);
  requireAtMost(BUDGET.vertices, sum(zero), 'vertices', `${source}#/accessors`);
  const parents = binding.nodes.map(({ parent }) => parent);
  requireDepth(parents, binding.order, `${source}#/nodes`);
}

/** Entries of a list of a file. */
function entries(list: unknown): readonly Entry[] {
  return Array.isArray(list) ? list : [];
}

function sum(counts: readonly number[]): number {
  return counts.reduce((a, b) => a + b, 0);
}
