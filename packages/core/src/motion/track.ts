/** Track data to a checked curve over coordinates. */

import { type FieldsOf, requireFields, requireOneOf, requireWhole } from '../checks.js';
import { MotionError } from '../errors.js';
import { jointTypes } from '../figure/joints/joint-types.js';
import { ratesFromVelocity } from '../figure/kinematics/velocity.js';
import type { Figure } from '../figure/model/figure.js';
import { boneIndex } from '../figure/model/figure.js';
import { createState } from '../figure/model/state.js';
import type { Numbers } from '../math/linear/types.js';
import { hermiteCurve } from './curves/hermite.js';
import { catmullRomCurve } from './curves/kochanek-bartels.js';
import {
  type Curve,
  checkedNumbers,
  checkedTimes,
  MAX_DEGREE,
  requireLength,
} from './representation/curve.js';
import { pointWriterOf } from './representation/deferred-curve.js';
import { type CheckedKeys, checkedKeys, type Keys } from './representation/keyframes.js';
import { outsideRange } from './representation/time-range.js';

/** A curve over contiguous coordinates of a pose. */
export interface MotionTrack {
  /** Pose index of the first coordinate. */
  readonly coordinate: number;
  readonly curve: Curve;
}

/**
 * Keyframes of a track. Rotation vectors are interpolated as plain numbers, without a warning where they pass 2 pi, at which
 * `rotationVectorCurve` refuses them; use `rotationVectorHermite` for multiples of 2 pi.
 */
export interface TrackKeys extends Keys {
  /**
   * Leaving tangents, as many numbers as values; also the arriving ones unless `arriving` is given. With tangents the track is a
   * cubic Hermite curve, without a Catmull-Rom curve.
   */
  readonly tangents?: Numbers;
  /** Arriving tangents where they differ: the curve then has a corner. */
  readonly arriving?: Numbers;
  /**
   * Unit of the tangents: `rate`, the rates q' of the coordinates (default); or `joint-velocity`, v, the angular velocity in the
   * bone frame for a ball joint and q' for joints with angle coordinates. Converted exactly, q' = N(q) v.
   */
  readonly tangentsAs?: 'rate' | 'joint-velocity';
}

/** A track: its coordinates and its curve or keyframes. */
export type TrackData = (
  | {
      /** Name or index of a bone; its coordinates are animated. */
      readonly bone: string | number;
      /** First coordinate within the joint, for a part of it: 3 begins the rotation vector of a free joint. */
      readonly component?: number;
    }
  | {
      /** Pose index of the first coordinate. The track may span many joints. */
      readonly coordinate: number;
    }
) &
  ({ readonly curve: Curve } | { readonly keys: TrackKeys });

const TRACK = { bone: true, component: true, coordinate: true, curve: true, keys: true };
const KEYS: FieldsOf<TrackKeys> = {
  times: true,
  values: true,
  tangents: true,
  arriving: true,
  tangentsAs: true,
};

/** @throws MotionError at `path` and below. */
export function checkedTrack(figure: Figure, data: TrackData, path: string): MotionTrack {
  requireObject(data, path, 'Give { bone, curve } or { bone, keys }.');
  requireFields(data, TRACK, path, MotionError);
  const { coordinate, size, max, what } = coordinatesOf(figure, data, path);
  const given: { readonly curve?: Curve; readonly keys?: TrackKeys } = data;
  if ((given.curve === undefined) === (given.keys === undefined)) {
    throw new MotionError('wrong-size', 'needs a curve or keys, one of the two.', {
      path,
      remedy: 'Give { bone, curve } or { bone, keys }.',
    });
  }
  const fits = (numbers: number, path: string): void => {
    if (size === undefined ? numbers <= max : numbers === size) return;
    throw new MotionError('wrong-size', `gives ${numbers} numbers; ${what}.`, {
      path,
      remedy: `Give ${size ?? `at most ${max}`}.`,
    });
  };
  if (given.curve !== undefined) {
    const curve = checkedCurve(given.curve, `${path}.curve`);
    fits(curve.size, `${path}.curve`);
    return { coordinate, curve };
  }
  const keys = given.keys as TrackKeys;
  requireObject(keys, `${path}.keys`, 'Give { times, values }.');
  requireFields(keys, KEYS, `${path}.keys`, MotionError);
  requireLength(keys.values, `${path}.keys.values`);
  const checked = checkedKeys(keys, `${path}.keys`);
  fits(checked.size, `${path}.keys.values`);
  return { coordinate, curve: frozen(curveOf(figure, coordinate, keys, checked, `${path}.keys`)) };
}

