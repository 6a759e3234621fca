import type { Figure } from 'poise/figure';
import { conjugate, cross, dot, plus, rotate } from '../rigid/vectors.js';
import type { Bodies } from './bodies.js';

/** Energies of the bones one by one, J; gravity along -y, potential energy zero at y = 0. */
export function energies(
  { bones }: Figure,
  bodies: Bodies,
  gravity: number,
): { kinetic: number; potential: number } {
  let [kinetic, potential] = [0, 0];
  for (const { index: b, mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] } of bones) {
    if (mass === 0) continue;
    const arm = rotate(bodies.rotation[b], centerOfMass);
    const velocity = plus(bodies.velocity[b], cross(bodies.spin[b], arm));
    const [x, y, z] = rotate(conjugate(bodies.rotation[b]), bodies.spin[b]);
    const [xx, yy, zz, xy, xz, yz] = inertia;
    const spin = xx * x * x + yy * y * y + zz * z * z + 2 * (xy * x * y + xz * x * z + yz * y * z);
    kinetic += 0.5 * (mass * dot(velocity, velocity) + spin);
    potential += mass * gravity * (bodies.position[b][1] + arm[1]);
  }
  return { kinetic, potential };
}
