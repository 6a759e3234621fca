/** The node hierarchy of a glTF: transforms as in the file, parents, topological order. */
import { affine, type Mat3x4, quat } from 'poise/math';
import { arrayAt, fail, indexAt, numbersAt, objectAt, optionalTextAt } from '../../text/json-checks.js';
import type { GltfDocument } from '../container/container.js';

/** A node with its local transform as in the file. */
export interface GltfNode {
  readonly index: number;
  /** Name as written; not unique, often absent. */
  readonly name?: string;
  /** Index of the parent node, -1 for a root. */
  readonly parent: number;
  readonly children: readonly number[];
  /** Index of the mesh that the node shows. */
  readonly mesh?: number;
  /** Index of the skin of the node's mesh. */
  readonly skin?: number;
  /** Sixteen numbers, column by column; present where the file has a matrix instead of TRS. */
  readonly matrix?: readonly number[];
  /** Units of the parent node. The defaults of glTF where absent, or where the node has a matrix. */
  readonly translation: readonly number[];
  /** Quaternion `[x, y, z, w]` as written: unit up to the rounding of the exporter. */
  readonly rotation: readonly number[];
  readonly scale: readonly number[];
}

/** All nodes, and their topological order (parents first). */
export interface GltfHierarchy {
  readonly nodes: readonly GltfNode[];
  readonly order: readonly number[];
  readonly warnings: readonly string[];
}

/** Largest | |q|^2 - 1 | of a rotation that counts as a rounded unit quaternion. */
const unitTolerance = 1e-4;

/**
 * Reads and checks all nodes.
 * @throws FormatError `cycle`, `invalid-file` (two parents, wrong types), `out-of-range`, `not-finite`,
 * `not-unit` (a rotation whose squared length is zero or overflows), at `file#/nodes/4/rotation`.
 */
export function readNodes(document: GltfDocument): GltfHierarchy {
  const { json, source } = document;
  const entries = arrayAt(json.nodes, `${source}#/nodes`);
  const meshCount = arrayAt(json.meshes, `${source}#/meshes`).length;
  const skinCount = arrayAt(json.skins, `${source}#/skins`).length;
  const warnings: string[] = [];
  const nodes = entries.map((entry, index): GltfNode => {
    const path = `${source}#/nodes/${index}`;
    const node = objectAt(entry, path);
    const name = optionalTextAt(node.name, `${path}/name`);
    const children = arrayAt(node.children, `${path}/children`).map((child, i) =>
      indexAt(child, `${path}/children/${i}`, entries.length, 'node'),
    );
    const { mesh, skin } = node;
    return {
      index,
      parent: -1,
      children,
      ...(name !== undefined && { name }),
      ...(mesh !== undefined && { mesh: indexAt(mesh, `${path}/mesh`, meshCount, 'mesh') }),
      ...(skin !== undefined && { skin: indexAt(skin, `${path}/skin`, skinCount, 'skin') }),
      ...readTransform(node, path, warnings),
    };
  });
  const parents = parentsOf(nodes, source);
  return {
    nodes: nodes.map((node, i) => ({ ...node, parent: parents[i] })),
    order: topologicalOrder(nodes, parents, source),
    warnings,
  };
}

type Transform = Pick<GltfNode, 'translation' | 'rotation' | 'scale'> & {
  readonly matrix?: readonly number[];
};

