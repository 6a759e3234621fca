/**
 * Parses the goals of the command line. resolve-goals.ts checks whether the bones exist. Bone names may contain dots, colons
 * and spaces.
 */
import { GoalError } from 'poise';
import type { Triple } from 'poise/figure';
import { parseNumber, parseNumbers, requireWithin } from '../io/parse-number.js';

/** Target of a point. */
export type TargetSpec =
  /** World coordinates, m. */
  | { readonly kind: 'point'; readonly at: Triple }
  /** Offset from the position in the starting pose, world axes, m. */
  | { readonly kind: 'offset'; readonly by: Triple }
  /** Another bone, `NAME` or `NAME.tip`. */
  | { readonly kind: 'bone'; readonly name: string };

interface Spec {
  /** The option as typed, for messages: `--goal leftHand=0,1,2`. */
  readonly text: string;
  /** `NAME`, including `.tip` or `:pose` where the option supports them. */
  readonly bone: string;
}

/** Bounds of coordinates, m, and of the components of a rotation vector, rad. */
const MAX_COORDINATE = 1e12;
const MAX_ROTATION = 1e6;

/** `--goal BONE=TARGET` */
export interface PositionSpec extends Spec {
  readonly option: 'goal';
  readonly target: TargetSpec;
}

/** `--orient BONE=ROTATION` */
export interface OrientSpec extends Spec {
  readonly option: 'orient';
  /** A unit quaternion [x, y, z, w], or a rotation vector in rad. */
  readonly rotation:
    | { readonly kind: 'quaternion'; readonly value: readonly [number, number, number, number] }
    | { readonly kind: 'rotation-vector'; readonly value: Triple };
  /** Whether the rotation is relative to the starting pose, about world axes. */
  readonly relative: boolean;
}

/** `--aim BONE:AXIS=TARGET` */
export interface AimSpec extends Spec {
  readonly option: 'aim';
  /** In the bone frame; any nonzero length. */
  readonly axis: Triple;
  readonly target: TargetSpec;
}

/** `--pin BONE` or `--pin BONE:pose` */
export interface PinSpec extends Spec {
  readonly option: 'pin';
}

export type GoalSpec = PositionSpec | OrientSpec | AimSpec | PinSpec;

/** @throws GoalError */
export function parseGoal(value: string): PositionSpec {
  const text = `--goal ${value}`;
  const { bone, target } = splitTarget(value, text, 'BONE=x,y,z, BONE=+dx,dy,dz or BONE=@OTHER');
  return { option: 'goal', text, bone, target: parseTarget(target, text) };
}

/** @throws GoalError */
export function parseOrient(value: string): OrientSpec {
  const text = `--orient ${value}`;
  const split = splitTarget(value, text, 'BONE=x,y,z,w or BONE=rx,ry,rz or BONE=rx,ry,rzdeg');
  const relative = split.target.startsWith('+');
  const body = relative ? split.target.slice(1) : split.target;
  const unit = /(deg|rad)\s*$/i.exec(body);
  const numbers = parseNumbers(unit ? body.slice(0, unit.index) : body, unit ? [3] : [3, 4], text);
  if (numbers.length === 3) {
    const scale = unit?.[1].toLowerCase() === 'deg' ? Math.PI / 180 : 1;
    const [x, y, z] = numbers.map((angle) => angle * scale);
    requireWithin([x, y, z], MAX_ROTATION, 'rad', text);
    return {
      option: 'orient',
      text,
      bone: split.bone,
      rotation: { kind: 'rotation-vector', value: [x, y, z] },
      relative,
    };
  }
  const [x, y, z, w] = numbers;
  const largest = Math.max(...numbers.map(Math.abs));
  if (!(largest > 0)) {
    throw new GoalError('not-unit', 'the quaternion is zero.', {
      path: text,
      remedy: 'Give x,y,z,w of a rotation; 0,0,0,1 is the identity.',
    });
  }
  // Scaled by the largest first: squares of very large or small numbers overflow or underflow.
  const [a, b, c, d] = [x / largest, y / largest, z / largest, w / largest];
  const length = Math.hypot(a, b, c, d);
  const unitQuat = [a / length, b / length, c / length, d / length] as const;
  return {
    option: 'orient',
    text,
    bone: split.bone,
    rotation: { kind: 'quaternion', value: unitQuat },
    relative,
  };
}

/** @throws GoalError */
export function parseAim(value: string): AimSpec {
  const text = `--aim ${value}`;
  const { bone: left, target } = splitTarget(value, text, 'BONE:AXIS=x,y,z or BONE:AXIS=@OTHER');
  const letter = /^(.+):([+-]?)([xyz])$/is.exec(left);
  const vector = letter ? null : /^(.+):([^:]*):([^:]*):([^:]*)$/s.exec(left);
  if (!letter && !vector) {
    throw new GoalError('unsupported', `'${left}' names no axis of the bone.`, {
      path: text,
      remedy: 'Write BONE:z, BONE:-x or a vector in the bone frame, BONE:0:1:0.5.',
    });
  }
  const bone = (letter ?? vector)?.[1] as string;
  const axis = letter ? letterAxis(letter[2], letter[3]) : vectorAxis((vector as string[]).slice(2), text);
  return { option: 'aim', text, bone, axis, target: parseTarget(target, text) };
}

/** @throws GoalError */
export function parsePin(value: string): PinSpec {
  const text = `--pin ${value}`;
  if (value.trim() === '') {
    throw new GoalError('unknown-name', 'names no bone.', { path: text, remedy: 'Write --pin BONE.' });
  }
  return { option: 'pin', text, bone: value };
}

/**
 * Splits `BONE=TARGET`: at the first `=@` for a target `@NAME`, whose name may contain `=`; else at the last `=`.
 */
function splitTarget(value: string, text: string, form: string): { bone: string; target: string } {
  const boneTarget = value.indexOf('=@');
  const at = boneTarget >= 0 ? boneTarget : value.lastIndexOf('=');
  const bone = value.slice(0, Math.max(at, 0));
  if (bone.trim() === '') {
    throw new GoalError('unsupported', at < 0 ? "has no '='." : "names no bone before '='.", {
      path: text,
      remedy: `Write ${form}.`,
    });
  }
  return { bone, target: value.slice(at + 1).trim() };
}

function parseTarget(target: string, path: string): TargetSpec {
  if (target.startsWith('@')) {
    const name = target.slice(1);
    if (name.trim() !== '') return { kind: 'bone', name };
    throw new GoalError('unknown-name', "names no bone after '@'.", { path, remedy: 'Write @BONE.' });
  }
  const relative = target.startsWith('+');
  const [x, y, z] = parseNumbers(relative ? target.slice(1) : target, [3], path);
  requireWithin([x, y, z], MAX_COORDINATE, 'm', path);
  return relative ? { kind: 'offset', by: [x, y, z] } : { kind: 'point', at: [x, y, z] };
}

function letterAxis(sign: string, letter: string): Triple {
  const value = sign === '-' ? -1 : 1;
  const k = 'xyz'.indexOf(letter.toLowerCase());
  return [k === 0 ? value : 0, k === 1 ? value : 0, k === 2 ? value : 0];
}

function vectorAxis(components: readonly string[], path: string): Triple {
  const [x, y, z] = components.map((component) => parseNumber(component, path));
  // Scaled by the largest, since the solver squares it.
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (largest > 0) return [x / largest, y / largest, z / largest];
  throw new GoalError('not-unit', 'the axis is zero.', {
    path,
    remedy: 'Give a nonzero vector.',
  });
}
