import type { Vec3 } from '../../../math/linear/types.js';
import type { Collider, ColliderOptions } from '../../collide/collider.js';
import type { Contacts } from '../../collide/contacts.js';
import type { ContactMargins } from '../../collide/find-contacts.js';
import type { WorldShape } from '../../collide/shapes/shapes.js';
import type { Actor } from './actor.js';
import type { Connection, ConnectionOptions } from './connection.js';
import type { ContactPotentials } from './contact-potentials.js';
import type { Island } from './island.js';
import type { SimulationReport } from './report.js';
import type { WarmStartCache } from './warm-start-cache.js';

export interface SimulationOptions {
  /** World axes, m/s^2. Default: 9.81 against `up`. */
  readonly gravity?: Vec3;
  /** Up in the world, for gravity, and shapes of the world without a direction. Default: that of the figures, which must agree. */
  readonly up?: Vec3;
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
  /** Whether a force function is being called. */
  isStepping: boolean;
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
   * Of all bones, world axes, 6 numbers each: angular velocity and velocity of the origin, at the solver's velocities and of a change of
   * them (see `ActorModel`); couple and force.
   */
  readonly boneVelocity: Float64Array;
  readonly boneDirection: Float64Array;
  readonly boneWrench: Float64Array;
  readonly margins: ContactMargins;
  readonly frames: readonly Float64Array[];
  /** The island being solved; for block coordinate descent one actor of it, and the potentials of each of its actors. */
  readonly island: Island;
  readonly block: Island;
  /** Actors whose energies are corrected together. */
  readonly group: Actor[];
  readonly blockStart: Int32Array;
  readonly blockPotentials: Int32Array;
}
