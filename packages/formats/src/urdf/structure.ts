/** Checks that links and joints form a tree. */
import { nearestName } from 'poise/errors';
import { cut, fail } from '../text/json-checks.js';
import type { JointElement } from './joint-element.js';

/** Name of the ground in ROS; files use it as a parent without declaring it. */
const WORLD_LINK = 'world';
/** Links of a cycle named in a message at most. */
const MAX_NAMED = 12;

/**
 * Checks that links and joints make one tree.
 *
 * @param links - Location of each declared link, by name.
 * @returns the names of all links, not sorted by parents, with an undeclared `world`.
 * @throws FormatError `unknown-name`, `duplicate-name`, `cycle`, `unsupported` (several roots, a link with two parents).
 */
export function checkTree(
  links: ReadonlyMap<string, string>,
  joints: readonly JointElement[],
  source: string,
  warnings: string[],
): string[] {
  const names = new Set(links.keys());
  const undeclared = joints.find(({ parent }) => parent === WORLD_LINK && !names.has(WORLD_LINK));
  if (undeclared) {
    names.add(WORLD_LINK);
    warnings.push(
      `${undeclared.parentLocation}: the link '${WORLD_LINK}' is not declared; it is read as an empty link.`,
    );
  }
  if (names.size === 0)
    fail('invalid-file', `${source}#/robot`, 'has no link.', 'Give it at least one <link>.');
  const jointOf = new Map<string, JointElement>();
  for (const joint of joints) {
    requireLink(joint.parent, joint.parentLocation, names);
    requireLink(joint.child, joint.childLocation, names);
    const other = jointOf.get(joint.child);
    if (other) {
      fail(
        'unsupported',
        joint.childLocation,
        `'${cut(joint.child)}' is already the child of joint '${cut(other.name)}', and a link has one parent.`,
        'Keep one of the joints: a URDF is a tree, and loops are constraints between its links.',
      );
    }
    jointOf.set(joint.child, joint);
  }
  const roots = [...names].filter((name) => !jointOf.has(name));
  requireNoCycle(names, jointOf);
  if (roots.length > 1) {
    const shown = roots.slice(0, 5).map((name) => `'${cut(name)}'`);
    const list = `${shown.join(', ')}${roots.length > 5 ? ` and ${roots.length - 5} more` : ''}`;
    fail(
      'unsupported',
      `${source}#/robot`,
      `has ${roots.length} root links: ${list}. A robot is one tree.`,
      'Connect them to one link by fixed joints, or remove the others.',
    );
  }
  return [...names];
}

function requireLink(name: string, location: string, names: ReadonlySet<string>): void {
  if (names.has(name)) return;
  const near = nearestName(name, names);
  fail(
    'unknown-name',
    location,
    `there is no link '${cut(name)}'.`,
    near === undefined ? `Declare it: <link name="${cut(name)}"/>.` : `Did you mean '${cut(near)}'?`,
  );
}

function requireNoCycle(names: ReadonlySet<string>, jointOf: ReadonlyMap<string, JointElement>): void {
  const visited = new Set<string>();
  for (const start of names) {
    const chain: string[] = [];
    const inChain = new Set<string>();
    for (let link: string | undefined = start; link !== undefined && !visited.has(link); ) {
      if (inChain.has(link)) {
        const loop = chain.slice(chain.indexOf(link)).reverse();
        const all = [loop.at(-1) as string, ...loop].map((name) => cut(name));
        const named =
          all.length > MAX_NAMED ? [...all.slice(0, MAX_NAMED - 1), '...', all[all.length - 1]] : all;
        fail(
          'cycle',
          (jointOf.get(link) as JointElement).location,
          `its links form a cycle: ${named.join(' -> ')}.`,
          'Remove one of the joints: a URDF is a tree.',
        );
      }
      inChain.add(link);
      chain.push(link);
      link = jointOf.get(link)?.parent;
    }
    for (const link of chain) visited.add(link);
  }
}
