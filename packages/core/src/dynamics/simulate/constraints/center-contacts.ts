/**
 * Contacts of the centres of shapes that rotate far within a substep. A point of the surface begins with v + w x r, but over a turn the shape moves by v: held by the points
 * of its surface alone it passes thin walls. However it turns, the ball inside it penetrates nothing, so that ball has a contact of its own.
 */
import { SHAPE_SIZE } from '../../collide/shapes/world-shapes.js';
import { CONTACT } from '../state/contact-potentials.js';
import type { Island } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';

/** Rotation of a bone within a substep, rad, above which the velocity of a point of its surface says nothing of where the bone goes. */
export const MAX_LINEAR_ROTATION = 1;

/** Points of the last `measureCenters`, on A and on B. */
const points = /* @__PURE__ */ new Float64Array(6);

/** Adds the contacts of bones that spin, one for each pair of shapes in contact, without friction and warm start. */
export function addCenterContacts(simulation: Simulation): void {
  const { contacts, margins } = simulation;
  const { bodyA, bodyB, shapeA, shapeB, normal } = contacts;
  const found = contacts.count;
  for (let c = 0; c < found; c++) {
    const a = bodyA[c];
    const b = bodyB[c];
    const spinsA = spins(simulation, a);
    const spinsB = spins(simulation, b);
    // The contacts of a pair follow each other.
    if (!(spinsA || spinsB) || (c > 0 && shapeA[c] === shapeA[c - 1] && shapeB[c] === shapeB[c - 1]))
      continue;
    const distance = measureCenters(simulation, c, spinsA, spinsB);
    if (distance > margins.others[a] + (b < 0 ? 0 : margins.others[b])) continue;
    if (contacts.count === contacts.capacity) {
      contacts.dropped++;
      continue;
    }
    const added = contacts.count++;
    for (let k = 0; k < 3; k++) {
      contacts.pointA[3 * added + k] = points[k];
      contacts.pointB[3 * added + k] = points[3 + k];
      normal[3 * added + k] = normal[3 * c + k];
    }
    bodyA[added] = a;
    bodyB[added] = b;
    shapeA[added] = shapeA[c];
    shapeB[added] = shapeB[c];
    contacts.separation[added] = distance;
    contacts.friction[added] = 0;
    contacts.restitution[added] = 0;
    contacts.id[added] = -1 - contacts.id[c];
  }
}

/** Whether the centre of a shape that was not known to spin passes what it touches, at the velocities found (`boneDirection`). Records its spin for the next trial. */
export function passesByCenter(simulation: Simulation, island: Island, h: number): boolean {
  const {
    contactPotentials: { kind, source },
    contacts: { bodyA, bodyB, normal },
    boneDirection,
  } = simulation;
  const limit = (MAX_LINEAR_ROTATION / h) ** 2;
  let isFaster = false;
  for (const { work } of island.actors) {
    const { spins: known } = work.margins;
    for (let b = 0; b < known.length; b++)
      if (known[b] === 0 && squaredSpin(work.boneDirection, b) > limit) isFaster = true;
  }
  if (!isFaster) return false;
  let any = false;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentialIndices[k];
    if (kind[t] !== CONTACT) continue;
    const c = source[t];
    const a = bodyA[c];
    const b = bodyB[c];
    const spinsA = squaredSpin(boneDirection, a) > limit;
    const spinsB = b >= 0 && squaredSpin(boneDirection, b) > limit;
    if (!(spinsA && !spins(simulation, a)) && !(spinsB && !spins(simulation, b))) continue;
    const distance = measureCenters(simulation, c, spinsA, spinsB);
    const velocity =
      speedAlong(simulation, a, 0, normal, 3 * c) - speedAlong(simulation, b, 3, normal, 3 * c);
    if (distance + h * velocity >= 0) continue;
    if (spinsA) expectSpin(simulation, a);
    if (spinsB) expectSpin(simulation, b);
    any = true;
  }
  return any;
}

/** Writes to `points` where the balls inside the shapes that spin are nearest along the normal of contact c. @returns their distance, m. */
function measureCenters(
  { collider: { worldShapes, minHalfSize }, contacts }: Simulation,
  c: number,
  spinsA: boolean,
  spinsB: boolean,
): number {
  const { pointA, pointB, normal, shapeA, shapeB } = contacts;
  const i = shapeA[c];
  const j = shapeB[c];
  let distance = 0;
  for (let k = 0; k < 3; k++) {
    const n = normal[3 * c + k];
    points[k] = spinsA ? worldShapes[SHAPE_SIZE * i + k] - minHalfSize[i] * n : pointA[3 * c + k];
    points[3 + k] = spinsB ? worldShapes[SHAPE_SIZE * j + k] + minHalfSize[j] * n : pointB[3 * c + k];
    distance += n * (points[k] - points[3 + k]);
  }
  return distance;
}

/** n . (v + w x r) of the point at `from` in `points`, at the velocities found; 0 for the world. */
function speedAlong(
  { actors, figureOfBody, boneOfBody, boneDirection: motion }: Simulation,
  body: number,
  from: number,
  normal: Float64Array,
  o: number,
): number {
  if (body < 0) return 0;
  const { worldFromBone } = actors[figureOfBody[body]].work.dynamics.state;
  const e = 12 * boneOfBody[body] + 9;
  const x = points[from] - worldFromBone[e];
  const y = points[from + 1] - worldFromBone[e + 1];
  const z = points[from + 2] - worldFromBone[e + 2];
  const m = 6 * body;
  return (
    normal[o] * (motion[m + 3] + motion[m + 1] * z - motion[m + 2] * y) +
    normal[o + 1] * (motion[m + 4] + motion[m + 2] * x - motion[m] * z) +
    normal[o + 2] * (motion[m + 5] + motion[m] * y - motion[m + 1] * x)
  );
}

function spins({ actors, figureOfBody, boneOfBody }: Simulation, body: number): boolean {
  return body >= 0 && actors[figureOfBody[body]].work.margins.spins[boneOfBody[body]] === 1;
}

function expectSpin({ actors, figureOfBody, boneOfBody, boneDirection }: Simulation, body: number): void {
  actors[figureOfBody[body]].work.margins.expectedSpin[boneOfBody[body]] = Math.sqrt(
    squaredSpin(boneDirection, body),
  );
}

/** Square of the angular speed of a bone, rad^2/s^2. */
export function squaredSpin(motion: Float64Array, bone: number): number {
  return motion[6 * bone] ** 2 + motion[6 * bone + 1] ** 2 + motion[6 * bone + 2] ** 2;
}
