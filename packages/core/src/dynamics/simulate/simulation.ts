import { DomainError } from '../../errors.js';
import type { Figure } from '../../figure/figure.js';
import { clampToLimits, createPose } from '../../figure/pose.js';
import { freeRotationVectors, rotationVectors } from '../../figure/regularize.js';
import type { Numbers } from '../../math/types.js';
import { checkedVector } from '../checks.js';
import { type Collider, type ColliderOptions, createCollider } from '../collide/collider.js';
import { type Contacts, createContacts } from '../collide/contacts.js';
import type { BoneShape, WorldShape } from '../collide/shapes.js';
import { type ConstraintRows, createConstraintRows } from '../constrain/rows.js';
import { createDynamics, type Dynamics, type DynamicsOptions } from '../dynamics.js';
import type { AppliedForces, DynamicsState } from '../integrate/types.js';

export interface SimulationOptions extends DynamicsOptions {
  /** What the bones collide with. Default nothing. */
  readonly shapes?: readonly BoneShape[];
  readonly world?: readonly WorldShape[];
  readonly collide?: ColliderOptions;
  /** Damping of the joints against nu, one number for all coordinates or one for each: N m s, N s/m. Default 0. */
  readonly damping?: number | Numbers;
  /** Contacts that there is room for. Default 64. */
  readonly contacts?: number;
}

/**
 * A figure that moves by physics within its limits, among things that it collides with: made once, moved on by `stepSimulation`.
 */
export interface Simulation {
  readonly dynamics: Dynamics;
  /** Where it is; write to it between steps to put it elsewhere. */
  readonly state: DynamicsState;
  readonly damping: Float64Array;
  readonly collider: Collider;
  readonly contacts: Contacts;
  readonly rows: ConstraintRows;
  readonly forces: AppliedForces;
  /** Mass matrix, with damping over a step. */
  readonly mass: Float64Array;
  readonly nextNu: Float64Array;
  readonly nextPose: Float64Array;
  /** First coordinate of each rotation vector, and of those that may change chart. */
  readonly rotations: Int32Array;
  readonly charts: Int32Array;
  /** Row of each contact, and the impulses of the last step by the contacts' ids: where the next solve starts. */
  readonly rowOfContact: Int32Array;
  readonly lastIds: Float64Array;
  readonly lastImpulses: Float64Array;
  lastCount: number;
}

/** Rows of limits that may be near at once, for each limit part. */
const ROWS_OF_LIMIT = 2;
/** Rows of a contact. */
const ROWS_OF_CONTACT = 3;

/**
 * Makes a simulation of a figure at rest.
 *
 * @throws FigureError, DomainError as {@link createDynamics} and `createCollider`; `out-of-range` for damping below zero.
 */
export function createSimulation(figure: Figure, options: SimulationOptions = {}): Simulation {
  const { dof } = figure;
  const dynamics = createDynamics(figure, options);
  const { shapes = [], world = [], collide = {}, contacts: room = 64 } = options;
  const contacts = createContacts(room);
  return {
    dynamics,
    state: { time: 0, pose: createPose(figure), nu: new Float64Array(dof) },
    damping: checkedDamping(options.damping ?? 0, dof),
    collider: createCollider(figure, shapes, world, collide),
    contacts,
    rows: createConstraintRows(figure, ROWS_OF_LIMIT * figure.limitParts.length + ROWS_OF_CONTACT * room),
    forces: { tau: new Float64Array(dof), external: new Float64Array(6 * figure.bones.length) },
    mass: new Float64Array(dof * dof),
    nextNu: new Float64Array(dof),
    nextPose: new Float64Array(dof),
    rotations: rotationVectors(figure),
    charts: freeRotationVectors(figure),
    rowOfContact: new Int32Array(room),
    lastIds: new Float64Array(room),
    lastImpulses: new Float64Array(ROWS_OF_CONTACT * room),
    lastCount: 0,
  };
}

/** Puts a simulation somewhere: a pose, brought within the limits, and joint velocities (default none). */
export function placeSimulation(simulation: Simulation, pose: Numbers, nu?: Numbers): void {
  const { state, dynamics } = simulation;
  const { figure } = dynamics;
  const [q, v] = [
    checkedVector(pose, figure.dof, 'pose'),
    checkedVector(nu ?? new Float64Array(figure.dof), figure.dof, 'nu'),
  ];
  state.pose.set(q);
  clampToLimits(figure, state.pose);
  state.nu.set(v);
  simulation.lastCount = 0;
}

function checkedDamping(damping: number | Numbers, dof: number): Float64Array {
  const all = checkedVector(
    typeof damping === 'number' ? new Float64Array(dof).fill(damping) : damping,
    dof,
    'damping',
  );
  const i = all.findIndex((x) => x < 0);
  if (i < 0) return all;
  throw new DomainError('out-of-range', `is ${all[i]}.`, {
    path: `damping[${i}]`,
    remedy: 'Give a damping of zero or more.',
  });
}
