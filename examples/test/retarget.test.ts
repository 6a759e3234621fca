import { bindFigure, ClipRetargeter, motionFromClip } from '@poise/three';
import { AnimationClip, Object3D, Quaternion } from 'three';
import { expect, test } from 'vitest';
import { CHARACTERS, walkingMannequin } from '../retarget/built-in.js';
import { clipData, objectsOf, treeOf } from '../retarget/object-tree.js';

test('what the worker gets of objects and a clip is the same clip', () => {
  const { root, clip } = walkingMannequin();
  const { source } = new ClipRetargeter(root, CHARACTERS.Child());
  const { tree, indices } = treeOf(root);
  const sent = structuredClone({ tree, clip: clipData(clip) });
  const objects = objectsOf(sent.tree);
  const byBone = new Map(
    source.figure.bones.map(({ name, index }) => [
      name,
      objects[indices.get(source.objects[index] as Object3D) as number],
    ]),
  );
  const copy = bindFigure(source.figure, objects[0], { objects: byBone });
  const there = motionFromClip(copy, AnimationClip.parse(sent.clip));
  expect(there.motion.tracks).toEqual(motionFromClip(source, clip).motion.tracks);
});

test('a tree keeps names, ids, parents and transforms', () => {
  const root = new Object3D();
  const child = new Object3D();
  child.name = 'child';
  child.position.set(1, 2, 3);
  child.quaternion.copy(new Quaternion(0.5, -0.5, 0.5, 0.5));
  child.scale.set(2, 3, 4);
  root.add(new Object3D(), child);
  const [top, , copy] = objectsOf(treeOf(root).tree);
  expect([top.uuid, copy.uuid, copy.name, copy.parent]).toEqual([root.uuid, child.uuid, 'child', top]);
  expect(copy.matrixWorld.elements).toEqual(
    child.matrixWorld.clone().compose(child.position, child.quaternion, child.scale).elements,
  );
});
