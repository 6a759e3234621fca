/** How a motion becomes keys of a glTF animation: options, and the layout of keys. */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { fail } from '../../text/json-checks.js';
import { type FileKey, type GltfAnimationPath, type GltfInterpolation, widthOf } from './animation-player.js';

/** Options of `sampleGltfAnimation`. */
export interface SampleGltfAnimationOptions {
  /** Default: that of the motion. */
  readonly name?: string;
  /**
   * Largest error of each node in its parent when the file is played: `rotation` in rad (default 1e-3; at least 1e-6), `translation` in m
   * (default 1e-4). Checked with a margin of 10 % at seven samples between any two candidate keys.
   */
  readonly tolerance?: { readonly rotation?: number; readonly translation?: number };
  /** `LINEAR` (slerp, supported by every player; default) or `CUBICSPLINE` (fewer keys). */
  readonly interpolation?: GltfInterpolation;
  /** Start time of the motion in the file, s, 0 or later. Default 0. */
  readonly begin?: number;
}

export const SAMPLE_FIELDS: FieldsOf<SampleGltfAnimationOptions> = {
  name: true,
  tolerance: true,
  interpolation: true,
  begin: true,
};
/** The rounding of single precision needs the rest of a smaller tolerance. */
const MIN_ROTATION_TOLERANCE = 1e-6;
/** Difference from rest within rounding, rad or m. */
export const REST_TOLERANCE = 1e-9;

/** The options, checked. */
export interface Sampling {
  readonly interpolation: GltfInterpolation;
  readonly tolerances: Readonly<Record<GltfAnimationPath, number>>;
  readonly begin: number;
}

/** @throws FormatError `out-of-range`; `unknown-name` for an option that is none of `fields`. */
export function checkSampling<T extends SampleGltfAnimationOptions>(
  options: T,
  fields: FieldsOf<T>,
): Sampling {
  requireFields(options, fields, 'options', FormatError);
  requireFields(
    options.tolerance ?? {},
    { rotation: true, translation: true },
    'options.tolerance',
    FormatError,
  );
  const interpolation = options.interpolation ?? 'LINEAR';
  if (interpolation !== 'LINEAR' && interpolation !== 'CUBICSPLINE') {
    fail('out-of-range', 'interpolation', `is ${String(interpolation)}.`, "Use 'LINEAR' or 'CUBICSPLINE'.");
  }
  const { rotation = 1e-3, translation = 1e-4 } = options.tolerance ?? {};
  requireAtLeast(rotation, MIN_ROTATION_TOLERANCE, 'tolerance.rotation');
  requireAtLeast(translation, Number.MIN_VALUE, 'tolerance.translation');
  const begin = options.begin ?? 0;
  requireAtLeast(begin, 0, 'begin');
  return { interpolation, tolerances: { rotation, translation }, begin };
}

/** Keys in the layout of the file. */
export function packedKeys(
  path: GltfAnimationPath,
  interpolation: GltfInterpolation | 'STEP',
  keys: readonly FileKey[],
): { times: Float32Array; values: Float32Array } {
  const width = widthOf[path];
  const stride = interpolation === 'CUBICSPLINE' ? 3 * width : width;
  const times = new Float32Array(keys.length);
  const values = new Float32Array(stride * keys.length);
  for (let i = 0; i < keys.length; i++) {
    const { time, value, inTangent, outTangent } = keys[i];
    times[i] = time;
    if (interpolation !== 'CUBICSPLINE') {
      values.set(value, stride * i);
      continue;
    }
    // The first in-tangent and the last out-tangent are unused but required.
    values.set((inTangent ?? outTangent) as Float64Array, stride * i);
    values.set(value, stride * i + width);
    values.set((outTangent ?? inTangent) as Float64Array, stride * i + 2 * width);
  }
  return { times, values };
}

function requireAtLeast(value: number, min: number, path: string): void {
  if (Number.isFinite(value) && value >= min) return;
  const expected =
    min === 0
      ? 'a finite number of 0 or more'
      : min === MIN_ROTATION_TOLERANCE
        ? `${min} or more`
        : 'a number above 0';
  fail('out-of-range', path, `is ${value}.`, `Give ${expected}.`);
}
