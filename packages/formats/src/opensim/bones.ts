/** Joints of OpenSim as chains of bones with hinges and sliders. */
import type { JointData, RigidData, Triple } from 'poise/figure';
import { quat } from 'poise/math';
import { IDENTITY, placedIn } from '../mjcf/placement.js';
import { fail } from '../text/json-checks.js';
import type { XmlElement } from '../text/xml.js';
import type { AxisMotion, Motion } from './motions.js';
import { isConstant, isUnitSlope, valueOfPhi } from './phi.js';

/** A joint with the frames that it connects. */
export interface JointBetween {
  readonly name: string;
  readonly location: string;
  /** As in the file: `CustomJoint`. */
  readonly type: string;
  readonly parent: string;
  readonly child: string;
  /** Joint frame on the parent. */
  readonly before: RigidData;
  /** Child's body in the joint frame that moves with it. */
  readonly after: RigidData;
  readonly motions: readonly Motion[];
  /** Its coordinates with their elements, where the file has them. */
  readonly coordinates: ReadonlyMap<string, XmlElement | undefined>;
}

/** A bone of a chain, before the functions of coupled coordinates are known. */
export interface Link {
  readonly bone: string;
  readonly parent: string;
  readonly rest: RigidData;
  /** Undefined for a bone fixed to its parent. */
  readonly motion?: AxisMotion;
  /** Whether this is the joint whose coordinate is that of the motion. */
  readonly drives: boolean;
}

/**
 * The bones of a joint: one for each axis that moves, the last of them the child's body, or a fixed one after it where the body lies away from the
 * axis. Constant motions are part of the rest transforms. The coordinate is that of an axis which moves by the coordinate itself,
 * plus a constant; where there is none, of a bone without children beside the chain.
 *
 * @param isCoupled - Whether a coordinate is a function of another, so that no joint has it.
 * @param nameFor - A free name for a bone, as near to the given one as possible.
 */
export function linksOf(
  { name, parent, child, before, after, motions, coordinates }: JointBetween,
  isCoupled: (coordinate: string) => boolean,
  nameFor: (name: string) => string,
): Link[] {
  const drivers = new Set(
    [...coordinates.keys()].flatMap((each) => driverOf(motions, each, isCoupled) ?? []),
  );
  const links: Link[] = [];
  const driven = new Set<string>();
  let rest = before;
  let above = parent;
  const moves = (motion: Motion): boolean =>
    motion.type !== 'placement' && motion.coordinate !== undefined && !isConstant(motion.phi);
  const last = motions.map(moves).lastIndexOf(true);
  motions.forEach((motion, k) => {
    if (motion.type === 'placement') {
      rest = placedIn(rest, motion.placement);
      return;
    }
    if (!moves(motion)) {
      rest = placedIn(rest, moved(motion, motion.phi.polynomial[0] ?? 0));
      return;
    }
    const drives = drivers.has(motion);
    // The constant of the axis that the coordinate is of.
    if (drives) rest = placedIn(rest, moved(motion, motion.phi.polynomial[0]));
    const isBody = k === last && isIdentity(restAfter(motions.slice(k + 1), after));
    const bone = isBody ? child : nameFor(drives ? (motion.coordinate as string) : `${name}_${motion.name}`);
    links.push({ bone, parent: above, rest, motion, drives });
    if (drives) driven.add(motion.coordinate as string);
    above = bone;
    rest = IDENTITY;
  });
  if (above !== child) links.push({ bone: child, parent: above, rest: placedIn(rest, after), drives: false });
  for (const coordinate of coordinates.keys()) {
    if (driven.has(coordinate) || isCoupled(coordinate)) continue;
    const translates = motions.some((m) => m.type === 'translation' && m.coordinate === coordinate);
    const rotates = motions.some((m) => m.type === 'rotation' && m.coordinate === coordinate);
    const type = translates && !rotates ? 'translation' : 'rotation';
    links.push({
      bone: nameFor(coordinate),
      parent,
      rest: before,
      motion: { type, name: coordinate, axis: [1, 0, 0], coordinate, phi: { polynomial: [0, 1] } },
      drives: true,
    });
  }
  return links;
}

/** The axis that moves by the coordinate itself; rotations first. */
function driverOf(
  motions: readonly Motion[],
  coordinate: string,
  isCoupled: (coordinate: string) => boolean,
): AxisMotion | undefined {
  if (isCoupled(coordinate)) return undefined;
  const own = motions.flatMap((motion) =>
    motion.type !== 'placement' && motion.coordinate === coordinate && isUnitSlope(motion.phi)
      ? [motion]
      : [],
  );
  return own.find(({ type }) => type === 'rotation') ?? own[0];
}

/** The joint of a bone, its axis reversed where its coordinate counts backwards. */
export function jointOf({ motion, drives }: Link): JointData {
  if (motion === undefined) return { type: 'fixed' };
  const sign = drives && motion.phi.polynomial[1] < 0 ? -1 : 1;
  const [x, y, z] = motion.axis;
  return { type: motion.type === 'rotation' ? 'hinge' : 'slider', axis: [sign * x, sign * y, sign * z] };
}

/** The rigid motion by a value. */
function moved({ type, axis }: AxisMotion, value: number): RigidData {
  if (type === 'translation') {
    const position: Triple = [value * axis[0], value * axis[1], value * axis[2]];
    return { position, rotation: [0, 0, 0, 1] };
  }
  const [x, y, z, w] = quat.fromAxisAngle(axis, value);
  return { position: [0, 0, 0], rotation: [x, y, z, w] };
}

/** What follows the last axis that moves. */
function restAfter(motions: readonly Motion[], after: RigidData): RigidData {
  const rest = motions.reduce(
    (sum, motion) =>
      placedIn(
        sum,
        motion.type === 'placement' ? motion.placement : moved(motion, valueOfPhi(motion.phi, 0)),
      ),
    IDENTITY,
  );
  return placedIn(rest, after);
}

function isIdentity({ position, rotation }: RigidData): boolean {
  return position.every((x) => x === 0) && rotation.slice(0, 3).every((x) => x === 0);
}

/** @throws FormatError `duplicate-name` for a body that is the child of two joints: a loop. */
export function requireTree(joints: readonly JointBetween[]): void {
  const seen = new Map<string, string>();
  for (const { name, child, location } of joints) {
    const before = seen.get(child);
    if (before !== undefined) {
      const what = `moves '${child}', as joint '${before}' does.`;
      fail('duplicate-name', location, what, 'Keep one joint for each body; loops are not read.');
    }
    seen.set(child, name);
  }
}
