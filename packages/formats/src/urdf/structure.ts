/** The tree that the joints of a URDF file make of its links, or why they make none. */
import { nearestName } from 'poise/errors';
import { fail } from '../text/json-checks.js';
import type { JointElement } from './joint-element.js';

/** ROS's name for the ground, which files hang robots on without declaring it. */
const WORLD_LINK = 'world';

/**
 * Checks that links and joints make one tree.
 *
 * @param links - Names of the links that the file declares, and their places.
 * @returns the names of all links, parents not always first, `world` among them where only a joint names it.
 * @throws FormatError `unknown-name`, `duplicate-name`, `cycle`, `unsupported` (several roots, a link with two parents).
 */
export function treeOf(
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
      `${undeclared.parentPlace}: the link '${WORLD_LINK}' is not declared; it is read as an empty one.`,
    );
  }
  if (names.size === 0)
    fail('invalid-file', `${source}#/robot`, 'has no link.', 'Give it at least one <link>.');
  const jointOf = new Map<string, JointElement>();
  for (const joint of joints) {
    requireLink(joint.parent, joint.parentPlace, names);
    requireLink(joint.child, joint.childPlace, names);
    const other = jointOf.get(joint.child);
    if (other) {
      fail(
        'unsupported',
        joint.childPlace,
        `'${joint.child}' is already the child of joint '${other.name}', and a link has one parent.`,
        'Keep one of the joints: a URDF is a tree, and loops are constraints between its links.',
      );
    }
    jointOf.set(joint.child, joint);
  }
  const roots = [...names].filter((name) => !jointOf.has(name));
  requireNoCycle(names, jointOf);
  if (roots.length > 1) {
    const shown = roots.slice(0, 5).map((name) => `'${name}'`);
    const list = `${shown.join(', ')}${roots.length > 5 ? ` and ${roots.length - 5} more` : ''}`;
    fail(
      'unsupported',
      `${source}#/robot`,
      `has ${roots.length} links that are no joint's child: ${list}. A robot is one tree.`,
      'Join them to one link by fixed joints, or remove what is left over.',
    );
  }
  return [...names];
}

function requireLink(name: string, place: string, names: ReadonlySet<string>): void {
  if (names.has(name)) return;
  const near = nearestName(name, names);
  fail(
    'unknown-name',
    place,
    `no link is called '${name}'.`,
    near === undefined ? `Declare it: <link name="${name}"/>.` : `Did you mean '${near}'?`,
  );
}

function requireNoCycle(names: ReadonlySet<string>, jointOf: ReadonlyMap<string, JointElement>): void {
  const settled = new Set<string>();
  for (const start of names) {
    const chain: string[] = [];
    const inChain = new Set<string>();
    for (let link: string | undefined = start; link !== undefined && !settled.has(link); ) {
      if (inChain.has(link)) {
        const loop = chain.slice(chain.indexOf(link)).reverse();
        fail(
          'cycle',
          (jointOf.get(link) as JointElement).place,
          `its links hang on themselves: ${[loop.at(-1), ...loop].join(' -> ')}.`,
          'Remove one of the joints: a URDF is a tree.',
        );
      }
      inChain.add(link);
      chain.push(link);
      link = jointOf.get(link)?.parent;
    }
    for (const link of chain) settled.add(link);
  }
}