interface Coordinates {
  readonly coordinate: number;
  /** Required size of the track; undefined for any size up to `max`. */
  readonly size: number | undefined;
  readonly max: number;
  readonly what: string;
}

function coordinatesOf(figure: Figure, data: TrackData, path: string): Coordinates {
  if ('coordinate' in data) {
    const { coordinate } = data;
    requireWhole(coordinate, `${path}.coordinate`, MotionError, 0, figure.dof - 1);
    const max = figure.dof - coordinate;
    return {
      coordinate,
      size: undefined,
      max,
      what: `${figure.name} has ${max} from coordinate ${coordinate} on`,
    };
  }
  const bone = figure.bones[boneIndex(figure, data.bone, `${path}.bone`)];
  if (bone.dof === 0) {
    const source = bone.mimic?.bone;
    throw new MotionError(
      'unsupported',
      source === undefined ? `'${bone.name}' is fixed.` : `'${bone.name}' mimics '${source}'.`,
      {
        path: `${path}.bone`,
        remedy: source === undefined ? 'Leave it out.' : 'Give the source joint a track.',
      },
    );
  }
  const { component } = data;
  if (component === undefined) {
    const what = `the ${bone.joint.type} joint of '${bone.name}' has ${bone.dof}`;
    return { coordinate: bone.coordinate, size: bone.dof, max: bone.dof, what };
  }
  requireWhole(component, `${path}.component`, MotionError, 0, bone.dof - 1);
  const max = bone.dof - component;
  const what = `'${bone.name}' has ${max} from component ${component} on`;
  return { coordinate: bone.coordinate + component, size: undefined, max, what };
}

/** A checked copy. */
function checkedCurve(curve: Curve, path: string): Curve {
  requireObject(curve, path, 'Give a curve, of cubicSpline or another.');
  if (pointWriterOf(curve) !== undefined) return curve;
  requirePoints(curve, path);
  const { size, degree } = curve;
  requireWhole(size, `${path}.size`, MotionError, 1);
  requireWhole(degree, `${path}.degree`, MotionError, 1, MAX_DEGREE);
  const knots = checkedTimes(curve.knots, `${path}.knots`);
  const controls = checkedNumbers(
    curve.controls,
    (knots.length - 1) * (degree + 1) * size,
    `${path}.controls`,
  );
  return frozen({ size, degree, knots, controls, outside: outsideRange(curve.outside) });
}

function frozen({ size, degree, knots, controls, outside }: Curve): Curve {
  return Object.freeze({
    size,
    degree,
    knots: withoutMinusZero(knots),
    controls: withoutMinusZero(controls),
    outside: Object.freeze({ ...outside }),
  });
}

/** A copy with -0 replaced by 0: JSON has no -0. */
export function withoutMinusZero(numbers: Numbers): Float64Array {
  const copy = new Float64Array(numbers);
  for (let i = 0; i < copy.length; i++) copy[i] += 0;
  return copy;
}

/** @throws MotionError `unsupported` for anything but an object; null is none. */
export function requireObject(value: unknown, path: string, remedy: string): void {
  if (typeof value === 'object' && value !== null) return;
  throw new MotionError('unsupported', `is ${String(value)}.`, { path, remedy });
}

