import { type FieldsOf, requireBoolean, requireFields, requireWhole } from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';
import { unitAxis } from '../../figure/joints/axes.js';
import { commonUp } from '../../figure/up.js';
import { type Collider, createSharedCollider } from '../collide/collider.js';
import { createContacts } from '../collide/contacts.js';
import { BOX, SHAPE_SIZE } from '../collide/shapes/world-shapes.js';
import { checkedVector } from '../model/checks.js';
import { standardGravity } from '../model/gravity.js';
import { recordInputs } from './inputs/read-inputs.js';
import { recordConnections } from './islands/islands.js';
import { requireFiniteEnergy, updateActor } from './mechanics/energy.js';
import { type Actor, type ActorOptions, createActor, requireActorFields } from './state/actor.js';
import { createConnection } from './state/connection.js';
import { createContactPotentials } from './state/contact-potentials.js';
import { createIsland } from './state/island.js';
import { createSimulationReport } from './state/report.js';
import type { Simulation, SimulationOptions } from './state/simulation.js';
import { createWarmStartCache } from './state/warm-start-cache.js';

const OPTIONS: FieldsOf<SimulationOptions> = {
  gravity: true,
  up: true,
  world: true,
  collide: true,
  connections: true,
  contacts: true,
  sleep: true,
};

/** Capacity for contacts for each shape of an actor; most of them are speculative. */
const CONTACTS_PER_SHAPE = 16;

/**
 * Makes a simulation of figures, by default at rest.
 *
 * @throws FigureError, DomainError for figures without mass, of more than 1e9 times the mass of another or with mimic joints, invalid shapes, and numbers that
 *   are not finite or negative, with their path.
 */
export function createSimulation(
  actors: readonly ActorOptions[],
  options: SimulationOptions = {},
): Simulation {
  requireFields(options, OPTIONS, 'options', DomainError);
  requireBoolean(options.sleep ?? true, 'options.sleep', DomainError);
  const isList: boolean = Array.isArray(actors);
  if (!isList || actors.length === 0) {
    throw new DomainError('wrong-size', isList ? 'is empty.' : 'is no list.', {
      path: 'actors',
      remedy: 'Give at least one figure: [{ figure }].',
    });
  }
  actors.forEach((actor, k) => {
    requireActorFields(actor, `actors[${k}]`);
  });
  const figures = actors.map(({ figure }) => figure);
  const givenUp = options.up && unitAxis(options.up, 'options.up');
  const up = (): Triple => givenUp ?? commonUp(figures, (k) => `actors[${k}].figure`);
  const gravity = checkedVector(options.gravity ?? standardGravity(up()), 3, 'options.gravity');
  const shaped = actors.map(({ figure, shapes = [], exclude = [] }) => ({ figure, shapes, exclude }));
  const collider = createSharedCollider(shaped, options.world ?? [], options.collide, 'options.collide', up);
  const shapeCount = shaped.reduce((sum, { shapes }) => sum + shapes.length, 0);
  const capacity = options.contacts ?? Math.max(1, CONTACTS_PER_SHAPE * shapeCount);
  requireWhole(capacity, 'options.contacts', DomainError, 1);
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
    return createActor(k, each, down, all, first, extents.subarray(first, end), hasRestitution(collider, k));
  });
  requireMasses(made);
  const connections = (options.connections ?? []).map((each, k) =>
    createConnection(each, made, collider.bodyStart, `connections[${k}]`),
  );
  const contacts = createContacts(capacity);
  const pairs = capacity + 2 * connections.length;
  for (const each of made) {
    updateActor(each, gravity);
    requireFiniteEnergy(each);
    recordInputs(each);
  }
  recordConnections({ connections });
  const lists = { actors: fixedList(made, 'actors'), connections: fixedList(connections, 'connections') };
  return {
    time: 0,
    isStepping: false,
    get actors() {
      return lists.actors;
    },
    set actors(_) {
      refuseChange('actors');
    },
    get connections() {
      return lists.connections;
    },
    set connections(_) {
      refuseChange('connections');
    },
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
    group: [],
    blockStart: new Int32Array(actors.length + 1),
    blockPotentials: new Int32Array(2 * pairs),
  };
}

/** Masses of actors, kg, whose squares doubles hold, and the largest ratio of two: beyond, rounding of the heavier one's impulses moves the lighter one. */
const MIN_MASS = 1e-30;
const MAX_MASS = 1e30;
const MAX_MASS_RATIO = 1e9;

/** @throws DomainError for masses out of range, with the path of the figure. */
function requireMasses(actors: readonly Actor[]): void {
  const heaviest = Math.max(...actors.map(({ work }) => work.mass));
  for (const { index, work } of actors) {
    const { mass } = work;
    if (mass >= MIN_MASS && mass <= MAX_MASS && heaviest <= MAX_MASS_RATIO * mass) continue;
    const isLight = mass >= MIN_MASS && mass <= MAX_MASS;
    throw new DomainError(
      'out-of-range',
      `has a mass of ${mass} kg${isLight ? `, beside ${heaviest} kg` : ''}.`,
      {
        path: `actors[${index}].figure`,
        remedy: `Give masses of ${MIN_MASS} to ${MAX_MASS} kg, none of them more than ${MAX_MASS_RATIO} times another. What nothing moves can be a shape of the world.`,
      },
    );
  }
}

function refuseChange(name: string): never {
  throw new DomainError('unsupported', 'stay those the simulation was made with.', {
    path: `simulation.${name}`,
    remedy: `Make another simulation with the ${name} you want, at the present poses and velocities.`,
  });
}

/** Freezes a list: what adds or removes some, as a force function in mid-step may try, gets an error there. */
function fixedList<Item>(list: Item[], name: string): readonly Item[] {
  const value = (): never => refuseChange(name);
  for (const method of ['push', 'pop', 'shift', 'unshift', 'splice'])
    Object.defineProperty(list, method, { value });
  return Object.freeze(list);
}

/** Whether shapes of an actor, or of the world, have restitution. */
function hasRestitution({ bodyOfShape, figureOfBody, restitution }: Collider, actor: number): boolean {
  return bodyOfShape.some((body, s) => restitution[s] > 0 && (body < 0 || figureOfBody[body] === actor));
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