function readTransform(
  node: { readonly [key: string]: unknown },
  path: string,
  warnings: string[],
): Transform {
  const read = (key: string, length: number, fallback: readonly number[]) =>
    node[key] === undefined ? fallback : numbersAt(node[key], `${path}/${key}`, length);
  const translation = read('translation', 3, [0, 0, 0]);
  const rotation = read('rotation', 4, [0, 0, 0, 1]);
  const scale = read('scale', 3, [1, 1, 1]);
  const square = quat.dot(rotation, rotation);
  if (!(square > 0 && square < Number.POSITIVE_INFINITY)) {
    const what = `is a quaternion of length ${quat.norm(rotation)}.`;
    fail('not-unit', `${path}/rotation`, what, 'Use [0, 0, 0, 1] for no rotation.');
  }
  if (isFarFromUnit({ rotation })) {
    warnings.push(
      `${path}/rotation: has length ${quat.norm(rotation).toPrecision(4)}, not 1; it is normalized.`,
    );
  }
  if (node.matrix === undefined) return { translation, rotation, scale };
  const matrix = numbersAt(node.matrix, `${path}/matrix`, 16);
  if (matrix[3] !== 0 || matrix[7] !== 0 || matrix[11] !== 0 || matrix[15] !== 1) {
    fail(
      'invalid-file',
      `${path}/matrix`,
      `ends in the row (${matrix[3]}, ${matrix[7]}, ${matrix[11]}, ${matrix[15]}), not (0, 0, 0, 1).`,
      'The matrix of a node must be affine.',
    );
  }
  if (node.translation !== undefined || node.rotation !== undefined || node.scale !== undefined) {
    warnings.push(`${path}: has both a matrix and translation, rotation or scale; the matrix is used.`);
  }
  return { matrix, translation: matrix.slice(12, 15), rotation: [0, 0, 0, 1], scale: [1, 1, 1] };
}

/** Whether a rotation deviates from unit length by more than rounding. */
export function isFarFromUnit({ rotation }: Pick<GltfNode, 'rotation'>): boolean {
  return Math.abs(quat.dot(rotation, rotation) - 1) > unitTolerance;
}

function parentsOf(nodes: readonly GltfNode[], source: string): Int32Array {
  const parents = new Int32Array(nodes.length).fill(-1);
  for (const { index, children } of nodes) {
    children.forEach((child, i) => {
      const path = `${source}#/nodes/${index}/children/${i}`;
      if (child === index) failCycle(path, child);
      if (parents[child] >= 0) {
        if (isAncestor(index, child, parents)) failCycle(path, child);
        const what = `node ${child} is already a child of node ${parents[child]}.`;
        fail('invalid-file', path, what, 'A node has one parent; remove one of the two references.');
      }
      parents[child] = index;
    });
  }
  return parents;
}

/** Whether `ancestor` is an ancestor of `node`; bounded, since `parents` may contain a cycle. */
function isAncestor(node: number, ancestor: number, parents: Int32Array): boolean {
  let current = node;
  for (let steps = 0; steps < parents.length && current >= 0; steps++) {
    if (current === ancestor) return true;
    current = parents[current];
  }
  return false;
}

function failCycle(path: string, node: number): never {
  return fail('cycle', path, `node ${node} is its own ancestor.`, 'Remove the child that closes the cycle.');
}

/** Breadth first from the roots. Every node has at most one parent here, so nodes not reached form a cycle. */
function topologicalOrder(nodes: readonly GltfNode[], parents: Int32Array, source: string): number[] {
  const order: number[] = [];
  const reached = new Uint8Array(nodes.length);
  const push = (i: number) => {
    order.push(i);
    reached[i] = 1;
  };
  for (let i = 0; i < nodes.length; i++) if (parents[i] < 0) push(i);
  for (let k = 0; k < order.length; k++) for (const child of nodes[order[k]].children) push(child);
  if (order.length < nodes.length) {
    const inCycle = reached.indexOf(0);
    failCycle(`${source}#/nodes/${parents[inCycle]}/children`, inCycle);
  }
  return order;
}

/**
 * Local transform of a node as glTF defines it (translation, rotation, scale; or the matrix), 12 numbers, the quaternion
 * not normalized, as loaders compute it.
 */
export function localTransform(
  node: Pick<GltfNode, 'matrix' | 'translation' | 'rotation' | 'scale'>,
): Mat3x4 {
  if (node.matrix) return affine.fromColumnMajor4(node.matrix);
  return affine.fromTranslationRotationScale(node.translation, node.rotation, node.scale);
}

/** World transforms of all nodes, 12 numbers each, for the local transforms given. */
export function worldTransforms(
  hierarchy: GltfHierarchy,
  local: (node: GltfNode) => Mat3x4 = localTransform,
): Mat3x4[] {
  const worlds: Mat3x4[] = new Array(hierarchy.nodes.length);
  for (const index of hierarchy.order) {
    const node = hierarchy.nodes[index];
    worlds[index] = node.parent < 0 ? local(node) : affine.compose(worlds[node.parent], local(node));
  }
  return worlds;
}
