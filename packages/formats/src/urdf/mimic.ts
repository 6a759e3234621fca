/** Mimic joints. */
import { nearestName } from 'poise/errors';
import { cut, fail } from '../text/json-checks.js';
import type { JointElement, UrdfJointType } from './joint-element.js';

/** A mimic joint over an independent source joint: value = multiplier * value of the source + offset. */
export interface ResolvedMimic {
  readonly sourceJoint: JointElement;
  readonly multiplier: number;
  /** rad or m. */
  readonly offset: number;
}

/** A narrower common range counts as empty, rad or m: ranges that touch differ by rounding. */
const MIN_RANGE = 1e-9;

/** Joints of one coordinate. */
const ONE_COORDINATE: ReadonlySet<UrdfJointType> = new Set(['revolute', 'continuous', 'prismatic']);

/**
 * The independent source of each mimic joint, by joint name. Chains of mimic joints are composed into one linear map. A `<mimic>` on a
 * fixed joint is ignored with a warning; a mimic of a fixed joint, whose value is 0, stays at its offset.
 *
 * @throws FormatError `unknown-name`, `cycle`, `unsupported`.
 */
export function resolveMimics(
  joints: readonly JointElement[],
  warnings: string[],
): ReadonlyMap<string, ResolvedMimic> {
  const named = new Map(joints.map((joint) => [joint.name, joint]));
  const sources = new Map<string, JointElement>();
  for (const joint of joints) {
    const sourceJoint = sourceOf(joint, named, warnings);
    if (sourceJoint) sources.set(joint.name, sourceJoint);
  }
  const resolved = new Map<string, ResolvedMimic>();
  for (const joint of joints) resolveChain(joint, sources, resolved);
  return resolved;
}

function sourceOf(
  joint: JointElement,
  named: ReadonlyMap<string, JointElement>,
  warnings: string[],
): JointElement | undefined {
  const { mimic, mimicLocation } = joint;
  if (mimic === undefined || mimicLocation === undefined) return undefined;
  if (joint.type === 'fixed') {
    warnings.push(`${mimicLocation}: a fixed joint cannot mimic another; the element is ignored.`);
    return undefined;
  }
  const sourceJoint = named.get(mimic.joint);
  if (sourceJoint === undefined) {
    const near = nearestName(mimic.joint, named.keys());
    return fail(
      'unknown-name',
      `${mimicLocation}/@joint`,
      `no joint is called '${cut(mimic.joint)}'.`,
      near === undefined ? 'Name a joint of this file.' : `Did you mean '${cut(near)}'?`,
    );
  }
  for (const { name, type } of [joint, sourceJoint]) {
    if (ONE_COORDINATE.has(type) || (type === 'fixed' && name === sourceJoint.name)) continue;
    const what = `'${cut(name)}' is ${type}; mimic joints and their sources must be revolute, continuous or prismatic.`;
    fail('unsupported', mimicLocation, what, 'Remove the <mimic>, or change the joint type.');
  }
  return sourceJoint;
}

/** Resolves a joint and its chain of mimic sources into `resolved`. */
function resolveChain(
  start: JointElement,
  sources: ReadonlyMap<string, JointElement>,
  resolved: Map<string, ResolvedMimic>,
): void {
  const chain = new Set<JointElement>();
  let top = start;
  for (let next = sources.get(top.name); next && !resolved.has(top.name); next = sources.get(top.name)) {
    if (chain.has(top)) {
      const all = [...chain].map(({ name }) => name);
      const loop = all.slice(all.indexOf(top.name));
      fail(
        'cycle',
        `${top.mimicLocation}/@joint`,
        `it mimics itself: ${[...loop, top.name].join(' -> ')}.`,
        'Remove the <mimic> of one of them.',
      );
    }
    chain.add(top);
    top = next;
  }
  // From the source joint down: m (m' y + b') + b.
  for (const joint of [...chain].reverse()) {
    const { multiplier, offset } = joint.mimic as NonNullable<JointElement['mimic']>;
    const direct = sources.get(joint.name) as JointElement;
    const above = resolved.get(direct.name) ?? { sourceJoint: direct, multiplier: 1, offset: 0 };
    resolved.set(joint.name, {
      sourceJoint: above.sourceJoint,
      multiplier: multiplier * above.multiplier,
      offset: multiplier * above.offset + offset,
    });
  }
}

/** Whether a mimic joint is constant. */
export function isConstant({ sourceJoint }: ResolvedMimic): boolean {
  return sourceJoint.type === 'fixed';
}

/** Warns of mimic joints that never move because their source is fixed. */
export function warnConstant(
  joints: readonly JointElement[],
  mimicOf: (joint: JointElement) => ResolvedMimic | undefined,
  warnings: string[],
): void {
  for (const joint of joints) {
    const mimic = mimicOf(joint);
    if (mimic === undefined || !isConstant(mimic)) continue;
    const { sourceJoint, offset } = mimic;
    warnings.push(
      `${joint.mimicLocation}: '${cut(sourceJoint.name)}' is fixed, so this joint stays at ${offset}.`,
    );
  }
}

/**
 * Mimic joints whose range leaves their source no common range, by name. URDF requires a `<limit>` on them, viewers ignore it, and
 * published grippers have ranges of zero or of the wrong sign.
 *
 * @param rangeOf - Range of a joint, bounds infinite where it is unlimited.
 */
export function conflictingRanges(
  joints: readonly JointElement[],
  mimicOf: (joint: JointElement) => ResolvedMimic | undefined,
  rangeOf: (joint: JointElement) => readonly [number, number],
): ReadonlySet<string> {
  const ranges = new Map<string, readonly [number, number]>();
  const conflicting = new Set<string>();
  for (const joint of joints) {
    const mimic = mimicOf(joint);
    if (mimic === undefined || isConstant(mimic)) continue;
    const { sourceJoint, multiplier, offset } = mimic;
    const mimicRange = rangeOf(joint);
    const [min, max] = ranges.get(sourceJoint.name) ?? rangeOf(sourceJoint);
    const fits = offset >= mimicRange[0] && offset <= mimicRange[1];
    const [low, high] =
      multiplier !== 0
        ? mimicRange.map((end) => (end - offset) / multiplier).sort((a, b) => a - b)
        : fits
          ? [-Infinity, Infinity]
          : [Infinity, -Infinity];
    const range = [Math.max(min, low), Math.min(max, high)] as const;
    const isUnrestricted = low < min - MIN_RANGE && high > max + MIN_RANGE;
    if (range[1] - range[0] > MIN_RANGE || isUnrestricted) ranges.set(sourceJoint.name, range);
    else conflicting.add(joint.name);
  }
  return conflicting;
}
