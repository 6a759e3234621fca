import { DomainError } from '../../../errors.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { type Collider, type ColliderOptions, createSharedCollider } from '../../collide/collider.js';
import { type Contacts, createContacts } from '../../collide/contacts.js';
import type { ContactMargins } from '../../collide/find-contacts.js';
import type { WorldShape } from '../../collide/shapes/shapes.js';
import { BOX, SHAPE_SIZE } from '../../collide/shapes/world-shapes.js';
import { checkedVector } from '../../model/checks.js';
import { type Actor, type ActorOptions, createActor } from './actor.js';
import { type Connection, type ConnectionOptions, createConnection } from './connection.js';
import { type ContactPotentials, createContactPotentials } from './contact-potentials.js';
import { requireFiniteEnergy, updateActor } from './energy.js';
import { createIsland, type Island } from './island.js';
import { createSimulationReport, type SimulationReport } from './report.js';
import { createWarmStartCache, type WarmStartCache } from './warm-start-cache.js';

export interface SimulationOptions {
  /** World axes, m/s^2. Default `[0, -9.81, 0]`. */
  readonly gravity?: Vec3;
  /** Static shapes of the world. Default none. */
  readonly world?: readonly WorldShape[];
  readonly collide?: ColliderOptions;
  readonly connections?: readonly ConnectionOptions[];
  /** Capacity for contacts. Default 16 for each shape of an actor. */
  readonly contacts?: number;
  /** Whether still islands fall asleep. Default true. */
  readonly sleep?: boolean;
}

/** Figures under physics in a common world: made once, advanced by `stepSimulation`. */
export interface Simulation {
  /** s since the start. */
  time: number;
  /** Length of the last substep, s: the warm-start impulses are scaled to it. */
  lastDt: number;
  /** The same before the current step, restored if the step fails. */
  previousDt: number;
  readonly actors: readonly Actor[];
  readonly connections: readonly Connection[];
  /** Contacts at the beginning of the last step. */
  readonly contacts: Contacts;
  readonly report: SimulationReport;
  readonly sleep: boolean;
  readonly gravity: Float64Array;
  readonly collider: Collider;
  readonly contactPotentials: ContactPotentials;
  /** Contact impulses of the last step, and the cache that the next step fills. */
  warmStart: WarmStartCache;
  spareWarmStart: WarmStartCache;
  /** Actor index of each bone, and its index there. */
  readonly figureOfBody: Int32Array;
  readonly boneOfBody: Int32Array;
  /**
   * Of all bones, world axes, 6 numbers each: angular velocity and velocity of the origin, at the solver's velocities and along its
   * direction; couple and force.
   */
  readonly boneVelocity: Float64Array;
  readonly boneDirection: Float64Array;
  readonly boneWrench: Float64Array;
  readonly margins: ContactMargins;
  readonly frames: readonly Float64Array[];
  /** The island being solved; for block coordinate descent one actor of it, and the potentials of each of its actors. */
  readonly island: Island;
  readonly block: Island;
  readonly blockStart: Int32Array;
  readonly blockPotentials: Int32Array;
}

/** Capacity for contacts for each shape of an actor; most of them are speculative. */
const CONTACTS_PER_SHAPE = 16;

/**
 * Makes a simulation of figures, by default at rest.
 *
 * @throws FigureError, DomainError for figures without mass or with mimic joints, invalid shapes, and numbers that are not finite or negative, with
 *   their path.
 */
export function createSimulation(
  actors: readonly ActorOptions[],
  options: SimulationOptions = {},
): Simulation {
  if (actors.length === 0) {
    throw new DomainError('wrong-size', 'is empty.', { path: 'actors', remedy: 'Give at least one figure.' });
  }
  const gravity = checkedVector(options.gravity ?? [0, -9.81, 0], 3, 'gravity');
  const shaped = actors.map(({ figure, shapes = [], exclude = [] }) => ({ figure, shapes, exclude }));
  const collider = createSharedCollider(shaped, options.world ?? [], options.collide ?? {});
  const shapeCount = shaped.reduce((sum, { shapes }) => sum + shapes.length, 0);
  const capacity = options.contacts ?? Math.max(1, CONTACTS_PER_SHAPE * shapeCount);
  const bones = collider.figureOfBody.length;
  const all = {
    velocity: new Float64Array(6 * bones),
    direction: new Float64Array(6 * bones),
    wrench: new Float64Array(6 * bones),
    margin: new Float64Array(bones),
    ownMargin: new Float64Array(bones),
  };
  const extents = extentsOf(collider);
  const made = actors.map((each, k) => {
    const [first, end] = [collider.bodyStart[k], collider.bodyStart[k + 1]];
    const down = [gravity[0], gravity[1], gravity[2]] as const;
    return createActor(k, each, down, all, first, extents.subarray(first, end));
  });
  const connections = (options.connections ?? []).map((each, k) =>
    createConnection(each, made, collider.bodyStart, `connections[${k}]`),
  );
  const contacts = createContacts(capacity);
  const pairs = capacity + 2 * connections.length;
  for (const each of made) {
    updateActor(each, gravity);
    requireFiniteEnergy(each);
    each.work.inputs.lastPose.set(each.pose);
    each.work.inputs.lastVelocity.set(each.velocity);
  }
  return {
    time: 0,
    lastDt: 0,
    previousDt: 0,
    actors: made,
    connections,
    contacts,
    report: createSimulationReport(),
    sleep: options.sleep ?? true,
    gravity,
    collider,
    contactPotentials: createContactPotentials(pairs),
    warmStart: createWarmStartCache(capacity),
    spareWarmStart: createWarmStartCache(capacity),
    figureOfBody: collider.figureOfBody,
    boneOfBody: collider.boneOfBody,
    boneVelocity: all.velocity,
    boneDirection: all.direction,
    boneWrench: all.wrench,
    margins: { others: all.margin, self: all.ownMargin },
    frames: made.map(({ work }) => work.dynamics.state.worldFromBone),
    island: createIsland(pairs),
    block: createIsland(pairs),
    blockStart: new Int32Array(actors.length + 1),
    blockPotentials: new Int32Array(2 * pairs),
  };
}

/** Largest distance of each bone's shapes from its origin, m; of round shapes only the axes count, for their surface is invariant under their rotation. */
function extentsOf({ bodyOfShape, figureOfBody, kind, localShapes }: Collider): Float64Array {
  const extents = new Float64Array(figureOfBody.length);
  bodyOfShape.forEach((body, s) => {
    if (body < 0) return;
    const o = SHAPE_SIZE * s;
    const half = kind[s] === BOX ? localShapes.subarray(o + 12, o + 15) : localShapes.subarray(o + 3, o + 6);
    const extent = Math.hypot(...localShapes.subarray(o, o + 3)) + Math.hypot(...half);
    extents[body] = Math.max(extents[body], extent);
  });
  return extents;
}
