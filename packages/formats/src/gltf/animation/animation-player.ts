/**
 * What a player makes of two keys of a glTF animation (glTF 2.0, appendix C), computed in double precision from the single-precision
 * numbers of the file; and how far that is from where a node should be.
 */
import { mat3, type Numbers } from 'poise/math';

/** How a sampler of glTF goes from key to key. */
export type GltfInterpolation = 'LINEAR' | 'CUBICSPLINE';

/** Which member of a node a channel moves. */
export type GltfAnimationPath = 'rotation' | 'translation';

/** A key as the file holds it: every number is one of single precision. */
export interface FileKey {
  /** s */
  readonly time: number;
  readonly value: Float64Array;
  /** Rates on arriving and on leaving, per s; only of CUBICSPLINE. */
  readonly arriving?: Float64Array;
  readonly leaving?: Float64Array;
}

/** Number of numbers of a value. */
export const widthOf: Readonly<Record<GltfAnimationPath, number>> = { rotation: 4, translation: 3 };

/** Value of a channel at `time` between two keys, to `out`. */
export function play(
  path: GltfAnimationPath,
  interpolation: GltfInterpolation,
  a: FileKey,
  b: FileKey,
  time: number,
  out: Float64Array,
): void {
  const span = b.time - a.time;
  const u = (time - a.time) / span;
  if (interpolation === 'CUBICSPLINE') {
    hermite(a, b, span, u, out);
    if (path === 'rotation') normalize(out);
  } else if (path === 'rotation') slerp(a.value, b.value, u, out);
  else for (let k = 0; k < 3; k++) out[k] = (1 - u) * a.value[k] + u * b.value[k];
}

/** (2 u^3 - 3 u^2 + 1) a + h (u^3 - 2 u^2 + u) a' + (3 u^2 - 2 u^3) b + h (u^3 - u^2) b'. */
function hermite(a: FileKey, b: FileKey, h: number, u: number, out: Float64Array): void {
  const to = u * u * (3 - 2 * u);
  const out0 = h * u * (1 - u) * (1 - u);
  const in1 = h * u * u * (u - 1);
  const leaving = a.leaving as Float64Array;
  const arriving = b.arriving as Float64Array;
  for (let k = 0; k < out.length; k++) {
    out[k] = (1 - to) * a.value[k] + out0 * leaving[k] + to * b.value[k] + in1 * arriving[k];
  }
}

/** The short way at constant speed. */
function slerp(a: Float64Array, b: Float64Array, u: number, out: Float64Array): void {
  let dot = 0;
  for (let k = 0; k < 4; k++) dot += a[k] * b[k];
  const side = dot < 0 ? -1 : 1;
  let chord = 0;
  for (let k = 0; k < 4; k++) chord += (side * b[k] - a[k]) ** 2;
  // From the chord, not by acos of the dot product, which knows no small angle.
  const angle = 2 * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
  const sine = Math.sin(angle);
  const from = sine > 0 ? Math.sin((1 - u) * angle) / sine : 1 - u;
  const to = sine > 0 ? Math.sin(u * angle) / sine : u;
  for (let k = 0; k < 4; k++) out[k] = from * a[k] + side * to * b[k];
  normalize(out);
}

function normalize(q: Float64Array): void {
  const length = Math.hypot(q[0], q[1], q[2], q[3]);
  for (let k = 0; k < 4; k++) q[k] /= length;
}

/** The angle between two rotations, rad; NaN, which is no small number, for what is none. */
export function rotationError(q: Numbers, wanted: Numbers): number {
  let dot = 0;
  for (let k = 0; k < 4; k++) dot += q[k] * wanted[k];
  const side = dot < 0 ? -1 : 1;
  let chord = 0;
  for (let k = 0; k < 4; k++) chord += (side * q[k] - wanted[k]) ** 2;
  return 4 * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
}

/** Distance of two origins of a node in metres: A, its parent's output matrix, takes the parent's units to metres. */
export function translationError(output: Numbers, p: Numbers, wanted: Numbers): number {
  const [x, y, z] = mat3.multiplyVector(output, [p[0] - wanted[0], p[1] - wanted[1], p[2] - wanted[2]]);
  return Math.hypot(x, y, z);
}
