/**
 * Contacts and connections between two bones, or a bone and the world, as convex potentials of the relative velocity.
 *
 * With u = v_A + w_A x r_A - (v_B + w_B x r_B) the velocity of A's point relative to B's and n the contact normal from B to A, the impulse
 * on A of a contact is
 *
 *   normal       max(0, multiplier_n - k_n (n . u - target))
 *   tangential   multiplier_t - k_t u_t, projected onto the disk of radius `maxImpulse` (Coulomb friction: the friction
 *                cone at the last normal impulse)
 *
 * and that of a connection multiplier - k (u - target), projected onto the ball of radius `maxImpulse`. A rotational connection has
 * u = w_A - w_B and an angular impulse. The impulse is minus the gradient of a convex function of u, and its derivative with respect to u is
 * -K with K symmetric and positive semidefinite. Multipliers and `maxImpulse` are constant during one Newton solve and updated between solves (method of
 * multipliers, Rockafellar 1976; for the friction disk the lagged model of Castro, Han, Masterjohn 2023), so that the penalty stiffness
 * leaves no compliance in the end.
 */
import * as quat from '../../../math/geometry/quat.js';
import type { Quat } from '../../../math/linear/types.js';
import { rotationVectorFromQuat } from '../../../rotation/rotation-vector/log.js';
import type { Collider } from '../../collide/collider.js';
import { CAPSULE, SHAPE_SIZE } from '../../collide/shapes/world-shapes.js';
import type { Actor } from '../state/actor.js';
import type { Connection } from '../state/connection.js';
import { CONTACT, OVERLAP, POINT, ROTATION } from '../state/contact-potentials.js';
import type { Simulation } from '../state/simulation.js';
import { warmStartScale } from '../state/warm-start-cache.js';
import { measureRelativeVelocity } from './contact-jacobian.js';
import { startContact } from './warm-start.js';

/** Softness of the penalty, effective mass / stiffness: of normals and connections, of closed and open connections under the largest mass that they join, and tangential. */
const SOFTNESS = 0.05;
const CONNECTION_SOFTNESS = 0.1;
const OPEN_CONNECTION_SOFTNESS = 20;
const TANGENT_SOFTNESS = 0.05;
/** Square of the radius of gyration for rotational connections, m^2: their effective inertia over mass. */
const GYRATION_SQUARED = 0.02;
/**
 * Position correction of contacts by their target velocity (Baumgarte): depth that remains, m, so that resting bodies are not lifted; share of the excess
 * that a substep corrects; least time, s, in which it does, or a shorter substep would separate bodies faster the shorter it is; largest speed, m/s. Then share and
 * speed for connections.
 */
const SLOP = 5e-4;
const CORRECTION = 0.2;
const MIN_CORRECTION_TIME = 2e-3;
const MAX_CORRECTION_SPEED = 1;
const CONNECTION_CORRECTION = 0.3;
const MAX_CONNECTION_SPEED = 3;
/** Error of a moved connection below which it has arrived, m or rad. */
const CLOSED = 1e-3;
/** Time for which an error that the caller made may lift as it closes, s, and that is as good as closed, m or rad. */
const CLOSING_TIME = 0.25;
const NEGLIGIBLE = 1e-5;
/** Smallest approach speed with restitution, m/s. */
const MIN_BOUNCE_SPEED = 0.5;
/** Impacts later than this share of a substep wait for the next; a gap below this share of the distance approached counts as closed. */
const SHARE_BEFORE_IMPACT = 0.999;
const TOUCHING_SHARE = 0.01;

/**
 * Builds the potentials of the contacts and connections of active actors.
 *
 * @param splits - Whether the substep may be split at an impact: a contact with restitution that is apart does not bounce yet, and has an `impactTime`.
 */
export function buildContactPotentials(simulation: Simulation, h: number, splits: boolean): void {
  const { contactPotentials: potentials, contacts, connections, actors, figureOfBody } = simulation;
  potentials.count = 0;
  findLoads(simulation);
  for (let c = 0; c < contacts.count; c++) {
    const a = actors[figureOfBody[contacts.bodyA[c]]];
    const b = contacts.bodyB[c] < 0 ? undefined : actors[figureOfBody[contacts.bodyB[c]]];
    // Inactive actors are out of reach within h. One asleep is beyond the margin of all awake, or `wakeTouched` had woken it; one that is committed, or
    // takes other substeps, belongs to another island.
    if (!a.work.substep.active || b?.work.substep.active === false) continue;
    addContact(simulation, c, h, splits);
  }
  for (let k = 0; k < connections.length; k++) addConnection(simulation, connections[k], k, h);
}