/** @throws MotionError `unsupported` for curves without Bezier points (functions). */
function requirePoints(curve: object, path: string): void {
  if (!('evaluateInside' in curve)) return;
  const kind = 'kind' in curve ? ` of kind '${String(curve.kind)}'` : '';
  const numbers = 'size' in curve;
  throw new MotionError(
    'unsupported',
    numbers
      ? `is a curve${kind}, without Bezier points.`
      : `is a rotation curve${kind}, not a curve of numbers.`,
    {
      path,
      remedy: numbers
        ? 'Sample it with evaluateRetimed and give the curve of fitCurve.'
        : 'Give orientationHermite(simplifyRotation(curve, { tolerance }).keys), which keeps a bound; or if it came from a curve of rotation vectors, that curve.',
    },
  );
}

function curveOf(
  figure: Figure,
  coordinate: number,
  keys: TrackKeys,
  checked: CheckedKeys,
  path: string,
): Curve {
  const { times, values } = checked;
  if (keys.tangents === undefined) {
    if (keys.arriving === undefined) return catmullRomCurve({ times, values });
    throw new MotionError('wrong-size', 'is given without tangents.', {
      path: `${path}.arriving`,
      remedy: 'Give tangents too, the leaving ones.',
    });
  }
  const tangentsAs = keys.tangentsAs ?? 'rate';
  requireOneOf(tangentsAs, ['rate', 'joint-velocity'], `${path}.tangentsAs`, MotionError);
  const read = (numbers: Numbers, name: string): Float64Array => {
    const tangents = checkedNumbers(numbers, values.length, `${path}.${name}`);
    return tangentsAs === 'rate'
      ? tangents
      : ratesOf(figure, coordinate, checked, tangents, `${path}.${name}`);
  };
  const tangents = read(keys.tangents, 'tangents');
  if (keys.arriving === undefined) return hermiteCurve({ times, values, tangents });
  return hermiteCurve({ times, values, tangents, arriving: read(keys.arriving, 'arriving') });
}

/**
 * q' = N(q) v at every keyframe. @throws MotionError `singular` at a multiple of 2 pi, `wrong-size` for a part of a
 * rotation vector.
 */
function ratesOf(
  figure: Figure,
  coordinate: number,
  { count, size, values }: CheckedKeys,
  velocities: Float64Array,
  path: string,
): Float64Array {
  for (const bone of figure.bones) {
    const { rotationVector } = jointTypes[bone.joint.type];
    const first = bone.coordinate + rotationVector;
    const inside = Math.min(first + 3, coordinate + size) - Math.max(first, coordinate);
    if (rotationVector < 0 || inside <= 0 || inside === 3) continue;
    throw new MotionError(
      'wrong-size',
      `cover ${inside} of the three components of the rotation vector of '${bone.name}'.`,
      {
        path,
        remedy: 'An angular velocity needs the whole rotation vector in one track; give rates instead.',
      },
    );
  }
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const velocity = new Float64Array(figure.dof);
  const rates = new Float64Array(figure.dof);
  const out = new Float64Array(velocities.length);
  for (let i = 0; i < count; i++) {
    pose.set(values.subarray(i * size, (i + 1) * size), coordinate);
    velocity.set(velocities.subarray(i * size, (i + 1) * size), coordinate);
    ratesFromVelocity(state, pose, velocity, rates);
    const bad = rates.findIndex((rate) => !(Math.abs(rate) < SINGULAR));
    if (bad >= 0) {
      const { name } = figure.bones[figure.boneOfCoordinate[bad]];
      throw new MotionError('singular', `has no rate: '${name}' is rotated by a multiple of 2 pi there.`, {
        path: `${path}[${i * size}]`,
        remedy: 'Give the key within pi of rest (regularize), or use rotationVectorHermite for the joint.',
      });
    }
    out.set(rates.subarray(coordinate, coordinate + size), i * size);
  }
  return out;
}

/** N(q) is unbounded at multiples of 2 pi; beyond this magnitude a rate has no digits left. */
const SINGULAR = 1e12;
