import { requireFields } from '../../checks.js';
import { DomainError } from '../../errors.js';
import { checkedVector } from '../model/checks.js';
import { wakeActor } from './islands/islands.js';
import {
  BONE_ANCHOR,
  type BoneAnchor,
  bodyOf,
  type Connection,
  checkedRotation,
} from './state/connection.js';
import type { Simulation } from './state/simulation.js';

/**
 * Attaches end A of a connection to another bone, of any actor: one connection, made with the simulation, can drag any of them in turn.
 *
 * @throws FigureError, DomainError for an unknown actor or bone, and invalid numbers; the connection is unchanged then.
 */
export function attachConnection(simulation: Simulation, connection: Connection, a: BoneAnchor): void {
  const { actors, collider, figureOfBody } = simulation;
  requireFields(a, BONE_ANCHOR, 'a', DomainError);
  const body = bodyOf(a, actors, collider.bodyStart, 'a');
  const position = checkedVector(a.position ?? [0, 0, 0], 3, 'a.position');
  const rotation = checkedRotation(a.rotation, 'a.rotation');
  wakeActor(actors[figureOfBody[connection.bodyA]]);
  connection.bodyA = body;
  connection.positionA.set(position);
  connection.rotationA.set(rotation);
  connection.forceImpulse.fill(0);
  connection.coupleImpulse.fill(0);
  wakeActor(actors[figureOfBody[body]]);
}
