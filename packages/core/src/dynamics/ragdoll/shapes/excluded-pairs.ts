import { type Collider, createCollider } from '../../collide/collider.js';
import { createContacts } from '../../collide/contacts.js';
import { findContacts } from '../../collide/find-contacts.js';
import type { BoneShape } from '../../collide/shapes/shapes.js';
import type { Rest } from '../body/rest-pose.js';

/**
 * Pairs of bones, not neighbours, whose shapes come nearer to each other at rest than `reach` (m). By name, each pair once.
 *
 * @param neighbours - Bones up to this many joints apart are neighbours.
 */
export function overlapsAtRest(
  rest: Rest,
  shapes: readonly BoneShape[],
  reach: number,
  neighbours = 1,
): [string, string][] {
  const collider = createCollider(rest.figure, shapes, [], { neighbours });
  const contacts = allContacts(rest, collider, reach);
  const pairs = new Map<number, [string, string]>();
  const { bones } = rest.figure;
  for (let c = 0; c < contacts.count; c++) {
    const [a, b] = [contacts.bodyA[c], contacts.bodyB[c]].sort((i, j) => i - j);
    pairs.set(a * bones.length + b, [bones[a].name, bones[b].name]);
  }
  return [...pairs].sort(([i], [j]) => i - j).map(([, pair]) => pair);
}

function allContacts(rest: Rest, collider: Collider, reach: number): ReturnType<typeof createContacts> {
  let room = 256;
  for (;;) {
    const contacts = findContacts(collider, rest.worldFromBone, reach, createContacts(room));
    if (contacts.dropped === 0) return contacts;
    room = contacts.count + contacts.dropped;
  }
}
