import { cross, dot, perpendicular } from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { INERTIA_SIZE } from '../../model/inertia.js';
import type { Actor } from '../../simulate/state/actor.js';
import type { Simulation } from '../../simulate/state/simulation.js';

/** Contacts with a smaller gap support, m. */
const TOUCHING = 0.005;
/** Sampled directions; between them the distance is underestimated by at most 0.2 %. */
const DIRECTIONS = 48;

const center: [number, number, number] = [0, 0, 0];
const aside: [number, number, number] = [0, 0, 0];
const ahead: [number, number, number] = [0, 0, 0];

/**
 * Distance of an actor's extrapolated centre of mass, x + v sqrt(l / g), outside its support polygon, m: the point over which an inverted pendulum of its
 * height l comes to rest (Hof, Gazendam, Sinke 2005). The support polygon is the horizontal convex hull of its contacts with anything else; the distance is the
 * maximum over horizontal directions d of (point . d - max over contacts of contact . d). Negative inside; -Infinity without contact.
 */
export function distanceOutsideSupport(simulation: Simulation, actor: Actor, up: Vec3): number {
  const { contacts, gravity } = simulation;
  const { pointA } = contacts;
  const g = Math.hypot(gravity[0], gravity[1], gravity[2]);
  if (!(g > 0)) return Number.NEGATIVE_INFINITY;
  let lowest = Number.POSITIVE_INFINITY;
  for (let c = 0; c < contacts.count; c++) {
    if (!isSupportContact(simulation, actor, c)) continue;
    const at = 3 * c;
    lowest = Math.min(lowest, pointA[at] * up[0] + pointA[at + 1] * up[1] + pointA[at + 2] * up[2]);
  }
  if (lowest === Number.POSITIVE_INFINITY) return Number.NEGATIVE_INFINITY;
  writeCenter(actor, center);
  const time = Math.sqrt(Math.max(0, dot(center, up) - lowest) / g);
  for (let k = 0; k < 3; k++) center[k] += time * actor.work.energy.centerVelocity[k];
  perpendicular(up, aside);
  cross(up, aside, ahead);
  let distance = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < DIRECTIONS; n++) {
    const cosine = Math.cos((2 * Math.PI * n) / DIRECTIONS);
    const sine = Math.sin((2 * Math.PI * n) / DIRECTIONS);
    const x = cosine * aside[0] + sine * ahead[0];
    const y = cosine * aside[1] + sine * ahead[1];
    const z = cosine * aside[2] + sine * ahead[2];
    let hull = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < contacts.count; c++) {
      if (!isSupportContact(simulation, actor, c)) continue;
      const at = 3 * c;
      hull = Math.max(hull, pointA[at] * x + pointA[at + 1] * y + pointA[at + 2] * z);
    }
    distance = Math.max(distance, center[0] * x + center[1] * y + center[2] * z - hull);
  }
  return distance;
}

/** Whether a contact of the last step is between the actor and something else. */
function isSupportContact({ contacts, figureOfBody }: Simulation, { index }: Actor, c: number): boolean {
  const { separation, bodyA, bodyB } = contacts;
  if (separation[c] > TOUCHING) return false;
  const a = figureOfBody[bodyA[c]] === index;
  const b = bodyB[c] >= 0 && figureOfBody[bodyB[c]] === index;
  return a !== b;
}

/** Centre of mass of an actor after the last step, world axes, m. */
function writeCenter({ work }: Actor, out: [number, number, number]): void {
  const { inertias, firstMoments, state } = work.dynamics;
  out.fill(0);
  for (let b = 0; 3 * b < firstMoments.length; b++) {
    const mass = inertias[INERTIA_SIZE * b];
    for (let k = 0; k < 3; k++)
      out[k] += mass * state.worldFromBone[12 * b + 9 + k] + firstMoments[3 * b + k];
  }
  for (let k = 0; k < 3; k++) out[k] /= work.mass;
}
