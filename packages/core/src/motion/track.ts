/** From what a caller says of a track to a checked curve over coordinates. */
import { MotionError, nearestName } from '../errors.js';
import { jointTypes } from '../figure/joints/joint-types.js';
import { ratesFromVelocity } from '../figure/kinematics/velocity.js';
import type { Bone, Figure } from '../figure/model/figure.js';
import { createState } from '../figure/model/state.js';
import type { Numbers } from '../math/linear/types.js';
import { hermiteCurve } from './curves/hermite.js';
import { catmullRomCurve } from './curves/kochanek-bartels.js';
import {
  type Curve,
  checkedNumbers,
  checkedTimes,
  checkWhole,
  MAX_DEGREE,
  requireLength,
} from './representation/curve.js';
import { type CheckedKeys, checkedKeys, type Keys } from './representation/keyframes.js';
import { outsideRange } from './representation/time-range.js';

/** Coordinates of a pose over time: as many as the curve has numbers, next to each other. */
export interface MotionTrack {
  /** Index in the pose of the first of them. */
  readonly coordinate: number;
  readonly curve: Curve;
}

/**
 * Keys of a track, with the rates that it has there. Rotation vectors are taken as the numbers they are: nothing is said where they pass 2 pi,
 * at which `rotationVectorCurve` refuses them; use `rotationVectorHermite` for whole turns.
 */
export interface TrackKeys extends Keys {
  /**
   * At the keys, as many numbers as values: on leaving, and on arriving where `arriving` is not given. The track is then a cubic
   * Hermite curve; without tangents it is a Catmull-Rom curve.
   */
  readonly tangents?: Numbers;
  /** On arriving at the keys, where that differs: the curve then has a corner. */
  readonly arriving?: Numbers;
  /**
   * What tangents are: `rate`, the rates q' of the coordinates (default); or `joint-velocity`, nu, which is the angular velocity in the
   * bone frame for a ball and q' for all joints with angles of their own. They are converted exactly, q' = N(q) nu.
   */
  readonly tangentsAs?: 'rate' | 'joint-velocity';
}

/** A track: which coordinates, and how they move. */
export type TrackData = (
  | {
      /** Name or index of a bone: its coordinates. */
      readonly bone: string | number;
      /** Only some of them, from this one on: 3 begins the rotation vector of a free joint. */
      readonly component?: number;
    }
  | {
      /** Index in the pose of the first coordinate. The track may go over many joints. */
      readonly coordinate: number;
    }
) &
  ({ readonly curve: Curve } | { readonly keys: TrackKeys });

/** @throws MotionError at `path` and below. */
export function checkedTrack(figure: Figure, data: TrackData, path: string): MotionTrack {
  requireObject(data, path, 'Give { bone, curve } or { bone, keys }.');
  const { coordinate, size, most, what } = placeOf(figure, data, path);
  const given: { readonly curve?: Curve; readonly keys?: TrackKeys } = data;
  if ((given.curve === undefined) === (given.keys === undefined)) {
    throw new MotionError('wrong-size', 'needs a curve or keys, one of the two.', {
      path,
      remedy: 'Give { bone, curve } or { bone, keys }.',
    });
  }
  const fits = (numbers: number, place: string): void => {
    if (size === undefined ? numbers <= most : numbers === size) return;
    throw new MotionError('wrong-size', `gives ${numbers} numbers; ${what}.`, {
      path: place,
      remedy: `Give ${size ?? `at most ${most}`}.`,
    });
  };
  if (given.curve !== undefined) {
    const curve = checkedCurve(given.curve, `${path}.curve`);
    fits(curve.size, `${path}.curve`);
    return { coordinate, curve };
  }
  const keys = given.keys as TrackKeys;
  requireObject(keys, `${path}.keys`, 'Give { times, values }.');
  requireLength(keys.values, `${path}.keys.values`);
  const checked = checkedKeys(keys, `${path}.keys`);
  fits(checked.size, `${path}.keys.values`);
  return { coordinate, curve: frozen(curveOf(figure, coordinate, keys, checked, `${path}.keys`)) };
}

interface Place {
  readonly coordinate: number;
  /** How many numbers the track has; undefined for any up to `most`. */
  readonly size: number | undefined;
  readonly most: number;
  readonly what: string;
}

