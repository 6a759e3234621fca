import { type FieldsOf, requireFields, shown } from '../../../checks.js';
import { DomainError, FigureError } from '../../../errors.js';
import type { Figure } from '../../../figure/model/figure.js';
import { findFloatingBase } from '../../../figure/model/floating-base.js';
import { clampToLimits, createPose } from '../../../figure/model/pose.js';
import { freeRotationVectors, rotationVectors } from '../../../figure/model/regularize.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';
import { factorTreeSystem, updateTreeSystem } from '../../aba/factor.js';
import { backwardPass, forwardPass, solveTreeSystem } from '../../aba/solve.js';
import type { BoneShape } from '../../collide/shapes/shapes.js';
import { updateKinematics } from '../../kinematics/update-kinematics.js';
import { ARTICULATED_SIZE } from '../../model/articulated-inertia.js';
import { checkedCoordinateValues, checkedVector } from '../../model/checks.js';
import { createDynamics, type Dynamics } from '../../model/dynamics.js';
import { INERTIA_SIZE } from '../../model/inertia.js';
import { allowJointHessian } from '../../model/tree-system.js';
import { type ActorWork, createActorWork } from './actor-work.js';
import {
  type CoordinateValues,
  createMotor,
  createMotorGroups,
  type Motor,
  type MotorOptions,
} from './motor.js';
import { findSockets } from './socket.js';

/** A figure to simulate. */
export interface ActorOptions {
  readonly figure: Figure;
  /** Collision shapes of its bones. Default none. */
  readonly shapes?: readonly BoneShape[];
  /** Pairs of its bones that do not collide, such as those of `Ragdoll`. */
  readonly exclude?: readonly (readonly [string | number, string | number])[];
  /** Initial pose, clamped to its limits. Default: rest. */
  readonly pose?: Numbers;
  /** Initial joint velocities, rad/s and m/s. Default 0. */
  readonly velocity?: Numbers;
  /** Joint damping: N m s/rad, N s/m. Default 0. */
  readonly damping?: CoordinateValues;
  /** Joint springs towards `rest`: N m/rad, N/m. Default 0. */
  readonly stiffness?: CoordinateValues;
  /** Rest pose of the springs. Default: the figure's rest. */
  readonly rest?: Numbers;
  /**
   * Dry friction of the joints: the largest torque or force it resists, N m or N. The first value of a rotation vector bounds the length of all three.
   * Default 0.
   */
  readonly friction?: CoordinateValues;
  /** Rotor inertia, kg m^2 or kg. Default 0. */
  readonly armature?: CoordinateValues;
  /** Default: no force. */
  readonly motor?: MotorOptions;
}

/** A figure within a simulation. */
export interface Actor {
  readonly index: number;
  readonly figure: Figure;
  /** Pose after the last step. Write to it to move the figure; the next step clamps it to its limits. */
  readonly pose: Float64Array;
  /** Joint velocities after the last step, rad/s and m/s; free to write. */
  readonly velocity: Float64Array;
  readonly motor: Motor;
  readonly damping: Float64Array;
  readonly stiffness: Float64Array;
  readonly rest: Float64Array;
  readonly friction: Float64Array;
  /** Whether steps skip it because it is still; see `wakeActor`. */
  asleep: boolean;
  /** Internal to the steps. */
  readonly work: ActorWork;
}

const FIELDS: FieldsOf<ActorOptions> = {
  figure: true,
  shapes: true,
  exclude: true,
  pose: true,
  velocity: true,
  damping: true,
  stiffness: true,
  rest: true,
  friction: true,
  armature: true,
  motor: true,
};
/** A `Ragdoll` may be spread into an actor: its `humanoid`, `mass` and `height` are not options. */
const RAGDOLL_FIELDS = { ...FIELDS, humanoid: true, mass: true, height: true, warnings: true };

