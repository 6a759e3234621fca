/** Joints that follow others. */
import { nearestName } from 'poise/errors';
import { fail } from '../text/json-checks.js';
import type { JointElement, UrdfJointType } from './joint-element.js';

/** How a joint follows one that moves by itself: value = multiplier * value of the leader + offset. */
export interface Following {
  readonly leader: JointElement;
  readonly multiplier: number;
  /** rad or m. */
  readonly offset: number;
}

/** Less than this, rad or m, is no room: ranges that touch differ by rounding. */
const ROOM = 1e-9;

/** Joints of one coordinate. */
const SINGLE: ReadonlySet<UrdfJointType> = new Set(['revolute', 'continuous', 'prismatic']);

/**
 * What each following joint follows in the end, by its name. Files may let a joint follow one that follows another:
 * the maps are put together. On a fixed joint there is nothing to follow with: a warning. One that follows a fixed joint, whose
 * value is 0, stays at its offset.
 *
 * @throws FormatError `unknown-name`, `cycle`, `unsupported`.
 */
export function followings(
  joints: readonly JointElement[],
  warnings: string[],
): ReadonlyMap<string, Following> {
  const named = new Map(joints.map((joint) => [joint.name, joint]));
  const leaders = new Map<string, JointElement>();
  for (const joint of joints) {
    const leader = leaderOf(joint, named, warnings);
    if (leader) leaders.set(joint.name, leader);
  }
  const settled = new Map<string, Following>();
  for (const joint of joints) settle(joint, leaders, settled);
  return settled;
}

function leaderOf(
  joint: JointElement,
  named: ReadonlyMap<string, JointElement>,
  warnings: string[],
): JointElement | undefined {
  const { mimic, mimicPlace } = joint;
  if (mimic === undefined || mimicPlace === undefined) return undefined;
  if (joint.type === 'fixed') {
    warnings.push(`${mimicPlace}: a fixed joint follows nothing; this is ignored.`);
    return undefined;
  }
  const leader = named.get(mimic.joint);
  if (leader === undefined) {
    const near = nearestName(mimic.joint, named.keys());
    return fail(
      'unknown-name',
      `${mimicPlace}/@joint`,
      `no joint is called '${mimic.joint}'.`,
      near === undefined ? 'Name a joint of this file.' : `Did you mean '${near}'?`,
    );
  }
  for (const { name, type } of [joint, leader]) {
    if (SINGLE.has(type) || (type === 'fixed' && name === leader.name)) continue;
    const what = `'${name}' is ${type}, and only joints of one coordinate follow or lead.`;
    fail('unsupported', mimicPlace, what, 'Remove the <mimic>, or make the joint another type.');
  }
  return leader;
}

/** Puts a joint and all that it follows into `settled`. */
function settle(
  start: JointElement,
  leaders: ReadonlyMap<string, JointElement>,
  settled: Map<string, Following>,
): void {
  const chain = new Set<JointElement>();
  let top = start;
  for (let next = leaders.get(top.name); next && !settled.has(top.name); next = leaders.get(top.name)) {
    if (chain.has(top)) {
      const all = [...chain].map(({ name }) => name);
      const loop = all.slice(all.indexOf(top.name));
      fail(
        'cycle',
        `${top.mimicPlace}/@joint`,
        `it follows itself: ${[...loop, top.name].join(' -> ')}.`,
        'Let one of them move by itself: remove its <mimic>.',
      );
    }
    chain.add(top);
    top = next;
  }
  // From the one nearest the leader down: m (m' y + b') + b.
  for (const joint of [...chain].reverse()) {
    const { multiplier, offset } = joint.mimic as NonNullable<JointElement['mimic']>;
    const direct = leaders.get(joint.name) as JointElement;
    const above = settled.get(direct.name) ?? { leader: direct, multiplier: 1, offset: 0 };
    settled.set(joint.name, {
      leader: above.leader,
      multiplier: multiplier * above.multiplier,
      offset: multiplier * above.offset + offset,
    });
  }
}

/** Whether a joint that follows never moves. */
export function isConstant({ leader }: Following): boolean {
  return leader.type === 'fixed';
}

/** Says which joints never move, since what they follow is fixed. */
export function warnConstant(
  joints: readonly JointElement[],
  followingOf: (joint: JointElement) => Following | undefined,
  warnings: string[],
): void {
  for (const joint of joints) {
    const follows = followingOf(joint);
    if (follows === undefined || !isConstant(follows)) continue;
    const { leader, offset } = follows;
    warnings.push(`${joint.mimicPlace}: '${leader.name}' is fixed, so this joint stays at ${offset}.`);
  }
}

/**
 * Followers whose range would leave their leader no room, by name. The format asks for a `<limit>` on them too, the
 * programs that show robots do not look at it, and published grippers carry ranges of zero or of the wrong sign.
 *
 * @param rangeOf - Range of a joint, ends infinite where it is open.
 */
export function rangesWithoutRoom(
  joints: readonly JointElement[],
  followingOf: (joint: JointElement) => Following | undefined,
  rangeOf: (joint: JointElement) => readonly [number, number],
): ReadonlySet<string> {
  const ranges = new Map<string, readonly [number, number]>();
  const without = new Set<string>();
  for (const joint of joints) {
    const follows = followingOf(joint);
    if (follows === undefined || isConstant(follows)) continue;
    const { leader, multiplier, offset } = follows;
    const own = rangeOf(joint);
    const [least, greatest] = ranges.get(leader.name) ?? rangeOf(leader);
    const fits = offset >= own[0] && offset <= own[1];
    const [low, high] =
      multiplier !== 0
        ? own.map((end) => (end - offset) / multiplier).sort((a, b) => a - b)
        : fits
          ? [-Infinity, Infinity]
          : [Infinity, -Infinity];
    const range = [Math.max(least, low), Math.min(greatest, high)] as const;
    const inside = low < least - ROOM && high > greatest + ROOM;
    if (range[1] - range[0] > ROOM || inside) ranges.set(leader.name, range);
    else without.add(joint.name);
  }
  return without;
}
