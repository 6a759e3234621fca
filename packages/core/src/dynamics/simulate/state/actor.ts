import { FigureError } from '../../../errors.js';
import type { Figure } from '../../../figure/model/figure.js';
import { clampToLimits, createPose } from '../../../figure/model/pose.js';
import { freeRotationVectors, rotationVectors } from '../../../figure/model/regularize.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';
import type { BoneShape } from '../../collide/shapes/shapes.js';
import type { AppliedForces } from '../../integrate/types.js';
import { updateKinematics } from '../../kinematics/update-kinematics.js';
import { checkedVector } from '../../model/checks.js';
import { createDynamics, type Dynamics } from '../../model/dynamics.js';
import { INERTIA_SIZE } from '../../model/inertia.js';
import { factorTreeSystem } from '../tree/factor.js';
import { backwardPass, forwardPass, solveTreeSystem } from '../tree/solve.js';
import { createTreeSystem, setDiagonal, type TreeSystem, updateTreeSystem } from '../tree/system.js';
import { createJointPotentials, type JointPotentials } from './joint-potentials.js';
import {
  type CoordinateValues,
  createMotor,
  createMotorGroups,
  type Motor,
  type MotorGroup,
  type MotorOptions,
  notNegative,
} from './motor.js';
import { findFloatingBase } from './root-momentum.js';

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

/** Internal state and scratch arrays of an actor. */
export interface ActorWork {
  readonly dynamics: Dynamics;
  readonly tree: TreeSystem;
  /** kg */
  readonly mass: number;
  /** Effective inertia of each coordinate and effective mass of each bone at rest, kg m^2 or kg: scales of velocities and impulses. */
  readonly effectiveInertia: Float64Array;
  readonly effectiveMass: Float64Array;
  /** Bone of largest mass. */
  readonly heaviestBone: number;
  /** Filled by the caller's `ActorForces`. */
  readonly applied: AppliedForces;
  /** Impulses of `applyImpulse` for the next step, world axes, 6 numbers a bone: linear, angular about the bone's origin. */
  readonly pendingImpulses: Float64Array;
  hasPendingImpulses: boolean;
  /** External joint forces during the step, pending joint impulses, and the impulse of both in this substep. */
  readonly appliedForce: Float64Array;
  readonly appliedImpulse: Float64Array;
  readonly externalImpulse: Float64Array;
  /** Whether either is not zero. */
  hasExternalImpulse: boolean;
  /** Whether this substep moves it, and into how many shorter ones it must be split; 1 for none. */
  active: boolean;
  substeps: number;
  /** What armature, damping, springs and unbounded motors add to the diagonal of the mass matrix. */
  readonly implicitDiagonal: Float64Array;
  /** Impulse of gravity, external and linear forces at the present velocities: p of the velocity equation. */
  readonly freeImpulse: Float64Array;
  /** The solver's velocities v, its Newton direction d, and A d. */
  readonly nextVelocity: Float64Array;
  readonly direction: Float64Array;
  readonly directionMomentum: Float64Array;
  /** A (nextVelocity - velocity) - freeImpulse: the impulse that the constraints must supply. */
  readonly requiredImpulse: Float64Array;
  /** Impulse of all constraints, and the residual requiredImpulse - constraintImpulse. */
  readonly constraintImpulse: Float64Array;
  readonly residual: Float64Array;
  /** Conjugate gradients: search direction p, P p with the tree's system P, H p with coupling, preconditioned residual P^-1 r. */
  readonly searchDirection: Float64Array;
  readonly treeProduct: Float64Array;
  readonly searchProduct: Float64Array;
  readonly preconditioned: Float64Array;
  /** Of each bone: whether it is among the tree's `pathBones`. */
  readonly onPath: Uint8Array;
  /** Residual of the linear solve, -residual - H d. */
  readonly linearResidual: Float64Array;
  readonly jointPotentials: JointPotentials;
  readonly motorGroups: readonly MotorGroup[];
  /** Bone velocities at nextVelocity and along a direction, and wrenches on the bones: views of the simulation's arrays. The tree's solves use the last two. */
  readonly boneVelocity: Float64Array;
  readonly boneDirection: Float64Array;
  readonly boneWrench: Float64Array;
  readonly nextPose: Float64Array;
  /** Next pose before it is clamped to the limits. */
  readonly unclampedPose: Float64Array;
  /** State after the last step: a difference was written by the caller. */
  readonly lastPose: Float64Array;
  readonly lastVelocity: Float64Array;
  /** First coordinate of each rotation vector, and of each that may change its chart. */
  readonly rotationVectorStarts: Int32Array;
  readonly freeRotationVectorStarts: Int32Array;
  /** Warm start: impulses of the last step at each limit, two a limit component. */
  readonly limitImpulses: Float64Array;
  /** Warm start of dry friction, one a coordinate. */
  readonly frictionImpulses: Float64Array;
  /** Whether kinematics, inertias and energies are those of `pose` and `velocity`. */
  isCurrent: boolean;
  /** Energies, J. */
  kinetic: number;
  potential: number;
  /** Velocity of the centre of mass, m/s. */
  readonly centerVelocity: Float64Array;
  /** Predicted momentum after the step, and angular momentum about the centre of mass. */
  readonly nextMomentum: Float64Array;
  /** Floating base, see `findFloatingBase`; -1 for none. */
  readonly root: number;
  /** Whether there is one, and its six bias forces. */
  readonly isFloating: boolean;
  readonly rootBias: Float64Array;
  /** Whether the velocities found exceeded `MAX_SPEED` and were scaled down. */
  isSpeedClamped: boolean;
  /** Fastest bone, m/s. */
  speed: number;
  /** Time since it woke, and since it last moved, s. */
  awakeTime: number;
  stillTime: number;
  /** Speculative margin of each bone, m: against others, and against its own figure; and the largest of the first. */
  maxMargin: number;
  readonly margin: Float64Array;
  readonly ownMargin: Float64Array;
  /** Predicted speed of each bone after the step, m/s: in the world, and relative to its own figure. */
  readonly expectedSpeed: Float64Array;
  readonly expectedOwnSpeed: Float64Array;
  /** Largest distance of each bone's shapes from its origin, m; of the axes of round ones. */
  readonly extent: Float64Array;
  /** Whether motors and springs have gains, and whether other actors or connections act on it. */
  hasMotorForce: boolean;
  hasSpringForce: boolean;
  hasPairImpulse: boolean;
  /** At the first actor of an island: whether any actor of it moves. */
  isIslandMoving: boolean;
  /** Whether this step read a state that the caller wrote. */
  wasWritten: boolean;
  /** Asleep: its `island` when it fell asleep, common to all that did together. -1 awake. */
  sleepGroup: number;
  /** State before the step. */
  readonly backup: ActorBackup;
  /** Its index in the island during block coordinate descent. */
  indexInIsland: number;
  /** Smallest index of the actors of its island. */
  island: number;
}