function placeOf(figure: Figure, data: TrackData, path: string): Place {
  if ('coordinate' in data) {
    const { coordinate } = data;
    checkWhole(coordinate, 0, figure.dof - 1, `${path}.coordinate`);
    const most = figure.dof - coordinate;
    return {
      coordinate,
      size: undefined,
      most,
      what: `${figure.name} has ${most} from coordinate ${coordinate} on`,
    };
  }
  const bone = boneNamed(figure, data.bone, `${path}.bone`);
  if (bone.dof === 0) {
    const leader = bone.mimic?.bone;
    throw new MotionError(
      'unsupported',
      leader === undefined ? `'${bone.name}' is fixed.` : `'${bone.name}' follows '${leader}'.`,
      { path: `${path}.bone`, remedy: leader === undefined ? 'Leave it out.' : 'Give its leader a track.' },
    );
  }
  const { component } = data;
  if (component === undefined) {
    const what = `the ${bone.joint.type} joint of '${bone.name}' has ${bone.dof}`;
    return { coordinate: bone.coordinate, size: bone.dof, most: bone.dof, what };
  }
  checkWhole(component, 0, bone.dof - 1, `${path}.component`);
  const most = bone.dof - component;
  const what = `'${bone.name}' has ${most} from component ${component} on`;
  return { coordinate: bone.coordinate + component, size: undefined, most, what };
}

function boneNamed(figure: Figure, name: string | number, path: string): Bone {
  const { bones } = figure;
  const bone = typeof name === 'number' ? bones[name] : bones.find((each) => each.name === name);
  if (bone !== undefined) return bone;
  const near =
    typeof name === 'string'
      ? nearestName(
          name,
          bones.map((each) => each.name),
        )
      : undefined;
  throw new MotionError('unknown-name', `${figure.name} has no bone ${JSON.stringify(name)}.`, {
    path,
    remedy: near === undefined ? 'List the names with figure.bones.' : `Did you mean '${near}'?`,
  });
}

/** A checked copy. */
function checkedCurve(curve: Curve, path: string): Curve {
  requireObject(curve, path, 'Give a curve, of cubicSpline or another.');
  requirePoints(curve, path);
  const { size, degree } = curve;
  checkWhole(size, 1, Number.POSITIVE_INFINITY, `${path}.size`);
  checkWhole(degree, 1, MAX_DEGREE, `${path}.degree`);
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

/** A copy. JSON has no minus zero, and what is read from it shall be what was written. */
export function withoutMinusZero(numbers: Numbers): Float64Array {
  const copy = Float64Array.from(numbers);
  for (let i = 0; i < copy.length; i++) copy[i] += 0;
  return copy;
}

/** @throws MotionError `unsupported` for what is no object, as null is. */
export function requireObject(value: unknown, path: string, remedy: string): void {
  if (typeof value === 'object' && value !== null) return;
  throw new MotionError('unsupported', `is ${String(value)}.`, { path, remedy });
}

/** @throws MotionError `unsupported` for curves that are functions and no Bezier points. */
function requirePoints(curve: object, path: string): void {
  if (!('evaluateInside' in curve)) return;
  const kind = 'kind' in curve ? ` of kind '${String(curve.kind)}'` : '';
  const numbers = 'size' in curve;
  throw new MotionError(
    'unsupported',
    numbers
      ? `is a curve${kind}, without Bezier points.`
      : `is a rotation curve${kind}, no numbers over time.`,
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
      remedy: 'Give tangents too: the rates on leaving.',
    });
  }
  const tangentsAs = keys.tangentsAs ?? 'rate';
  if (tangentsAs !== 'rate' && tangentsAs !== 'joint-velocity') {
    throw new MotionError('out-of-range', `'${String(tangentsAs)}' is nothing that a tangent can be.`, {
      path: `${path}.tangentsAs`,
      remedy: "Say 'rate' or 'joint-velocity'.",
    });
  }
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

/** q' = N(q) nu at every key. @throws MotionError `singular` at a whole turn, `wrong-size` for a part of a rotation vector. */
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
    throw new MotionError('wrong-size', `are those of ${inside} of the three angles of '${bone.name}'.`, {
      path,
      remedy: 'An angular velocity needs the whole rotation vector in one track; give rates instead.',
    });
  }
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const nu = new Float64Array(figure.dof);
  const rates = new Float64Array(figure.dof);
  const out = new Float64Array(velocities.length);
  for (let i = 0; i < count; i++) {
    pose.set(values.subarray(i * size, (i + 1) * size), coordinate);
    nu.set(velocities.subarray(i * size, (i + 1) * size), coordinate);
    ratesFromVelocity(state, pose, nu, rates);
    const bad = rates.findIndex((rate) => !(Math.abs(rate) < SINGULAR));
    if (bad >= 0) {
      const { name } = figure.bones[figure.boneOfCoordinate[bad]];
      throw new MotionError('singular', `has no rate: '${name}' is a whole turn away from rest there.`, {
        path: `${path}[${i * size}]`,
        remedy: 'Give the key within pi of rest (regularize), or use rotationVectorHermite for the joint.',
      });
    }
    out.set(rates.subarray(coordinate, coordinate + size), i * size);
  }
  return out;
}

/** N(q) grows without bound towards a whole turn; beyond this nothing is left of a rate. */
const SINGULAR = 1e12;
