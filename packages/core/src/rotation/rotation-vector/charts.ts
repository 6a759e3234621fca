/**
 * Reparameterization of rotation vectors away from the singular shells |v| = 2 pi, 4 pi, ... (Grassia 1997, section 3.2.2,
 * corrected): v' = (1 - 2 pi k/theta) v is the same rotation for every integer k, |v'| <= pi for k = round(theta/2 pi), and
 * tangents (rates, spline tangents) must be mapped with the same k.
 */
import { requireSize } from '../../checks.js';
import { DomainError } from '../../errors.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../math/linear/types.js';
import { unset3 } from '../../math/linear/unset.js';
import { nearestRotationVector } from './log.js';

const TWO_PI = 2 * Math.PI;

const axis = /* @__PURE__ */ unset3();

/** Index of the nearest shell: k = round(|v|/2 pi), the multiple of 2 pi that {@link regularize} subtracts. */
export function shellIndex(v: Vec3): number {
  return Math.round(vec3.norm(v) / TWO_PI);
}

/** The same rotation with |v| <= pi: v' = (1 - 2 pi k/theta) v, k = {@link shellIndex}. */
export function regularize<T extends MutableNumbers = number[]>(v: Vec3, out: T = unset3()): T {
  return reparameterize(v, shellIndex(v), out);
}

/**
 * The same rotation k shells further in: v' = v - 2 pi k n, n = v/theta.
 *
 * @param k - Any integer.
 * @throws DomainError `singular` for v = 0 with k other than 0: the zero vector has no axis.
 */
export function reparameterize<T extends MutableNumbers = number[]>(
  v: Vec3,
  k: number,
  out: T = unset3(),
): T {
  // What is not finite has no shell: it stays as it is.
  if (k === 0 || !Number.isFinite(vec3.norm(v))) return vec3.copy(v, out);
  return vec3.addScaled(v, axisOf(v, 'reparameterize(v)'), -TWO_PI * k, out);
}

/**
 * The tangent m at v, mapped by the derivative of {@link reparameterize}, so that it has the same angular velocity:
 * m' = (1 - 2 pi k/theta) m + (2 pi k/theta) (n.m) n, n = v/theta. The component along v is unchanged.
 * @throws DomainError `singular` as reparameterize.
 */
export function reparameterizeTangent<T extends MutableNumbers = number[]>(
  v: Vec3,
  tangent: Vec3,
  k: number,
  out: T = unset3(),
): T {
  if (k === 0) return vec3.copy(tangent, out);
  const n = axisOf(v, 'reparameterizeTangent(v)');
  const shift = (TWO_PI * k) / vec3.norm(v);
  const radial = shift * vec3.dot(n, tangent);
  return vec3.addScaled(vec3.scale(tangent, 1 - shift, out), n, radial, out);
}

/**
 * Reparameterizes a group of rotation vectors (packed, three numbers each), and their tangents if given, in place with one
 * common k = round(mean |v| / 2 pi), as the control points of one curve segment require.
 * @returns k.
 * @throws DomainError `singular` when k is not 0 and a member is the zero vector, `wrong-size` for lists that are not of triples or of different
 *   lengths; nothing is changed then.
 */
export function regularizeGroup(vectors: MutableNumbers, tangents?: MutableNumbers): number {
  const count = countTriples(vectors);
  if (tangents !== undefined) requireSize(tangents, vectors.length, 'tangents', DomainError);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += vec3.norm(triple(vectors, i));
  const k = count === 0 ? 0 : Math.round(sum / count / TWO_PI);
  if (k === 0) return 0;
  for (let i = 0; i < count; i++) axisOf(triple(vectors, i), `regularizeGroup(vectors)[${i}]`);
  for (let i = 0; i < count; i++) {
    const v = triple(vectors, i);
    if (tangents !== undefined) store(reparameterizeTangent(v, triple(tangents, i), k), tangents, i);
    store(reparameterize(v, k), vectors, i);
  }
  return k;
}

/**
 * Unwraps a sequence of rotation vectors (packed, three numbers each): each becomes the equivalent one nearest to
 * its predecessor in `out`, so a continuous rotation gives a continuous curve. The first is unchanged.
 *
 * @throws DomainError `wrong-size` for a list that is not of triples.
 */
export function unwrapRotationVectors<T extends MutableNumbers = number[]>(
  vectors: Numbers,
  out: T = new Array<number>(vectors.length).fill(0) as MutableNumbers as T,
): T {
  const count = countTriples(vectors);
  for (let i = 0; i < count; i++) {
    const v = triple(vectors, i);
    store(i === 0 ? v : nearestRotationVector(v, triple(out, i - 1)), out, i);
  }
  return out;
}

/** @throws DomainError `wrong-size` for a list whose length is no multiple of three. */
function countTriples(vectors: Numbers): number {
  const count = Math.floor(vectors.length / 3);
  requireSize(vectors, 3 * count, 'vectors', DomainError, 'Give three numbers for each rotation vector.');
  return count;
}

/** The i-th three numbers. */
function triple(packed: Numbers, i: number): number[] {
  return [packed[3 * i], packed[3 * i + 1], packed[3 * i + 2]];
}

/** Writes the i-th three numbers. */
function store(v: Vec3, packed: MutableNumbers, i: number): void {
  packed[3 * i] = v[0];
  packed[3 * i + 1] = v[1];
  packed[3 * i + 2] = v[2];
}

/** v/|v|. @throws DomainError `singular` for zero, which has no axis. */
function axisOf(v: Vec3, path: string): number[] {
  if (vec3.norm(v) === 0) {
    throw new DomainError('singular', 'the zero rotation vector has no axis.', {
      path,
      remedy: 'Use k = 0, or give the group a common nonzero rotation.',
    });
  }
  return vec3.normalize(v, axis);
}
