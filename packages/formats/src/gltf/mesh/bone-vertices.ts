/** Mesh vertices by bone, for fitting collision shapes. */
import { createState, forwardKinematics } from 'poise/figure';
import { rigid } from 'poise/math';
import { arrayAt, type JsonObject, objectAt } from '../../text/json-checks.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { jointMatrices, worldMatrices } from '../skeleton/write-posed.js';
import { type AttributeReader, createAttributeReader } from './vertex-attributes.js';

/**
 * Vertices by bone name: three numbers a vertex, m, in the frame of the bone at rest. A skinned vertex has its skinned position at rest and
 * belongs to the bone of its largest weight. In a file with skins, meshes without a skin (hats, swords) are ignored; in a file without
 * skins each mesh belongs to its nearest ancestor bone. Omitted: bones without vertices, vertices compressed by an extension, morph
 * targets.
 *
 * @throws FormatError `invalid-file` | `out-of-range` for invalid meshes.
 */
export function boneVertices(rig: GltfRig): Record<string, Float64Array> {
  const { figure, binding } = rig;
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  forwardKinematics(state, pose);
  const found: number[][] = figure.bones.map(() => []);
  const add = (bone: number, point: readonly number[]): void => {
    if (bone < 0) return;
    const frame = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
    found[bone].push(...rigid.inverseTransformPoint(frame, point));
  };
  const worldFromNode = binding.skins.length > 0 ? undefined : worldMatrices(rig, pose);
  const jointsOf = new Map<number, Float64Array>();
  const read = createAttributeReader(rig.document);
  for (const node of binding.nodes) {
    if (node.mesh === undefined) continue;
    if (node.skin === undefined) {
      if (!worldFromNode) continue;
      let ancestor = node.index;
      while (ancestor >= 0 && binding.boneOfNode[ancestor] < 0) ancestor = binding.nodes[ancestor].parent;
      const bone = ancestor < 0 ? -1 : binding.boneOfNode[ancestor];
      forEachPrimitive(rig, node.mesh, (attributes, path) => {
        const positions = read(attributes, 'POSITION', 'VEC3', path);
        for (let i = 0; i + 2 < (positions?.length ?? 0); i += 3) {
          const point = [0, 0, 0];
          addTransformed(worldFromNode, 16 * node.index, 1, positions as Float64Array, i, point);
          add(bone, point);
        }
      });
      continue;
    }
    const { joints, inverseBinds } = binding.skins[node.skin];
    if (!inverseBinds) continue;
    const matrices = jointsOf.get(node.skin) ?? jointMatrices(rig, pose, node.skin);
    jointsOf.set(node.skin, matrices);
    forEachPrimitive(rig, node.mesh, (attributes, path) => {
      const skinned = readSkinned(read, attributes, path);
      if (!skinned) return;
      const { positions, sets } = skinned;
      for (let v = 0; 3 * v < positions.length; v++) {
        const point = [0, 0, 0];
        let weightSum = 0;
        let maxWeight = 0;
        let joint = -1;
        for (const set of sets) {
          for (let k = 4 * v; k < 4 * v + 4; k++) {
            const weight = set.weights[k];
            const j = set.joints[k];
            // A float is no index of a joint.
            if (!(weight > 0) || joints[j] === undefined) continue;
            addTransformed(matrices, 16 * j, weight, positions, 3 * v, point);
            weightSum += weight;
            if (weight <= maxWeight) continue;
            maxWeight = weight;
            joint = j;
          }
        }
        if (joint < 0) continue;
        add(
          binding.boneOfNode[joints[joint]],
          point.map((x) => x / weightSum),
        );
      }
    });
  }
  const named = figure.bones.filter(({ index }) => found[index].length > 0);
  return Object.fromEntries(named.map(({ index, name }) => [name, Float64Array.from(found[index])]));
}

/** The attributes on which the vertices of a bone depend. */
const SKINNING = /^(?:POSITION|JOINTS_\d+|WEIGHTS_\d+)$/;

function forEachPrimitive(
  { document }: GltfRig,
  mesh: number,
  visit: (attributes: JsonObject, path: string) => void,
): void {
  const path = `${document.source}#/meshes/${mesh}`;
  const { primitives } = objectAt(arrayAt(document.json.meshes, `${document.source}#/meshes`)[mesh], path);
  const visited = new Set<string>();
  arrayAt(primitives, `${path}/primitives`).forEach((primitive, p) => {
    const at = `${path}/primitives/${p}`;
    const attributes = objectAt(objectAt(primitive, at).attributes, `${at}/attributes`);
    if (!Object.hasOwn(attributes, 'POSITION')) return;
    // Primitives may share their vertices and differ in indices and material.
    const key = JSON.stringify(
      Object.entries(attributes)
        .filter(([name]) => SKINNING.test(name))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    if (visited.has(key)) return;
    visited.add(key);
    visit(attributes, `${at}/attributes`);
  });
}

interface WeightSet {
  readonly joints: Float64Array;
  readonly weights: Float64Array;
}

/** Positions and all sets of joints and weights per vertex; undefined where one cannot be read. */
function readSkinned(
  read: AttributeReader,
  attributes: JsonObject,
  path: string,
): { readonly positions: Float64Array; readonly sets: readonly WeightSet[] } | undefined {
  const positions = read(attributes, 'POSITION', 'VEC3', path);
  if (!positions) return undefined;
  const count = positions.length / 3;
  const sets: WeightSet[] = [];
  for (let set = 0; Object.hasOwn(attributes, `JOINTS_${set}`); set++) {
    const joints = read(attributes, `JOINTS_${set}`, 'VEC4', path);
    const weights = read(attributes, `WEIGHTS_${set}`, 'VEC4', path);
    if (!joints || !weights || Math.min(joints.length, weights.length) < 4 * count) return undefined;
    sets.push({ joints, weights });
  }
  return { positions, sets };
}

/** out += weight M p, M sixteen numbers column by column at m[a], p at points[i]. */
function addTransformed(
  m: Float64Array,
  a: number,
  weight: number,
  points: Float64Array,
  i: number,
  out: number[],
): void {
  const x = points[i];
  const y = points[i + 1];
  const z = points[i + 2];
  for (let r = 0; r < 3; r++) {
    out[r] += weight * (m[a + r] * x + m[a + 4 + r] * y + m[a + 8 + r] * z + m[a + 12 + r]);
  }
}
