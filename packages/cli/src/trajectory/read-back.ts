/** Reads the clip of a file that was written, to say what the conversion changed. */
import {
  animatedJoints,
  listGltfAnimations,
  parseGltf,
  type ResourceResolver,
  readAmc,
  readAsf,
  readBvh,
  readGltfAnimation,
  rigFromDocument,
} from '@poise/formats';
import type { Figure } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { outputKind } from '../io/output.js';
import type { Source } from '../io/source.js';
import { readMotion } from '../optimize/motion-file.js';

export interface Written {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Of an .amc: its skeleton, where it is written with it. */
  readonly skeleton?: Uint8Array;
  /** Of a glTF: whether the clip is its first animation. Default: the last, where one is added. */
  readonly isFirst?: boolean;
}

/** What the file was written of. */
interface Origin {
  readonly source: Source;
  readonly figure: Figure;
  /** Files beside a glTF. */
  readonly resource?: ResourceResolver;
}

/** A clip that was read, with its figure. */
export interface ReadClip {
  readonly figure: Figure;
  readonly motion: Motion;
}

/** @returns undefined for a table, which has no figure. */
export function readBack(
  { path, bytes, skeleton, isFirst = false }: Written,
  origin: Origin,
): ReadClip | undefined {
  const { source, figure, resource } = origin;
  const kind = outputKind(path);
  if (kind === 'csv' || kind === 'npz') return undefined;
  if (kind === 'json') return { figure, motion: readMotion(new TextDecoder().decode(bytes), figure, path) };
  if (kind === 'bvh') {
    const like = source.bvh?.figure === figure ? source.bvh : undefined;
    return readBvh(bytes, {
      source: path,
      scale: like?.scale ?? 0.01,
      fileUpAxis: like?.fileUpAxis ?? 'y',
      ...(like && { positions: like.positions }),
      ...(like?.restFrame !== undefined && { rest: like.restFrame }),
    });
  }
  if (kind === 'amc') {
    const asf = skeleton === undefined ? source.asf : readAsf(skeleton, { source: path });
    return asf && { figure: asf.figure, motion: readAmc(bytes, asf, { source: path }).motion };
  }
  const document = parseGltf(bytes, { source: path, ...(resource && { resource }) });
  const rig = rigFromDocument(document, { joints: animatedJoints(document) });
  const written = listGltfAnimations(document).at(isFirst ? 0 : -1);
  return written && { figure: rig.figure, motion: readGltfAnimation(rig, written.index).motion };
}
