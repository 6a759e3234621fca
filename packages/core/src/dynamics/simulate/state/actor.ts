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
import { gatherLoads, solveTreeSystem, spreadMotions } from '../tree/solve.js';
import { createTreeSystem, placeTreeSystem, setDiagonal, type TreeSystem } from '../tree/system.js';
import { floatingRoot } from './floating-base.js';
import { createJointTerms, type JointTerms } from './joint-potentials.js';
import { createMotor, type Motor, type MotorOptions, notNegative, type PerCoordinate } from './motor.js';
import { type DriveGroup, driveGroups } from './motor-groups.js';

/** A figure to simulate. */
export interface ActorOptions {
  readonly figure: Figure;
  /** What its bones collide with. Default nothing. */
  readonly shapes?: readonly BoneShape[];
  /** Pairs of its bones that do not meet, such as those of `Ragdoll`. */
  readonly exclude?: readonly (readonly [string | number, string | number])[];
  /** Where it starts, brought within its limits. Default: at rest. */
  readonly pose?: Numbers;
  readonly nu?: Numbers;
  /** Damping of the joints against nu: N m s/rad, N s/m. Default 0. */
  readonly damping?: PerCoordinate;
  /** Springs of the joints towards `rest`: N m/rad, N/m. Default 0. */
  readonly stiffness?: PerCoordinate;
  /** Pose where the springs are slack. Default: the figure's own rest. */
  readonly rest?: Numbers;
  /** Dry friction of the joints: the greatest couple or force it holds against, N m or N. Of a rotation vector the first counts for all three. Default 0. */
  readonly friction?: PerCoordinate;
  /** Inertia of rotors, kg m^2 or kg. Default 0. */
  readonly armature?: PerCoordinate;
  /** Default: none that pulls. */
  readonly motor?: MotorOptions;
}

/** A figure within a simulation. */
export interface Actor {
  readonly index: number;
  readonly figure: Figure;
  /** Where it is and how it moves, after the last step. Write to it to put it elsewhere, within its limits. */
  readonly pose: Float64Array;
  readonly nu: Float64Array;
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
  readonly inertia: Float64Array;
  readonly boneMass: Float64Array;
  /** Bone of the greatest mass. */
  readonly heaviest: number;
  readonly applied: AppliedForces;
  /** Impulses to be given in the next step, world axes, 6 numbers a bone: force, couple about the bone's origin. */
  readonly impulses: Float64Array;
  impulsive: boolean;
  /** Forces from outside during the step, and impulses yet to be given, against nu; and what both give in the part of the step at hand. */
  readonly force: Float64Array;
  readonly impulse: Float64Array;
  readonly given: Float64Array;
  /** Whether there are any. */
  pushed: boolean;
  /** Whether it takes part in the part of the step at hand, and into how many parts that has to be cut; 1 where it need not. */
  moving: boolean;
  parts: number;
  /** Diagonal that damping, springs and unbounded motors add to the mass matrix. */
  readonly diagonal: Float64Array;
  /** Impulse of all that does not depend on the velocities looked for. */
  readonly push: Float64Array;
  /** Velocities looked for, the next direction, and A times that. */
  readonly nextNu: Float64Array;
  readonly direction: Float64Array;
  readonly directionImpulse: Float64Array;
  /** A (nextNu - nu) - push: what constraints have to give. */
  readonly missing: Float64Array;
  /** Impulse of all constraints, and what it leaves of `missing`. */
  readonly constraint: Float64Array;
  readonly residual: Float64Array;
  /** Of conjugate gradients: search direction and what the system makes of it, with and without coupling; preconditioned residual. */
  readonly search: Float64Array;
  readonly searchTree: Float64Array;
  readonly searchImage: Float64Array;
  readonly solved: Float64Array;
  /** Of each bone: whether it is on the tree's path. */
  readonly onPath: Uint8Array;
  /** What a direction leaves of the residual, its sign turned. */
  readonly leftOver: Float64Array;
  readonly jointTerms: JointTerms;
  readonly groups: readonly DriveGroup[];
  /** Velocities of bones along nextNu and along a direction, and wrenches on them; views of the simulation's arrays. The tree solves in the last two. */
  readonly boneVelocity: Float64Array;
  readonly boneDirection: Float64Array;
  readonly boneWrench: Float64Array;
  readonly nextPose: Float64Array;
  /** Next pose before limits hold it. */
  readonly clamped: Float64Array;
  /** Where the last step left it: what differs was written from outside. */
  readonly leftPose: Float64Array;
  readonly leftNu: Float64Array;
  /** First coordinate of each rotation vector, and of those that may change chart. */
  readonly rotations: Int32Array;
  readonly charts: Int32Array;
  /** Impulses of the last step along each limit, two a part: where the next solve starts. */
  readonly limitImpulses: Float64Array;
  /** Likewise of dry friction, one a coordinate. */
  readonly frictionImpulses: Float64Array;
  /** Whether all is placed at `pose` already. */
  placed: boolean;
  kinetic: number;
  potential: number;
  /** Velocity of the centre of mass, m/s. */
  readonly drift: Float64Array;
  /** Momentum to have after the step, and angular momentum about the centre of mass. */
  readonly nextMomentum: Float64Array;
  /** Bone that carries all that moves, where that is free; else -1. */
  readonly root: number;
  /** Whether there is one, and the six forces that it would need to have no acceleration. */
  readonly floats: boolean;
  readonly bias: Float64Array;
  /** Whether the velocities found were too fast and have been brought down. */
  slowed: boolean;
  /** Fastest bone, m/s. */
  speed: number;
  /** s since it was stirred, and since it last moved. */
  awakeFor: number;
  quietFor: number;
  /** How far any bone may come within the step, m; and each, among others and against its own figure. */
  reach: number;
  readonly among: Float64Array;
  readonly own: Float64Array;
  /** Speeds that bones are expected to have after it, m/s, likewise. */
  readonly expected: Float64Array;
  readonly expectedOwn: Float64Array;
  /** How far the shapes of each bone reach from its origin, m: the axes of round ones. */
  readonly extent: Float64Array;
  /** Whether motors and springs pull, and whether other actors or connections do. */
  motored: boolean;
  sprung: boolean;
  helped: boolean;
  /** Of the first of an island: whether any of it moves. */
  restless: boolean;
  /** Whether what was written from outside was taken over in this step. */
  takenOver: boolean;
  /** Sleeping: `island` when it fell asleep, the same for all that did together. -1 awake. */
  group: number;
  /** How it was before the step. */
  readonly before: Before;
  /** Which of its island it is, while that is solved one by one. */
  placeInIsland: number;
  /** Joined with: the least index of those that touch it. */
  island: number;
}

