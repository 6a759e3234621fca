import { FigureError } from '../../../errors.js';
import type { Figure } from '../../../figure/model/figure.js';
import { clampToLimits, createPose } from '../../../figure/model/pose.js';
import { freeRotationVectors, rotationVectors } from '../../../figure/model/regularize.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';
import type { BoneShape } from '../../collide/shapes/shapes.js';
import type { AppliedForces } from '../../integrate/types.js';
import { placeBones } from '../../kinematics/update-kinematics.js';
import { checkedVector } from '../../model/checks.js';
import { createDynamics, type Dynamics } from '../../model/dynamics.js';
import { INERTIA } from '../../model/inertia.js';
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
  /** What its bones collide with. Default nothing. */
  readonly shapes?: readonly BoneShape[];
  /** Pairs of its bones that do not meet, such as those of `Ragdoll`. */
  readonly exclude?: readonly (readonly [string | number, string | number])[];
  /** Where it starts, brought within its limits. Default: at rest. */
  readonly pose?: Numbers;
  readonly velocity?: Numbers;
  /** Damping of the joints against nu: N m s/rad, N s/m. Default 0. */
  readonly damping?: CoordinateValues;
  /** Springs of the joints towards `rest`: N m/rad, N/m. Default 0. */
  readonly stiffness?: CoordinateValues;
  /** Pose where the springs are slack. Default: the figure's own rest. */
  readonly rest?: Numbers;
  /** Dry friction of the joints: the greatest couple or force it holds against, N m or N. Of a rotation vector the first counts for all three. Default 0. */
  readonly friction?: CoordinateValues;
  /** Inertia of rotors, kg m^2 or kg. Default 0. */
  readonly armature?: CoordinateValues;
  /** Default: none that pulls. */
  readonly motor?: MotorOptions;
}

/** A figure within a simulation. */
export interface Actor {
  readonly index: number;
  readonly figure: Figure;
  /** Where it is and how it moves, after the last step. Write to it to put it elsewhere, within its limits. */
  readonly pose: Float64Array;
  readonly velocity: Float64Array;
  readonly motor: Motor;
  readonly damping: Float64Array;
  readonly stiffness: Float64Array;
  readonly rest: Float64Array;
  readonly friction: Float64Array;
  /** Whether it lies still and is left alone until something stirs it; see `wakeActor`. */
  asleep: boolean;
  /** What only the steps use. */
  readonly work: ActorWork;
}

/** Scratch and memory of an actor. */
export interface ActorWork {
  readonly dynamics: Dynamics;
  readonly tree: TreeSystem;
  /** kg */
  readonly mass: number;
  /** What coordinates, and bones, are felt with at rest, kg m^2 or kg: what velocities and impulses are weighed with. */
  readonly effectiveInertia: Float64Array;
  readonly effectiveMass: Float64Array;
  /** Bone of the greatest mass. */
  readonly heaviestBone: number;
  readonly applied: AppliedForces;
  /** Impulses to be given in the next step, world axes, 6 numbers a bone: force, couple about the bone's origin. */
  readonly pendingImpulses: Float64Array;
  hasPendingImpulses: boolean;
  /** Forces from outside during the step, and impulses yet to be given, against nu; and what both give in the part of the step at hand. */
  readonly appliedForce: Float64Array;
  readonly appliedImpulse: Float64Array;
  readonly externalImpulse: Float64Array;
  /** Whether there are any. */
  hasExternalImpulse: boolean;
  /** Whether it takes part in the part of the step at hand, and into how many parts that has to be cut; 1 where it need not. */
  active: boolean;
  substeps: number;
  /** Diagonal that damping, springs and unbounded motors add to the mass matrix. */
  readonly implicitDiagonal: Float64Array;
  /** Impulse of all that does not depend on the velocities looked for. */
  readonly freeImpulse: Float64Array;
  /** Velocities looked for, the next direction, and A times that. */
  readonly nextVelocity: Float64Array;
  readonly direction: Float64Array;
  readonly directionMomentum: Float64Array;
  /** A (nextVelocity - nu) - push: what constraints have to give. */
  readonly requiredImpulse: Float64Array;
  /** Impulse of all constraints, and what it leaves of `missing`. */
  readonly constraintImpulse: Float64Array;
  readonly residual: Float64Array;
  /** Of conjugate gradients: search direction and what the system makes of it, with and without coupling; preconditioned residual. */
  readonly searchDirection: Float64Array;
  readonly treeProduct: Float64Array;
  readonly searchProduct: Float64Array;
  readonly preconditioned: Float64Array;
  /** Of each bone: whether it is on the tree's path. */
  readonly onPath: Uint8Array;
  /** What a direction leaves of the residual, its sign turned. */
  readonly linearResidual: Float64Array;
  readonly jointPotentials: JointPotentials;
  readonly motorGroups: readonly MotorGroup[];
  /** Velocities of bones along nextVelocity and along a direction, and wrenches on them; views of the simulation's arrays. The tree solves in the last two. */
  readonly boneVelocity: Float64Array;
  readonly boneDirection: Float64Array;
  readonly boneWrench: Float64Array;
  readonly nextPose: Float64Array;
  /** Next pose before limits hold it. */
  readonly unclampedPose: Float64Array;
  /** Where the last step left it: what differs was written from outside. */
  readonly lastPose: Float64Array;
  readonly lastVelocity: Float64Array;
  /** First coordinate of each rotation vector, and of those that may change chart. */
  readonly rotationVectorStarts: Int32Array;
  readonly freeRotationVectorStarts: Int32Array;
  /** Impulses of the last step along each limit, two a part: where the next solve starts. */
  readonly limitImpulses: Float64Array;
  /** Likewise of dry friction, one a coordinate. */
  readonly frictionImpulses: Float64Array;
  /** Whether all is placed at `pose` already. */
  isCurrent: boolean;
  kinetic: number;
  potential: number;
  /** Velocity of the centre of mass, m/s. */
  readonly centerVelocity: Float64Array;
  /** Momentum to have after the step, and angular momentum about the centre of mass. */
  readonly nextMomentum: Float64Array;
  /** Bone that carries all that moves, where that is free; else -1. */
  readonly root: number;
  /** Whether there is one, and the six forces that it would need to have no acceleration. */
  readonly isFloating: boolean;
  readonly rootBias: Float64Array;
  /** Whether the velocities found were too fast and have been brought down. */
  isSpeedClamped: boolean;
  /** Fastest bone, m/s. */
  speed: number;
  /** s since it was stirred, and since it last moved. */
  awakeTime: number;
  stillTime: number;
  /** How far any bone may come within the step, m; and each, among others and against its own figure. */
  maxMargin: number;
  readonly margin: Float64Array;
  readonly ownMargin: Float64Array;
  /** Speeds that bones are expected to have after it, m/s, likewise. */
  readonly expectedSpeed: Float64Array;
  readonly expectedOwnSpeed: Float64Array;
  /** How far the shapes of each bone reach from its origin, m: the axes of round ones. */
  readonly extent: Float64Array;
  /** Whether motors and springs pull, and whether other actors or connections do. */
  hasMotorForce: boolean;
  hasSpringForce: boolean;
  hasPairImpulse: boolean;
  /** Of the first of an island: whether any of it moves. */
  isIslandMoving: boolean;
  /** Whether what was written from outside was taken over in this step. */
  wasWritten: boolean;
  /** Sleeping: `island` when it fell asleep, the same for all that did together. -1 awake. */
  sleepGroup: number;
  /** How it was before the step. */
  readonly backup: ActorBackup;
  /** Which of its island it is, while that is solved one by one. */
  indexInIsland: number;
  /** Joined with: the least index of those that touch it. */
  island: number;
}

