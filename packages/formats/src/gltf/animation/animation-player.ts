/**
 * Interpolation between two keys of a glTF animation (glTF 2.0, appendix C), in double precision from the single-precision numbers of the file;
 * and its error against the expected node transform.
 */
import { mat3, type Numbers } from 'poise/math';

/** Interpolation of a glTF animation sampler. */
export type GltfInterpolation = 'LINEAR' | 'CUBICSPLINE';

/** The animated property of a node. */
export type GltfAnimationPath = 'rotation' | 'translation';

/** A key of the file: every number is exact in single precision. */
export interface FileKey {
  /** s */
  readonly time: number;
  readonly value: Float64Array;
  /** Derivatives per s; only with CUBICSPLINE. */
  readonly inTangent?: Float64Array;
  readonly outTangent?: Float64Array;
}

/** Components of a value. */
export const widthOf: Readonly<Record<GltfAnimationPath, number>> = { rotation: 4, translation: 3 };

/** Writes the value of a channel at `time` between two keys. */
export function interpolate(
  path: GltfAnimationPath,
  interpolation: GltfInterpolation,
  a: FileKey,
  b: FileKey,
  time: number,
  out: Float64Array,
): void {
  const { linear, spline } = spans[path];
  (interpolation === 'CUBICSPLINE' ? spline : linear).between(a, b).writeAt(time, out);
}

/** A channel between two keys. One serves for many pairs, and what a slerp needs of its ends is computed once a pair. */
export class KeySpan {
  readonly #path: GltfAnimationPath;
  readonly #isSpline: boolean;
  #a!: FileKey;
  #b!: FileKey;
  readonly #arc = new Float64Array(3);

  constructor(path: GltfAnimationPath, interpolation: GltfInterpolation) {
    this.#path = path;
    this.#isSpline = interpolation === 'CUBICSPLINE';
  }