/** Writes `island.load`. Masses pass along the connections, forth and back, until none grows: twice for chains whose connections are in order. */
function findLoads({ actors, connections, figureOfBody }: Simulation): void {
  if (connections.length === 0) return;
  for (const { work } of actors) work.island.load = work.mass;
  const count = connections.length;
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (let n = 0; n < 2 * count; n++) {
      const { enabled, bodyA, bodyB } = connections[n < count ? n : 2 * count - 1 - n];
      if (!enabled || bodyB < 0) continue;
      const a = actors[figureOfBody[bodyA]].work.island;
      const b = actors[figureOfBody[bodyB]].work.island;
      if (a.load === b.load) continue;
      a.load = Math.max(a.load, b.load);
      b.load = a.load;
      isGrowing = true;
    }
  }
}

/** Reduced effective mass of two bones, kg; b is -1 for the world. */
function pairMass({ actors, figureOfBody, boneOfBody }: Simulation, a: number, b: number): number {
  const mass = actors[figureOfBody[a]].work.effectiveMass[boneOfBody[a]];
  if (b < 0) return mass;
  const other = actors[figureOfBody[b]].work.effectiveMass[boneOfBody[b]];
  return (mass * other) / (mass + other);
}

/** Whether a connection that acts joins two bones. */
function isJoined({ connections }: Simulation, a: number, b: number): boolean {
  if (b < 0) return false;
  for (let k = 0; k < connections.length; k++) {
    const { enabled, bodyA, bodyB } = connections[k];
    if (enabled && ((bodyA === a && bodyB === b) || (bodyA === b && bodyB === a))) return true;
  }
  return false;
}

const contactPoint = /* @__PURE__ */ new Float64Array(3);

function addContact(simulation: Simulation, c: number, h: number, splits: boolean): void {
  const { contactPotentials: potentials, contacts, warmStart, boneVelocity, collider, gravity } = simulation;
  const { actors, figureOfBody } = simulation;
  const { separation, friction, restitution, normal } = contacts;
  const t = potentials.count++;
  const o = 3 * t;
  potentials.kind[t] = CONTACT;
  potentials.source[t] = c;
  const figureA = actors[figureOfBody[contacts.bodyA[c]]];
  const bodyB = contacts.bodyB[c];
  // Both impulses act half way between the surfaces, or their opposite lines of action would form a couple.
  const half = bodyB < 0 ? 0 : 0.5 * separation[c];
  for (let k = 0; k < 3; k++) contactPoint[k] = contacts.pointA[3 * c + k] - half * normal[3 * c + k];
  setBone(simulation, t, potentials.bodyA, potentials.armA, contacts.bodyA[c], contactPoint);
  setBone(simulation, t, potentials.bodyB, potentials.armB, bodyB, contactPoint);
  for (let k = 0; k < 3; k++) potentials.normal[o + k] = normal[3 * c + k];
  const mass = pairMass(simulation, contacts.bodyA[c], contacts.bodyB[c]);
  potentials.stiffness[t] = mass / SOFTNESS;
  // Bones may be jammed between each other and their connection, under more force than what it holds weighs. The normal turns with them, and friction, which has to follow,
  // would lag behind: the contact would creep.
  const holds = isJoined(simulation, contacts.bodyA[c], bodyB)
    ? figureA.work.island.load / CONNECTION_SOFTNESS
    : 0;
  potentials.tangentStiffness[t] = Math.max(mass / TANGENT_SOFTNESS, holds);
  potentials.friction[t] = friction[c];
  potentials.curvatureVelocity[t] = 0;
  potentials.lastBoundChange[t] = 0;
  potentials.centerOffsetA[t] = half + roundRadius(collider, contacts.shapeA[c]);
  potentials.centerOffsetB[t] = bodyB < 0 ? 0 : half + roundRadius(collider, contacts.shapeB[c]);
  measureRelativeVelocity(potentials, t, boneVelocity, potentials.velocityChange);
  const approach = -(
    potentials.velocityChange[o] * potentials.normal[o] +
    potentials.velocityChange[o + 1] * potentials.normal[o + 1] +
    potentials.velocityChange[o + 2] * potentials.normal[o + 2]
  );
  // An open gap may close within the substep and no further; penetration is corrected.
  const separationVelocity =
    separation[c] > 0
      ? -separation[c] / h
      : Math.min(
          MAX_CORRECTION_SPEED,
          (CORRECTION * Math.max(0, -separation[c] - SLOP)) / Math.max(h, MIN_CORRECTION_TIME),
        );
  const { bounces: isInParabolicFlight } = figureA.work;
  const downward = bodyB < 0 && isInParabolicFlight ? -dot(gravity, 0, potentials.normal, o) : 0;
  const gap = Math.max(0, separation[c]);
  const time =
    restitution[c] > 0 && approach > MIN_BOUNCE_SPEED
      ? timeToClose(gap, approach, downward)
      : Number.POSITIVE_INFINITY;
  const bounces = time < SHARE_BEFORE_IMPACT * h;
  const isApart = bounces && splits && gap > TOUCHING_SHARE * h * approach;
  potentials.impactTime[t] = isApart ? time : Number.POSITIVE_INFINITY;
  potentials.isBouncing[t] = bounces && !isApart ? 1 : 0;
  potentials.targetVelocity[o] = separationVelocity;
  if (potentials.isBouncing[t] === 1) {
    const velocity = bounceVelocity(gap, approach, downward, restitution[c], h);
    potentials.targetVelocity[o] = Math.max(separationVelocity, velocity);
  } else if (time < Number.POSITIVE_INFINITY && !bounces && gap > 0) {
    // What falls freely until its impact ends the substep faster than its mean velocity.
    potentials.targetVelocity[o] -= 0.5 * downward * h;
  }
  startContact(warmStart, potentials, t, contacts.id[c], separation[c] < -OVERLAP, h);
}

