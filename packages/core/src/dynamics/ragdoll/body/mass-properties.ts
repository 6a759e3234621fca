import type { Triple } from '../../../figure/data/types.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import { diagonalize } from '../../../math/linear/symmetric-eigen.js';
import type { Mat3, Vec3 } from '../../../math/linear/types.js';
import { rotateInertia } from '../../model/rotate-inertia.js';

export type SixNumbers = readonly [number, number, number, number, number, number];

/** Mass (kg), its centre (m) and the inertia about the centre, [xx, yy, zz, xy, xz, yz] (kg m^2), in the axes of some frame. */
export interface Body {
  readonly mass: number;
  readonly center: Triple;
  readonly inertia: SixNumbers;
}

/** Several bodies as one. */
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
  return { mass, center: [center[0], center[1], center[2]], inertia: six(total) };
}

/** The body in the axes that `turn` takes its own to, its lengths times `scale`. */
export function turnBody({ mass, center, inertia }: Body, turn: Mat3, scale: number): Body {
  const turned = new Float64Array(6);
  rotateInertia(Float64Array.from(turn), 0, Float64Array.from(inertia), 0, turned, 0);
  const [x, y, z] = mat3.multiplyVector(turn, center);
  return {
    mass,
    center: [scale * x, scale * y, scale * z],
    inertia: six(Array.from(turned, (i) => scale * scale * i)),
  };
}

/** The body with another mass, of the same form. */
export function weigh({ mass, center, inertia }: Body, wanted: number): Body {
  return { mass: wanted, center, inertia: six(inertia.map((i) => (mass > 0 ? (i * wanted) / mass : 0))) };
}

/** A body of one gyration radius (m) about all axes. */
export function ball(mass: number, center: Vec3, gyration: number): Body {
  const i = mass * gyration * gyration;
  return { mass, center: [center[0], center[1], center[2]], inertia: [i, i, i, 0, 0, 0] };
}

/**
 * The body with every principal moment at least mass * gyration^2, and the greatest no longer than the other two together: a body's. One that
 * is so already stays to the bit.
 */
export function thicken(body: Body, gyration: number): Body {
  const [xx, yy, zz, xy, xz, yz] = body.inertia;
  const moments = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  const vectors = new Array<number>(9).fill(0);
  diagonalize(moments, 3, vectors);
  const found = [moments[0], moments[4], moments[8]];
  const least = body.mass * gyration * gyration;
  const wide = found.map((i) => Math.max(i, least));
  const [a, b, c] = [0, 1, 2].sort((i, j) => wide[i] - wide[j]);
  const short = wide[c] - wide[a] - wide[b];
  if (short > 0) {
    wide[a] += short / 2;
    wide[b] += short / 2;
  }
  if (wide.every((i, k) => i === found[k])) return body;
  // V^T diag V, eigenvectors in rows.
  const entry = (r: number, s: number): number =>
    wide.reduce((sum, i, k) => sum + i * vectors[3 * k + r] * vectors[3 * k + s], 0);
  return { ...body, inertia: [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)] };
}

export function six(v: ArrayLike<number>): SixNumbers {
  return [v[0] + 0, v[1] + 0, v[2] + 0, v[3] + 0, v[4] + 0, v[5] + 0];
}
