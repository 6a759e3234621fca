/** Parses one `<joint>` of a URDF file. */
import { nearestName } from 'poise/errors';
import type { Triple } from 'poise/figure';
import { describe, fail } from '../text/json-checks.js';
import { childOf, childrenOf, type XmlElement } from '../text/xml.js';
import { boundAt, nameAt, numberAt, tripleAt } from './attributes.js';
import { originOf, type UrdfOrigin } from './origin.js';

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

/** A `<mimic>` element: value = multiplier * value of the other joint + offset. */
export interface UrdfMimic {
  readonly joint: string;
  readonly multiplier: number;
  /** rad or m. */
  readonly offset: number;
}

/** Range, speed, effort and friction of a joint; absent where the file has none. */
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

/** A joint of the file. */
export interface JointElement extends UrdfJointLimits {
  readonly location: string;
  readonly name: string;
  readonly type: UrdfJointType;
  readonly parent: string;
  readonly parentLocation: string;
  readonly child: string;
  readonly childLocation: string;
  readonly origin: UrdfOrigin;
  /** Not zero if the type has an axis. */
  readonly axis: Triple;
  readonly mimic?: UrdfMimic;
  readonly mimicLocation?: string;
}

/** @throws FormatError naming the attribute. */
export function jointElement(element: XmlElement, warnings: string[]): JointElement {
  const { location } = element;
  const name = nameAt(element, 'name');
  const type = typeOf(element);
  const [parent, parentLocation] = linkOf(element, 'parent');
  const [child, childLocation] = linkOf(element, 'child');
  const mimic = childOf(element, 'mimic');
  return {
    location,
    name,
    type,
    parent,
    parentLocation,
    child,
    childLocation,
    origin: originOf(element),
    axis: axisOf(element, type),
    ...limitsOf(element, type, warnings),
    ...(mimic && {
      mimic: {
        joint: nameAt(mimic, 'joint'),
        multiplier: numberAt(mimic, 'multiplier', 1),
        offset: numberAt(mimic, 'offset', 0),
      },
      mimicLocation: mimic.location,
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
    `${element.location}/@type`,
    `is ${describe(name)}.`,
    `Use one of ${TYPES.join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
  );
}

function linkOf(element: XmlElement, tag: 'parent' | 'child'): [name: string, location: string] {
  const link = childOf(element, tag);
  if (link === undefined) {
    return fail('invalid-file', element.location, `has no <${tag}>.`, `Name its ${tag} link.`);
  }
  return [nameAt(link, 'link'), `${link.location}/@link`];
}

/** Fixed and floating joints have no axis; some exporters write zeros for them. */
function axisOf(element: XmlElement, type: UrdfJointType): Triple {
  const axis = childOf(element, 'axis');
  if (type === 'fixed' || type === 'floating') return [1, 0, 0];
  const xyz = tripleAt(axis, 'xyz', [1, 0, 0]);
  if (xyz.some((x) => x !== 0)) return xyz;
  return fail(
    'not-unit',
    `${axis?.location}/@xyz`,
    'is zero, so it has no direction.',
    'Give a nonzero axis.',
  );
}

function limitsOf(element: XmlElement, type: UrdfJointType, warnings: string[]): UrdfJointLimits {
  const { location } = element;
  const limit = childOf(element, 'limit');
  const safety = childrenOf(element, 'safety_controller').at(0);
  const dynamics = childrenOf(element, 'dynamics').at(0);
  const ranged = type === 'revolute' || type === 'prismatic';
  if (ranged && limit === undefined) warnings.push(`${location}: has no <limit>; the joint is unlimited.`);
  const range = ranged && limit ? rangeOf(limit) : {};
  const numbers = {
    velocity: limit && numberAt(limit, 'velocity', undefined),
    effort: limit && numberAt(limit, 'effort', undefined),
    softLower: safety && ranged ? boundAt(safety, 'soft_lower_limit') : undefined,
    softUpper: safety && ranged ? boundAt(safety, 'soft_upper_limit') : undefined,
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

/** URDF defines a missing bound as zero. */
function rangeOf(limit: XmlElement): { lower?: number; upper?: number } {
  const lower = limit.attributes.has('lower') ? boundAt(limit, 'lower') : 0;
  const upper = limit.attributes.has('upper') ? boundAt(limit, 'upper') : 0;
  if (lower !== undefined && upper !== undefined && lower > upper) {
    fail(
      'invalid-limit',
      limit.location,
      `runs from lower ${lower} to upper ${upper}.`,
      'Give lower <= upper (a missing bound is zero).',
    );
  }
  return { ...(lower !== undefined && { lower }), ...(upper !== undefined && { upper }) };
}