  between(a: FileKey, b: FileKey): this {
    this.#a = a;
    this.#b = b;
    if (this.#path === 'rotation' && !this.#isSpline) writeArc(a.value, b.value, this.#arc);
    return this;
  }

  writeAt(time: number, out: Float64Array): void {
    const a = this.#a;
    const b = this.#b;
    const span = b.time - a.time;
    const u = (time - a.time) / span;
    if (this.#isSpline) {
      hermite(a, b, span, u, out);
      if (this.#path === 'rotation') normalize(out);
    } else if (this.#path === 'rotation') slerp(a.value, b.value, this.#arc, u, out);
    else for (let k = 0; k < 3; k++) out[k] = (1 - u) * a.value[k] + u * b.value[k];
  }
}

const spansOf = (path: GltfAnimationPath) => ({
  linear: new KeySpan(path, 'LINEAR'),
  spline: new KeySpan(path, 'CUBICSPLINE'),
});
const spans = { rotation: spansOf('rotation'), translation: spansOf('translation') };

/**
 * The largest {@link rotationError} of a slerp between two keys at samples: that of {@link KeySpan.writeAt} at each, to the bit, in one function, since a call for each number leaves
 * most of the garbage of writing an animation.
 *
 * @param samples - `count` times, then as many quaternions.
 */
export function largestSlerpError(a: FileKey, b: FileKey, samples: readonly number[], count: number): number {
  const p = a.value;
  const q = b.value;
  writeArc(p, q, arcOfErrors);
  const sign = arcOfErrors[0];
  const angle = arcOfErrors[1];
  const sine = arcOfErrors[2];
  const span = b.time - a.time;
  let largest = 0;
  for (let n = 0; n < count; n++) {
    const u = (samples[n] - a.time) / span;
    const from = sine > 0 ? Math.sin((1 - u) * angle) / sine : 1 - u;
    const to = sign * (sine > 0 ? Math.sin(u * angle) / sine : u);
    let x = from * p[0] + to * q[0];
    let y = from * p[1] + to * q[1];
    let z = from * p[2] + to * q[2];
    let w = from * p[3] + to * q[3];
    const length = Math.sqrt(x * x + y * y + z * z + w * w);
    x /= length;
    y /= length;
    z /= length;
    w /= length;
    const e = count + 4 * n;
    const dot = x * samples[e] + y * samples[e + 1] + z * samples[e + 2] + w * samples[e + 3];
    const side = dot < 0 ? -1 : 1;
    const chord =
      (side * samples[e] - x) ** 2 +
      (side * samples[e + 1] - y) ** 2 +
      (side * samples[e + 2] - z) ** 2 +
      (side * samples[e + 3] - w) ** 2;
    // Not Math.max: NaN must count as a large error.
    if (!(chord <= largest)) largest = chord;
  }
  return 4 * Math.asin(Math.min(1, Math.sqrt(largest) / 2));
}

const arcOfErrors = new Float64Array(3);

/** (2 u^3 - 3 u^2 + 1) a + h (u^3 - 2 u^2 + u) a' + (3 u^2 - 2 u^3) b + h (u^3 - u^2) b'. */
function hermite(a: FileKey, b: FileKey, h: number, u: number, out: Float64Array): void {
  const to = u * u * (3 - 2 * u);
  const out0 = h * u * (1 - u) * (1 - u);
  const in1 = h * u * u * (u - 1);
  const outTangent = a.outTangent as Float64Array;
  const inTangent = b.inTangent as Float64Array;
  for (let k = 0; k < out.length; k++) {
    out[k] = (1 - to) * a.value[k] + out0 * outTangent[k] + to * b.value[k] + in1 * inTangent[k];
  }
}

/** The short arc from a to b: of b and -b, the same rotation, the nearer to a. Writes its sign, angle, and sine. */
function writeArc(a: Float64Array, b: Float64Array, out: Float64Array): void {
  let dot = 0;
  for (let k = 0; k < 4; k++) dot += a[k] * b[k];
  const sign = dot < 0 ? -1 : 1;
  let chord = 0;
  for (let k = 0; k < 4; k++) chord += (sign * b[k] - a[k]) ** 2;
  // From the chord: acos of the dot product is inaccurate for small angles.
  const angle = 2 * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
  out[0] = sign;
  out[1] = angle;
  out[2] = Math.sin(angle);
}

/** @param arc - From a to b, as of {@link writeArc}. */
function slerp(a: Float64Array, b: Float64Array, arc: Float64Array, u: number, out: Float64Array): void {
  const sign = arc[0];
  const angle = arc[1];
  const sine = arc[2];
  const from = sine > 0 ? Math.sin((1 - u) * angle) / sine : 1 - u;
  const to = sine > 0 ? Math.sin(u * angle) / sine : u;
  for (let k = 0; k < 4; k++) out[k] = from * a[k] + sign * to * b[k];
  normalize(out);
}

function normalize(q: Float64Array): void {
  // Not Math.hypot, whose arguments V8 puts on the heap: most of the garbage of writing an animation.
  const length = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (let k = 0; k < 4; k++) q[k] /= length;
}

/** The angle between two rotations, rad; NaN for invalid quaternions. */
export function rotationError(q: Numbers, expected: Numbers): number {
  let dot = 0;
  for (let k = 0; k < 4; k++) dot += q[k] * expected[k];
  const sign = dot < 0 ? -1 : 1;
  let chord = 0;
  for (let k = 0; k < 4; k++) chord += (sign * q[k] - expected[k]) ** 2;
  return 4 * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
}

/** Distance between two origins of a node, m, by the output matrix of its parent. */
export function translationError(output: Numbers, p: Numbers, expected: Numbers): number {
  for (let k = 0; k < 3; k++) difference[k] = p[k] - expected[k];
  mat3.multiplyVector(output, difference, difference);
  return Math.hypot(difference[0], difference[1], difference[2]);
}

const difference = /* @__PURE__ */ new Float64Array(3);