/** Copy of what a step changes, to restore if the step fails. */
export interface ActorBackup {
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  readonly limitImpulses: Float64Array;
  readonly frictionImpulses: Float64Array;
  asleep: boolean;
  sleepGroup: number;
  awakeTime: number;
  stillTime: number;
}

/** The simulation's arrays of bones, 6 numbers each, actor by actor. */
export interface BoneArrays {
  readonly velocity: Float64Array;
  readonly direction: Float64Array;
  readonly wrench: Float64Array;
  /** Speculative margins, one number each; see `Reaches`. */
  readonly margin: Float64Array;
  readonly ownMargin: Float64Array;
}

/**
 * @param first - Index of its first bone among all.
 * @param extent - Largest distance of each bone's shapes from its origin, m.
 * @throws FigureError, DomainError for a figure that cannot be simulated or an invalid option, with its path.
 */
export function createActor(
  index: number,
  options: ActorOptions,
  gravity: Vec3,
  all: BoneArrays,
  first: number,
  extent: Float64Array,
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
  const armature = notNegative(options.armature ?? 0, dof, `${path}.armature`);
  const dynamics = createDynamics(figure, { gravity, armature });
  const pose = checkedVector(options.pose ?? createPose(figure), dof, `${path}.pose`);
  clampToLimits(figure, pose);
  const numbers = (): Float64Array => new Float64Array(dof);
  const view = (of: Float64Array): Float64Array => of.subarray(6 * first, 6 * (first + bones.length));
  let mass = 0;
  for (let b = 0; b < bones.length; b++) mass += dynamics.inertias[INERTIA_SIZE * b];
  const tree = treeAtRest(dynamics, view(all.wrench), view(all.direction), path);
  const root = findFloatingBase(figure);
  return {
    index,
    figure,
    pose,
    velocity: checkedVector(options.velocity ?? numbers(), dof, `${path}.velocity`),
    motor: createMotor(options.motor ?? {}, dof, rest, `${path}.motor`),
    damping: notNegative(options.damping ?? 0, dof, `${path}.damping`),
    stiffness: notNegative(options.stiffness ?? 0, dof, `${path}.stiffness`),
    rest,
    friction: notNegative(options.friction ?? 0, dof, `${path}.friction`),
    asleep: false,
    work: {
      dynamics,
      tree,
      mass,
      effectiveInertia: inertiaAtRest(dynamics, tree),
      heaviestBone: heaviestOf(dynamics),
      effectiveMass: massAtRest(dynamics, tree, mass),
      applied: { tau: numbers(), external: new Float64Array(6 * bones.length) },
      pendingImpulses: new Float64Array(6 * bones.length),
      hasPendingImpulses: false,
      appliedForce: numbers(),
      appliedImpulse: numbers(),
      externalImpulse: numbers(),
      hasExternalImpulse: false,
      active: false,
      substeps: 1,
      implicitDiagonal: numbers(),
      freeImpulse: numbers(),
      nextVelocity: numbers(),
      direction: numbers(),
      directionMomentum: numbers(),
      requiredImpulse: numbers(),
      constraintImpulse: numbers(),
      residual: numbers(),
      searchDirection: numbers(),
      treeProduct: numbers(),
      searchProduct: numbers(),
      preconditioned: numbers(),
      onPath: new Uint8Array(bones.length),
      linearResidual: numbers(),
      jointPotentials: createJointPotentials(dof, figure.limitComponents.length),
      motorGroups: createMotorGroups(figure),
      boneVelocity: view(all.velocity),
      boneDirection: view(all.direction),
      boneWrench: view(all.wrench),
      nextPose: numbers(),
      unclampedPose: numbers(),
      lastPose: numbers().fill(Number.NaN),
      lastVelocity: numbers(),
      rotationVectorStarts: rotationVectors(figure),
      freeRotationVectorStarts: freeRotationVectors(figure),
      limitImpulses: new Float64Array(2 * figure.limitComponents.length),
      frictionImpulses: numbers(),
      isCurrent: false,
      kinetic: 0,
      potential: 0,
      centerVelocity: new Float64Array(3),
      nextMomentum: new Float64Array(6),
      root,
      isFloating: root >= 0,
      rootBias: new Float64Array(6),
      isSpeedClamped: false,
      speed: 0,
      awakeTime: 0,
      stillTime: 0,
      maxMargin: 0,
      margin: all.margin.subarray(first, first + bones.length),
      ownMargin: all.ownMargin.subarray(first, first + bones.length),
      expectedSpeed: new Float64Array(bones.length),
      expectedOwnSpeed: new Float64Array(bones.length),
      extent,
      hasMotorForce: false,
      hasSpringForce: false,
      hasPairImpulse: false,
      isIslandMoving: false,
      wasWritten: false,
      sleepGroup: -1,
      backup: {
        pose: numbers(),
        velocity: numbers(),
        limitImpulses: new Float64Array(2 * figure.limitComponents.length),
        frictionImpulses: numbers(),
        asleep: false,
        sleepGroup: -1,
        awakeTime: 0,
        stillTime: 0,
      },
      indexInIsland: 0,
      island: index,
    },
  };
}