/** Time in which a gap closes at an approach speed under a downward acceleration, s; Infinity where it does not. */
function timeToClose(gap: number, approach: number, downward: number): number {
  const square = approach * approach + 2 * downward * gap;
  return square < 0 ? Number.POSITIVE_INFINITY : (2 * gap) / (approach + Math.sqrt(square));
}

/**
 * Normal velocity t after a bounce: with it, at the gap d + h t after h seconds, a body has the energy that restitution leaves of its approach, under a downward
 * acceleration a:
 *
 *   t^2 / 2 + a (d + h t) = e^2 (approach^2 / 2 + a d)
 */
function bounceVelocity(gap: number, approach: number, downward: number, e: number, h: number): number {
  const fall = downward * h;
  const energy = e * e * (approach * approach + 2 * downward * gap) - 2 * downward * gap;
  return Math.sqrt(Math.max(0, fall * fall + energy)) - fall;
}

/** a[i..] . b[j..] of three numbers each. */
function dot(a: Float64Array, i: number, b: Float64Array, j: number): number {
  return a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2];
}

function roundRadius({ kind, worldShapes }: Collider, shape: number): number {
  return kind[shape] === CAPSULE ? worldShapes[SHAPE_SIZE * shape + 6] : 0;
}

/** Writes bone and arm of one end of a potential. */
function setBone(
  { actors, figureOfBody, boneOfBody }: Simulation,
  t: number,
  bodies: Int32Array,
  arms: Float64Array,
  body: number,
  point: Float64Array,
): void {
  bodies[t] = body;
  if (body < 0) return;
  const { worldFromBone } = actors[figureOfBody[body]].work.dynamics.state;
  const origin = 12 * boneOfBody[body] + 9;
  for (let k = 0; k < 3; k++) arms[3 * t + k] = point[k] - worldFromBone[origin + k];
}

/** Largest error of a connection, m or rad. */
function connectionError({ type, positionError: p, rotationError: r }: Connection): number {
  const distance = type === 'directions' ? 0 : Math.hypot(p[0], p[1], p[2]);
  return type === 'point' ? distance : Math.max(distance, Math.hypot(r[0], r[1], r[2]));
}

