import { AnimationClip, type AnimationClipJSON, Object3D } from 'three';

/** Objects without what they show, as plain data: what a clip moves. Parents first. */
export interface ObjectTree {
  readonly nodes: readonly TreeNode[];
}

interface TreeNode {
  readonly name: string;
  readonly uuid: string;
  /** Index; -1 for the root. */
  readonly parent: number;
  /** Position, quaternion and scale. */
  readonly transform: readonly number[];
}

/** A tree of an object and all below it, and the index of each. */
export function treeOf(root: Object3D): {
  readonly tree: ObjectTree;
  readonly indices: Map<Object3D, number>;
} {
  const indices = new Map<Object3D, number>();
  const nodes: TreeNode[] = [];
  root.traverse((object) => {
    const { name, uuid, parent, position, quaternion, scale } = object;
    const above = object === root || parent === null ? -1 : (indices.get(parent) as number);
    indices.set(object, nodes.length);
    const transform = [...position.toArray(), ...quaternion.toArray(), ...scale.toArray()];
    nodes.push({ name, uuid, parent: above, transform });
  });
  return { tree: { nodes }, indices };
}

/** The objects of a tree; the first is the root. */
export function objectsOf({ nodes }: ObjectTree): Object3D[] {
  const objects: Object3D[] = [];
  for (const { name, uuid, parent, transform } of nodes) {
    const object = new Object3D();
    object.name = name;
    object.uuid = uuid;
    object.position.fromArray(transform, 0);
    object.quaternion.fromArray(transform, 3);
    object.scale.fromArray(transform, 7);
    objects.push(object);
    objects[parent]?.add(object);
  }
  objects[0].updateMatrixWorld(true);
  return objects;
}

/** What a clip moves of such objects, as plain data: shapes of faces are no part of them. */
export function clipData(clip: AnimationClip): AnimationClipJSON {
  const tracks = clip.tracks.filter(({ name }) => !name.includes('morphTargetInfluences'));
  return AnimationClip.toJSON(new AnimationClip(clip.name, clip.duration, tracks));
}
