/** The coordinates of an OpenSim model. */
import type { LimitData } from 'poise/figure';
import { fail } from '../text/json-checks.js';
import type { XmlElement } from '../text/xml.js';
import type { JointBetween } from './bones.js';
import type { Coupler } from './couplers.js';
import type { OsimCoordinate } from './model.js';
import { isUnitSlope } from './phi.js';
import { flagOfChild, numberOfChild, rangeOfChild, textOfChild } from './values.js';

type Settings = Omit<OsimCoordinate, 'coordinate'>;

/** @throws FormatError `duplicate-name`. */
export function coordinateNames(joints: readonly JointBetween[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { coordinates, location } of joints) {
    for (const name of coordinates.keys()) {
      if (names.has(name)) {
        const what = `has a coordinate '${name}', as a joint before.`;
        fail('duplicate-name', location, what, 'Give each coordinate a name of its own.');
      }
      names.add(name);
    }
  }
  return names;
}

/** The coordinates of a joint, without their places in the pose. @throws FormatError `out-of-range`. */
export function settingsOf(
  joint: JointBetween,
  couplers: ReadonlyMap<string, Coupler>,
  boneOf: ReadonlyMap<string, string>,
): Settings[] {
  return [...joint.coordinates].map(([name, element]) => {
    const coupler = couplers.get(name);
    const isLocked = element !== undefined && flagOfChild(element, 'locked', false);
    return {
      name,
      joint: joint.name,
      bone: boneOf.get(coupler?.source ?? name) as string,
      motionType: motionTypeOf(joint, name, element),
      defaultValue: element === undefined ? 0 : numberOfChild(element, 'default_value', 0),
      range: rangeOf(element),
      clamped: element !== undefined && flagOfChild(element, 'clamped', false),
      locked: isLocked,
      ...(coupler === undefined ? {} : { follows: { coordinate: coupler.source, ...coupler.phi } }),
    };
  });
}

function rangeOf(element: XmlElement | undefined): readonly [number, number] {
  const range = (element && rangeOfChild(element, 'range')) ?? ([-Infinity, Infinity] as const);
  if (range[0] <= range[1]) return range;
  const what = `has the range ${range[0]} to ${range[1]}.`;
  return fail('out-of-range', element?.location ?? '', what, 'Give the smaller number first.');
}

/** As the file says; else by the axes that move by the coordinate itself. */
function motionTypeOf(
  { motions }: JointBetween,
  name: string,
  element: XmlElement | undefined,
): OsimCoordinate['motionType'] {
  const written = element && textOfChild(element, 'motion_type')?.toLowerCase();
  if (written === 'rotational' || written === 'translational') return written;
  if (written !== undefined) return 'mixed';
  const own = motions.flatMap((motion) =>
    motion.type !== 'placement' && motion.coordinate === name && isUnitSlope(motion.phi) ? [motion.type] : [],
  );
  if (own.includes('rotation')) return 'rotational';
  return own.includes('translation') ? 'translational' : 'mixed';
}

/** Ranges of clamped coordinates, and of locked ones the default value alone, by bone. */
export function limitsByBone(
  settings: readonly Settings[],
  fixLocked: boolean,
): ReadonlyMap<string, LimitData> {
  const limits = new Map<string, LimitData>();
  for (const { bone, follows, range, clamped, locked, defaultValue } of settings) {
    if (follows !== undefined) continue;
    // JSON has no infinity.
    const [min, max] = range.map((x) => (Number.isFinite(x) ? x : null));
    if (locked && fixLocked) limits.set(bone, { type: 'interval', min: defaultValue, max: defaultValue });
    else if (clamped && (min !== null || max !== null)) limits.set(bone, { type: 'interval', min, max });
  }
  return limits;
}
