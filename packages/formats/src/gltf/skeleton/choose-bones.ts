/** Selects the nodes of a glTF that become bones, with their parents and default joints. */
import type { JointData } from 'poise/figure';
import { arrayAt, fail, indexAt, objectAt } from '../../text/json-checks.js';
import type { GltfDocument } from '../container/container.js';
import type { GltfHierarchy, GltfNode } from './nodes.js';
import type { GltfSkin } from './skins.js';

/** The nodes that become bones, joints of skins first (they have priority for unique names), and the joints. */
export function chooseNodes(
  document: GltfDocument,
  { nodes, order }: GltfHierarchy,
  skins: readonly GltfSkin[],
  bones: 'skins' | 'all',
): { nodes: GltfNode[]; joints: ReadonlySet<number> } {
  const chosen = new Set<number>(skins.flatMap((skin) => skin.joints));
  const joints = chosen.size > 0 ? new Set(chosen) : new Set(nodes.map((node) => node.index));
  for (const joint of joints) {
    if (!chosen.has(joint)) continue;
    for (
      let ancestor = nodes[joint].parent;
      ancestor >= 0 && !chosen.has(ancestor);
      ancestor = nodes[ancestor].parent
    ) {
      chosen.add(ancestor);
    }
  }
  if (bones === 'all' || skins.length === 0) {
    const inScene = sceneNodes(document, nodes);
    for (const node of order) if (inScene.has(node)) chosen.add(node);
  }
  if (chosen.size === 0) {
    fail(
      'invalid-file',
      `${document.source}#/nodes`,
      'the scene has no node.',
      'Use a file with a node hierarchy.',
    );
  }
  return { nodes: [...chosen].map((index) => nodes[index]), joints };
}

/** Nodes of the default scene (the first by default; all nodes if the file has no scene). */
function sceneNodes(document: GltfDocument, nodes: readonly GltfNode[]): Set<number> {
  const { json, source } = document;
  const scenes = arrayAt(json.scenes, `${source}#/scenes`);
  const inScene = new Set<number>();
  if (scenes.length === 0) return new Set(nodes.keys());
  const index =
    json.scene === undefined ? 0 : indexAt(json.scene, `${source}#/scene`, scenes.length, 'scene');
  const path = `${source}#/scenes/${index}`;
  const roots = arrayAt(objectAt(scenes[index], path).nodes, `${path}/nodes`);
  const stack = roots.map((root, i) => indexAt(root, `${path}/nodes/${i}`, nodes.length, 'node'));
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (inScene.has(node)) continue;
    inScene.add(node);
    for (const child of nodes[node].children) stack.push(child);
  }
  // A scene may list an inner node; its ancestors still move it.
  for (const node of [...inScene]) {
    for (
      let ancestor = nodes[node].parent;
      ancestor >= 0 && !inScene.has(ancestor);
      ancestor = nodes[ancestor].parent
    ) {
      inScene.add(ancestor);
    }
  }
  return inScene;
}

/** Parent in the figure of each chosen node, as a node index; -1 for roots. */
export function figureParents(
  chosen: readonly GltfNode[],
  nameOf: ReadonlyMap<number, string>,
  parentNamed: ((name: string, node: GltfNode) => string | null | undefined) | undefined,
): Map<number, number> {
  const nodeOf = new Map([...nameOf].map(([node, name]) => [name, node]));
  const parents = new Map<number, number>();
  for (const node of chosen) {
    const name = nameOf.get(node.index) as string;
    const requested = parentNamed?.(name, node);
    let parent = requested === null ? -1 : node.parent;
    if (typeof requested === 'string') {
      parent =
        nodeOf.get(requested) ??
        fail(
          'unknown-name',
          `options.parents('${name}')`,
          `there is no bone '${requested}'.`,
          'Name a bone of the rig.',
        );
    }
    parents.set(node.index, parent);
  }
  return parents;
}

/** Default joint of each chosen node: free for the topmost joints, ball below them, fixed for other nodes. */
export function defaultJoints(
  chosen: readonly GltfNode[],
  joints: ReadonlySet<number>,
  parentOf: ReadonlyMap<number, number>,
): Map<number, JointData> {
  const result = new Map<number, JointData>();
  /** Whether a joint is above a node that has been passed. */
  const known = new Map<number, boolean>();
  const hasJointAbove = (index: number): boolean => {
    const passed: number[] = [];
    let ancestor = parentOf.get(index) ?? -1;
    // Bounded, since the option `parents` may form a cycle; createFigure reports it.
    while (ancestor >= 0 && !joints.has(ancestor) && !known.has(ancestor) && passed.length < chosen.length) {
      passed.push(ancestor);
      ancestor = parentOf.get(ancestor) ?? -1;
    }
    const has = ancestor >= 0 && (joints.has(ancestor) || known.get(ancestor) === true);
    for (const node of passed) known.set(node, has);
    return has;
  };
  for (const { index } of chosen) {
    if (!joints.has(index)) {
      result.set(index, { type: 'fixed' });
      continue;
    }
    result.set(index, { type: hasJointAbove(index) ? 'ball' : 'free' });
  }
  return result;
}