/** @throws DomainError for an actor that is no object, an unknown field, and a figure that is missing. */
export function requireActorFields(options: unknown, path: string): void {
  requireFields(
    options,
    Object.hasOwn(Object(options), 'humanoid') ? RAGDOLL_FIELDS : FIELDS,
    path,
    DomainError,
  );
  const { figure } = options as Partial<ActorOptions>;
  if (typeof figure === 'object' && figure !== null) return;
  throw new DomainError('unsupported', `is ${shown(figure)}.`, {
    path: `${path}.figure`,
    remedy: 'Give a figure of createFigure.',
  });
}

/** The simulation's arrays of bones, 6 numbers each, actor by actor. */
export interface BoneArrays {
  readonly velocity: Float64Array;
  readonly direction: Float64Array;
  readonly wrench: Float64Array;
  /** Speculative margins, one number each; see `ContactMargins`. */
  readonly margin: Float64Array;
  readonly ownMargin: Float64Array;
}

/**
 * @param first - Index of its first bone among all.
 * @param extent - Largest distance of each bone's shapes from its origin, m.
 * @param hasRestitution - Whether its shapes or the world have restitution.
 * @throws FigureError, DomainError for a figure that cannot be simulated or an invalid option, with its path.
 */
export function createActor(
  index: number,
  options: ActorOptions,
  gravity: Vec3,
  all: BoneArrays,
  first: number,
  extent: Float64Array,
  hasRestitution: boolean,
): Actor {
  const { figure } = options;
  const path = `actors[${index}]`;
  const { dof, bones } = figure;
  if (figure.mimicJoints.length > 0) {
    throw new FigureError('unsupported', 'has joints that follow others.', {
      path: `${path}.figure ${figure.name}`,
      remedy: 'Give those joints coordinates of their own.',
    });
  }
  const rest = checkedVector(options.rest ?? createPose(figure), dof, `${path}.rest`);
  const armature = checkedCoordinateValues(options.armature ?? 0, dof, `${path}.armature`);
  const dynamics = createDynamics(figure, { gravity, armature });
  const pose = checkedVector(options.pose ?? createPose(figure), dof, `${path}.pose`);
  clampToLimits(figure, pose);
  const numbers = (): Float64Array => new Float64Array(dof);
  const view = (of: Float64Array): Float64Array => of.subarray(6 * first, 6 * (first + bones.length));
  let mass = 0;
  for (let b = 0; b < bones.length; b++) mass += dynamics.inertias[INERTIA_SIZE * b];
  dynamics.tree.biasWrenches = view(all.wrench);
  dynamics.tree.motions = view(all.direction);
  allowJointHessian(dynamics.tree);
  factorAtRest(dynamics, path);
  const root = findFloatingBase(figure);
  const sockets = findSockets(figure);
  for (const { bone } of sockets) dynamics.hasVaryingAxes[bone] = 0;
  return {
    index,
    figure,
    pose,
    velocity: checkedVector(options.velocity ?? numbers(), dof, `${path}.velocity`),
    motor: createMotor(options.motor ?? {}, dof, rest, `${path}.motor`),
    damping: checkedCoordinateValues(options.damping ?? 0, dof, `${path}.damping`),
    stiffness: checkedCoordinateValues(options.stiffness ?? 0, dof, `${path}.stiffness`),
    rest,
    friction: checkedCoordinateValues(options.friction ?? 0, dof, `${path}.friction`),
    asleep: false,
    work: createActorWork(
      {
        dynamics,
        tree: dynamics.tree,
        mass,
        effectiveInertia: inertiaAtRest(dynamics),
        effectiveMass: massAtRest(dynamics, mass),
        loadRate: loadRate(dynamics, Math.hypot(gravity[0], gravity[1], gravity[2])),
        heaviestBone: heaviestOf(dynamics),
        root,
        isFloating: root >= 0,
        bounces: root >= 0 && hasRestitution,
        extent,
        rotationVectorStarts: rotationVectors(figure),
        freeRotationVectorStarts: freeRotationVectors(figure),
        motorGroups: createMotorGroups(figure),
        sockets,
        boneVelocity: view(all.velocity),
        boneDirection: view(all.direction),
        boneWrench: view(all.wrench),
      },
      figure,
      index,
      all.margin.subarray(first, first + bones.length),
      all.ownMargin.subarray(first, first + bones.length),
    ),
  };
}