/** What a step changes of an actor, kept to be put back where it fails. */
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

/** The simulation's arrays of bones, 6 numbers each, all actors after one another. */
export interface BoneArrays {
  readonly velocity: Float64Array;
  readonly direction: Float64Array;
  readonly wrench: Float64Array;
  /** One number each: how far they may come; see `Reaches`. */
  readonly margin: Float64Array;
  readonly ownMargin: Float64Array;
}

/**
 * @param first - Index of its first bone among all.
 * @param extent - How far the shapes of each bone reach from its origin, m.
 * @throws FigureError, DomainError for what cannot be simulated, naming the place.
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
  for (let b = 0; b < bones.length; b++) mass += dynamics.inertias[INERTIA * b];
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
    if (inertias[INERTIA * b] > inertias[INERTIA * bone]) bone = b;
  return bone;
}

/** The system of a figure at rest that nothing touches. */
function treeAtRest(
  dynamics: Dynamics,
  wrench: Float64Array,
  direction: Float64Array,
  path: string,
): TreeSystem {
  const { figure, armature } = dynamics;
  const tree = createTreeSystem(dynamics, wrench, direction);
  placeBones(dynamics, createPose(figure));
  updateTreeSystem(tree);
  setDiagonal(tree, armature);
  if (factorTreeSystem(tree)) return tree;
  throw new FigureError('singular', 'has a joint that moves nothing at rest.', {
    path: `${path}.figure ${figure.name}`,
    remedy: 'Give every last bone mass and inertia, or its joint armature.',
  });
}

/** What each coordinate moves by itself at rest with all other joints free: 1 / (M^-1)_ii; of the three of a rotation vector the largest. */
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
    const turns = joint.type === 'free' ? coordinate + 3 : coordinate;
    const most = Math.max(...inertia.subarray(turns, coordinate + size));
    inertia.fill(most, turns, coordinate + size);
  }
  return inertia;
}

/** Mass that each bone is felt with when pushed at its origin at rest with all joints free: mean of three directions, kg; `most` where nothing gives way. */
function massAtRest(dynamics: Dynamics, tree: TreeSystem, most: number): Float64Array {
  const { figure } = dynamics;
  const { allBones, biasWrenches, motions } = tree;
  const impulse = new Float64Array(figure.dof);
  return Float64Array.from(figure.bones, (_, b) => {
    let gives = 0;
    for (let k = 3; k < 6; k++) {
      impulse.fill(0);
      biasWrenches.fill(0)[6 * b + k] = -1;
      backwardPass(tree, allBones, allBones.length, impulse, impulse);
      forwardPass(tree, allBones, allBones.length, impulse);
      gives += motions[6 * b + k] / 3;
    }
    return 1 / Math.max(gives, 1 / most);
  });
}