function heaviestOf({ inertias, figure }: Dynamics): number {
  let bone = 0;
  for (let b = 1; b < figure.bones.length; b++)
    if (inertias[INERTIA_SIZE * b] > inertias[INERTIA_SIZE * bone]) bone = b;
  return bone;
}

/** Factored system of a figure at rest without contacts. */
function treeAtRest(
  dynamics: Dynamics,
  wrench: Float64Array,
  direction: Float64Array,
  path: string,
): TreeSystem {
  const { figure, armature } = dynamics;
  const tree = createTreeSystem(dynamics, wrench, direction);
  updateKinematics(dynamics, createPose(figure));
  updateTreeSystem(tree);
  setDiagonal(tree, armature);
  if (factorTreeSystem(tree)) return tree;
  throw new FigureError('singular', 'has a joint without inertia at rest.', {
    path: `${path}.figure ${figure.name}`,
    remedy: 'Give every leaf bone mass and inertia, or its joint armature.',
  });
}

/** Effective inertia of each coordinate at rest, all other joints free: 1 / (M^-1)_ii; the largest of the three of a rotation vector. */
function inertiaAtRest(dynamics: Dynamics, tree: TreeSystem): Float64Array {
  const { figure } = dynamics;
  const { dof } = figure;
  const unit = new Float64Array(dof);
  const inertia = unit.map((_, i) => {
    unit.fill(0)[i] = 1;
    solveTreeSystem(tree, unit, unit);
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
function massAtRest(dynamics: Dynamics, tree: TreeSystem, max: number): Float64Array {
  const { figure } = dynamics;
  const { allBones, biasWrenches, motions } = tree;
  const impulse = new Float64Array(figure.dof);
  return Float64Array.from(figure.bones, (_, b) => {
    let mobility = 0;
    for (let k = 3; k < 6; k++) {
      impulse.fill(0);
      biasWrenches.fill(0)[6 * b + k] = -1;
      backwardPass(tree, allBones, allBones.length, impulse, impulse);
      forwardPass(tree, allBones, allBones.length, impulse);
      mobility += motions[6 * b + k] / 3;
    }
    return 1 / Math.max(mobility, 1 / max);
  });
}
