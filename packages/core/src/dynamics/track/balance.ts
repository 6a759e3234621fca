import type { Vec3 } from '../../math/types.js';
import * as vec3 from '../../math/vec3.js';
import { dot, perpendicular } from '../../math/vec3.js';
import { INERTIA } from '../inertia.js';
import type { Actor } from '../simulate/actor.js';
import type { Simulation } from '../simulate/simulation.js';

/** Surfaces nearer than this carry, m. */
const TOUCHING = 0.005;
/** Directions looked along; between them the distance is at most 0.2 % too short. */
const DIRECTIONS = 48;

const center: [number, number, number] = [0, 0, 0];
const rise: [number, number, number] = [0, 0, 0];

/**
 * How far the extrapolated centre of mass of an actor, x + v sqrt(l / g), is outside what it stands on, m: the point over which an inverted pendulum
 * of its height l comes to rest (Hof, Gazendam, Sinke 2005). What it stands on is the convex hull of its contacts with all else, seen from above: the
 * distance is max over level directions d of (point . d - max over contacts of contact . d). Below zero inside; minus infinity where nothing touches.
 */
export function beyondSupport(
  { contacts, figureOfBody, gravity }: Simulation,
  actor: Actor,
  up: Vec3,
): number {
  const g = Math.hypot(gravity[0], gravity[1], gravity[2]);
  if (!(g > 0)) return Number.NEGATIVE_INFINITY;
  writeCenter(actor, center);
  const points: number[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  for (let c = 0; c < contacts.count; c++) {
    if (contacts.gap[c] > TOUCHING) continue;
    const a = figureOfBody[contacts.bodyA[c]] === actor.index;
    const b = contacts.bodyB[c] >= 0 && figureOfBody[contacts.bodyB[c]] === actor.index;
    if (a === b) continue;
    for (let k = 0; k < 3; k++) rise[k] = contacts.pointA[3 * c + k];
    points.push(rise[0], rise[1], rise[2]);
    lowest = Math.min(lowest, dot(rise, up));
  }
  if (points.length === 0) return Number.NEGATIVE_INFINITY;
  const time = Math.sqrt(Math.max(0, dot(center, up) - lowest) / g);
  const { drift } = actor.work;
  const aside = perpendicular(up);
  const ahead = vec3.cross(up, aside);
  let most = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < DIRECTIONS; n++) {
    const c = Math.cos((2 * Math.PI * n) / DIRECTIONS);
    const s = Math.sin((2 * Math.PI * n) / DIRECTIONS);
    const x = c * aside[0] + s * ahead[0];
    const y = c * aside[1] + s * ahead[1];
    const z = c * aside[2] + s * ahead[2];
    let hull = Number.NEGATIVE_INFINITY;
    for (let p = 0; p < points.length; p += 3) {
      hull = Math.max(hull, points[p] * x + points[p + 1] * y + points[p + 2] * z);
    }
    const along =
      (center[0] + time * drift[0]) * x +
      (center[1] + time * drift[1]) * y +
      (center[2] + time * drift[2]) * z;
    most = Math.max(most, along - hull);
  }
  return most;
}

/** Centre of mass of an actor after the last step, world axes, m. */
function writeCenter({ work }: Actor, out: [number, number, number]): void {
  const { inertias, moments, state } = work.dynamics;
  out.fill(0);
  for (let b = 0; 3 * b < moments.length; b++) {
    const mass = inertias[INERTIA * b];
    for (let k = 0; k < 3; k++) out[k] += mass * state.worldFromBone[12 * b + 9 + k] + moments[3 * b + k];
  }
  for (let k = 0; k < 3; k++) out[k] /= work.mass;
}
