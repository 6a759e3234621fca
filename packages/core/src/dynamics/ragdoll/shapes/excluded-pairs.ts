import type { Rest } from '../../../figure/kinematics/rest-pose.js';
import { type Collider, createCollider } from '../../collide/collider.js';
import { createContacts } from '../../collide/contacts.js';
import { findContacts } from '../../collide/find-contacts.js';
import type { BoneShape } from '../../collide/shapes/shapes.js';

/**
 * Pairs of bones, other than neighbours, whose shapes are within `margin` (m) of each other at rest. By name, each pair once.
 *
 * @param neighbours - Bones up to this many joints apart are neighbours.
 */
export function findExcludedPairs(
  rest: Rest,
  shapes: readonly BoneShape[],
  margin: number,
  neighbours = 1,
): [string, string][] {
  const collider = createCollider(rest.figure, shapes, [], { neighbours });
  const contacts = findAllContacts(rest, collider, margin);
  const pairs = new Map<number, [string, string]>();
  const { bones } = rest.figure;
  for (let c = 0; c < contacts.count; c++) {
    const [a, b] = [contacts.bodyA[c], contacts.bodyB[c]].sort((i, j) => i - j);
    pairs.set(a * bones.length + b, [bones[a].name, bones[b].name]);
  }
  return [...pairs].sort(([i], [j]) => i - j).map(([, pair]) => pair);
}

function findAllContacts(rest: Rest, collider: Collider, margin: number): ReturnType<typeof createContacts> {
  let capacity = 256;
  for (;;) {
    const contacts = findContacts(collider, rest.worldFromBone, margin, createContacts(capacity));
    if (contacts.dropped === 0) return contacts;
    capacity = contacts.count + contacts.dropped;
  }
}
