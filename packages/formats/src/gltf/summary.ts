/** Summary of a file, as `poise inspect` prints it. */
import { arrayAt, describe, fail, objectAt, wordOf } from '../text/json-checks.js';
import type { GltfKind } from './container/container.js';
import type { GltfRig } from './skeleton/read-rig.js';

/** Counts and names of the content of a glTF; plain JSON. */
export interface GltfSummary {
  readonly source: string;
  readonly kind: GltfKind;
  /** Program that wrote the file. */
  readonly generator?: string;
  readonly bytes: number;
  readonly nodes: number;
  readonly bones: number;
  readonly dof: number;
  readonly meshes: number;
  readonly materials: number;
  readonly images: number;
  readonly skins: readonly { readonly name: string; readonly joints: number }[];
  readonly animations: readonly { readonly name: string; readonly channels: number }[];
  readonly extensions: readonly string[];
  readonly warnings: readonly string[];
}

/** Summary of a rig's file. @throws FormatError `unsupported` for what is no rig, `invalid-file` where a list is not an array. */
export function summarizeGltf(rig: GltfRig): GltfSummary {
  if (!rig?.document?.json || !rig.binding || !rig.figure) {
    fail('unsupported', 'rig', `is ${describe(rig)}, not a rig.`, 'Give what readGltfRig gives.');
  }
  const { json, source, kind, bytes } = rig.document;
  const list = (key: string) => arrayAt(json[key], `${source}#/${key}`);
  const { generator } = objectAt(json.asset, `${source}#/asset`);
  return {
    source,
    kind,
    ...(typeof generator === 'string' && { generator }),
    bytes: bytes.length,
    nodes: rig.binding.nodes.length,
    bones: rig.figure.bones.length,
    dof: rig.figure.dof,
    meshes: list('meshes').length,
    materials: list('materials').length,
    images: list('images').length,
    skins: rig.binding.skins.map(({ name, joints }) => ({ name: name ?? '', joints: joints.length })),
    animations: list('animations').map((entry, i) => {
      const path = `${source}#/animations/${i}`;
      const { name, channels } = objectAt(entry, path);
      return {
        name: typeof name === 'string' ? name : '',
        channels: arrayAt(channels, `${path}/channels`).length,
      };
    }),
    extensions: list('extensionsUsed').map(wordOf),
    warnings: rig.warnings,
  };
}
