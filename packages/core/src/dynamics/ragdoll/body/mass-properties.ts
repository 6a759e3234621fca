import type { Triple } from '../../../figure/data/types.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import { diagonalize } from '../../../math/linear/symmetric-eigen.js';
import type { Mat3, Vec3 } from '../../../math/linear/types.js';
import { rotateInertia } from '../../model/rotate-inertia.js';

export type SixNumbers = readonly [number, number, number, number, number, number];

/** Mass (kg), centre of mass (m) and inertia about it, [xx, yy, zz, xy, xz, yz] (kg m^2), all in one frame. */
export interface Body {
  readonly mass: number;
  readonly center: Triple;
  readonly inertia: SixNumbers;
}

/** Composite mass properties of several bodies. */
export function mergeBodies(bodies: readonly Body[]): Body {
  const mass = bodies.reduce((sum, body) => sum + body.mass, 0);
  if (mass === 0) return { mass: 0, center: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0] };
  const center = [0, 1, 2].map((k) => bodies.reduce((sum, b) => sum + (b.mass / mass) * b.center[k], 0));
  const total = [0, 0, 0, 0, 0, 0];
  for (const { mass: m, center: c, inertia } of bodies) {
    const [x, y, z] = [c[0] - center[0], c[1] - center[1], c[2] - center[2]];
    const shift = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
    for (let k = 0; k < 6; k++) total[k] += inertia[k] + m * shift[k];
  }
  return { mass, center: [center[0], center[1], center[2]], inertia: sixNumbers(total) };
}

/** The body rotated and its lengths scaled. */
export function rotateBody({ mass, center, inertia }: Body, rotation: Mat3, scale: number): Body {
  const rotated = new Float64Array(6);
  rotateInertia(Float64Array.from(rotation), 0, Float64Array.from(inertia), 0, rotated, 0);
  const [x, y, z] = mat3.multiplyVector(rotation, center);
  return {
    mass,
    center: [scale * x, scale * y, scale * z],
    inertia: sixNumbers(Array.from(rotated, (i) => scale * scale * i)),
  };
}

/** The body with another mass and the same shape: inertia in proportion. */
export function withMass({ mass, center, inertia }: Body, target: number): Body {
  return {
    mass: target,
    center,
    inertia: sixNumbers(inertia.map((i) => (mass > 0 ? (i * target) / mass : 0))),
  };
}

/** A body with the same radius of gyration (m) about all axes. */
export function sphericalBody(mass: number, center: Vec3, gyration: number): Body {
  const i = mass * gyration * gyration;
  return { mass, center: [center[0], center[1], center[2]], inertia: [i, i, i, 0, 0, 0] };
}

/**
 * The body with every principal moment at least mass * gyration^2, and the largest at most the sum of the others. A body that complies is
 * returned unchanged, bit for bit.
 */
export function withMinGyration(body: Body, gyration: number): Body {
  const [xx, yy, zz, xy, xz, yz] = body.inertia;
  const moments = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  const vectors = new Array<number>(9).fill(0);
  diagonalize(moments, 3, vectors);
  const principal = [moments[0], moments[4], moments[8]];
  const minMoment = body.mass * gyration * gyration;
  const limited = principal.map((i) => Math.max(i, minMoment));
  const [a, b, c] = [0, 1, 2].sort((i, j) => limited[i] - limited[j]);
  const excess = limited[c] - limited[a] - limited[b];
  if (excess > 0) {
    limited[a] += excess / 2;
    limited[b] += excess / 2;
  }
  if (limited.every((i, k) => i === principal[k])) return body;
  // V^T diag V, eigenvectors in rows.
  const entry = (r: number, s: number): number =>
    limited.reduce((sum, i, k) => sum + i * vectors[3 * k + r] * vectors[3 * k + s], 0);
  return { ...body, inertia: [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)] };
}

export function sixNumbers(v: ArrayLike<number>): SixNumbers {
  return [v[0] + 0, v[1] + 0, v[2] + 0, v[3] + 0, v[4] + 0, v[5] + 0];
}