/** What a step changes of an actor, kept to be put back where it fails. */
export interface Before {
  readonly pose: Float64Array;
  readonly nu: Float64Array;
  readonly limitImpulses: Float64Array;
  readonly frictionImpulses: Float64Array;
  asleep: boolean;
  group: number;
  awakeFor: number;
  quietFor: number;
}

/** The simulation's arrays of bones, 6 numbers each, all actors after one another. */
export interface BoneArrays {
  readonly velocity: Float64Array;
  readonly direction: Float64Array;
  readonly wrench: Float64Array;
  /** One number each: how far they may come; see `Reaches`. */
  readonly among: Float64Array;
  readonly own: Float64Array;
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
  const root = floatingRoot(figure);
  return {
    index,
    figure,
    pose,
    nu: checkedVector(options.nu ?? numbers(), dof, `${path}.nu`),
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
      inertia: inertiaAtRest(dynamics, tree),
      heaviest: heaviestOf(dynamics),
      boneMass: massAtRest(dynamics, tree, mass),
      applied: { tau: numbers(), external: new Float64Array(6 * bones.length) },
      impulses: new Float64Array(6 * bones.length),
      impulsive: false,
      force: numbers(),
      impulse: numbers(),
      given: numbers(),
      pushed: false,
      moving: false,
      parts: 1,
      diagonal: numbers(),
      push: numbers(),
      nextNu: numbers(),
      direction: numbers(),
      directionImpulse: numbers(),
      missing: numbers(),
      constraint: numbers(),
      residual: numbers(),
      search: numbers(),
      searchTree: numbers(),
      searchImage: numbers(),
      solved: numbers(),
      onPath: new Uint8Array(bones.length),
      leftOver: numbers(),
      jointTerms: createJointTerms(dof, figure.limitParts.length),
      groups: driveGroups(figure),
      boneVelocity: view(all.velocity),
      boneDirection: view(all.direction),
      boneWrench: view(all.wrench),
      nextPose: numbers(),
      clamped: numbers(),
      leftPose: numbers().fill(Number.NaN),
      leftNu: numbers(),
      rotations: rotationVectors(figure),
      charts: freeRotationVectors(figure),
      limitImpulses: new Float64Array(2 * figure.limitParts.length),
      frictionImpulses: numbers(),
      placed: false,
      kinetic: 0,
      potential: 0,
      drift: new Float64Array(3),
      nextMomentum: new Float64Array(6),
      root,
      floats: root >= 0,
      bias: new Float64Array(6),
      slowed: false,
      speed: 0,
      awakeFor: 0,
      quietFor: 0,
      reach: 0,
      among: all.among.subarray(first, first + bones.length),
      own: all.own.subarray(first, first + bones.length),
      expected: new Float64Array(bones.length),
      expectedOwn: new Float64Array(bones.length),
      extent,
      motored: false,
      sprung: false,
      helped: false,
      restless: false,
      takenOver: false,
      group: -1,
      before: {
        pose: numbers(),
        nu: numbers(),
        limitImpulses: new Float64Array(2 * figure.limitParts.length),
        frictionImpulses: numbers(),
        asleep: false,
        group: -1,
        awakeFor: 0,
        quietFor: 0,
      },
      placeInIsland: 0,
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
  placeTreeSystem(tree);
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
  const { all, loads, motions } = tree;
  const impulse = new Float64Array(figure.dof);
  return Float64Array.from(figure.bones, (_, b) => {
    let gives = 0;
    for (let k = 3; k < 6; k++) {
      impulse.fill(0);
      loads.fill(0)[6 * b + k] = -1;
      gatherLoads(tree, all, all.length, impulse, impulse);
      spreadMotions(tree, all, all.length, impulse);
      gives += motions[6 * b + k] / 3;
    }
    return 1 / Math.max(gives, 1 / most);
  });
}
