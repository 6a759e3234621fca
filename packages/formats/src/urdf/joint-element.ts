/** One `<joint>` of a URDF file, checked by itself. */
import { nearestName } from 'poise/errors';
import type { Triple } from 'poise/figure';
import { describe, fail } from '../text/json-checks.js';
import { endAt, nameAt, numberAt, tripleAt } from './attributes.js';
import { originOf, type UrdfOrigin } from './origin.js';
import { childOf, childrenOf, type XmlElement } from './xml.js';

/** The joint types of URDF. */
export type UrdfJointType = 'revolute' | 'continuous' | 'prismatic' | 'fixed' | 'floating' | 'planar';

const TYPES: readonly UrdfJointType[] = [
  'revolute',
  'continuous',
  'prismatic',
  'fixed',
  'floating',
  'planar',
];

/** How a joint follows another: value = multiplier * value of the other + offset. */
export interface UrdfMimic {
  readonly joint: string;
  readonly multiplier: number;
  /** rad or m. */
  readonly offset: number;
}

/** What a file says of a joint's range, speed and strength; absent where it says nothing. */
export interface UrdfJointLimits {
  /** rad or m. Absent for a continuous joint. */
  readonly lower?: number;
  readonly upper?: number;
  /** Largest speed, rad/s or m/s. */
  readonly velocity?: number;
  /** Largest torque or force, N m or N. */
  readonly effort?: number;
  /** The range of the `<safety_controller>`, rad or m. */
  readonly softLower?: number;
  readonly softUpper?: number;
  /** Viscous damping, N m s/rad or N s/m, and Coulomb friction, N m or N. */
  readonly damping?: number;
  readonly friction?: number;
}

/** A joint as the file has it. */
export interface JointElement extends UrdfJointLimits {
  readonly place: string;
  readonly name: string;
  readonly type: UrdfJointType;
  readonly parent: string;
  readonly parentPlace: string;
  readonly child: string;
  readonly childPlace: string;
  readonly origin: UrdfOrigin;
  /** Not zero where the type needs one. */
  readonly axis: Triple;
  readonly mimic?: UrdfMimic;
  readonly mimicPlace?: string;
}

/** @throws FormatError naming the attribute. */
export function jointElement(element: XmlElement, warnings: string[]): JointElement {
  const { place } = element;
  const name = nameAt(element, 'name');
  const type = typeOf(element);
  const [parent, parentPlace] = linkOf(element, 'parent');
  const [child, childPlace] = linkOf(element, 'child');
  const mimic = childOf(element, 'mimic');
  return {
    place,
    name,
    type,
    parent,
    parentPlace,
    child,
    childPlace,
    origin: originOf(element),
    axis: axisOf(element, type),
    ...limitsOf(element, type, warnings),
    ...(mimic && {
      mimic: {
        joint: nameAt(mimic, 'joint'),
        multiplier: numberAt(mimic, 'multiplier', 1),
        offset: numberAt(mimic, 'offset', 0),
      },
      mimicPlace: mimic.place,
    }),
  };
}

function typeOf(element: XmlElement): UrdfJointType {
  const name = nameAt(element, 'type');
  const type = TYPES.find((known) => known === name);
  if (type !== undefined) return type;
  const near = nearestName(name, TYPES);
  return fail(
    'unsupported',
    `${element.place}/@type`,
    `is ${describe(name)}.`,
    `Use one of ${TYPES.join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
  );
}

function linkOf(element: XmlElement, tag: 'parent' | 'child'): [name: string, place: string] {
  const end = childOf(element, tag);
  if (end === undefined) {
    return fail('invalid-file', element.place, `has no <${tag}>.`, `Name its ${tag} link.`);
  }
  return [nameAt(end, 'link'), `${end.place}/@link`];
}

/** Fixed and floating joints have none, and some exporters write zeros there. */
function axisOf(element: XmlElement, type: UrdfJointType): Triple {
  const axis = childOf(element, 'axis');
  if (type === 'fixed' || type === 'floating') return [1, 0, 0];
  const xyz = tripleAt(axis, 'xyz', [1, 0, 0]);
  if (xyz.some((x) => x !== 0)) return xyz;
  return fail(
    'not-unit',
    `${axis?.place}/@xyz`,
    'is zero, which has no direction.',
    'Give an axis that is not zero.',
  );
}

function limitsOf(element: XmlElement, type: UrdfJointType, warnings: string[]): UrdfJointLimits {
  const { place } = element;
  const limit = childOf(element, 'limit');
  const safety = childrenOf(element, 'safety_controller').at(0);
  const dynamics = childrenOf(element, 'dynamics').at(0);
  const ranged = type === 'revolute' || type === 'prismatic';
  if (ranged && limit === undefined) warnings.push(`${place}: has no <limit>; it is read without one.`);
  const range = ranged && limit ? rangeOf(limit) : {};
  const numbers = {
    velocity: limit && numberAt(limit, 'velocity', undefined),
    effort: limit && numberAt(limit, 'effort', undefined),
    softLower: safety && ranged ? endAt(safety, 'soft_lower_limit') : undefined,
    softUpper: safety && ranged ? endAt(safety, 'soft_upper_limit') : undefined,
    damping: dynamics && numberAt(dynamics, 'damping', undefined),
    friction: dynamics && numberAt(dynamics, 'friction', undefined),
  };
  return {
    ...range,
    ...(Object.fromEntries(
      Object.entries(numbers).filter(([, value]) => value !== undefined),
    ) as UrdfJointLimits),
  };
}

/** The format lets an end that is left out be zero. */
function rangeOf(limit: XmlElement): { lower?: number; upper?: number } {
  const lower = limit.attributes.has('lower') ? endAt(limit, 'lower') : 0;
  const upper = limit.attributes.has('upper') ? endAt(limit, 'upper') : 0;
  if (lower !== undefined && upper !== undefined && lower > upper) {
    fail(
      'invalid-limit',
      limit.place,
      `runs from lower ${lower} to upper ${upper}.`,
      'Give lower <= upper (an end that is left out is zero).',
    );
  }
  return { ...(lower !== undefined && { lower }), ...(upper !== undefined && { upper }) };
}
