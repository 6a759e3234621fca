/** What `poise pose -o` writes, by the ending of the name. */
import { dirname, extname, resolve } from 'node:path';
import {
  externalUris,
  type GltfKind,
  type GltfRig,
  parseGltf,
  poseToData,
  serializeGltf,
  writeFigureGltf,
  writePosedGltf,
} from '@poise/formats';
import { FormatError } from 'poise';
import type { Numbers } from 'poise/math';
import type { Source } from './source.js';

/** A kind of output file. */
export type OutputKind = GltfKind | 'json';

const kinds: Readonly<Record<string, OutputKind>> = {
  '.glb': 'glb',
  '.vrm': 'glb',
  '.gltf': 'gltf',
  '.json': 'json',
};

/** Kind of a file by its ending. @throws FormatError `unsupported`. */
export function outputKind(path: string): OutputKind {
  const ending = extname(path).toLowerCase();
  if (Object.hasOwn(kinds, ending)) return kinds[ending];
  throw new FormatError('unsupported', ending ? `there is no way to write '${ending}'.` : 'has no ending.', {
    path: `--output ${path}`,
    remedy: `Use one of ${Object.keys(kinds).join(', ')}.`,
  });
}

/**
 * Bytes of the output for a pose.
 * @throws FormatError for images or buffers that have to be taken in and are not there, and for a glTF of a URDF robot.
 */
export function outputBytes(source: Source, pose: Numbers, path: string): Uint8Array {
  const kind = outputKind(path);
  const { figure, rig, height } = source;
  if (kind === 'json') {
    const data = poseToData(figure, pose, height === undefined ? {} : { height });
    return new TextEncoder().encode(`${JSON.stringify(data, null, 2)}\n`);
  }
  if (source.robot) {
    throw new FormatError('unsupported', 'a URDF robot has no glTF to pose.', {
      path: `--output ${path}`,
      remedy: 'Write the coordinates (-o pose.json), or leave -o out and read the report (--json).',
    });
  }
  if (rig) return posedRig(rig, pose, kind, source.path as string, path);
  const glb = writeFigureGltf(figure, pose);
  return kind === 'glb' ? glb : serializeGltf(parseGltf(glb, { source: figure.name }), { kind });
}

/** The rig's own file, posed. Files that it names keep their addresses in the same folder and are taken in elsewhere. */
function posedRig(rig: GltfRig, pose: Numbers, kind: GltfKind, input: string, output: string): Uint8Array {
  const moves = dirname(resolve(input)) !== dirname(resolve(output));
  const embeds = moves && externalUris(rig.document.bytes, { source: rig.document.source }).length > 0;
  return writePosedGltf(rig, pose, { kind, ...(embeds && { externals: 'embed' as const }) });
}
