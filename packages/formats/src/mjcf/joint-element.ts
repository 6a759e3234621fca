/** Joints of MJCF as their elements say. */
import type { RigidData, Triple } from 'poise/figure';
import { quat } from 'poise/math';
import { fail } from '../text/json-checks.js';
import type { XmlElement } from '../text/xml.js';
import { isLimited, numberAt, numbersAt, oneOfAt, type Settings, tripleAt, wordAt } from './attributes.js';
import type { Compiler } from './compiler.js';
import { directionOf, placedIn } from './placement.js';

/** Type of a joint in MJCF. */
export type MjcfJointType = 'hinge' | 'slide' | 'ball' | 'free';

/** What the file says of a joint. Angles in radians, whatever the file's unit. */
export interface JointElement {
  readonly name: string | undefined;
  readonly type: MjcfJointType;
  readonly location: string;
  /** In the frame of its body. */
  readonly anchor: Triple;
  /** Unit. */
  readonly axis: Triple;
  /** Value of the joint in the file's pose: rad or m. */
  readonly ref: number;
  /** Its range of values: rad or m; of a ball [0, largest angle]. Undefined where it has no limit. */
  readonly range: readonly [number, number] | undefined;
  /** Rest position of its spring: rad or m. */
  readonly springref: number;
  readonly stiffness: number;
  readonly damping: number;
  readonly armature: number;
  readonly frictionloss: number;
  /** Largest torque or force of all actuators together, N m or N. */
  readonly actuatorLimit: number | undefined;
}

/** A `<joint>` or `<freejoint>`. @throws FormatError for malformed attributes. */
export function jointElement(
  element: XmlElement,
  settings: Settings,
  frame: RigidData,
  compiler: Compiler,
): JointElement {
  const free = element.tag === 'freejoint';
  const type: MjcfJointType = free
    ? 'free'
    : oneOfAt(settings, 'type', ['hinge', 'slide', 'ball', 'free'], 'hinge');
  const { location } = element;
  const scalar = type === 'hinge' || type === 'slide';
  const unit = type === 'slide' ? 1 : compiler.angle;
  const axis = scalar ? directionOf(tripleAt(settings, 'axis', [0, 0, 1]), settings, 'axis') : undefined;
  const [x, y, z] = axis ? quat.rotate(frame.rotation, axis) : [0, 0, 1];
  const anchor = placedIn(frame, {
    position: tripleAt(settings, 'pos', [0, 0, 0]),
    rotation: [0, 0, 0, 1],
  }).position;
  const number = (name: string): number => (free ? 0 : numberAt(settings, name, 0));
  return {
    name: wordAt(element, 'name') || undefined,
    type,
    location,
    anchor: type === 'slide' || type === 'free' ? [0, 0, 0] : anchor,
    axis: [x, y, z],
    ref: scalar ? number('ref') * unit : 0,
    range: type === 'free' ? undefined : rangeOf(settings, type, unit, compiler),
    springref: scalar ? number('springref') * unit : 0,
    stiffness: number('stiffness'),
    damping: dampingOf(settings, free),
    armature: number('armature'),
    frictionloss: number('frictionloss'),
    actuatorLimit: free ? undefined : actuatorLimitOf(settings, compiler),
  };
}

/** Damping of the first order: newer files add coefficients of higher ones. */
function dampingOf(settings: Settings, free: boolean): number {
  return free ? 0 : (numbersAt(settings, 'damping', 1, 5)?.[0] ?? 0);
}

/** @throws FormatError `invalid-limit`. */
function rangeOf(
  settings: Settings,
  type: MjcfJointType,
  unit: number,
  { autolimits }: Compiler,
): readonly [number, number] | undefined {
  if (!isLimited(settings, 'limited', 'range', autolimits)) return undefined;
  const [min, max] = numbersAt(settings, 'range', 2) ?? [0, 0];
  if (type === 'ball' ? min === 0 && max > 0 : min < max) return [min * unit, max * unit];
  const remedy = type === 'ball' ? 'Give 0 and the largest angle.' : 'Give the least value first.';
  return fail('invalid-limit', `${settings.location}/@range`, `is ${min} to ${max}.`, remedy);
}

function actuatorLimitOf(settings: Settings, { autolimits }: Compiler): number | undefined {
  if (!isLimited(settings, 'actuatorfrclimited', 'actuatorfrcrange', autolimits)) return undefined;
  const range = numbersAt(settings, 'actuatorfrcrange', 2) ?? [0, 0];
  return Math.max(...range.map(Math.abs));
}