function heaviestOf({ inertias, figure }: Dynamics): number {
  let bone = 0;
  for (let b = 1; b < figure.bones.length; b++)
    if (inertias[INERTIA_SIZE * b] > inertias[INERTIA_SIZE * bone]) bone = b;
  return bone;
}

/**
 * Upper bound of the squared frequencies at which bones swing under the weight that hangs from them: largest weight of a child's subtree times its
 * arm over the bone's own inertia, at rest, 1/s^2. Heavy weights on light bones swing them fast.
 */
function loadRate({ figure, inertias, offsets, tree }: Dynamics, gravity: number): number {
  const mass = Float64Array.from(figure.bones, (_, b) => inertias[INERTIA_SIZE * b]);
  let rate = 0;
  for (let b = figure.bones.length - 1; b > 0; b--) {
    const p = figure.parents[b];
    if (p < 0) continue;
    mass[p] += mass[b];
    const i = ARTICULATED_SIZE * p;
    const inertia = 0.5 * (tree.rigidInertia[i] + tree.rigidInertia[i + 1] + tree.rigidInertia[i + 2]);
    const arm = Math.hypot(offsets[3 * b], offsets[3 * b + 1], offsets[3 * b + 2]);
    rate = Math.max(rate, (gravity * mass[b] * arm) / Math.max(inertia, Number.MIN_VALUE));
  }
  return rate;
}

/** Factors the system of a figure at rest without contacts. */
function factorAtRest(dynamics: Dynamics, path: string): void {
  const { figure } = dynamics;
  updateKinematics(dynamics, createPose(figure));
  updateTreeSystem(dynamics);
  if (factorTreeSystem(dynamics) < 0) return;
  throw new FigureError('singular', 'has a joint without inertia at rest.', {
    path: `${path}.figure ${figure.name}`,
    remedy: 'Give every leaf bone mass and inertia, or its joint armature.',
  });
}

/** Effective inertia of each coordinate at rest, all other joints free: 1 / (M^-1)_ii; the largest of the three of a rotation vector. */
function inertiaAtRest(dynamics: Dynamics): Float64Array {
  const { figure } = dynamics;
  const { dof } = figure;
  const unit = new Float64Array(dof);
  const inertia = unit.map((_, i) => {
    unit.fill(0)[i] = 1;
    solveTreeSystem(dynamics, unit, unit);
    return 1 / unit[i];
  });
  for (const { coordinate, dof: size, joint } of figure.bones) {
    if (joint.type === 'slider') continue;
    const first = joint.type === 'free' ? coordinate + 3 : coordinate;
    const largest = Math.max(...inertia.subarray(first, coordinate + size));
    inertia.fill(largest, first, coordinate + size);
  }
  return inertia;
}

/** Effective mass of each bone at its origin, at rest with all joints free: harmonic mean over three directions, kg, at most `max`. */
function massAtRest(dynamics: Dynamics, max: number): Float64Array {
  const { figure } = dynamics;
  const { allBones, biasWrenches, motions } = dynamics.tree;
  const impulse = new Float64Array(figure.dof);
  return Float64Array.from(figure.bones, (_, b) => {
    let mobility = 0;
    for (let k = 3; k < 6; k++) {
      impulse.fill(0);
      biasWrenches.fill(0)[6 * b + k] = -1;
      backwardPass(dynamics, allBones, allBones.length, impulse, impulse);
      forwardPass(dynamics, allBones, allBones.length, impulse);
      mobility += motions[6 * b + k] / 3;
    }
    return 1 / Math.max(mobility, 1 / max);
  });
}