function addConnection(simulation: Simulation, connection: Connection, k: number, h: number): void {
  const { contactPotentials: potentials, actors, figureOfBody, gravity } = simulation;
  const { bodyA, bodyB, type, maxForce } = connection;
  const a = actors[figureOfBody[bodyA]];
  if (!connection.enabled || !a.work.substep.active) return;
  writeConnection(simulation, connection);
  const error = connectionError(connection);
  const isGiven =
    connection.isEdited ||
    connection.isOpen ||
    wasWritten(a) ||
    (bodyB >= 0 && wasWritten(actors[figureOfBody[bodyB]]));
  if (error < NEGLIGIBLE) connection.closingTime = 0;
  else if (isGiven) connection.closingTime = CLOSING_TIME;
  connection.isOpen = connection.isEdited || error > OVERLAP || (connection.isOpen && error > CLOSED);
  const mass = pairMass(simulation, bodyA, bodyB);
  const { load } = a.work.island;
  for (const kind of type === 'weld' ? [POINT, ROTATION] : type === 'point' ? [POINT] : [ROTATION]) {
    const isRotation = kind === ROTATION;
    const t = potentials.count++;
    const o = 3 * t;
    potentials.kind[t] = kind;
    potentials.isActive[t] = 1;
    potentials.source[t] = -1 - k;
    setBone(simulation, t, potentials.bodyA, potentials.armA, bodyA, connection.pointA);
    setBone(simulation, t, potentials.bodyB, potentials.armB, bodyB, connection.pointB);
    const error = isRotation ? connection.rotationError : connection.positionError;
    const size = Math.hypot(error[0], error[1], error[2]);
    // What a closed connection may have to hold; where it cannot close, that would make forces without end.
    const holds = !isRotation && !connection.isOpen && maxForce === Number.POSITIVE_INFINITY;
    potentials.stiffness[t] = holds
      ? load / CONNECTION_SOFTNESS
      : (isRotation ? GYRATION_SQUARED : 1) * Math.max(mass / SOFTNESS, load / OPEN_CONNECTION_SOFTNESS);
    potentials.maxImpulse[t] = h * (isRotation ? connection.maxCouple : maxForce);
    const rate =
      size === 0 || a.work.substep.keepsGaps > 0
        ? 0
        : Math.min(CONNECTION_CORRECTION / Math.max(h, MIN_CORRECTION_TIME), MAX_CONNECTION_SPEED / size);
    const impulse = isRotation ? connection.coupleImpulse : connection.forceImpulse;
    const scale = warmStartScale(h, connection.impulseDuration);
    // Forces of one that cannot close would grow without end: it starts with no more than the weight of the largest mass that it joins, without which a heavy
    // body would not close a gap to a light one. One with a bound holds its load, and its geometric stiffness is known.
    const norm = scale * Math.hypot(impulse[0], impulse[1], impulse[2]);
    const weight = h * load * Math.hypot(gravity[0], gravity[1], gravity[2]);
    const isLimited =
      size > OVERLAP && potentials.maxImpulse[t] === Number.POSITIVE_INFINITY && norm > weight;
    const warmStart = isLimited ? (scale * weight) / norm : scale;
    for (let n = 0; n < 3; n++) {
      potentials.targetVelocity[o + n] = -rate * error[n];
      potentials.multiplier[o + n] = warmStart * impulse[n];
      potentials.connectionCurvatureVelocity[o + n] = 0;
    }
  }
}

/** Whether the caller wrote an actor's state before this step. */
function wasWritten({ work }: Actor): boolean {
  return work.inputs.wasWritten;
}

const rotationVector: number[] = [0, 0, 0];
const NEAR: readonly number[] = [0, 0, 0];

/** Updates points and errors of a connection to the current kinematics. */
function writeConnection(simulation: Simulation, connection: Connection): void {
  const {
    bodyA,
    bodyB,
    positionA,
    positionB,
    rotationA,
    rotationB,
    pointA,
    pointB,
    positionError,
    rotationError,
  } = connection;
  const a = writeAnchor(simulation, bodyA, positionA, pointA);
  const b = writeAnchor(simulation, bodyB, positionB, pointB);
  for (let k = 0; k < 3; k++) positionError[k] = pointA[k] - pointB[k];
  if (connection.type === 'point') return;
  const [qa, qb] = [quat.multiply(a, rotationA), quat.multiply(b, rotationB)];
  // World axes: from B to A.
  rotationVectorFromQuat(quat.multiply(qa, quat.conjugate(qb)), NEAR, rotationVector);
  for (let k = 0; k < 3; k++) rotationError[k] = rotationVector[k];
}

/** Writes an anchor's point, world axes. @returns the rotation of its bone. */
function writeAnchor(
  { actors, figureOfBody, boneOfBody }: Simulation,
  body: number,
  position: Float64Array,
  out: Float64Array,
): Quat {
  if (body < 0) {
    out.set(position);
    return [0, 0, 0, 1];
  }
  const m = actors[figureOfBody[body]].work.dynamics.state.worldFromBone;
  const e = 12 * boneOfBody[body];
  for (let k = 0; k < 3; k++) {
    out[k] =
      m[e + 9 + k] +
      m[e + 3 * k] * position[0] +
      m[e + 3 * k + 1] * position[1] +
      m[e + 3 * k + 2] * position[2];
  }
  return quat.fromMatrix(m.subarray(e, e + 9));
}
